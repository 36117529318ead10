"""A key for caches of what is computed from large frozen data: equal to itself alone."""

from __future__ import annotations

from typing import Generic, TypeVar

_T = TypeVar("_T")


class Same(Generic[_T]):
    """``it``, compared by identity: two test cases are not compared in full to draw a line."""

    __slots__ = ("it",)

    def __init__(self, it: _T) -> None:
        self.it = it

    def __hash__(self) -> int:
        return id(self.it)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self.it is other.it
