"""One order for names that come in many sequences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

__all__ = ["common_order"]


def common_order(sequences: Iterable[Sequence[str]]) -> list[str]:
    """All names, in an order that every sequence agrees with, if there is one.

    If there is none, an earlier sequence wins over a later one. Names whose order is open stand in
    the order in which they first came. Within a sequence only the first of equal names counts.
    """
    followers: dict[str, set[str]] = {}
    for sequence in sequences:
        names = list(dict.fromkeys(sequence))
        for name in names:
            followers.setdefault(name, set())
        # That each follows its neighbour is enough: order is transitive.
        for before, after in pairwise(names):
            if not _leads(followers, after, before):
                followers[before].add(after)
    return _sorted(followers)


def _leads(followers: dict[str, set[str]], start: str, goal: str) -> bool:
    """Whether ``goal`` comes after ``start`` already."""
    seen = {start}
    waiting = [start]
    while waiting:
        name = waiting.pop()
        if name == goal:
            return True
        fresh = followers[name] - seen
        seen |= fresh
        waiting.extend(fresh)
    return False


def _sorted(followers: dict[str, set[str]]) -> list[str]:
    """Topological order; of several that could come next, the one that first came (dict order)."""
    waits_for = dict.fromkeys(followers, 0)
    for names in followers.values():
        for name in names:
            waits_for[name] += 1
    result: list[str] = []
    while waits_for:
        name = next(name for name, count in waits_for.items() if count == 0)
        del waits_for[name]
        result.append(name)
        for follower in followers[name]:
            waits_for[follower] -= 1
    return result
