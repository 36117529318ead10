"""Headers that stand once for the whole test case, and what each request has of its own.

`pytest_loadtool.model.case.wire_headers` puts them together again. What it gives back must be what
was recorded, in spelling, order and repeats; where a short list cannot say that, a request gets a
complete one. Browsers do not keep to one order (Chromium's navigations and its other requests
disagree), so some requests always need one. A short way to write it all down is looked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from pytest_loadtool.model.case import COMPUTED_HEADERS, Header, wire_headers
from pytest_loadtool.recording.order import common_order

__all__ = ["Headers", "share"]

#: What stands for one user or session belongs to the requests that send it, however many do.
_OWN = frozenset({"authorization"})

#: The headers of a request in wire order, computed ones as places.
Headers = tuple[Header, ...]

#: Characters of a line of the file that are not the header itself: indent, quotes, comma.
_AROUND = 6

#: How many orders are tried.
_ORDERS = 12


def share(requests: Sequence[Headers]) -> tuple[Headers, list[Headers]]:
    """The shared headers, and for each of ``requests`` its own."""
    candidates = _candidates(requests)
    # How a request can be written depends on the names it has and on which of them could be shared.
    patterns = Counter(_pattern(headers, candidates) for headers in requests)
    # Where there is little in common, complete lists alone may be shorter than any.
    ways = [(), *(_shared(order, candidates, patterns) for order in _orders(patterns))]
    shared = min(ways, key=lambda way: _length(way, patterns))
    return shared, [_own(shared, headers) for headers in requests]


def _orders(patterns: Counter[Headers]) -> Iterator[list[str]]:
    """Orders of all names to try: for each of the frequent sequences, one that it agrees with."""
    sequences: Counter[tuple[str, ...]] = Counter()
    for headers, times in patterns.items():
        sequences[tuple(header.name.lower() for header in headers)] += times
    by_count = [sequence for sequence, _ in sequences.most_common()]
    for first in by_count[:_ORDERS]:
        yield common_order([first, *by_count])


def _candidates(requests: Iterable[Headers]) -> dict[str, Header]:
    """Headers that are the same wherever there is one of that name, in two requests or more."""
    seen: dict[str, Counter[Header]] = {}
    repeated = COMPUTED_HEADERS | _OWN
    for headers in requests:
        names = Counter(header.name.lower() for header in headers)
        repeated |= {name for name, count in names.items() if count > 1}
        for header in headers:
            seen.setdefault(header.name.lower(), Counter())[header] += 1
    return {
        name: next(iter(headers))
        for name, headers in seen.items()
        if name not in repeated and len(headers) == 1 and headers.total() > 1
    }


def _pattern(headers: Headers, candidates: Mapping[str, Header]) -> Headers:
    """``headers`` without the values that make no difference to how they can be written."""
    return tuple(
        Header(one.name, "") if one.value and one.name.lower() not in candidates else one
        for one in headers
    )


def _count(name: str, patterns: Counter[Headers]) -> int:
    return sum(
        times
        for headers, times in patterns.items()
        if any(header.name.lower() == name for header in headers)
    )


def _shared(
    order: Sequence[str], candidates: Mapping[str, Header], patterns: Counter[Headers]
) -> Headers:
    """The shared headers in this order: those of every request, and more while that is shorter.

    A request that lacks a shared header must be written with a complete list.
    """
    spelling = {header.name.lower(): header.name for headers in patterns for header in headers}
    times = {name: _count(name, patterns) for name in candidates}

    def listed(names: Collection[str]) -> Headers:
        return tuple(candidates[n] if n in names else Header(spelling[n]) for n in order)

    chosen = {name for name, count in times.items() if count == patterns.total()}
    length = _length(listed(chosen), patterns)
    for name in sorted(set(candidates) - chosen, key=lambda name: (-times[name], name)):
        shorter = _length(listed(chosen | {name}), patterns)
        if shorter < length:
            chosen.add(name)
            length = shorter
    return _without_idle_places(listed(chosen), patterns)


def _without_idle_places(shared: Headers, patterns: Counter[Headers]) -> Headers:
    """``shared`` without the places that nothing needs, the last ones first."""
    length = _length(shared, patterns)
    for header in reversed(shared):
        if header.value is None:
            less = tuple(one for one in shared if one is not header)
            shorter = _length(less, patterns)
            if shorter < length:
                shared, length = less, shorter
    return shared


def _length(shared: Headers, patterns: Counter[Headers]) -> int:
    """How many characters all lists together take in the file, but for the values of no pattern."""
    own = sum(_written(_own(shared, headers)) * times for headers, times in patterns.items())
    return _written(shared) + own


def _written(headers: Headers) -> int:
    return sum(len(one.name) + len(one.value or "") + _AROUND for one in headers)


def _own(shared: Headers, headers: Headers) -> Headers:
    """What a request with these headers has to say beyond ``shared``."""
    known = {header.name.lower(): header for header in shared if header.value is not None}
    short = tuple(
        header
        for header in headers
        if header.value is not None and known.get(header.name.lower()) != header
    )
    if _same(wire_headers(shared, short), headers):
        return short
    complete = tuple(
        Header(header.name) if known.get(header.name.lower()) == header else header
        for header in headers
    )
    if any(header.value is None for header in complete):
        return complete
    # A list counts as complete only if it has a place; this one is empty unless there is a body.
    return (*complete, Header("Content-Length"))


def _same(wire: Headers, recorded: Headers) -> bool:
    """Whether ``wire`` is what was recorded; places that were not needed do not count."""
    needed = {header.name.lower() for header in recorded if header.value is None}
    sent = [one for one in wire if one.value is not None or one.name.lower() in needed]
    return _comparable(sent) == _comparable(recorded)


def _comparable(headers: Iterable[Header]) -> list[tuple[str, str | None]]:
    # The spelling of a place makes no difference: its header is computed.
    return [
        (header.name if header.value is not None else header.name.lower(), header.value)
        for header in headers
    ]
