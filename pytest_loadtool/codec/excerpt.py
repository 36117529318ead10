"""Text no longer than a person reads."""

from __future__ import annotations

#: The most of a body that is shown, in characters and in lines.
LIMIT, LINES = 2000, 40


def is_binary(text: str) -> bool:
    """Return whether a decoded body is no text: it holds NUL, or many bytes its charset does not
    know."""
    sample = text[:2000]
    return "\x00" in sample or sample.count("\ufffd") > len(sample) / 20


def excerpt(text: str, place: int = 0) -> list[str]:
    """Return the lines of ``text`` around the character at ``place``; says how much is left out."""
    if len(text) <= LIMIT and text.count("\n") < LINES:
        return text.split("\n")
    start = _start(text, max(0, min(place, len(text) - 1)))
    lines = text[start : start + LIMIT].split("\n")[:LINES]
    end = start + sum(len(line) + 1 for line in lines) - 1
    before = [f"… {start:,} characters before this"] if start else []
    after = [f"… {len(text) - end:,} characters after this"] if end < len(text) else []
    return [*before, *lines, *after]


def _start(text: str, place: int) -> int:
    """Return a place somewhat before ``place``: at the start of a line, if there is one near
    enough."""
    earliest = max(0, place - LIMIT // 5)
    *before, own = text[earliest:place].split("\n")
    kept = before[-(LINES // 4) :]
    if earliest and len(kept) == len(before):
        kept = kept[1:]  # the first one is a line's end only
    if not before and earliest:
        return earliest
    return place - len("\n".join([*kept, own]))
