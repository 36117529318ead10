"""From a failure to its cause and its remedy. Decides; prints nothing.

No I/O, no pytest.
"""
