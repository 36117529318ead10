"""The cookie jar."""

from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_loadtool.codec.cookie import parse_cookie
from pytest_loadtool.replay.user.cookies import CookieJar


def jar_after(*lines: str, host: str = "shop.example", target: bytes = b"/a/b") -> CookieJar:
    jar = CookieJar()
    for line in lines:
        jar.store(line, host, target)
    return jar


def test_sends_what_was_set() -> None:
    """Cookies go back in the order they were set, attributes left out."""
    jar = jar_after("a=1; Path=/; HttpOnly; SameSite=Lax", "b=2; Path=/")
    assert jar.header("shop.example", b"/x?y", False) == b"Cookie: a=1; b=2\r\n"
    assert jar.get("b") == "2"


def test_a_new_value_replaces_the_old_one() -> None:
    """Same name, domain and path: one cookie, the newer value."""
    jar = jar_after("sid=old; Path=/", "sid=new; Path=/", "sid=newer; Path=/")
    assert jar.header("shop.example", b"/", False) == b"Cookie: sid=newer\r\n"


@pytest.mark.parametrize(
    "line",
    [
        "sid=; Path=/; Max-Age=0",
        "sid=x; Path=/; Max-Age=-1",
        "sid=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT",
    ],
)
def test_expired_cookies_are_deleted(line: str) -> None:
    """A server deletes a cookie with a date in the past or Max-Age 0."""
    jar = jar_after("sid=x; Path=/", line)
    assert jar.header("shop.example", b"/", False) == b""


def test_max_age_wins_over_expires() -> None:
    """RFC 6265 §5.3 step 3."""
    jar = jar_after("a=1; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=60")
    assert jar.header("shop.example", b"/", False) == b"Cookie: a=1\r\n"


@pytest.mark.parametrize(
    ("host", "sent"),
    [
        ("shop.example", True),
        ("www.shop.example", True),
        ("badshop.example", False),
        ("other", False),
    ],
)
def test_domain_attribute(host: str, sent: bool) -> None:
    """A Domain attribute lets subdomains have the cookie, nobody else."""
    jar = jar_after("a=1; Domain=.shop.example; Path=/")
    assert bool(jar.header(host, b"/", False)) is sent


def test_host_only_without_domain() -> None:
    """Without Domain a cookie goes back to the very host."""
    jar = jar_after("a=1; Path=/")
    assert jar.header("www.shop.example", b"/", False) == b""


def test_foreign_domain_is_refused() -> None:
    """A server cannot set a cookie for another site."""
    assert len(jar_after("a=1; Domain=evil.example")) == 0


@pytest.mark.parametrize(
    ("target", "sent"),
    [(b"/a/b/c", True), (b"/a/", True), (b"/a", True), (b"/ab", False), (b"/", False)],
)
def test_default_path(target: bytes, sent: bool) -> None:
    """Without Path a cookie belongs to the directory of the request (RFC 6265 §5.1.4)."""
    jar = jar_after("a=1")
    assert bool(jar.header("shop.example", target, False)) is sent


def test_longer_paths_first() -> None:
    """RFC 6265 §5.4 step 2."""
    jar = jar_after("a=root; Path=/", "a=deep; Path=/x")
    assert jar.header("shop.example", b"/x/y", False) == b"Cookie: a=deep; a=root\r\n"


def test_secure_cookies_stay_on_tls() -> None:
    """Secure cookies go over TLS, and to loopback, which browsers trust as well."""
    jar = jar_after("a=1; Path=/; Secure")
    assert jar.header("shop.example", b"/", False) == b""
    assert jar.header("shop.example", b"/", True) == b"Cookie: a=1\r\n"
    local = jar_after("a=1; Path=/; Secure", host="127.0.0.1")
    assert local.header("127.0.0.1", b"/", False) == b"Cookie: a=1\r\n"


def test_a_repeated_line_renews_the_cookie() -> None:
    """A server that repeats Max-Age with every response keeps the cookie alive."""
    jar = jar_after(
        "sid=x; Path=/; Max-Age=60", "sid=; Path=/; Max-Age=0", "sid=x; Path=/; Max-Age=60"
    )
    assert jar.header("shop.example", b"/", False) == b"Cookie: sid=x\r\n"


