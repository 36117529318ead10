"""What no request can say is judged before there is a test case: what imports can be saved."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_loadtool.casefile import format_case, parse_case, parse_har
from pytest_loadtool.casefile.har.exchange import CREATOR, entry_from
from pytest_loadtool.correlation import configure
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.recording import build_case
from pytest_loadtool.recording.notes import CHANGED, INCOMPLETE, UNREADABLE, UNREPLAYABLE
from tests.casefile.models import FILES, texts
from tests.recording.samples import SHOP, visit

_ODD = texts | st.sampled_from(
    ["\ud800", "a\r\nB: c", "a\nb", "a\rb", "\0", "${x}", "$${", "${", "${file:/etc/passwd}", "ä b"]
)
_METHODS = st.sampled_from(["GET", "POST", "get", "Get", "PATCH", "patch", "CONNECT"]) | _ODD
_HOSTS = (
    st.sampled_from(
        ["h", "h:8080", "u:p@h", "", ":80", "[::1]", "[::1]:9", "a_b", "ä.de", "a$b", "a b", "%41"]
    )
    | _ODD
)
_URLS = (
    st.builds("{}://{}/{}{}".format, st.sampled_from(["http", "https", "ws"]), _HOSTS, _ODD, _ODD)
    | st.sampled_from(["http://h/a?b=${server}#c", "http://h", "http:/h", "HTTP://H/?", "data:,x"])
    | _ODD
)
_NAMES = st.sampled_from(
    [
        *("Cookie", "Host", "Content-Length", "Content-Type", "Referer", "SOAPAction", "Accept"),
        *("Authorization", "sec-fetch-dest", "sec-fetch-mode", ":path", "GET /a HTTP/1.1", "a b"),
    ]
)
_ANSWERED = st.sampled_from(["Set-Cookie", "Location", "Content-Type", "WWW-Authenticate"])
_VALUES = _ODD | st.sampled_from(
    [
        *("a=1; b=2", "=", "a=\r1; \ud800=2", "http://[x", "http://h/a", "document", "navigate"),
        *("multipart/form-data; boundary=x", "text/html; charset=\ud800", "application/json"),
        *("a=1; Path=/\ud800", "a=1; Max-Age=9; Domain=h", "application/x-www-form-urlencoded"),
    ]
)
_BODIES = _ODD | st.sampled_from(
    [
        '{"query": "query A {a}", "operationName": "\\ud800"}',
        "<title>\x1b&#xD800;\n</title>",
        "--x\r\nContent-Disposition: form-data; name=a\r\n\r\n\ud800\r\n--x--",
    ]
)
_STARTS = st.sampled_from(["2026-01-02T03:04:05Z", "1970-01-01T00:00:00Z", "2199-12-31", "noon", 5])


_SIZES = st.sampled_from([0, 1, -1, 101, 200, 302, 401, 999, 1000, 10**400, 1e300, 12.5])
_GOOD_BODY = '{"query": "query A {a}", "variables": {"b": "c"}}'


def _headers(names: st.SearchStrategy[str]) -> st.SearchStrategy[list[Any]]:
    pair = st.fixed_dictionaries({"name": names | _ODD, "value": _VALUES | _SIZES})
    return st.lists(pair | st.none(), max_size=4)


#: The members of an entry: what is usual, and what else may stand there.
_MEMBERS: dict[str, tuple[Any, st.SearchStrategy[Any]]] = {
    "startedDateTime": ("2026-01-02T03:04:05Z", _STARTS),
    "time": (12.5, _SIZES),
    "request.method": ("POST", _METHODS),
    "request.url": ("http://h/a", _URLS),
    "request.headers": ([{"name": "Referer", "value": "http://h/"}], _headers(_NAMES)),
    "request.postData.mimeType": ("application/json", _VALUES),
    "request.postData.text": (_GOOD_BODY, _BODIES),
    "response.status": (200, _SIZES),
    "response.headers": ([{"name": "Content-Type", "value": "text/html"}], _headers(_ANSWERED)),
    "response.content.text": ("<title>a</title>", _BODIES),
    "response.content.encoding": (None, st.sampled_from(["base64", "rot13"])),
}


@st.composite
def _entries(draw: st.DrawFn) -> dict[str, Any]:
    """An entry of which one or a few members are odd."""
    entry: dict[str, Any] = {}
    odd = draw(st.sets(st.sampled_from(sorted(_MEMBERS)), min_size=1, max_size=3))
    for path, (usual, other) in _MEMBERS.items():
        table = entry
        *parts, name = path.split(".")
        for part in parts:
            table = table.setdefault(part, {})
        table[name] = draw(other | _SIZES) if path in odd else usual
    return entry


_GOOD: dict[str, Any] = {
    "request": {"method": "GET", "url": "http://h/"},
    "response": {"status": 200},
}


@FILES
@given(st.sampled_from([CREATOR, "mitmproxy", "x"]), st.lists(_entries(), min_size=1, max_size=4))
def test_what_imports_is_saved_and_read_back(creator: str, entries: list[Any]) -> None:
    """Whatever stands in a HAR: a test case of it can be written, and reads back equal."""
    log = {"creator": {"name": creator}, "entries": [_GOOD, *entries]}
    exchanges = parse_har(json.dumps({"log": log}).encode(), "x.har")
    assert len(exchanges) == len(entries) + 1
    case = build_case(exchanges, name="x").case
    written = format_case(case)
    assert format_case(parse_case(written.encode().decode(), "x.case.toml")) == written
    for one in exchanges:  # and the evidence, where its secrets are taken out
        log = {"creator": {"name": CREATOR}, "entries": [entry_from(one), _GOOD]}
        assert parse_har(json.dumps({"log": log}).encode(), "x.har")[0] == one


def _notes(*exchanges: Exchange) -> set[tuple[str, str, str]]:
    """Kind, subject and message of what is said of these; all but what is usual."""
    return {(one.kind, one.subject, one.message) for one in build_case(exchanges, name="x").notes}


def test_the_request_line_among_the_headers_is_no_header() -> None:
    """WebPageTest lists it there; it is left out and named, and the others stay."""
    headers = (("GET /a?b HTTP/1.1", ""), ("X-A", "1\r\nX-B: 2"), ("X-C", "3"))
    page = visit(f"{SHOP}/a", 0, "<title>a</title>")
    page = page.changed(request_headers=(*page.request_headers, *headers))
    (transaction,) = build_case([page], name="x").case.transactions()
    sent = {one.name for one in build_case([page], name="x").case.wire_headers(transaction.request)}
    assert "X-C" in sent
    assert not sent & {"GET /a?b HTTP/1.1", "X-A"}
    message = "a line among the headers that is none is left out"
    assert _notes(page) == {
        (CHANGED, "GET /a?b HTTP/1.1", message),
        (CHANGED, "X-A: 1\r\nX-B: 2", message),
    }


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"method": "G T"}, "its method is none of HTTP"),
        ({"method": "get"}, "its method is none of HTTP"),
        ({"method": ""}, "its method is none of HTTP"),
        ({"url": "http:///a"}, "its URL names no host that can be asked"),
        ({"url": "http://a$b/"}, "its URL names no host that can be asked"),
        ({"url": f"{SHOP}/a b"}, "its URL holds a space or what is no character"),
        ({"url": f"{SHOP}/\ud800"}, "its URL holds a space or what is no character"),
    ],
)
def test_what_no_request_can_be_is_kept_as_evidence(changes: dict[str, Any], message: str) -> None:
    """It has a note, and all others are in the test case."""
    odd = visit(f"{SHOP}/odd", 5).changed(**changes)
    case = build_case([visit(f"{SHOP}/a", 0), odd], name="x").case
    assert [one.title for one in case.transactions()] == ["GET /a"]
    subject = f"{odd.method} {odd.url}"
    assert (UNREPLAYABLE, subject, message) in _notes(visit(f"{SHOP}/a", 0), odd)


@pytest.mark.parametrize("odd", ["http://[x", "//[", "http://h:99999/"])
def test_addresses_that_are_none_lead_nowhere(odd: str) -> None:
    """In a redirect, a frame and a Referer, each of which a server or a client may make up."""
    frame = f'<title>a</title><iframe src="{odd}">'
    exchanges = [
        visit(f"{SHOP}/a", 0, to=odd, status=302),
        visit(f"{SHOP}/b", 1, frame, referer=odd),
        visit(f"{SHOP}/c", 2).changed(status=201, response_headers=(("Location", odd),)),
    ]
    case = build_case(exchanges, name="x").case
    assert [one.title for one in case.transactions()] == ["GET /a", "GET /b", "GET /c"]
    configure(case, exchanges, rules=())


def test_what_the_file_had_and_could_not_be_read_is_named() -> None:
    """As evidence, as a part of the request, or as an entry of which nothing is left."""
    page = visit(f"{SHOP}/a", 0).changed(lost=("response.content.text: bad base64",))
    form = visit(f"{SHOP}/b", 1, method="POST").changed(
        lost=("request.postData: unexpected value 5",)
    )
    entry = Exchange(
        page.started, 0.0, "", "", "", (), lost=("log.entries[2]: expected an object",)
    )
    left_out = "left out, as it could not be read: "
    assert _notes(page, form, entry) >= {
        (INCOMPLETE, f"GET {SHOP}/a", f"{left_out}response.content.text: bad base64"),
        (CHANGED, f"POST {SHOP}/b", f"{left_out}request.postData: unexpected value 5"),
        (UNREADABLE, "", "log.entries[2]: expected an object"),
    }
