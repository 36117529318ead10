"""The console: what a person does between recording and saving, as commands.

`run` opens it: a prompt for a person at a terminal, or the same commands from a script. A command
is a typed function in `commands`; how it is parsed, completed and documented follows from its
signature and docstring (`registry`). What is shown is made in `views`, as text.

A program can take the person's place: `program.record` and the plugin's recording from tests say
where a recording begins and ends, to the same commands in a process of their own.

Only this room knows prompt_toolkit, and only `prompt`, `completion` and `start` in it; what rich
draws at a terminal is drawn by `drawing`. pytest may
not enter: `pytest_loadtool.plugin.record.hooks` turns its options into `Settings`. What a command
does to a test case is decided in the rooms below (recording, correlation, replay); here it is
asked for.
"""

from __future__ import annotations

from pytest_loadtool.console.session import Settings
from pytest_loadtool.console.start import run

__all__ = ["Settings", "run"]
