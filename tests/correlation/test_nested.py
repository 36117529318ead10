"""Values within values: found, written so that the bytes stay, and right when they change."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import parse_qs, parse_qsl, quote, quote_plus, unquote, urlsplit
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape as xml_escape

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pytest_loadtool.correlation.edits import composed
from pytest_loadtool.correlation.nested import within
from pytest_loadtool.correlation.parts import rendered, text_parts
from pytest_loadtool.correlation.recorded import RecordedResponse
from pytest_loadtool.correlation.revert import revert
from pytest_loadtool.correlation.traffic import steps_of
from pytest_loadtool.extraction.extract import compile_source
from pytest_loadtool.model.case import Request, TestCase
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.place import Place
from tests.correlation.exchanges import (
    FORM,
    JSON,
    SERVER,
    answered,
    case_of,
    exchange,
    html,
    json_body,
)
from tests.correlation.talk import configure

#: What servers give out, odd characters included. Each looks random, so that it is correlated.
TOKENS = st.tuples(
    st.from_regex(r"[a-z][0-9][A-Z][0-9][a-z]{2}[0-9][A-Z]{2}[0-9][a-z][0-9]", fullmatch=True),
    st.text("abZ09-_.~+/%!", max_size=6),
    st.sampled_from(["", "=", "=="]),
).map("".join)


@dataclass(frozen=True)
class Level:
    """A way to put a value into text, and to get it out as whoever reads that text does."""

    wrap: Callable[[str], str]
    unwrap: Callable[[str], str]


def _json(text: str) -> str:
    return json.dumps({"a": 1, "key": text, "b": ["x"]}, ensure_ascii=False)


QUOTE = {'"': "&quot;"}

LEVELS: Mapping[str, Level] = {
    "json": Level(_json, lambda text: str(json.loads(text)["key"])),
    "pairs": Level(
        lambda text: f"a=1&key={quote(text, safe='')}", lambda text: dict(parse_qsl(text))["key"]
    ),
    "address": Level(
        lambda text: f"/orders/17?key={quote(text, safe='')}&z=1",
        lambda text: parse_qs(urlsplit(text).query)["key"][0],
    ),
    "path": Level(
        lambda text: f"https://other.test/v/{quote(text, safe='')}/edit",
        lambda text: unquote(text.split("/")[4]),
    ),
    "xml": Level(
        lambda text: f'<e xmlns:a="urn:a" a:key="{xml_escape(text, QUOTE)}"/>',
        lambda text: str(ET.fromstring(text).get("{urn:a}key")),
    ),
    "base64": Level(
        lambda text: base64.b64encode(f"some one:{text}".encode()).decode(),
        lambda text: base64.b64decode(text).decode().partition(":")[2],
    ),
    "base64url": Level(
        lambda text: base64.urlsafe_b64encode(_json(text).encode()).decode().rstrip("="),
        lambda text: str(json.loads(base64.urlsafe_b64decode(text + "=="))["key"]),
    ),
    "base64url, padded": Level(
        lambda text: base64.urlsafe_b64encode(f"some one?>:{text}".encode()).decode(),
        lambda text: base64.urlsafe_b64decode(text + "==").decode().partition(":")[2],
    ),
}


@dataclass(frozen=True)
class Root:
    """A way to send a value, and to get it out of the text that is sent."""

    send: Callable[[str], Exchange]
    part: str | int
    content_type: str
    read: Callable[[str], str]


def _multipart(text: str) -> str:
    return (
        f'--B\r\nContent-Disposition: form-data; name="data"\r\n\r\n{text}\r\n'
        '--B\r\nContent-Disposition: form-data; name="x"\r\n\r\ny\r\n--B--\r\n'
    )


_IN_PARTS = "multipart/form-data; boundary=B"


def _post(content_type: str, write: Callable[[str], str]) -> Callable[[str], Exchange]:
    sent = (("Content-Type", content_type),)
    return lambda text: exchange("POST", f"{SERVER}/x", sent=sent, body=write(text).encode())


def _encoded(text: str) -> str:
    return quote_plus(text, safe="*-._").replace("~", "%7E")


ROOTS: Mapping[str, Root] = {
    "form": Root(
        _post(FORM[1], lambda text: f"a=1&data={_encoded(text)}&b="),
        "body", FORM[1], lambda text: dict(parse_qsl(text))["data"],
    ),
    "json": Root(
        _post(JSON[1], lambda text: json.dumps({"n": 5, "data": text}, ensure_ascii=False)),
        "body", JSON[1], lambda text: str(json.loads(text)["data"]),
    ),
    "multipart": Root(
        _post(_IN_PARTS, _multipart),
        "body", _IN_PARTS, lambda text: text.split("\r\n\r\n")[1].split("\r\n--B")[0],
    ),
    "query": Root(
        lambda text: exchange("GET", f"{SERVER}/x?data={quote(text, safe=_COMPONENT)}&y=1"),
        "target", "", lambda text: parse_qs(urlsplit(text).query)["data"][0],
    ),
    "query, as in forms": Root(
        lambda text: exchange("GET", f"{SERVER}/x?a=b+c&data={_encoded(text)}&y=1"),
        "target", "", lambda text: parse_qs(urlsplit(text).query)["data"][0],
    ),
    "header": Root(
        lambda text: exchange("GET", f"{SERVER}/x", sent=(("X-Data", text),)),
        0, "", lambda text: text,
    ),
}  # fmt: skip
_COMPONENT = "-._~!*'()"


def configured(token: str, sent: Exchange) -> tuple[TestCase, TestCase, list[Exchange]]:
    """The recorded and the configured case: a response gives out the token, a request has it."""
    exchanges = [answered("GET", "/", json_body({"key": token})), sent]
    case = case_of(*exchanges)
    return case, configure(case, exchanges).case, exchanges


def sent_in(case: TestCase) -> Request:
    """The request that uses the token."""
    return list(case.transactions())[1].request


def text_of(request: Request, part: str | int) -> str:
    return dict(text_parts(request))[part]


def values_of(case: TestCase, token: str) -> dict[str, str]:
    """The variables when the response gives this token."""
    response = RecordedResponse(answered("GET", "/", json_body({"key": token})))
    extractors = (one for transaction in case.transactions() for one in transaction.extractors)
    values = {
        one.variable: compile_source(one.source, one.match)(response) or "" for one in extractors
    }
    made = {name: one.template for name, one in case.variables.items() if one.template}
    while made:  # each is made of variables that are known by then
        name = next(one for one, of in made.items() if not any(f"${{{n}" in of for n in made))
        values[name] = composed(made.pop(name), values)
    return values


@pytest.mark.parametrize("root", ROOTS)
@given(st.lists(st.sampled_from(sorted(LEVELS)), min_size=1, max_size=3), TOKENS, TOKENS)
@example(["address", "base64"], "a0A0aa0AA0a0", "a0A0aa0AA0a0+")  # an address in longer text
@example(["pairs", "xml", "base64"], "a0A0aa0AA0a0", "a0A0aa0AA0a0+")  # and pairs in XML there
@example(["path", "base64"], "a0A0aa0AA0a00000", "a0A0aa0AA0a0/")  # the path of such an address
@example(["path", "base64"], "a0A0aa0AA0a00/%!", "a0A0aa0AA0a0")
def test_chains(root: str, chain: list[str], old: str, new: str) -> None:
    """Through any encodings: the recorded value makes the recorded bytes, a new one is read back,
    and what was done can be undone."""
    levels = [LEVELS[name] for name in chain]
    text = old
    for level in levels:
        text = level.wrap(text)
    way = ROOTS[root]
    case, result, exchanges = configured(old, way.send(text))
    before, after = (text_of(sent_in(one), way.part) for one in (case, result))
    recorded = rendered(before, way.part, way.content_type, {})
    assert rendered(after, way.part, way.content_type, values_of(result, old)) == recorded
    assert revert(result, steps_of(result, exchanges)) == case
    assert configure(result, exchanges).case == result
    if before != after:
        sent = rendered(after, way.part, way.content_type, values_of(result, new))
        found = way.read(sent)
        for level in reversed(levels):
            found = level.unwrap(found)
        assert found == new


TOKEN = "c7Jq2Xv9Lm4PzR8tYw3N"


@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("level", LEVELS)
def test_every_level_is_replaced(root: str, level: str) -> None:
    """The property above is not empty: an ordinary token is found in everything, everywhere."""
    _, result, _ = configured(TOKEN, ROOTS[root].send(LEVELS[level].wrap(TOKEN)))
    text = text_of(sent_in(result), ROOTS[root].part)
    assert "${" in text
    assert TOKEN not in text


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        ("Bearer " + TOKEN, "Bearer ${authorization[1]}"),
        (f"Token token={TOKEN}, nonce=x", "Token token=${authorization[1]}, nonce=x"),
        (f'Custom key="{TOKEN}";v=1', 'Custom key="${authorization[1]}";v=1'),
        (f"anna|{TOKEN}|7", "anna|${authorization[1]}|7"),
        (f"projects/{TOKEN}/items", "projects/${authorization[1]}/items"),
    ],
)
def test_a_token_in_longer_text(sent: str, expected: str) -> None:
    """Only the token is replaced."""
    request = exchange("GET", f"{SERVER}/x", sent=(("Authorization", sent),))
    _, result, _ = configured(TOKEN, request)
    assert text_of(sent_in(result), 0) == expected


@pytest.mark.parametrize(
    "sent",
    [
        f'Digest username="a", nonce="{TOKEN}", response="8ca523f5e9506fed4657c9700eebdbec"',
        f"AWS4-HMAC-SHA256 Credential=A/{TOKEN}, Signature={TOKEN}",
        f"eyJhbGciOiJIUzI1NiJ9.{TOKEN}.c2lnbmF0dXJl",
    ],
)
def test_what_is_signed_is_left(sent: str) -> None:
    """A part of it alone would not be valid."""
    request = exchange("GET", f"{SERVER}/x", sent=(("Authorization", sent),))
    case, result, _ = configured(TOKEN, request)
    assert result == case


def test_basic_authentication_with_a_token() -> None:
    """Base64 is made anew of a variable that holds the token; its name says whose it is."""
    credentials = base64.b64encode(f"anna:{TOKEN}".encode()).decode()
    request = exchange("GET", f"{SERVER}/x", sent=(("Authorization", f"Basic {credentials}"),))
    _, result, _ = configured(TOKEN, request)
    assert text_of(sent_in(result), 0) == "Basic ${authorization[2]|base64}"
    assert result.variables["authorization[2]"].template == "anna:${authorization[1]}"


def test_a_value_that_is_replaced_as_a_whole_is_not_taken_apart() -> None:
    """A field that comes back as the page had it stays one value."""
    state = json.dumps({"token": TOKEN, "step": 3})
    field = state.replace('"', "&quot;")
    page = html(f'<form><input type="hidden" name="state" value="{field}"><b>{TOKEN}</b></form>')
    sent = exchange("POST", f"{SERVER}/x", sent=(FORM,), body=f"state={_encoded(state)}".encode())
    exchanges = [answered("GET", "/", page), sent]
    result = configure(case_of(*exchanges), exchanges).case
    body = sent_in(result).body
    assert isinstance(body, str)
    assert "step" in body  # JSON is not one random value: the token in it is


@pytest.mark.parametrize(
    ("name", "cookie", "header", "expected"),
    [
        ("XSRF-TOKEN", "eyJpdiI6IkF4%3D%3D", "eyJpdiI6IkF4==", "${csrf_token[1]|unurl}"),
        ("XSRF-TOKEN", TOKEN, TOKEN, "${csrf_token[1]|unurl}"),
        ("__Host-XSRF-TOKEN", TOKEN, TOKEN, "${csrf_token[1]|unurl}"),
        ("XSRF-TOKEN", "eyJpdiI6IkF4%3D%3D", "eyJpdiI6IkF4%3D%3D", "${csrf_token[1]}"),
        ("csrftoken", "eyJpdiI6IkF4%3D", "eyJpdiI6IkF4=", "${csrf_token[1]|unurl}"),
        ("csrftoken", TOKEN, TOKEN, "${csrf_token[1]}"),
    ],
)
def test_a_cookie_copied_into_a_header(name: str, cookie: str, header: str, expected: str) -> None:
    """As scripts do it: axios and Angular decode their cookie, so that the next token may have an
    escape that this one has not; of others the recording shows whether they do."""
    first = html("<p>Hi</p>", ("Set-Cookie", f"{name}={cookie}; Path=/"))
    sent = exchange("POST", f"{SERVER}/x", sent=(("X-XSRF-TOKEN", header),))
    exchanges = [answered("GET", "/", first), sent]
    result = configure(case_of(*exchanges), exchanges).case
    assert text_of(sent_in(result), 0) == expected
    assert result.variables["csrf_token[1]"].recorded == cookie


def test_json_in_a_query_as_forms_write_it() -> None:
    """Its spaces are ``+``, between its values, too; a value with one is written so."""
    token = "q1W2e3 r4T5y6u7"
    record = {"a": 1, "csrf_token": token, "tags": ["b c"]}
    first = html(f'<form><input type="hidden" name="csrf_token" value="{token}"></form>')
    query = f"data={_encoded(json.dumps(record))}&csrf_token={_encoded(token)}"
    exchanges = [answered("GET", "/", first), exchange("GET", f"{SERVER}/x?{query}")]
    target = text_of(sent_in(configure(case_of(*exchanges), exchanges).case), "target")
    assert target.count("${csrf_token[1]") == 2
    new = rendered(target, "target", "", {"csrf_token[1]": 'x"+y z'})
    read = parse_qs(urlsplit(new).query)
    assert json.loads(read["data"][0]) == record | {"csrf_token": 'x"+y z'}
    assert read["csrf_token"] == ['x"+y z']


def test_soap() -> None:
    """A token in an element and in an attribute of an envelope."""
    envelope = (
        '<?xml version="1.0"?><s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/">'
        f'<s:Header><sec:Token xmlns:sec="urn:s" id="{TOKEN}">{TOKEN}</sec:Token></s:Header>'
        "<s:Body><op>go</op></s:Body></s:Envelope>"
    )
    sent = (("Content-Type", "text/xml; charset=utf-8"),)
    request = exchange("POST", f"{SERVER}/soap", sent=sent, body=envelope.encode())
    _, result, _ = configured(TOKEN, request)
    body = sent_in(result).body
    assert body == envelope.replace(TOKEN, "${id[1]}")


def test_cost_is_bounded() -> None:
    """However deep values nest, three levels are looked into; large values are not."""
    text = TOKEN
    for _ in range(6):
        text = _json(text)
    assert max(one.depth for one in within(text, 0, len(text), Place.TEXT, "data")) == 3
    large = json.dumps({"key": TOKEN, "pad": "x" * 70_000})
    assert not list(within(large, 0, len(large), Place.TEXT, "data"))
