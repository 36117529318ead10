"""Heads of responses, taken apart once."""

from __future__ import annotations

from pytest_loadtool.replay.head import parse_head

HEAD = b"HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nX-Empty:\r\nset-cookie:  b=2 \r\nX-L: \xe9"


def test_values() -> None:
    """All values of a header in order, whatever the case of its name, without the space around."""
    head = parse_head(HEAD)
    assert (head.version, head.status, head.problem) == ("HTTP/1.1", 200, "")
    assert head.values("set-cookie") == ["a=1", "b=2"]
    assert head.values("x-empty") == [""]
    assert head.values("x-l") == ["é"]
    assert head.values("x-none") == []


def test_tokens() -> None:
    """The members of lists, in one header or several (RFC 9110 §5.3)."""
    head = parse_head(b"HTTP/1.1 200 OK\r\nConnection: Close, ,X\r\nConnection: y")
    assert head.tokens("connection") == ["close", "x", "y"]


def test_equal_heads_are_parsed_once() -> None:
    """Servers send the same few heads again and again; ever new ones do not pile up."""
    assert parse_head(HEAD) is parse_head(bytes(bytearray(HEAD)))
    for number in range(5000):
        parse_head(b"HTTP/1.1 200 OK\r\nX-Request-Id: %d" % number)
    assert parse_head(HEAD).values("set-cookie") == ["a=1", "b=2"]


def test_a_very_long_head_is_not_kept() -> None:
    """What is kept stays small."""
    long = b"HTTP/1.1 200 OK\r\nX: " + b"x" * 5000
    assert parse_head(long) is not parse_head(long)
    assert parse_head(long).values("x") == ["x" * 5000]
