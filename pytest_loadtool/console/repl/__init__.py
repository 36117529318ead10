"""The prompt, scripts and pipes: from a line to a command, and from its text to a terminal.

Of the whole package only this room knows prompt_toolkit.
"""
