"""Progress: how far work has got that takes long."""

from __future__ import annotations

from collections.abc import Callable

#: Is told what is being done, how many transactions or exchanges are behind, and of how many: 0 if
#: that is not known.
Told = Callable[[str, int, int], None]


def silent(doing: str, done: int, of: int) -> None:
    """Tell nobody of progress."""
