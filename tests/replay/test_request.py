"""Requests rendered from templates."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_loadtool.codec.template import escape
from pytest_loadtool.errors import ReplayError
from pytest_loadtool.model.case import Header, Request, wire_headers
from pytest_loadtool.replay.compile.format import VariableNames
from pytest_loadtool.replay.compile.request import compile_request, traced
from pytest_loadtool.replay.user.cookies import CookieJar
from pytest_loadtool.replay.user.origin import Origin, ProxyRoute, origin_of, parse_origin

ORIGIN = Origin("http", "127.0.0.1", 8000)


def render(
    request: Request,
    values: dict[str, str] | None = None,
    shared: tuple[Header, ...] = (),
    cookie: str = "",
    origin: Origin = ORIGIN,
) -> bytes:
    names = VariableNames({"server": "http://127.0.0.1:8000", "host": "127.0.0.1:8000"})
    headers = wire_headers(shared, request.headers)
    rendering = compile_request(request, headers, origin, names)
    slots = sorted(names.slots, key=names.slots.__getitem__)
    jar = CookieJar()
    if cookie:
        jar.store(cookie, origin.host, b"/")
    return rendering([(values or {})[name] for name in slots], jar)


def test_each_request_has_a_trace_of_its_own() -> None:
    """When asked, in place of the recorded one: a new id each time, as W3C wants it."""
    recorded = (Header("Traceparent", "00-1-2-00"), Header("tracestate", "a=b"), Header("X", "1"))
    request = Request("GET", "/x", traced(recorded))
    names = VariableNames({})
    rendering = compile_request(request, request.headers, ORIGIN, names)
    sent = [rendering([""], CookieJar()).decode() for _ in range(50)]
    found = [re.findall(r"(?im)^trace.*$", one) for one in sent]
    form = re.compile(r"traceparent: 00-[0-9a-f]{32}-[0-9a-f]{16}-01\r")
    assert all(len(one) == 1 and form.fullmatch(one[0]) for one in found)
    assert len({one[0] for one in found}) == 50


def test_hand_written_request() -> None:
    """Host comes first, length and cookie last, when nothing says otherwise."""
    sent = render(Request("POST", "/x", (Header("Accept", "*/*"),), "hi"), cookie="a=1; Path=/")
    assert sent == (
        b"POST /x HTTP/1.1\r\nHost: 127.0.0.1:8000\r\nAccept: */*\r\n"
        b"Content-Length: 2\r\nCookie: a=1\r\n\r\nhi"
    )


def test_places_give_the_recorded_order_and_case() -> None:
    """Computed headers stand where the recording had them, spelled as recorded."""
    shared = (Header("HOST"), Header("content-length"), Header("Accept", "a"), Header("cookie"))
    sent = render(
        Request("POST", "/", (Header("X-Last", "1"),), "${v}"), {"v": "abc"}, shared, "s=1; Path=/"
    )
    assert sent == (
        b"POST / HTTP/1.1\r\nHOST: 127.0.0.1:8000\r\ncontent-length: 3\r\nAccept: a\r\n"
        b"Cookie: s=1\r\nX-Last: 1\r\n\r\nabc"
    )


def test_values_are_encoded_for_where_they_land() -> None:
    """The same value in a path, a query, a header, a form and a JSON string."""
    value = 'a/b c&"d'
    form = (Header("Content-Type", "application/x-www-form-urlencoded"), Header("X-T", "${v}"))
    sent = render(Request("POST", "/p/${v}?q=${v}", form, "f=${v}"), {"v": value})
    assert b"POST /p/a%2Fb%20c&%22d?q=a%2Fb%20c%26%22d HTTP/1.1\r\n" in sent
    assert b'X-T: a/b c&"d\r\n' in sent
    assert sent.endswith(b"\r\n\r\nf=a%2Fb+c%26%22d")
    json = (Header("Content-Type", "application/json"),)
    sent = render(Request("POST", "/", json, '{"x": "${v}", "n": ${n}}'), {"v": value, "n": "7"})
    assert sent.endswith(b'{"x": "a/b c&\\"d", "n": 7}')


@pytest.mark.parametrize(
    ("target", "sent"),
    [
        ("/p/${v}", True),
        ("/p/${v}/${v}?q=${v}", True),
        ("/${v}?/p/7", False),
        ("/p/%25/${v}", False),
    ],
)
def test_cookies_of_a_path_with_a_value_in_it(target: str, sent: bool) -> None:
    """The path that is sent decides, not its template: oidc-provider has a cookie per login."""
    rendered = render(Request("GET", target), {"v": "7"}, cookie="a=1; Path=/p/7")
    assert (b"\r\nCookie: a=1\r\n" in rendered) is sent


def test_a_value_cannot_add_a_header() -> None:
    """A line break in an extracted value does not split the request."""
    sent = render(Request("GET", "/", (Header("X-T", "${v}"),)), {"v": "a\r\nEvil: 1"})
    assert b"\r\nEvil" not in sent


def test_length_counts_bytes_and_varies() -> None:
    """Content-Length is that of the rendered body, in bytes."""
    sent = render(Request("PUT", "/", (), "é${v}"), {"v": "ü"})
    assert b"Content-Length: 4\r\n" in sent
    assert sent.endswith("éü".encode())


def test_percent_signs_survive() -> None:
    """Recorded percent escapes go out untouched, with and without placeholders."""
    assert render(Request("GET", "/a%20b?c=%%d")).startswith(b"GET /a%20b?c=%%d HTTP/1.1\r\n")
    sent = render(Request("GET", "/caf%b0%%b"), cookie="s=1; Path=/")
    assert sent == b"GET /caf%b0%%b HTTP/1.1\r\nHost: 127.0.0.1:8000\r\nCookie: s=1\r\n\r\n"
    sent = render(Request("POST", "/a%20b?c=${v}", (), "x=%41%"), {"v": "%"})
    assert sent.startswith(b"POST /a%20b?c=%25 HTTP/1.1\r\n")
    assert sent.endswith(b"\r\n\r\nx=%41%")


def test_server_and_host() -> None:
    """${server} and ${host} are those of the replay, encoded for their place."""
    headers = (Header("Origin", "${server}"), Header("X-H", "${host}"))
    sent = render(Request("GET", "/login?next=${server}%2Fx", headers))
    assert sent.startswith(b"GET /login?next=http%3A%2F%2F127.0.0.1%3A8000%2Fx HTTP/1.1\r\n")
    assert b"Origin: http://127.0.0.1:8000\r\n" in sent
    assert b"X-H: 127.0.0.1:8000\r\n" in sent


def test_absolute_target_goes_out_as_path() -> None:
    """RFC 9112 §3.2.1: the origin form to a server."""
    sent = render(Request("GET", "http://127.0.0.1:8000/x?y=${v}"), {"v": "1"})
    assert sent.startswith(b"GET /x?y=1 HTTP/1.1\r\n")
    assert render(Request("GET", "${server}")).startswith(b"GET / HTTP/1.1\r\n")


def test_absolute_form_to_a_proxy() -> None:
    """RFC 9112 §3.2.2; what fills placeholders and which cookies go along stays as it is."""
    proxy = ProxyRoute(Origin("http", "127.0.0.1", 3128), None)
    plain = Origin("http", "shop.example", 8080, via=proxy)
    secured = Origin("https", "shop.example", 443, via=proxy)
    for target in ("/a/${v}?q=${v}&p=%41", "http://shop.example:8080/a/${v}?q=${v}&p=%41"):
        sent = render(Request("GET", target), {"v": "x y"}, cookie="s=1; Path=/a/", origin=plain)
        assert sent.startswith(b"GET http://shop.example:8080/a/x%20y?q=x%20y&p=%41 HTTP/1.1\r\n")
        assert b"Cookie: s=1\r\n" in sent
        assert render(Request("GET", target), {"v": "x"}, origin=secured).startswith(b"GET /a/x?")
    assert render(Request("GET", "/%b"), origin=plain).startswith(
        b"GET http://shop.example:8080/%b HTTP/1.1\r\nHost: shop.example:8080\r\n"
    )


def test_framing_is_our_own() -> None:
    """A recorded chunked body goes out with its length; a bodiless GET has none, a POST has 0."""
    recorded = (Header("Transfer-Encoding", "chunked"), Header("Content-Length", "99"))
    sent = render(Request("POST", "/", recorded, "abc"))
    assert b"Transfer-Encoding" not in sent
    assert b"Content-Length: 3\r\n" in sent
    assert b"Content-Length" not in render(Request("GET", "/", recorded))
    assert b"Content-Length: 0\r\n" in render(Request("POST", "/"))


@given(st.text().map(escape), st.binary(min_size=1))
def test_bodies_without_placeholders_go_out_as_they_are(text: str, binary: bytes) -> None:
    """Byte for byte, whatever they hold."""
    sent = render(Request("POST", "/", (), text))
    assert sent.partition(b"\r\n\r\n")[2] == text.replace("$${", "${").encode()
    assert render(Request("POST", "/", (), binary)).partition(b"\r\n\r\n")[2] == binary


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("http://a", ("http", "a", 80)),
        ("https://a.b:8443/x", ("https", "a.b", 8443)),
        ("http://[::1]:80", ("http", "::1", 80)),
    ],
)
def test_origin(url: str, origin: tuple[str, str, int]) -> None:
    """Scheme, host and port of a URL, the port by default."""
    found = origin_of(url)
    assert (found.scheme, found.host, found.port) == origin
    assert origin_of(url) is found


def test_authority() -> None:
    """The Host header leaves the default port out and keeps IPv6 brackets."""
    assert origin_of("https://a:443").authority == "a"
    assert origin_of("http://[::1]:8000").authority == "[::1]:8000"


@pytest.mark.parametrize("url", ["ftp://a", "http://", "http://a:x", "shop"])
def test_bad_origin(url: str) -> None:
    """What is no server is refused in words."""
    with pytest.raises(ReplayError, match="is not a server to talk to"):
        origin_of(url)


def test_cookies_of_scripts_go_into_the_jar() -> None:
    """As if a response had set them for the whole host; they stay, change, and go."""
    names = VariableNames({"server": "http://127.0.0.1:8000"})
    jar = CookieJar()

    def sent(target: str, *cookies: str, values: tuple[str, ...] = ()) -> bytes:
        one = Request("GET", target, cookies=cookies)
        line = compile_request(one, (), ORIGIN, names)(list(values), jar)
        return line.partition(b"Cookie: ")[2].partition(b"\r\n")[0]

    jar.store("sid=1; Path=/", ORIGIN.host, b"/")
    assert (
        sent("/a/b", "theme=dark", "at=${server}") == b"sid=1; theme=dark; at=http://127.0.0.1:8000"
    )
    assert sent("/x", "theme=${theme}; Path=/x", values=("a;b é",)) == (
        "theme=a%3Bb é; sid=1; theme=dark; at=http://127.0.0.1:8000".encode()
    )
    assert (
        sent("/", "at=; Max-Age=0", "sid=${theme|url}", values=("a=b",)) == b"sid=a%3Db; theme=dark"
    )
    jar.store("theme=red; Path=/", ORIGIN.host, b"/")
    assert sent("/") == b"sid=a%3Db; theme=red"
    assert sent("/", "theme=dark") == b"sid=a%3Db; theme=dark"


def test_of_an_origin_that_somebody_else_names_nothing_is_kept() -> None:
    """A response may name as many as it likes; what a plan names is one object."""
    assert parse_origin("http://a.example:81") is not parse_origin("http://a.example:81")
    assert str(parse_origin("http://a.example:81")) == str(origin_of("http://a.example:81"))
