"""Text for a terminal: printable, serialisable, and no longer than a person reads."""

from __future__ import annotations

import re

#: The most of a body that is shown, in characters and in lines.
LIMIT, LINES = 2000, 40

# C0 and C1 controls but for tab and newline: a body must not steer the terminal. And U+FEFF, which
# cannot be seen.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ufeff]")


def printable(text: str) -> str:
    """``text`` with control characters written as escapes and lone surrogates as ``?``."""
    text = text.replace("\r\n", "\n")
    text = _CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", text)
    return text.encode("utf-8", "replace").decode()


def is_binary(text: str) -> bool:
    """Whether a decoded body is no text: it holds NUL, or many bytes its charset does not know."""
    sample = text[:2000]
    return "\x00" in sample or sample.count("\ufffd") > len(sample) / 20


def clip(text: str, limit: int) -> str:
    """``text`` on one line, cut to ``limit`` characters."""
    text = " ".join(text.split())
    return text if len(text) <= limit else text[: limit - 1] + "…"


def excerpt(text: str, place: int = 0) -> list[str]:
    """The lines of ``text`` around the character at ``place``; says how much is left out."""
    if len(text) <= LIMIT and text.count("\n") < LINES:
        return text.split("\n")
    start = _start(text, max(0, min(place, len(text) - 1)))
    lines = text[start : start + LIMIT].split("\n")[:LINES]
    end = start + sum(len(line) + 1 for line in lines) - 1
    before = [f"… {start:,} characters before this"] if start else []
    after = [f"… {len(text) - end:,} characters after this"] if end < len(text) else []
    return [*before, *lines, *after]


def _start(text: str, place: int) -> int:
    """Somewhat before ``place``: at the start of a line, if there is one near enough."""
    earliest = max(0, place - LIMIT // 5)
    *before, own = text[earliest:place].split("\n")
    kept = before[-(LINES // 4) :]
    if earliest and len(kept) == len(before):
        kept = kept[1:]  # the first one is a line's end only
    if not before and earliest:
        return earliest
    return place - len("\n".join([*kept, own]))
