"""Each kind of source takes its value from a response, or nothing."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_loadtool.correlation.responses.recorded import RecordedResponse
from pytest_loadtool.extraction.extract import COMPILERS, compile_source
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.extractor import (
    Boundary,
    CookieValue,
    FormField,
    HeaderValue,
    JsonPath,
    RegularExpression,
    Source,
)
from tests.correlation.exchanges import exchange, html, json_body

TOKEN = json_body(
    {
        "access_token": "abc.def",
        "expires_in": 3600,
        "ratio": 1.5,
        "ok": True,
        "none": None,
        "user": {"id": 17, "e-mail": "a@b"},
        "items": [
            {"id": None},
            {"id": 5, "name": "tea", "tags": ["x", "y"]},
            {"id": 6, "name": "milk", "tags": ["z"]},
        ],
    }
)


def value(source: Source, recorded: Exchange, match: int = 1) -> str | None:
    """What the compiled source takes from the recorded response."""
    return compile_source(source, match)(RecordedResponse(recorded))


@pytest.mark.promise(37)
@pytest.mark.parametrize(
    ("path", "match", "expected"),
    [
        ("$.access_token", 1, "abc.def"),
        ("$.expires_in", 1, "3600"),
        ("$.ratio", 1, "1.5"),
        ("$.ok", 1, "true"),
        ("$.none", 1, None),
        ("$.user.id", 1, "17"),
        ("$.user['e-mail']", 1, "a@b"),
        ('$["user"]["id"]', 1, "17"),
        ("$.items[1].id", 1, "5"),
        ("$.items[*].id", 1, "5"),
        ("$.items[*].id", 2, "6"),
        ("$.items[*].id", 3, None),
        ("$.items[*].tags[*]", 3, "z"),
        ("$.user.*", 2, "a@b"),
        ("$.user", 1, '{"id":17,"e-mail":"a@b"}'),
        ("$.user.id", 2, None),
        ("$.items[9].id", 1, None),
        ("$.items.id", 1, None),
        ("$.access_token[0]", 1, None),
        ("$.user[0]", 1, None),
        ("$.nothing.at.all", 1, None),
        ("$..id", 1, "17"),
        ("$.items[-1].id", 1, "6"),
        ("$.items[?(@.id==6)].tags[0]", 1, "z"),
        ('$.items[?(@.name=="tea")].id', 1, "5"),
        ("$.items[?@.name == 'milk'].tags[*]", 1, "z"),
        ('$.items[?(@.name=="tea")].id', 2, None),
        ('$.items[?(@.name=="water")].id', 1, None),
        ('$.user[?(@.name=="tea")].id', 1, None),
        ('$.access_token[?(@.name=="tea")].id', 1, None),
    ],
)
def test_json_path(path: str, match: int, expected: str | None) -> None:
    """Dotted paths, indexes, wildcards and comparisons; the first match counts, null never does."""
    assert value(JsonPath(path), TOKEN, match) == expected


@pytest.mark.promise(37)
def test_json_path_on_something_else() -> None:
    """A page instead of JSON holds no value."""
    assert value(JsonPath("$.a"), html("<p>Error</p>")) is None


@pytest.mark.promise(38)
@pytest.mark.parametrize(
    ("left", "right", "text", "match", "expected"),
    [
        ("id=", "&", "?id=17&x=1&id=18&", 1, "17"),
        ("id=", "&", "?id=17&x=1&id=18&", 2, "18"),
        ("id=", "&", "?id=17&x=1&id=18&", 3, None),
        ("id=", "&", "?id=17", 1, None),
        ("<td>", "</b>", "<td>no</td><td><b>1</b>", 1, "<b>1"),
        ("|", "|", "a|b|c|d|", 2, "d"),
        ("", "=", "key=value", 1, "key"),
        ("=", "", "key=value", 1, "value"),
        ("(", ")", "f(\n1\n)", 1, "\n1\n"),
    ],
)
def test_boundary(left: str, right: str, text: str, match: int, expected: str | None) -> None:
    """The shortest text between the two boundaries."""
    assert value(Boundary(left, right), html(text), match) == expected


@pytest.mark.promise(39)
@pytest.mark.parametrize(
    ("pattern", "match", "expected"),
    [
        (r'id="(\d+)"', 1, "17"),
        (r'id="(\d+)"', 2, "18"),
        (r'id="(\d+)"', 3, None),
        (r"\d\d", 1, "17"),
        (r"\d\d", 2, "18"),
        (r"(x)|b", 1, None),
        (r"nothing", 1, None),
    ],
)
def test_regular_expression(pattern: str, match: int, expected: str | None) -> None:
    """Group 1 of the match, or the whole match without a group."""
    assert value(RegularExpression(pattern), html('<b id="17"><b id="18">'), match) == expected


@given(st.text(), st.text(min_size=1, max_size=3), st.text(min_size=1, max_size=3))
def test_boundary_agrees_with_a_regular_expression(text: str, left: str, right: str) -> None:
    """The boundary finds what a regular expression for "shortest" finds."""
    text = text + left + text + right
    inner = rf"(?:(?!{re.escape(left)}).)*?"
    expected = re.search(f"(?s){re.escape(left)}({inner}){re.escape(right)}", text)
    boundary = Boundary(left.replace("${", "$${"), right.replace("${", "$${"))
    found = value(boundary, exchange(answer=text.encode()))
    if left[0] not in left[1:] + right and right[0] not in left:  # no overlapping boundaries
        assert found == (expected and expected[1])


def test_headers() -> None:
    """A header without regard to case; with a pattern, the part of it that the group holds."""
    recorded = html("", ("Location", "/users/2/change/?a=1"), ("X-Id", "a"), ("x-id", "b"))
    assert value(HeaderValue("location"), recorded) == "/users/2/change/?a=1"
    assert value(HeaderValue("LOCATION", r"/users/(\d+)/"), recorded) == "2"
    assert value(HeaderValue("Location", r"\d"), recorded, 2) == "1"
    assert value(HeaderValue("Location", r"nothing"), recorded) is None
    assert value(HeaderValue("X-ID"), recorded, 2) == "b"
    assert value(HeaderValue("X-ID", "[a-z]"), recorded, 2) == "b"
    assert value(HeaderValue("X-ID"), recorded, 3) is None
    assert value(HeaderValue("ETag"), recorded) is None


def test_cookies() -> None:
    """The value of the cookie that this response sets, whatever its attributes."""
    recorded = html(
        "",
        ("Set-Cookie", "csrftoken=abc=; expires=Wed, 21 Oct 2026 07:28:00 GMT; Path=/"),
        ("set-cookie", "sessionid=xyz"),
        ("Set-Cookie", "csrftoken=second; Path=/a"),
    )
    assert value(CookieValue("csrftoken"), recorded) == "abc="
    assert value(CookieValue("csrftoken"), recorded, 2) == "second"
    assert value(CookieValue("sessionid"), recorded) == "xyz"
    assert value(CookieValue("session"), recorded) is None


@pytest.mark.parametrize(
    ("source", "match"),
    [
        (RegularExpression("("), 1),
        (HeaderValue("Location", "["), 1),
        (JsonPath("$.a["), 1),
        (JsonPath("no path"), 1),
        (FormField(""), 1),
        (FormField("a"), 0),
    ],
)
def test_malformed_sources_are_refused(source: Source, match: int) -> None:
    """A source that cannot work is a ValueError when it is compiled, not a miss on replay."""
    with pytest.raises(ValueError, match=r"is not a|counts from 1"):
        compile_source(source, match)


def test_every_source_has_a_compiler() -> None:
    """The table covers the model's union."""
    assert set(COMPILERS) == set(Source.__args__)


def test_text_follows_the_charset() -> None:
    """A body is decoded as its content type says; an unknown charset does not stop extraction."""
    latin = (("Content-Type", "text/html; charset=ISO-8859-1"),)
    body = '<input name=a value="é">'.encode("latin-1")
    assert value(FormField("a"), exchange(received=latin, answer=body)) == "é"
    odd = (("Content-Type", "text/html; charset=x-martian"),)
    assert value(FormField("a"), exchange(received=odd, answer=b"<input name=a value=b>")) == "b"
