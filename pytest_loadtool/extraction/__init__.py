"""Values out of responses: JSON, XML, headers, cookies, tags, patterns, boundaries.

Replay runs this for each response, so it is compiled and bounded. No correlation, no I/O.
"""
