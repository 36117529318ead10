"""A line of a view: text, of which parts are of a kind. `drawing` knows what a kind looks like."""

from __future__ import annotations

from typing import Literal, Self

Kind = Literal[
    "", "heading", "name", "number", "good", "bad", "correlated", "edited",
    "cursor", "title", "dim", "found",
    "keyword", "string", "tag", "attribute", "comment",
]  # fmt: skip


#: For ``hanging``: a line that is there to be copied. No line end comes into it.
VERBATIM = -1


#: ``hanging`` of a line that nothing but the terminal itself breaks: it is there to be copied.
UNBROKEN = 1 << 16


class ViewLine(str):
    """The line as plain text; ``spans`` are its parts with their kinds.

    Where it does not go into the width there is, it is continued below the beginning of the last,
    or so many columns to the right of it as ``hanging`` says, unless that is `VERBATIM`.
    """

    spans: tuple[tuple[str, Kind], ...]
    hanging: int
    __slots__ = ("hanging", "spans")

    def __new__(cls, *spans: tuple[str, Kind], hanging: int = 0) -> Self:
        """Join the spans."""
        line = super().__new__(cls, "".join(text for text, _ in spans))
        line.spans = spans
        line.hanging = hanging
        return line
