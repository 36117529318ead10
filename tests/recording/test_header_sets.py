"""Header sets: nothing of what was recorded is lost."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from pytest_loadtool.model.case import Header, wire_headers
from pytest_loadtool.recording.request.header_sets import Headers, Sharing, share


def headers(*lines: str) -> Headers:
    """Headers from lines: ``Name: value``, or ``Name`` for a place."""
    pairs = (line.partition(": ") for line in lines)
    return tuple(Header(name, value if colon else None) for name, colon, value in pairs)


def lines(some: Headers) -> list[str]:
    """The other way round."""
    return [one.name if one.value is None else f"{one.name}: {one.value}" for one in some]


def shown(sharing: Sharing) -> dict[str, list[str]]:
    """All sets as lines, the default under ""."""
    sets = {"": sharing.headers, **sharing.header_sets}
    return {name: lines(one) for name, one in sets.items()}


def test_what_all_have_stands_once_and_the_rest_finds_its_place() -> None:
    """The set gives the order, with places for what differs."""
    sharing = share(
        [
            headers("Host", "A: 1", "Accept: html", "Z: 9", "Cookie"),
            headers("Host", "A: 1", "Accept: json", "Z: 9"),
            headers("Host", "Content-Length", "A: 1", "Type: form", "Accept: json", "Z: 9"),
        ]
    )
    assert shown(sharing) == {
        "": ["Host", "Content-Length", "A: 1", "Type", "Accept", "Z: 9", "Cookie"]
    }
    assert [(name, lines(one)) for name, one in sharing.requests] == [
        ("", ["Accept: html"]),
        ("", ["Accept: json"]),
        ("", ["Type: form", "Accept: json"]),
    ]


def test_an_order_of_its_own_is_a_set_of_its_own() -> None:
    """The more frequent order is the default."""
    sharing = share([headers("Host", "A: 1", "B: 2"), *[headers("Host", "B: 2", "A: 1")] * 3])
    assert shown(sharing) == {"": ["Host", "B: 2", "A: 1"], "other": ["Host", "A: 1", "B: 2"]}
    assert sharing.requests == [("other", ()), ("", ()), ("", ()), ("", ())]


def test_sets_are_named_after_what_follows_them() -> None:
    """Navigations and other requests are kept apart, each numbered by how many follow."""
    page = headers("Host", "A: 1", "Sec-Fetch-Mode: navigate")
    odd = headers("A: 1", "Host", "sec-fetch-mode: navigate")
    call = headers("Host", "A: 1", "Sec-Fetch-Mode: cors")
    last = headers("Sec-Fetch-Mode: cors", "A: 1", "Host")
    sharing = share([*[odd] * 2, *[page] * 3, *[call] * 5, *[last] * 4])
    assert shown(sharing) == {
        "": lines(call),
        "other": lines(last),
        "navigation": lines(page),
        "navigation-2": lines(odd),
    }


def test_a_single_request_joins_others_if_it_can() -> None:
    """A set for one request is worth while only if no other set has its order."""
    page = headers("Host", "A: 1", "B: 2", "Sec-Fetch-Mode: navigate")
    call = headers("Host", "A: 1", "B: 2")
    sharing = share([page, *[call] * 3])
    assert shown(sharing) == {"": ["Host", "A: 1", "B: 2"]}
    assert sharing.requests[0] == ("", headers("Sec-Fetch-Mode: navigate"))


def test_a_stranger_does_not_take_the_shared_values_away() -> None:
    """One request of another client does not make every request repeat its headers."""
    sharing = share([*[headers("Host", "A: 1", "B: 2")] * 3, headers("Host", "A: 9", "C: 3")])
    assert shown(sharing) == {"": ["Host", "A: 1", "B: 2"], "other": ["Host", "A: 9", "C: 3"]}


def test_repeated_headers_have_a_place_each() -> None:
    """In between there may be others; the trailing places are not needed, except for the order."""
    requests = [headers("A: 1", "B: 2", "A: 3", "C: 4"), headers("B: 2", "C: 5", "D: 6")]
    sharing = share(requests)
    assert shown(sharing) == {"": ["A", "B: 2", "A"]}
    assert [one for _, one in sharing.requests] == [
        headers("A: 1", "A: 3", "C: 4"),
        headers("C: 5", "D: 6"),
    ]


def test_credentials_and_computed_headers_are_never_shared() -> None:
    """Authorization stands for one user, however many requests send it."""
    sharing = share([headers("Host: h", "Authorization: x", "A: 1")] * 2)
    assert shown(sharing) == {"": ["Host", "Authorization", "A: 1"]}
    assert sharing.requests[0] == ("", headers("Host: h", "Authorization: x"))


def test_spelling_is_kept() -> None:
    """A header that is spelled in two ways is not shared."""
    sharing = share([headers("Host", "accept: 1"), headers("Host", "Accept: 1")])
    assert [lines(one) for _, one in sharing.requests] == [["accept: 1"], ["Accept: 1"]]


def test_no_requests() -> None:
    """Share nothing."""
    assert share([]) == Sharing((), {}, [])


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
    sharing = share(requests)
    assert len(sharing.requests) == len(requests)
    sets = {"": sharing.headers, **sharing.header_sets}
    for recorded, (name, mine) in zip(requests, sharing.requests, strict=True):
        needed = {one.name.lower() for one in recorded if one.value is None}
        wire = [
            one
            for one in wire_headers(sets[name], mine)
            if one.value is not None or one.name.lower() in needed
        ]
        assert wire == list(recorded)


@given(_requests())
def test_every_set_has_followers(requests: list[Headers]) -> None:
    """None is left over, and no other has more than the default."""
    sharing = share(requests)
    followers = Counter(name for name, _ in sharing.requests)
    assert followers.keys() == {"", *sharing.header_sets}
    assert followers[""] == max(followers.values())
