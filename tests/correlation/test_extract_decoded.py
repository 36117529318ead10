"""What an extractor reads within base64, JSON web tokens and other encoded texts of a response."""

from __future__ import annotations

import base64
import json
import textwrap
from html import escape
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_loadtool.codec.decoding import DECODINGS, base64_text, token_payload
from pytest_loadtool.correlation.responses.recorded import RecordedResponse
from pytest_loadtool.extraction.extract import compile_source
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.extractor import (
    Boundary,
    CookieValue,
    Decoded,
    FormField,
    HeaderValue,
    JsonPath,
    RegularExpression,
    Source,
)
from tests.correlation.exchanges import html, json_body

STATE = {"csrf": "q7Hn~2Zs?Lx0", "next": "/?a>b", "ids": [5, 6]}


def packed(text: str) -> str:
    """Base64 of a text, as RFC 4648 §4 has it."""
    return base64.b64encode(text.encode()).decode()


def token(proposals: object, *, header: str = '{"alg":"HS256"}') -> str:
    """A JSON web token whose signature nobody looks at."""
    parts = (header, json.dumps(proposals), "signature")
    return ".".join(base64.urlsafe_b64encode(one.encode()).decode().rstrip("=") for one in parts)


def taken(source: Source, response: Exchange, match: int = 1) -> str | None:
    """What the source takes from the response."""
    return compile_source(source, match)(RecordedResponse(response))


SAML = "<Response ID='_1'><Assertion ID='_2'/><Assertion ID='_3'/></Response>"
CSRF = JsonPath("$.csrf")
PACKED = packed(json.dumps(STATE))


@pytest.mark.parametrize(
    ("outer", "decode", "inner", "response", "expected"),
    [
        (CookieValue("s"), "base64", CSRF, html("", ("Set-Cookie", f"s={PACKED}; Path=/")), None),
        (CookieValue("s"), "base64", CSRF, html("", ("Set-Cookie", f"s={quote(PACKED)}")), None),
        (HeaderValue("X-State"), "base64", CSRF, html("", ("X-State", PACKED)), None),
        (HeaderValue("Location", "s=([^&]+)"), "base64", CSRF,
         html("", ("Location", f"/next?s={quote(PACKED, safe='')}&x=1")), None),
        (FormField("s"), "base64", CSRF, html(f'<input name="s" value="{PACKED}">'), None),
        (JsonPath("$.s"), "base64", CSRF, json_body({"s": PACKED.rstrip("=")}), None),
        (RegularExpression("s = '(.*?)'"), "base64", CSRF, html(f"s = '{PACKED}'"), None),
        (Boundary("[", "]"), "base64", CSRF, html(f"[{PACKED}]"), None),
        (JsonPath("$.t"), "jwt", JsonPath("$.sub"), json_body({"t": token({"sub": "u-1"})}), "u-1"),
        (JsonPath("$.t"), "jwt", JsonPath("$.n"), json_body({"t": token({"n": 17})}), "17"),
        (RegularExpression("s='(.*?)'"), "html", CSRF,
         html(f"<a data-s='{escape(json.dumps(STATE))}'>"), None),
        (CookieValue("s"), "url", CSRF,
         html("", ("Set-Cookie", f"s={quote(json.dumps(STATE))}")), None),
        (FormField("SAMLResponse"), "base64", RegularExpression("Assertion ID='(.*?)'"),
         html(f'<input name="SAMLResponse" value="{textwrap.fill(packed(SAML), 60)}">'), "_2"),
        (CookieValue("s"), "base64", Boundary("k=", ";"),
         html("", ("Set-Cookie", f"s={packed('ts=5;k=abc;x')}")), "abc"),
    ],
)  # fmt: skip
def test_decoded(
    outer: Source, decode: str, inner: Source, response: Exchange, expected: str | None
) -> None:
    """Wherever the text stands in the response, and whatever is read in it."""
    source = Decoded(outer, (decode,), inner)
    assert taken(source, response) == (expected or STATE["csrf"])
    assert taken(source, html("<p>Error</p>")) is None


def test_matches_count_inside_and_outside() -> None:
    """Which of several texts, and which of several values in it."""
    pages = html("".join(f"<i>{packed(json.dumps(one))}</i>" for one in ([1, 2], [3, 4])))
    source = Decoded(Boundary("<i>", "</i>"), ("base64",), JsonPath("$[*]"), 2)
    assert [taken(source, pages, match) for match in (1, 2, 3)] == ["2", "4", None]


def test_nothing_is_read_in_what_is_not_encoded() -> None:
    """What is no base64 and no token gives nothing, not itself; an error is no text either."""
    for text in ("not base64!", "\x00", "AAAA", "a.b", "a..c", "a.b.c.d.e", "/w=="):
        one = json_body({"s": text})
        assert taken(Decoded(JsonPath("$.s"), ("jwt",)), one) is None
        if text != "AAAA":
            assert taken(Decoded(JsonPath("$.s"), ("base64",)), one) is None
    deep = json_body({"s": packed("[" * 100_000)})
    assert taken(Decoded(JsonPath("$.s"), ("base64",), JsonPath("$.a")), deep) is None


def test_without_a_decoding_the_text_is_read_as_it_is() -> None:
    """JSON in a string of JSON; and several decodings work one after the other."""
    inside = json_body({"s": json.dumps(STATE)})
    assert taken(Decoded(JsonPath("$.s"), (), CSRF), inside) == STATE["csrf"]
    twice = json_body({"s": packed(packed("secret"))})
    assert taken(Decoded(JsonPath("$.s"), ("base64", "base64")), twice) == "secret"
    again = Decoded(JsonPath("$.s"), ("base64",), Decoded(Boundary("", ""), ("base64",)))
    assert taken(again, twice) == "secret"
    assert taken(Decoded(JsonPath("$.s"), ("base64",), HeaderValue("s")), twice) is None


def test_unknown_decodings_are_refused() -> None:
    """A case from elsewhere than a file cannot have another one either."""
    with pytest.raises(ValueError, match="'rot13' is not a decoding: expected one of base64, jwt"):
        compile_source(Decoded(CookieValue("s"), ("rot13",)))


def test_what_it_is_called() -> None:
    """As failures and listings name it."""
    assert str(Decoded(CookieValue("s"), ("url", "base64"), CSRF)) == (
        "JSON path $.csrf in cookie 's', decoded as url and base64"
    )
    assert str(Decoded(CookieValue("s"), ("base64",))) == "cookie 's', decoded as base64"
    assert str(Decoded(JsonPath("$.s"), (), CSRF, 2)) == (
        "JSON path $.csrf, match 2, in JSON path $.s"
    )


@given(st.text())
def test_base64_of_any_text(text: str) -> None:
    """Of either alphabet, with padding or without, in lines or percent-encoded: the text."""
    content = text.encode()
    for written in (base64.b64encode(content), base64.urlsafe_b64encode(content)):
        plain = written.decode()
        assert base64_text(plain) == base64_text(plain.rstrip("=")) == text
        assert base64_text(quote(plain, safe="")) == text
        assert base64_text("\r\n ".join(plain)) == text


@given(st.dictionaries(st.text(), st.text() | st.integers()))
def test_claims_of_any_token(proposals: dict[str, object]) -> None:
    """The payload, whatever it says."""
    payload = token_payload(token(proposals))
    assert payload is not None
    assert json.loads(payload) == proposals


@given(st.text() | st.text(alphabet="ab1+/-_=%.\n"))
def test_decodings_never_fail(text: str) -> None:
    """Any text decodes to text or to nothing."""
    for decode in DECODINGS.values():
        assert isinstance(decode(text), str | None)
