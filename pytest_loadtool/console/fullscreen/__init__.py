"""Drawing screens at a terminal, and reading keys there, with prompt_toolkit.

It holds no state of the test case and decides nothing: what is seen is computed in `screens`, what
a key does is a line of the registry.
"""
