"""Boundaries: what stands before and behind a value in a text, as far as that tells."""

from __future__ import annotations

import re

#: How much text before a value a boundary holds, at most.
_CONTEXT = 30
#: What ends a value: a character, or an escape, as a value may have other ones.
_RIGHT = re.compile(r"%[0-9a-fA-F]{2}|&[#\w]+;|\\u[0-9a-fA-F]{4}|\\.|.|\Z", re.DOTALL)
_CONTEXT_END = re.compile(r"[<>;{}]")
_CONTEXT_START = re.compile(r"[\s,()\[\]&]")


def beside(text: str, start: int, end: int) -> tuple[str, str]:
    """What is before and behind ``text[start:end]``, as far as that tells."""
    right = _RIGHT.match(text, end)
    return _left_of(text[max(0, start - _CONTEXT) : start]), right[0] if right else ""


def _left_of(context: str) -> str:
    """Text before a value by which to find it: in its line and its tag or statement, no numbers."""
    line = context.rpartition("\n")[2]
    ends = [match.end() for match in _CONTEXT_END.finditer(line)]
    narrow = line[ends[-1] :] if ends else line
    if not narrow.strip():
        return line.strip() and line[ends[-2] if len(ends) > 1 else 0 :]
    starts = [0, *(match.end() for match in _CONTEXT_START.finditer(narrow))]
    candidates = [left for left in (narrow[start:] for start in starts) if left.strip()]
    steady = (left for left in candidates if not any(map(str.isdigit, left)))
    return next(steady, candidates[0])
