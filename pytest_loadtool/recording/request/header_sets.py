"""Header sets: headers that stand once for many requests, and what each has of its own.

`pytest_loadtool.model.case.wire_headers` puts them together again. What it gives back must be what
was recorded, in spelling, order and repeats, so requests follow the same set only if their orders
agree. Browsers do not keep to one order: Chromium's navigations and its other requests disagree.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import pairwise
from typing import TypeVar

from pytest_loadtool.model.case import COMPUTED_HEADERS, Header

#: The headers of a request in wire order, computed ones as places.
Headers = tuple[Header, ...]

#: What stands for one user or session belongs to the requests that send it, however many do.
_NEVER_SHARED = COMPUTED_HEADERS | {"authorization"}

#: A header's name in lower case, and how many of that name come before it.
_Token = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Sharing:
    """The default set, the others by name, and for each request its set's name ("" for the default)
    and its own headers."""

    headers: Headers
    header_sets: dict[str, Headers]
    requests: list[tuple[str, Headers]]


@dataclass(slots=True)
class _Group:
    """Requests, by index, whose orders agree."""

    kind: str
    sequences: list[tuple[_Token, ...]]
    common: set[Header]
    """What all of them have."""
    members: list[int]

    def takes(self, other: _Group) -> bool:
        """Return whether orders agree, and the other does not leave little that all have."""
        if len(self.members) > 1 and 2 * len(self.common & other.common) < len(self.common):
            return False
        return common_order([*self.sequences, *other.sequences]) is not None

    def add(self, other: _Group) -> None:
        self.sequences = list(dict.fromkeys([*self.sequences, *other.sequences]))
        self.common &= other.common
        self.members += other.members

    def header_set(self, requests: Sequence[Headers]) -> Headers:
        """Return the headers that all have, with their value, and places for the others, in common
        order."""
        spelling: dict[_Token, Header] = {}
        for index in self.members:
            spelling = dict(zip(_tokens(requests[index]), requests[index], strict=True)) | spelling
        order = common_order(self.sequences) or []
        times = Counter(name for name, _ in order)
        result = [
            spelling[token]
            if spelling[token] in self.common and times[token[0]] == 1
            else Header(spelling[token].name)
            for token in order
        ]
        # What has no place comes last, so the last places would change nothing.
        while result and result[-1].value is None:
            name = result[-1].name.lower()
            if name in COMPUTED_HEADERS or times[name] > 1:
                break
            result.pop()
        return tuple(result)


def share(requests: Sequence[Headers]) -> Sharing:
    """Return the header sets of ``requests``, the one that most of them follow as the default."""
    groups = sorted(_groups(requests), key=lambda group: -len(group.members))
    header_sets: dict[str, Headers] = {}
    found: dict[int, tuple[str, Headers]] = {}
    kinds: Counter[str] = Counter()
    for position, group in enumerate(groups):
        name = ""
        if position:
            kinds[group.kind] += 1
            number = kinds[group.kind]
            name = group.kind if number == 1 else f"{group.kind}-{number}"
        header_sets[name] = group.header_set(requests)
        for index in group.members:
            found[index] = name, _own(header_sets[name], requests[index])
    return Sharing(
        header_sets.pop("", ()), header_sets, [found[index] for index in range(len(requests))]
    )


def _groups(requests: Sequence[Headers]) -> list[_Group]:
    """Return few groups in which the orders agree; the frequent orders decide."""
    same: dict[tuple[str, tuple[_Token, ...]], _Group] = {}
    for index, headers in enumerate(requests):
        alone = _Group(_kind(headers), [_tokens(headers)], _shareable(headers), [index])
        key = alone.kind, alone.sequences[0]
        if key in same:
            same[key].add(alone)
        else:
            same[key] = alone
    groups: list[_Group] = []
    for group in sorted(same.values(), key=lambda group: -len(group.members)):
        home = next((one for one in groups if one.kind == group.kind and one.takes(group)), None)
        if home is None:
            groups.append(group)
        else:
            home.add(group)
    for group in [one for one in groups if len(one.members) == 1]:
        home = next((one for one in groups if one is not group and one.takes(group)), None)
        if home is not None and len(group.members) == 1:
            home.add(group)
            groups.remove(group)
    return groups


def _kind(headers: Headers) -> str:
    modes = (one.value for one in headers if one.name.lower() == "sec-fetch-mode")
    return "navigation" if "navigate" in modes else "other"


def _tokens(headers: Headers) -> tuple[_Token, ...]:
    seen: Counter[str] = Counter()
    result = []
    for header in headers:
        name = header.name.lower()
        result.append((name, seen[name]))
        seen[name] += 1
    return tuple(result)


def _shareable(headers: Iterable[Header]) -> set[Header]:
    return {
        one for one in headers if one.value is not None and one.name.lower() not in _NEVER_SHARED
    }


def _own(header_set: Headers, headers: Headers) -> Headers:
    """Return what a request with these headers has to say beyond its set."""
    shared = frozenset(header_set)
    return tuple(one for one in headers if one.value is not None and one not in shared)


Name = TypeVar("Name", bound=Hashable)


def common_order(sequences: Iterable[Sequence[Name]]) -> list[Name] | None:
    """Return all names, in an order that every sequence agrees with; None if there is no such
    order.

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