def test_ever_new_paths_do_not_fill_the_memory() -> None:
    """A user that keeps its state asks for cookies for the paths of ever new things."""
    jar = jar_after("sid=1; Path=/a")

    def ask(first: int) -> int:
        for number in range(first, first + 5000):
            assert jar.header("shop.example", b"/a/%d" % number, False) == b"Cookie: sid=1\r\n"
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        settled = ask(0)
        assert ask(5000) - settled < 100_000  # 5,000 kept lines are more than a megabyte
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "attribute",
    [
        "Max-Age=--5",
        "Max-Age=²",
        "Max-Age=5²",
        "Max-Age=",
        "Expires=Wed, 09 Jun 10021 10:18:14 GMT",
        "Expires=Wed, 09 Jun 99999999999999999999 10:18:14 GMT",
        "Expires=Wed, 31 Feb 2099 10:18:14 GMT",
        "Expires=Wed, 09 Jun 1000 10:18:14 GMT",
        "Expires=never",
        "Expires=",
        "Domain=",
        "Path",
    ],
)
def test_attributes_that_cannot_be_read(attribute: str) -> None:
    """They are passed over: the cookie is one of the session (RFC 6265 §5.2)."""
    jar = jar_after(f"a=1; {attribute}; Path=/")
    assert jar.header("shop.example", b"/", False) == b"Cookie: a=1\r\n"


@pytest.mark.parametrize(
    "date",
    [
        "Sun, 06 Nov 1994 08:49:37 GMT",
        "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994",
        "6-nov-1994 8:49:37",
        "1994 November 6 08:49:37 +0100",
        "08:49:37 6 Nov 94 UTC",
    ],
)
def test_dates(date: str) -> None:
    """In whatever order its parts come (RFC 6265 §5.1.1); the zone does not count."""
    cookie = parse_cookie(f"a=1; Expires={date}", "shop.example", "/", 0.0)
    assert cookie is not None
    assert cookie.expires == 784111777


@given(
    st.text(max_size=80), st.sampled_from(["", "a=1; Max-Age=", "a=1; Expires=", "a=1; Domain="])
)
def test_no_line_breaks_the_jar(noise: str, start: str) -> None:
    """Whatever a server sets, it is a cookie or none."""
    jar = jar_after(start + noise)
    assert len(jar) <= 1


@pytest.mark.parametrize("line", ["a=1\nX-Injected: yes", "a=1\rb", "a=\0"])
def test_controls_set_nothing(line: str) -> None:
    """A cookie that could end the header line of the next request is none (RFC 6265bis §5.6)."""
    assert len(jar_after(line)) == 0


def test_the_longest_cookie() -> None:
    """Name and value together have 4,096 characters at most, as in browsers."""
    assert len(jar_after(f"a={'x' * 4095}")) == 1
    assert len(jar_after(f"a={'x' * 4096}")) == 0


def test_an_address_has_no_domains_above() -> None:
    """``0.0.1`` is no domain of 127.0.0.1."""
    assert len(jar_after("a=1; Domain=0.0.1", host="127.0.0.1")) == 0
    assert len(jar_after("a=1; Domain=127.0.0.1", host="127.0.0.1")) == 1


def test_a_domain_has_so_many_cookies() -> None:
    """The oldest of the domain go, and may be set anew; those of other domains stay."""
    jar = jar_after("mine=1; Path=/", host="other.example")
    lines = [f"c{number}=1; Path=/{number % 2}" for number in range(12_000)]
    for line in lines:
        jar.store(line, "shop.example", b"/")
    assert len(jar) == 181
    kept = jar.header("shop.example", b"/1", False)
    assert kept.count(b"=") == 90
    assert b"c11999=1" in kept
    assert jar.header("other.example", b"/", False) == b"Cookie: mine=1\r\n"
    jar.store(lines[1], "shop.example", b"/")
    assert b"c1=1" in jar.header("shop.example", b"/1", False)
    assert len(jar) == 181


def test_paths_count_while_there_are_some() -> None:
    """One header serves the whole host when the last cookie with a path has gone."""
    jar = jar_after("a=1; Path=/", "b=2; Path=/x")
    assert jar.header("shop.example", b"/y", False) == b"Cookie: a=1\r\n"
    assert jar.header("shop.example", b"/x", False) == b"Cookie: b=2; a=1\r\n"
    jar.store("b=; Path=/x; Max-Age=0", "shop.example", b"/")
    assert jar.header("shop.example", b"/x", False) == b"Cookie: a=1\r\n"
