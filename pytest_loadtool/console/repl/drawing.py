"""Lines of views as a terminal shows them: coloured, and wrapped at its width. Imports rich."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

if TYPE_CHECKING:
    from pytest_loadtool.console.views.line import Kind, ViewLine

#: In the eight colours that every theme has chosen to be read on its background, dark or light. The
#: gray background is colour 250 of 256.
_STYLES: dict[Kind, str] = {
    "": "",
    "heading": "bold",
    "name": "cyan",
    "number": "dim",
    "good": "green",
    "bad": "red",
    "correlated": "black on color(250)",
    "cursor": "reverse",
    "title": "reverse",
    "dim": "dim",
    "found": "reverse",
    "keyword": "magenta",
    "string": "green",
    "tag": "blue",
    "attribute": "cyan",
    "comment": "dim",
}
#: Columns that the last span of a line must have to be continued below its beginning.
_NARROWEST = 20


def drawn(line: ViewLine, width: int, *, coloured: bool) -> str:
    """Return the line, or the lines that it takes in so many columns, with escape sequences."""
    *before, (last, kind) = line.spans
    head = Text.assemble(*((text, _STYLES[kind]) for text, kind in before))
    body = Text(last, _STYLES[kind])
    file = StringIO()
    console = Console(
        file=file,
        force_terminal=True,
        color_system="256" if coloured else None,
        no_color=not coloured,
        width=width,
    )
    indent = head.cell_len
    if width - indent < _NARROWEST:  # the terminal breaks it as it can
        return _ansi(console, file, [head + body])
    first, *rest = body.wrap(console, width - indent, overflow="fold") or [body]
    return _ansi(console, file, [head + first, *(Text(" " * indent) + one for one in rest)])


def _ansi(console: Console, file: StringIO, lines: list[Text]) -> str:
    for one in lines:
        console.print(one, soft_wrap=True)
    return file.getvalue().removesuffix("\n")
