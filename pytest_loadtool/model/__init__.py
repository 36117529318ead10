"""The nouns: frozen dataclasses with no behaviour beyond their own invariants.

Nothing may enter here but the standard library: no I/O, no parsing of files, no HTTP.
"""
