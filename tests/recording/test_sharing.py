"""Shared headers: short to write, and nothing of what was recorded is lost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pytest_loadtool.model.case import COMPUTED_HEADERS, Header, wire_headers
from pytest_loadtool.recording.sharing import Headers, share


def headers(*lines: str) -> Headers:
    """Headers from lines: ``Name: value``, or ``Name`` for a place."""
    pairs = (line.partition(": ") for line in lines)
    return tuple(Header(name, value if colon else None) for name, colon, value in pairs)


def lines(some: Headers) -> list[str]:
    """The other way round."""
    return [one.name if one.value is None else f"{one.name}: {one.value}" for one in some]


def test_what_all_have_stands_once_and_the_rest_finds_its_place() -> None:
    """The shared list gives the order, with places for what differs."""
    shared, own = share(
        [
            headers("Host", "A: 1", "Accept: html", "Z: 9", "Cookie"),
            headers("Host", "A: 1", "Accept: json", "Z: 9"),
            headers("Host", "Content-Length", "A: 1", "Type: form", "Accept: json", "Z: 9"),
        ]
    )
    assert lines(shared) == [
        "Host", "Content-Length", "A: 1", "Type", "Accept", "Z: 9", "Cookie",
    ]  # fmt: skip
    assert [lines(one) for one in own] == [
        ["Accept: html"],
        ["Accept: json"],
        ["Type: form", "Accept: json"],
    ]


def test_a_request_that_lacks_a_shared_header_is_written_in_full() -> None:
    """One preflight among many calls does not make every call repeat its headers."""
    many = [headers("Host", "A: 1", "B: 2", "C: 3")] * 5
    shared, own = share([*many, headers("Host", "A: 1", "C: 3")])
    assert lines(shared) == ["Host", "A: 1", "B: 2", "C: 3"]
    assert [lines(one) for one in own] == [[]] * 5 + [["Host", "A", "C"]]


def test_an_order_of_its_own_is_written_in_full() -> None:
    """The more frequent order is the shared one."""
    shared, own = share([headers("Host", "A: 1", "B: 2"), *[headers("Host", "B: 2", "A: 1")] * 3])
    assert lines(shared) == ["Host", "B: 2", "A: 1"]
    assert [lines(one) for one in own] == [["Host", "A", "B"], [], [], []]


def test_a_single_request_shares_nothing() -> None:
    """There is nobody to share with."""
    shared, own = share([headers("Host", "A: 1", "Content-Length", "B: 2")])
    assert shared == ()
    assert [lines(one) for one in own] == [["Host", "A: 1", "Content-Length", "B: 2"]]


def test_a_complete_list_without_places_is_still_complete() -> None:
    """A request that names its Host itself must not get headers of the others."""
    others = [headers("Host", "A: 1", "B: 2")] * 5
    mine = headers("Host: virtual.example", "C: 3")
    shared, own = share([*others, mine])
    assert lines(wire_headers(shared, own[-1])) == [*lines(mine), "Content-Length"]


def test_spelling_is_kept() -> None:
    """A header that is spelled in two ways is not shared."""
    _, own = share([headers("Host", "accept: 1"), headers("Host", "Accept: 1")])
    assert [lines(one)[-1] for one in own] == ["accept: 1", "Accept: 1"]


_VALUED = st.builds(
    Header, st.sampled_from(["A", "B", "C", "a", "D-E", "Host"]), st.sampled_from(["1", "2", ""])
)
_PLACES = st.lists(st.sampled_from(["Host", "Content-Length", "Cookie"]), unique=True).map(
    lambda names: [Header(name) for name in names]
)


@st.composite
def _requests(draw: st.DrawFn) -> list[Headers]:
    result = []
    for _ in range(draw(st.integers(1, 8))):
        places, valued = draw(_PLACES), draw(st.lists(_VALUED, max_size=6))
        if any(one.name == "Host" for one in places):
            valued = [one for one in valued if one.name != "Host"]
        result.append(tuple(draw(st.permutations([*places, *valued]))))
    # Repeated requests are what makes sharing worth while.
    return result + draw(st.lists(st.sampled_from(result)))


@given(_requests())
def test_every_request_gets_back_what_was_recorded(requests: list[Headers]) -> None:
    """In any mixture of orders, repeats and spellings; only unneeded places may come on top."""
    shared, own = share(requests)
    assert len(own) == len(requests)
    for recorded, mine in zip(requests, own, strict=True):
        needed = {one.name.lower() for one in recorded if one.value is None}
        wire = [
            one
            for one in wire_headers(shared, mine)
            if one.value is not None or one.name.lower() in needed
        ]
        assert wire == list(recorded)


def _length(some: Headers) -> int:
    return sum(len(one.name) + len(one.value or "") + 6 for one in some)


@given(_requests())
def test_sharing_never_makes_it_longer(requests: list[Headers]) -> None:
    """No more to read than if each request were written in full."""
    shared, own = share(requests)
    # A list without any place needs one to count as complete.
    full = sum(_length(one) + len("Content-Length") + 6 for one in requests)
    assert _length(shared) + sum(map(_length, own)) <= full
    assert all(
        one.value is not None
        or one.name.lower()
        in COMPUTED_HEADERS | {header.name.lower() for request in requests for header in request}
        for one in shared
    )
