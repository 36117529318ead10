"""Values out of responses, by sources of each kind: the same code for a recording and at replay.

No traffic enters here, and nothing of why a value is taken.
"""
