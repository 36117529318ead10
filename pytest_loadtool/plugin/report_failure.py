"""A failure in plain words, as pytest's reports hold it."""

from __future__ import annotations

import re

from _pytest._io import TerminalWriter

from pytest_loadtool.report.columns import wrap

_INDENT = re.compile(r"[ ]*")


class WrappedText(str):
    """Broken between words on a terminal, which would break it within them.

    Elsewhere (in a log, in a JUnit file) its lines stay whole, to be searched.
    """

    __slots__ = ()

    def toterminal(self, tw: TerminalWriter) -> None:
        """Write it. pytest looks for this method before it takes a failure for mere text."""
        for line in self.split("\n"):
            tw.line("\n".join(_parts(line, tw.fullwidth)) if tw._file.isatty() else line)


def _parts(line: str, width: int) -> list[str]:
    match = _INDENT.match(line)
    indent = match[0] if match else ""
    return wrap(line, width, indent, indent + "  ")
