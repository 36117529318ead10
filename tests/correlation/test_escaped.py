"""Tokens that pages write with escapes: found, and read on another day when others are needed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from urllib.parse import quote

import pytest
from django.utils.html import escape, escapejs, json_script
from jinja2.utils import htmlsafe_json_dumps

from pytest_loadtool.codec.filters import FILTERS
from pytest_loadtool.correlation.requests.parts import rendered
from pytest_loadtool.correlation.responses.escaped import escaped
from pytest_loadtool.correlation.responses.recorded import RecordedResponse
from pytest_loadtool.extraction.extract import compile_source
from pytest_loadtool.masking.case import masked
from pytest_loadtool.masking.pseudonyms import stand_ins
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.extractor import Boundary, CookieValue, FormField, HeaderValue, JsonPath
from tests.correlation.exchanges import FORM, SERVER, answered, html, json_body
from tests.correlation.talk import configure, post, run

#: Tokens of 16 bytes in base64; in the third and fourth no server has anything to escape but "=".
TOKENS = (
    "q/7Hn+2Zs/Lx0vT9aJd5Kg==",
    "/Zp4+Wm1u/R8yB6cE3oXfQ==",
    "Qk7HnA2ZsbLx0vT9aJd5Kg==",
    "Zp4cWm1uMR8yB6cE3oXfQw==",
)
JSON_TYPE = ("Content-Type", "application/json")
STATE = {"home": "https://shop.test/a?b=1&c=2", "user": 17, "key": ""}


def _state(token: str) -> str:
    return json.dumps({**STATE, "key": token}, separators=(",", ":"))


def _php(token: str) -> str:
    """json_encode without flags."""
    return _state(token).replace("/", "\\/")


def _unicode(characters: str, form: str) -> Callable[[str], str]:
    """JSON in which these characters are written with their code."""

    def write(token: str) -> str:
        return re.sub(f"[{characters}]", lambda one: form.format(ord(one[0])), _state(token))

    return write


_dotnet = _unicode("&<>'+`", "\\u{:04X}")  # System.Text.Json
_rails = _unicode("&<>", "\\u{:04x}")
_gson = _unicode("&<>'=", "\\u{:04x}")
_owasp = _unicode("&/+=", "\\x{:02X}")  # ESAPI, encodeForJavaScript


def _razor(text: str) -> str:
    """ASP.NET's HtmlEncoder."""
    return str(escape(text)).replace("+", "&#x2B;")


def _mustache(text: str) -> str:
    """Mustache.escape."""
    return re.sub("[&<>\"'`=/]", lambda one: f"&#x{ord(one[0]):X};", text)


_JSON = "application/json"
#: Parts of pages as frameworks write them.
PAGES: Mapping[str, Callable[[str], str]] = {
    "PHP": lambda key: f"<script>var app = {_php(key)};</script>",
    "Laravel Inertia": lambda key: f'<div id="app" data-page="{escape(_php(key))}"></div>',
    "Magento": lambda key: f'<script type="text/x-magento-init">{{"*":{_php(key)}}}</script>',
    "Blazor": lambda key: f"<!--Blazor:{_dotnet(key)}--><p>Caf\\u002B</p>",
    "ASP.NET": lambda key: (
        f"<script>s = JSON.parse({json.dumps(_dotnet(key))}, 'a\\\\u002B')</script>"
    ),
    "Razor": lambda key: f'<div data-key="{_razor(key)}" data-sum="{_razor("1+1")}"></div>',
    "Spring and Gson": lambda key: f"<script>/*<![CDATA[*/ var s = {_gson(key)}; /*]]>*/</script>",
    "Next.js, pages": lambda key: (
        f'<script id="__NEXT_DATA__" type="{_JSON}">{_state(key)}</script>'
    ),
    "Next.js, app": lambda key: f"<script>f.push([1,{json.dumps('5:' + _state(key))}])</script>",
    "Rails": lambda key: f"<script>App.boot({_rails(key)})</script>",
    "Rails, react-rails": lambda key: f'<div data-react-props="{escape(_rails(key))}"></div>',
    "Django, json_script": lambda key: json_script({**STATE, "key": key}, "state"),
    "Django, escapejs": lambda key: f"<script>let key = '{escapejs(key)}', n = 1;</script>",
    "Django, both": lambda key: f'<script>s = JSON.parse("{escapejs(_state(key))}")</script>',
    "Jinja": lambda key: f"<script>const s = {htmlsafe_json_dumps({**STATE, 'key': key})}</script>",
    "Mustache": lambda key: f'<b data-key="{_mustache(key)}" data-u="{_mustache("/?a=1+1")}"></b>',
    "ESAPI": lambda key: f"<script>var s = {_owasp(key)};</script>",
    "an address": lambda key: f"<script>go('/next?a=1&key={quote(key, safe='')}&b=2')</script>",
}


