"""One order for names that come in many sequences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from heapq import heappop, heappush
from itertools import pairwise
from typing import TypeVar

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
    came = list(followers)
    place = {name: position for position, name in enumerate(came)}
    waits_for = Counter(name for names in followers.values() for name in names)
    free = [position for position, name in enumerate(came) if not waits_for[name]]
    result: list[Name] = []
    while free:
        following = came[heappop(free)]
        result.append(following)
        for follower in followers[following]:
            waits_for[follower] -= 1
            if not waits_for[follower]:
                heappush(free, place[follower])
    return result if len(result) == len(came) else None
