"""One order for names that come in many sequences."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from itertools import pairwise
from typing import TypeVar

__all__ = ["common_order"]

Name = TypeVar("Name", bound=Hashable)


def common_order(sequences: Iterable[Sequence[Name]]) -> list[Name] | None:
    """All names, in an order that every sequence agrees with; None if there is no such order.

    Names whose order is open stand in the order in which they first came. No sequence may hold a
    name twice.
    """
    followers: dict[Name, set[Name]] = {}
    for sequence in sequences:
        for name in sequence:
            followers.setdefault(name, set())
        # That each follows its neighbour is enough: order is transitive.
        for before, after in pairwise(sequence):
            followers[before].add(after)
    waits_for = dict.fromkeys(followers, 0)
    for names in followers.values():
        for name in names:
            waits_for[name] += 1
    result: list[Name] = []
    while waits_for:
        free = (name for name, count in waits_for.items() if count == 0)
        following = next(free, None)
        if following is None:
            return None
        del waits_for[following]
        result.append(following)
        for follower in followers[following]:
            waits_for[follower] -= 1
    return result
