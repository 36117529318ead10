"""A failure in plain words, as pytest's reports hold it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_loadtool.plugin.private import output_of
from pytest_loadtool.report.columns import wrap

if TYPE_CHECKING:
    from _pytest._io import TerminalWriter

_INDENT = re.compile(r"[ ]*")


class WrappedText(str):
    """Broken between words on a terminal, which would break it within them.

    Elsewhere (in a log, in a JUnit file) its lines stay whole, to be searched.
    """

    __slots__ = ()

    def toterminal(self, tw: TerminalWriter) -> None:
        """Write it. pytest looks for this method before it takes a failure for mere text."""
        for line in self.split("\n"):
            tw.line("\n".join(_parts(line, tw.fullwidth)) if output_of(tw).isatty() else line)


class LoadFailure(WrappedText):
    """The reason why a load test failed. On a terminal the report below says the rest."""

    __slots__ = ()

    def toterminal(self, tw: TerminalWriter) -> None:
        """Write its first line."""
        WrappedText(self.partition("\n")[0]).toterminal(tw)


def _parts(line: str, width: int) -> list[str]:
    match = _INDENT.match(line)
    indent = match[0] if match else ""
    return wrap(line, width, indent, indent + "  ")
