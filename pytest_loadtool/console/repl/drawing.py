"""Text as a terminal shows it: coloured, and wrapped at its width. Imports rich."""

from __future__ import annotations

from io import StringIO

from rich.console import Console
from rich.text import Text

from pytest_loadtool.console.views.line import UNBROKEN, VERBATIM, Kind, ViewLine

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
    "edited": "green",
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
#: Columns by which a plain line is continued to the right of its beginning.
_HANGING = 2


def lines_drawn(text: str, width: int, *, coloured: bool) -> list[str]:
    """Return the lines that any text takes in so many columns, with escape sequences."""
    lines = [text] if isinstance(text, ViewLine) else map(_plain, text.split("\n"))
    return [part for line in lines for part in drawn(line, width, coloured=coloured).split("\n")]


def _plain(line: str) -> ViewLine:
    """Return a line of plain text, with its indentation as a span of its own."""
    text = line.lstrip(" ")
    return ViewLine((line[: len(line) - len(text)], ""), (text, ""), hanging=_HANGING)


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
    indent = head.cell_len + line.hanging
    fits = head.cell_len + body.cell_len <= width or line.hanging == VERBATIM
    if not fits and width - indent < _NARROWEST and line.hanging != UNBROKEN:
        head, body = Text(), head + body  # no room below its last part: below its beginning
        indent = len(line) - len(line.lstrip(" ")) + _HANGING
    if fits or width - indent < _NARROWEST:
        return _ansi(console, file, [head + body])  # or the terminal breaks it as it can
    first, *rest = body.wrap(console, width - indent, overflow="fold") or [body]
    return _ansi(console, file, [head + first, *(Text(" " * indent) + one for one in rest)])


def _ansi(console: Console, file: StringIO, lines: list[Text]) -> str:
    for one in lines:
        console.print(one, soft_wrap=True)
    return file.getvalue().removesuffix("\n")