def page(part: str, visits: int) -> Exchange:
    """A page with that in it, and other things that change."""
    return html(f"<html><body><p>Visit {visits} of 9</p>{part}<i>{visits}</i></body></html>")


@pytest.mark.parametrize("framework", PAGES)
def test_pages(framework: str) -> None:
    """Whichever token was recorded, whatever characters it had: the one of the day is sent."""
    write = PAGES[framework]
    for old in TOKENS:
        body = f"key={quote(old, safe='')}"
        configured = run(answered("GET", "/", page(write(old), 1)), post("/x", body)).case
        first, second = configured.transactions()
        assert isinstance(second.request.body, str)
        assert old not in second.request.body
        (extractor,) = first.extractors
        take = compile_source(extractor.source, extractor.match)
        for new in TOKENS:
            value = take(RecordedResponse(page(write(new), 203)))
            assert value is not None, (framework, extractor)
            sent = rendered(second.request.body, "body", FORM[1], {extractor.variable: value})
            assert sent == f"key={quote(new, safe='')}", (framework, old, extractor)


def _api(write: Callable[[str], str]) -> Callable[[str], Exchange]:
    return lambda token: answered("GET", "/", json_body({"user": 1, "key": write(token)}))


def _headed(name: str, write: Callable[[str], str]) -> Callable[[str], Exchange]:
    return lambda token: answered("GET", "/", html("", (name, write(token))))


#: Responses that hold the token in another encoding as a whole, and where it is taken from.
WHOLE: Mapping[str, tuple[Callable[[str], Exchange], type, str]] = {
    "API, URL": (_api(lambda token: quote(token, safe="")), JsonPath, "unurl"),
    "API, base64": (_api(FILTERS["base64"]), JsonPath, "unbase64"),
    "API, base64url": (_api(FILTERS["base64url"]), JsonPath, "unbase64"),
    "API, in an address": (
        _api(lambda token: f"{SERVER}/list?size=2&cursor={quote(token, safe='')}&x=%2F"),
        Boundary,
        "unurl",
    ),
    "API, JSON in a URL": (
        _api(lambda token: quote(json.dumps({"a": 1, "key": token}), safe="")),
        Boundary,
        "unurl",
    ),
    "header": (_headed("X-Key", FILTERS["base64"]), HeaderValue, "unbase64"),
    "cookie": (
        _headed("Set-Cookie", lambda token: f"k={FILTERS['base64url'](token)}; Path=/"),
        CookieValue,
        "unbase64",
    ),
    "cookie, JSON in a URL": (
        _headed(
            "Set-Cookie",
            lambda token: f"auth={quote(json.dumps({'a': 1, 'key': token}), safe='')}; Path=/",
        ),
        HeaderValue,
        "unurl",
    ),
    "header, at its end": (
        _headed("X-Session", lambda token: f"v=1; key={token}"),
        HeaderValue,
        "",
    ),
    "Link": (
        _headed(
            "Link",
            lambda token: (
                f'<{SERVER}/list?size=2>; rel="first", '
                f'<{SERVER}/list?size=2&cursor={quote(token, safe="")}>; rel="next"'
            ),
        ),
        HeaderValue,
        "unurl",
    ),
    "redirect": (
        _headed("Location", lambda token: f"/next?k={FILTERS['base64url'](token)}"),
        HeaderValue,
        "unurl|unbase64",
    ),
    "meta tag": (
        lambda token: page(f'<meta name="k" content="{FILTERS["base64"](token)}">', 1),
        FormField,
        "unbase64",
    ),
}


@pytest.mark.parametrize("name", WHOLE)
def test_whole_values(name: str) -> None:
    """A value that is in another encoding as a whole is taken as it is, by its structure."""
    write, kind, undo = WHOLE[name]
    old, new, *_ = TOKENS
    answer = replace(write(old), url=f"{SERVER}/")
    configured = run(answer, post("/x", f"key={quote(old, safe='')}")).case
    first, second = configured.transactions()
    (extractor,) = first.extractors
    assert isinstance(extractor.source, kind)
    body = second.request.body
    assert body == f"key=${{{extractor.variable}{undo and '|' + undo}}}"
    value = compile_source(extractor.source, extractor.match)(RecordedResponse(write(new)))
    assert value is not None
    sent = rendered(body, "body", FORM[1], {extractor.variable: value})
    assert sent == f"key={quote(new, safe='')}"


