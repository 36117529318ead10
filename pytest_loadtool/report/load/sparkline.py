"""A row of numbers as a row of characters: how a value went over time, on one line of text."""

from __future__ import annotations

from collections.abc import Sequence

BLOCKS = " ▁▂▃▄▅▆▇█"
ASCII = " .:-=+*#@"
"""For a stream that cannot carry `BLOCKS`."""


def glyphs_for(encoding: str | None) -> str:
    """Return the glyphs that a stream of this encoding can carry."""
    try:
        BLOCKS.encode(encoding or "ascii")
    except (LookupError, UnicodeEncodeError):
        return ASCII
    return BLOCKS


def sparkline(values: Sequence[float], glyphs: str = BLOCKS) -> str:
    """Return one character for each value, from none (a blank) to the greatest of them (the last
    glyph).

    Only zero is blank: whatever there is, however little, shows.
    """
    most = max(values, default=0.0)
    steps = len(glyphs) - 1
    return "".join(
        glyphs[max(1, round(value / most * steps))] if value > 0 else glyphs[0] for value in values
    )


def groups(count: int, columns: int) -> int:
    """Return how many of ``count`` values must share a column so that ``columns`` are enough."""
    return max(1, -(-count // columns))
