"""Protocol knowledge, once: how values and bytes are written and read, wherever they stand.

Nothing of the package may enter but `errors`; no I/O.
"""
