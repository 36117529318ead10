"""Heads of responses, taken apart once."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pytest_loadtool.replay.user.head import Heads, parse_head

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


def test_equal_heads_are_kept_from_the_second_on() -> None:
    """Servers send the same few heads again and again; ever new ones do not pile up."""
    heads = Heads()
    heads.parse(HEAD)
    assert heads.parse(HEAD) is heads.parse(bytes(bytearray(HEAD)))
    for number in range(5000):
        heads.parse(b"HTTP/1.1 200 OK\r\nX-Request-Id: %d" % number)
    assert heads.parse(HEAD).values("set-cookie") == ["a=1", "b=2"]


def test_who_reads_heads_owns_what_is_kept() -> None:
    """Nothing of one run is left for the next."""
    one, other = Heads(), Heads()
    for heads in (one, other):
        heads.parse(HEAD)
        heads.parse(HEAD)
    assert one.parse(HEAD) is one.parse(HEAD)
    assert one.parse(HEAD) is not other.parse(HEAD)
    assert parse_head(HEAD) is not parse_head(HEAD)


def test_a_very_long_head_is_not_kept() -> None:
    """What is kept stays small."""
    long = b"HTTP/1.1 200 OK\r\nX: " + b"x" * 5000
    heads = Heads()
    assert heads.parse(long) is not heads.parse(long)
    assert heads.parse(long).values("x") == ["x" * 5000]


def test_lines_that_are_known_stay_as_they_are() -> None:
    """Heads share them: what follows in one, folded or once more, is not in another."""
    heads, line = Heads(), b"\r\nX-Shared: a"
    for more, values in (
        (b"\r\n b", ["a b"]),
        (b"\r\n\tc: d", ["a c: d"]),
        (line, ["a", "a"]),
        (line + b"\r\n e", ["a", "a e"]),
        (b"", ["a"]),
    ):
        assert heads.parse(b"HTTP/1.1 200 OK" + line + more).values("x-shared") == values


def test_malformed_lines_are_so_each_time() -> None:
    """And whatever other heads have had before."""
    heads = Heads()
    for line in (b"no colon", b": no name", b"a b: c", b"a : b", b" folded: first"):
        for _ in range(3):
            problem = heads.parse(b"HTTP/1.1 200 OK\r\n" + line).problem
            assert problem == "malformed header line", line
    folded = b"HTTP/1.1 200 OK\r\nA: b\r\n folded: first"
    assert heads.parse(folded).values("a") == ["b folded: first"]


def test_what_the_head_says_of_the_body_and_the_connection() -> None:
    """A length where it is plain (RFC 9112 §6.3), and whether the connection stays (§9.3)."""
    for version, lines, length, keeps in (
        (b"1.1", b"Content-Length: 12", 12, True),
        (b"1.1", b"Content-Length: 12\r\nConnection: x, Close", 12, False),
        (b"1.1", b"Content-Length: 12\r\nContent-Length: 12", -1, True),
        (b"1.1", b"Content-Length: 12\r\nTransfer-Encoding: chunked", -1, True),
        (b"1.1", b"Content-Length: -1", -1, True),
        (b"1.1", b"X: y", -1, True),
        (b"1.0", b"Content-Length: 0", 0, False),
        (b"1.0", b"Content-Length: 0\r\nConnection: keep-alive", 0, True),
    ):
        head = parse_head(b"HTTP/%b 200 OK\r\n%b" % (version, lines))
        assert (head.length, head.keeps) == (length, keeps), lines


_OWN = ("X-Number", "Set-Cookie", "ETag", "Content-Length")
_LINES = ["Server: a", "set-cookie: c=3", "Connection: close", "no colon", "X-Number: 7"]
_PLACED = st.one_of(
    st.sampled_from(_LINES),
    st.just(" folded"),
    st.tuples(st.sampled_from(_OWN), st.integers(0, 9**9)),
)


@given(st.lists(st.lists(_PLACED, min_size=2, max_size=6), min_size=3, max_size=3))
def test_lines_that_differ_in_each_head(heads: list[list[str | tuple[str, int]]]) -> None:
    """Once it is known which these are, a head is put together from a known one and them: what it
    says is what it would say if it were taken apart by itself."""
    reader = Heads()
    for number in range(300):
        own = "".join(f"\r\n{name}: {number}" for name in _OWN)
        reader.parse(f"HTTP/1.1 200 OK{own}".encode())
    for parts in heads:
        lines = [part if isinstance(part, str) else f"{part[0]}: {part[1]}" for part in parts]
        raw = "\r\n".join(["HTTP/1.1 200 OK", *lines]).encode()
        expected, bad = fields_of(lines)
        for _ in range(3):  # new, seen once, kept
            head = reader.parse(raw)
            assert bool(head.problem) == bad
            if not bad:
                assert head.fields == expected
                assert head.status == 200
                assert head.keeps == ("close" not in head.tokens("connection"))
                lengths = expected.get("content-length", [])
                plain = len(lengths) == 1 and lengths[0].isdigit()
                assert head.length == (int(lengths[0]) if plain else -1)


def fields_of(lines: list[str]) -> tuple[dict[str, list[str]], bool]:
    """Plainly read, and whether any line is malformed."""
    fields: dict[str, list[str]] = {}
    last = ""
    for line in lines:
        if line.startswith(" ") and last:
            fields[last][-1] += line
        elif ": " in line and not line.startswith(" "):
            name, value = line.split(": ")
            last = name.lower()
            fields.setdefault(last, []).append(value)
        else:
            return {}, True
    return fields, False
