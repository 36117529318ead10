"""Results as text, JSON and live lines: values in, strings and plain data out.

Nothing here prints, writes a file, knows the terminal or asks for the time. Nothing is imported
here, so that a failed functional replay does not load what only load tests need.
"""
