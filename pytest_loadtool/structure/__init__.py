"""What follows from a test case alone: its flows, what its texts use, what it renews, its doubts.

Nouns and templates in, nouns out. No I/O; nothing of a recording, a replay or a file's form.
"""