@pytest.mark.parametrize("name", [*PAGES, *WHOLE])
def test_stand_ins(name: str) -> None:
    """A saved recording that is to hold no tokens holds none in any encoding, and correlates."""
    write = WHOLE[name][0] if name in WHOLE else lambda token: page(PAGES[name](token), 1)
    for token in TOKENS:
        made = stand_ins([token], b"key")[token]
        answer = replace(write(token), url=f"{SERVER}/")
        exchanges = (answer, post("/x", f"key={quote(token, safe='')}"))
        configured = run(*exchanges).case
        clean, evidence = masked(configured, exchanges, (), b"key")
        assert evidence[0].response_body == write(made).response_body
        assert evidence[0].response_headers == write(made).response_headers
        assert evidence[1].request_body.decode() == f"key={quote(made, safe='')}"
        assert configure(clean, evidence).case == clean


def _quoted(text: str) -> str:
    return quote(text, safe="")


#: Addresses that servers redirect to, with a token in them.
REDIRECTS: Mapping[str, Callable[[str], str]] = {
    "query": lambda key: f"/next?d={_quoted(key)}&x=1",
    "path": lambda key: f"/next/{_quoted(key)}/x",
    "fragment": lambda key: f"/next#d={_quoted(key)}&x=1",
    "JSON in the query": lambda key: f"/next?d={_quoted(_state(key))}&x=1",
    "PHP's JSON in the query": lambda key: f"/next?d={_quoted(_php(key))}&x=1",
    "JSON in the fragment": lambda key: f"/next#d={_quoted(_state(key))}",
    "address in the query": lambda key: f"/next?u={_quoted(f'/to?d={_quoted(key)}&x=1')}",
    "address at the end": lambda key: f"/next?u={_quoted(f'/to?d={_quoted(key)}')}",
}
#: Base64 without padding: the first has nothing to escape.
UNPADDED = ("d8Kr3Yw0Mn5QaS9uZx4P", "c7Jq/Xv9Lm+PzR8tYw3N")


@pytest.mark.parametrize("name", REDIRECTS)
@pytest.mark.parametrize("days", [TOKENS, UNPADDED], ids=["padded", "unpadded"])
def test_redirects(name: str, days: tuple[str, ...]) -> None:
    """Whichever token was recorded, with escapes or without: the one of the day is sent."""
    write = _headed("Location", REDIRECTS[name])
    for old in days:
        answer = replace(write(old), url=f"{SERVER}/")
        configured = run(answer, post("/x", f"key={_quoted(old)}")).case
        first, second = configured.transactions()
        (extractor,) = first.extractors
        take = compile_source(extractor.source, extractor.match)
        assert isinstance(second.request.body, str)
        for new in days:
            value = take(RecordedResponse(write(new)))
            assert value is not None, extractor
            sent = rendered(second.request.body, "body", FORM[1], {extractor.variable: value})
            assert sent == f"key={_quoted(new)}", (old, extractor)


def test_what_has_no_escapes_costs_a_search() -> None:
    """Nothing is decoded, and a placeholder has no filter that it will never need."""
    assert list(escaped("<p>100% of a \\d+ &amp; b</p>", frozenset(TOKENS))) == []
    body = f"key={quote(TOKENS[0], safe='')}"
    plain = run(answered("GET", "/", html(f"<script>k = '{TOKENS[0]}'</script>")), post("/x", body))
    assert [one.request.body for one in plain.case.transactions()][1] == "key=${key[1]}"


def test_an_escape_at_the_beginning_of_a_token() -> None:
    """Of a token with a ``/`` in no other place; the next one begins with something else."""
    token = "/2HPPFv0yudB1sXoZE+llzt7iolnfOs4gdPPcCG7ZGA="
    other = "CXzeBZBVEsO+rNadN6hQRRrWed8fRGJ3zg4dVUqClfI="

    def page(value: str) -> Exchange:
        state = json.dumps({"base": "https://shop.test/", "key": value}).replace("/", "\\/")
        return html(f"<script>var app = {state};</script>")

    sent = json.dumps({"user": "kim", "key": token}).encode()
    log_in = answered("POST", "/login", json_body({}), sent=(JSON_TYPE,), body=sent)
    first, _ = run(answered("GET", "/", page(token)), log_in).case.transactions()
    (extractor,) = first.extractors
    assert compile_source(extractor.source)(RecordedResponse(page(other))) == other
