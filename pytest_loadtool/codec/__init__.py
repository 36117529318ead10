"""What is known of protocols, each thing once: how values, bodies and names are written and read.

Text and bytes in, text, bytes and nouns out. No I/O, no state of a user, nothing of a test case
but its nouns.
"""
