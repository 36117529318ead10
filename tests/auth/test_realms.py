"""Realms: credentials go ahead where they belong, and nowhere else."""

from __future__ import annotations

import pytest

from pytest_loadtool.auth import (
    Credentials,
    HandshakeState,
    Realms,
    RequestFacts,
    parse_challenges,
    start,
)

HOST = "http://intranet"


def session(challenge: str, target: str = "/private/report", user: str = "alice") -> HandshakeState:
    """What is left of a handshake for a page of the host."""
    request = RequestFacts("GET", target, "intranet")
    handshake = start(parse_challenges([challenge]), Credentials(user, "x"), request)
    assert handshake is not None
    assert handshake.session is not None
    return handshake.session


@pytest.mark.promise(82)
@pytest.mark.parametrize(
    ("challenge", "inside", "outside"),
    [
        ('Basic realm="x"', ["/private/", "/private/b/c?d", "/private/report"], ["/", "/private"]),
        ('Digest realm="x", nonce="n"', ["/", "/other", "/private/report"], []),
        (
            'Digest realm="x", nonce="n", domain="/a /b/"',
            ["/a", "/a?x", "/a/c", "/b/c"],
            ["/ab", "/b", "/private/report"],
        ),
    ],
)
def test_the_realm_is_inferred_from_the_path(
    challenge: str, inside: list[str], outside: list[str]
) -> None:
    """Credentials go ahead within the protection space of the host that asked, without a 401."""
    realms = Realms()
    accepted = session(challenge)
    realms.enter(HOST, accepted)
    assert [realms.find(HOST, target) for target in inside] == [accepted] * len(inside)
    assert [realms.find(HOST, target) for target in outside] == [None] * len(outside)
    assert {realms.find("http://elsewhere", target) for target in inside} == {None}


@pytest.mark.promise(82)
def test_the_innermost_realm_counts() -> None:
    """Credentials of one realm do not go to another that lies in it, once that is known."""
    outer, inner = session('Basic realm="o"', "/a/"), session('Basic realm="i"', "/a/b/c", "bob")
    for order in ([outer, inner], [inner, outer]):
        realms = Realms()
        for one in order:
            realms.enter(HOST, one)
        assert realms.find(HOST, "/a/x") is outer
        assert realms.find(HOST, "/a/b/x") is inner


def test_a_new_session_takes_the_place_of_the_old() -> None:
    """Everywhere in its realm; other realms keep theirs."""
    realms = Realms()
    other = session('Basic realm="other"', "/other/")
    for one in (session('Basic realm="x"', "/a/"), session('Basic realm="x"', "/b/"), other):
        realms.enter(HOST, one)
    renewed = session('Basic realm="x"', "/c/")
    realms.enter(HOST, renewed)
    found = [realms.find(HOST, target) for target in ("/a/1", "/b/1", "/c/1", "/other/1")]
    assert found == [renewed, renewed, renewed, other]
    realms.leave(HOST, renewed)
    assert realms.find(HOST, "/a/1") is None
    assert realms.find(HOST, "/other/1") is other
    realms.leave("http://never.entered", renewed)
