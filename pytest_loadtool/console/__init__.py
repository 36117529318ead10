"""The console: what a person does between recording and saving, as commands.

`run` opens it: a prompt for a person at a terminal, or the same commands from a script. A command
is a typed function in `commands`; how it is parsed, completed and documented follows from its
signature and docstring (`registry`). What is shown is made in `views`, as text; `repl` draws it.

Only `repl` knows prompt_toolkit and rich. pytest may not enter: `plugin.record.hooks` turns its
options into `Settings`. What a command does is a function of `workflow`; here it is asked for.
"""

from __future__ import annotations

from pytest_loadtool.console.repl.start import run
from pytest_loadtool.console.session import Settings

__all__ = ["Settings", "run"]
