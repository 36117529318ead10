"""Lines of a width in columns of a terminal: wide characters take two, combining ones none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from prompt_toolkit.utils import get_cwidth  # what draws the lines has to count as they do

from pytest_loadtool.console.views.line import Kind, ViewLine


def columns_of(text: str) -> int:
    """Return how many columns a text takes."""
    return len(text) if text.isascii() else get_cwidth(text)


def split_at(text: str, columns: int) -> tuple[str, str]:
    """Return the beginning of a text that goes into so many columns, and the rest."""
    if text.isascii():
        return text[:columns], text[columns:]
    taken = 0
    for index, character in enumerate(text):
        taken += get_cwidth(character)
        if taken > columns:
            return text[:index], text[index:]
    return text, ""


def shortened(text: str, columns: int) -> str:
    """Return a text that goes into so many columns: of a longer one, its beginning and its end."""
    if columns_of(text) <= columns:
        return text
    if columns < 3:
        return split_at(text, columns)[0]
    head = split_at(text, (columns - 1) // 2)[0]
    room = columns - 1 - columns_of(head)
    tail = split_at(text[::-1], room)[0][::-1]
    return f"{head}…{tail}"


def padded(text: str, columns: int) -> str:
    """Return a text that takes exactly so many columns: `shortened`, or with spaces behind it."""
    text = shortened(text, columns)
    return text + " " * (columns - columns_of(text))


def as_line(line: str) -> ViewLine:
    """Return a line with kinds, which plain text is one of."""
    return line if isinstance(line, ViewLine) else ViewLine((str(line), ""))


def of_kind(line: str, kind: Kind) -> ViewLine:
    """Return the line with all of it of one kind."""
    return ViewLine((str(line), kind))


def joined(lines: Iterable[str]) -> ViewLine:
    """Return one line of several, one behind the other."""
    return ViewLine(*(span for line in lines for span in as_line(line).spans))


def fitted(line: str, columns: int) -> ViewLine:
    """Return the line cut to so many columns, or with spaces behind it."""
    spans: list[tuple[str, Kind]] = []
    left = columns
    for text, kind in as_line(line).spans:
        head, rest = split_at(text, left)
        spans.append((head, kind))
        left -= columns_of(head)
        if rest:
            break
    return ViewLine(*spans, (" " * left, ""))


def cut_at(line: ViewLine, index: int) -> tuple[ViewLine, ViewLine]:
    """Return the line up to a character, and from it on."""
    before: list[tuple[str, Kind]] = []
    behind: list[tuple[str, Kind]] = []
    for text, kind in line.spans:
        room = max(0, index)
        before.append((text[:room], kind))
        behind.append((text[room:], kind))
        index -= len(text)
    return ViewLine(*(one for one in before if one[0])), ViewLine(*(o for o in behind if o[0]))


def wrapped(line: str, columns: int, *, hanging: bool = False) -> Iterator[ViewLine]:
    """Yield the line in pieces of at most so many columns, the later ones below its beginning; if
    ``hanging``, below that of its last part, as it says, unless that leaves little room.

    It is broken at a space or behind a sign if there is one in the second half, else anywhere.
    """
    rest = as_line(line)
    if columns_of(rest) <= columns:
        yield rest
        return
    indent = _indent(rest, hanging=hanging)
    if indent > columns // 3:
        indent = min(_indent(rest, hanging=False), columns // 3)
    margin = ViewLine((" " * indent, "")) if indent else ViewLine()
    first = True
    while True:
        room = columns if first else columns - indent
        head, tail = split_at(str(rest), room)
        end = len(head)
        if tail and not tail.startswith(" "):
            end = max((head.rfind(sign) + 1 for sign in _BREAKS), default=0)
            end = end if end > len(head) // 2 else len(head)
        piece, rest = cut_at(rest, end or 1)
        yield piece if first else joined((margin, piece))
        if not tail:
            return
        first = False
        if tail.startswith(" "):
            rest = cut_at(rest, 1)[1]


def shallow(lines: Sequence[ViewLine], columns: int) -> Iterator[ViewLine]:
    """Yield lines that are indented by a quarter of so many columns at most: where one is deeper,
    all of them by half of what they were."""
    depths = [len(line) - len(line.lstrip(" ")) for line in map(str, lines)]
    deepest, most = max(depths, default=0), columns // 4
    for line, depth in zip(lines, depths, strict=True):
        if deepest <= most:
            yield line
        else:
            margin = ViewLine((" " * min(depth // 2, most), ""))
            yield joined((margin, cut_at(line, depth)[1]))


#: Behind what a line may be broken.
_BREAKS = " ,;&?/"


def _indent(line: ViewLine, *, hanging: bool) -> int:
    """Return how far its later pieces are indented."""
    if hanging and len(line.spans) > 1:
        return columns_of("".join(part for part, _ in line.spans[:-1])) + line.hanging
    text = str(line)
    return len(text) - len(text.lstrip(" ")) + 2


def beside(left: Iterable[str], right: Iterable[str], columns: int) -> Iterator[ViewLine]:
    """Yield lines of two blocks of the same height beside each other; the left one has so many
    columns."""
    for one, other in zip(left, right, strict=True):
        yield joined((fitted(one, columns), ViewLine(("│", "dim")), other))


def filled(lines: Iterable[ViewLine], columns: int, rows: int) -> list[ViewLine]:
    """Return a block of exactly so many rows and columns."""
    block = [fitted(line, columns) for _, line in zip(range(rows), lines, strict=False)]
    return block + [ViewLine((" " * columns, ""))] * (rows - len(block))
