"""The headers of a request: its set and its own, put together."""

from __future__ import annotations

import pytest

from pytest_loadtool.model.case import Header, Request, TestCase, wire_headers

Headers = tuple[Header, ...]


def headers(*lines: str) -> Headers:
    """Headers from lines: ``Name: value``, or ``Name`` for a place."""
    pairs = (line.partition(": ") for line in lines)
    return tuple(Header(name, value if colon else None) for name, colon, value in pairs)


@pytest.mark.parametrize(
    ("shared", "own", "sent"),
    [
        (["A: 1", "B", "C: 3"], ["B: 2"], ["A: 1", "B: 2", "C: 3"]),
        (["A: 1", "B", "C: 3"], ["c: 4"], ["A: 1", "c: 4"]),
        (["A: 1"], ["Z: 9", "Y: 8"], ["A: 1", "Z: 9", "Y: 8"]),
        (["A", "B: 2", "A", "C: 3"], ["A: 1", "A: 2", "A: 3"],
         ["A: 1", "B: 2", "A: 2", "A: 3", "C: 3"]),
        (["A", "B: 2", "A"], ["a: 1"], ["a: 1", "B: 2"]),
        (["A: 1", "A: 2"], [], ["A: 1", "A: 2"]),
        (["A: 1", "A: 2"], ["A: 3"], ["A: 3"]),
        (["Host", "A: 1", "Content-Length", "Cookie"], [],
         ["Host", "A: 1", "Content-Length", "Cookie"]),
        (["Host", "A: 1", "host"], [], ["Host", "A: 1"]),
        (["A: 1", "Host"], ["Host: other"], ["A: 1", "Host: other"]),
        (["A: 1"], ["B: 2", "Host", "C: 3"], ["A: 1", "B: 2", "Host", "C: 3"]),
        (["HOST", "A: 1"], ["Host"], ["Host", "A: 1"]),
        ([], [], []),
    ],
)  # fmt: skip
def test_headers_find_their_places(shared: list[str], own: list[str], sent: list[str]) -> None:
    """Those of the request in the order of the set; what has no place comes last."""
    assert wire_headers(headers(*shared), headers(*own)) == headers(*sent)


def test_a_request_follows_the_set_that_it_names() -> None:
    """The default one, if it names none."""
    case = TestCase("Shop", (), headers=headers("A: 1"), header_sets={"b": headers("B: 1", "C")})
    own = headers("C: 2")
    assert case.wire_headers(Request("GET", "/", own)) == headers("A: 1", "C: 2")
    assert case.wire_headers(Request("GET", "/", own, header_set="b")) == headers("B: 1", "C: 2")
