"""What an editor or another program has made of a test case file while it was open here."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from pathlib import Path

from pytest_loadtool.casefile.files import read_text

#: A table's or a key's name at the beginning of a line.
_KEY = re.compile(r"\s*\[*\s*([\w.\"'-]+)\s*(?:\]|=)")
#: Places that are named; the rest is counted.
_NAMED = 3


def text_of(path: Path) -> str | None:
    """Return what a file holds; None if there is no such file.

    Raises:
        FileError: it cannot be read.
    """
    return read_text(path) if path.exists() else None


def places(old: str, new: str) -> str:
    """Return where two texts of a file differ: ``line 46: validators, and 2 more places``."""
    before, after = old.splitlines(), new.splitlines()
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    found = [
        _place(first, [*after[first:last], *before[begin:end]])
        for kind, begin, end, first, last in matcher.get_opcodes()
        if kind != "equal"
    ]
    more = len(found) - _NAMED
    tail = [f"and {more} more place{'s' if more > 1 else ''}"] if more > 0 else []
    return ", ".join([*found[:_NAMED], *tail]) or "its line ends"


def _place(index: int, lines: list[str]) -> str:
    key = next((match[1] for line in lines if (match := _KEY.match(line))), "")
    return f"line {index + 1}" + (f": {key}" if key else "")


def differences(old: str, new: str, name: str) -> Iterator[str]:
    """Return the lines that differ, as ``diff -u`` has them."""
    yield from difflib.unified_diff(
        old.splitlines(), new.splitlines(), f"{name} here", f"{name} on disk", lineterm="", n=2
    )
