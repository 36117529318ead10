"""Texts in columns of a terminal: wide characters take two, combining ones none."""

from __future__ import annotations

from rich.cells import cell_len, set_cell_size

__all__ = ["cell_len", "clipped", "middle", "padded"]


def padded(text: str, columns: int) -> str:
    """Return the text with spaces behind it, so that it takes so many columns, or more."""
    return text + " " * (columns - cell_len(text))


def clipped(text: str, columns: int) -> str:
    """Return the text on one line, cut to so many columns; white space is collapsed."""
    text = " ".join(text.split())
    return text if cell_len(text) <= columns else set_cell_size(text, columns - 1).rstrip() + "…"


def middle(text: str, columns: int) -> str:
    """Return the text on one line in so many columns: both ends of an address tell more than its
    middle."""
    text = " ".join(text.split())
    if cell_len(text) <= columns:
        return text
    end = (columns - 1) // 3
    tail = set_cell_size(text[::-1], end).rstrip()[::-1]
    return f"{set_cell_size(text, columns - 1 - end).rstrip()}…{tail}"
