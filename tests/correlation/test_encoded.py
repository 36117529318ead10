"""Values that a response holds within base64 or a token: taken from there, of any day."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from html import escape
from urllib.parse import quote

import pytest

from pytest_loadtool.casefile import format_case, parse_case
from pytest_loadtool.correlation.requests.parts import rendered
from pytest_loadtool.correlation.responses.recorded import RecordedResponse
from pytest_loadtool.extraction.extract import compile_source
from pytest_loadtool.masking.case import masked
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.extractor import Decoded, JsonPath
from tests.correlation.exchanges import SERVER, html, json_body
from tests.correlation.talk import (
    TOKEN,
    UUID,
    call,
    configure,
    get,
    made,
    post,
    requests,
    run,
    sources,
)

#: A value of today and one of another day; it has what base64 writes with "+" and "/".
DAYS = ("c7Jq2Xv9Lm4PzR8tYw3N", "Qk7HnA2~~~bLx0vT9/aJd5Kg")


def standard(text: str) -> str:
    """RFC 4648 §4."""
    return base64.b64encode(text.encode()).decode()


def url(text: str) -> str:
    """RFC 4648 §5, without padding."""
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def token(payload: str) -> str:
    """A JSON web token with that payload."""
    return ".".join(map(url, ('{"alg":"HS256","typ":"JWT"}', payload, payload[::-1])))


#: What is encoded.
CONTENTS: Mapping[str, Callable[[str], str]] = {
    "JSON": lambda key: json.dumps({"next": "/a?b=1>c", "csrf": key, "n": [1, 2]}),
    "pretty JSON": lambda key: json.dumps({"user": {"key": key, "id": 5}}, indent=2),
    "JSON list": lambda key: json.dumps(["v1", key, 17]),
    "pairs": lambda key: f"ts=1732262226;csrf={key};next=/",
    "XML": lambda key: f"<r:Response ID='{key}'><Subject>kim</Subject></r:Response>",
    "XML element": lambda key: f"<Response><Token>{escape(key)}</Token></Response>",
    "words": lambda key: f"anna:{key}",
}
ENCODINGS: Mapping[str, Callable[[str], str]] = {"base64": standard, "base64url": url}


def page(part: str) -> Exchange:
    """A page with that in it."""
    return html(f"<html><body><p>Hello</p>{part}<i>bye</i></body></html>")


def _named(name: str, value: str) -> Exchange:
    return html("", (name, value))


#: Where it stands in a response.
PLACES: Mapping[str, Callable[[str], Exchange]] = {
    "cookie": lambda text: _named("Set-Cookie", f"state={text}; Path=/"),
    "cookie, escaped": lambda text: _named("Set-Cookie", f"state={quote(text, safe='')}; Path=/"),
    "cookie, quoted": lambda text: _named("Set-Cookie", f'state="{text}"; Path=/'),
    "header": lambda text: _named("X-State", text),
    "header, a part": lambda text: _named("X-State", f"v1; state={text}; x"),
    "redirect": lambda text: _named("Location", f"/next?a=1&state={quote(text, safe='')}&b=2"),
    "fragment": lambda text: _named("Location", f"/next#state={quote(text, safe='')}&b=2"),
    "JSON": lambda text: json_body({"ok": True, "data": {"state": text}}),
    "hidden field": lambda text: page(
        f'<form><input type="hidden" name="s" value="{text}"></form>'
    ),
    "meta tag": lambda text: page(f'<meta name="state" content="{text}">'),
    "script": lambda text: page(f"<script>var state = '{text}', n = 1;</script>"),
    "script, escaped": lambda text: page(
        '<script>var app = {"base":"https:\\/\\/a.test","s":"'
        + text.replace("/", "\\/")
        + '"}</script>'
    ),
    "attribute": lambda text: page(
        f'<div data-u="1&#x2B;1" data-state="{text.replace("+", "&#x2B;")}">'
    ),
    "link": lambda text: page(f'<a href="/other?x=1&amp;state={quote(text, safe="")}">go</a>'),
}


def _taken(write: Callable[[str], Exchange]) -> None:
    """Configured with the value of one day, the case sends that of each day."""
    for old in DAYS:
        answer = replace(write(old), url=f"{SERVER}/")
        case = run(answer, call("POST", "/x", {"key": old})).case
        first, second = case.transactions()
        assert second.request.body is not None
        assert old not in str(second.request.body)
        (extractor,) = first.extractors
        assert isinstance(extractor.source, Decoded)
        assert parse_case(format_case(case), "x.case.toml") == case
        for new in DAYS:
            value = compile_source(extractor.source, extractor.match)(RecordedResponse(write(new)))
            assert value == new, extractor
            sent = rendered(
                str(second.request.body), "body", "application/json", {extractor.variable: value}
            )
            assert json.loads(sent) == {"key": new}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_places(place: str, encoding: str) -> None:
    """JSON in base64, wherever a response may have it."""
    write, encode, content = PLACES[place], ENCODINGS[encoding], CONTENTS["JSON"]
    _taken(lambda key: write(encode(content(key))))


#: Encoded texts in encoded texts.
NESTED: Mapping[str, Callable[[str], str]] = {
    "twice": lambda text: standard(standard(text)),
    "in JSON": lambda text: standard(json.dumps({"v": 1, "inner": url(text)})),
    "in XML": lambda text: standard(f"<Response><Data>{standard(text)}</Data></Response>"),
    "in a claim": lambda text: token(json.dumps({"sub": "5", "state": [standard(text)]})),
    "in a token in a list": lambda text: standard(
        json.dumps([0, token(json.dumps({"b": url(text)}))])
    ),
}


@pytest.mark.parametrize("around", NESTED)
@pytest.mark.parametrize("place", ["cookie", "JSON", "script", "redirect"])
@pytest.mark.parametrize("content", ["JSON", "words"])
def test_in_one_another(around: str, place: str, content: str) -> None:
    """Each is decoded in turn."""
    _taken(lambda key: PLACES[place](NESTED[around](CONTENTS[content](key))))


@pytest.mark.parametrize("content", CONTENTS)
def test_contents(content: str) -> None:
    """Whatever is in it."""
    _taken(lambda key: PLACES["JSON"](standard(CONTENTS[content](key))))


@pytest.mark.parametrize("place", [one for one in PLACES if one != "script, escaped"])
def test_tokens(place: str) -> None:
    """A proposal of a JSON web token."""
    _taken(lambda key: PLACES[place](token(json.dumps({"iss": "https://a.test", "jti": key}))))


def _signed(proposals: object) -> Exchange:
    return json_body({"access_token": token(json.dumps(proposals)), "token_type": "Bearer"})


def test_the_id_of_a_user_is_a_claim() -> None:
    """A number, by the name of what it is the id of; and the token itself is sent as ever."""
    issued = _signed({"user_id": 17, "sub": UUID, "iat": 1732262226})
    bearer = str(json.loads(issued.response_body)["access_token"])
    configuration = run(
        call("POST", "/api/token", {"user": "kim"}, issued),
        get("/api/users/17", sent=(("Authorization", f"Bearer {bearer}"),)),
        get(f"/api/profiles/{UUID}?since=1732262226"),
    )
    assert requests(configuration)[1:] == [
        "/api/users/${user_id[1]} Bearer ${bearer_token[1]}",
        "/api/profiles/${sub[1]}?since=1732262226",
    ]
    assert [str(source) for _, source, _ in sources(configuration)] == [
        "JSON path $.user_id in JSON path $.access_token, decoded as jwt",
        "JSON path $.access_token",
        "JSON path $.sub in JSON path $.access_token, decoded as jwt",
    ]
    reasons = {one.variable: one.reason for one in made(configuration)}
    assert reasons["sub[1]"].endswith(
        " There it is encoded: JSON path $.sub in JSON path $.access_token, decoded as jwt."
    )


def test_what_the_client_said_first_is_its_own() -> None:
    """A nonce comes back in the id token; a short number and a word stand in many texts."""
    own = {"nonce": UUID, "page": 12, "lang": "en-GB", "client": "c7Jq2Xv9Lm4PzR8tYw3N"}
    configuration = run(
        get(f"/authorize?nonce={UUID}&client={TOKEN}", html("", ("X-State", standard("{}")))),
        get("/state", json_body({"state": standard(json.dumps(own)), "t": token(json.dumps(own))})),
        call("POST", "/items", {"page": 12, "lang": "en-GB", "nonce": UUID, "client": TOKEN}),
    )
    assert sources(configuration) == []


def test_what_stands_there_plainly_comes_first() -> None:
    """Even if a nearer response has it encoded, too; and the text itself is a value like others."""
    state = standard(json.dumps({"csrf": TOKEN}))
    configuration = run(
        get("/", json_body({"key": TOKEN})),
        get("/next", html("", ("Set-Cookie", f"state={state}"))),
        call("POST", "/x", {"key": TOKEN, "state": state}),
    )
    assert [str(source) for _, source, _ in sources(configuration)] == [
        "JSON path $.key",
        "cookie 'state'",
    ]


def test_what_is_no_text_is_not_looked_into() -> None:
    """Random bytes, pictures, words, texts cut off, too long or nested too deeply: no extractor,
    and no error."""
    deep = standard("[" * 20_000 + f'"{TOKEN}"')
    for text in (
        base64.b64encode(bytes(range(256))).decode(),
        base64.b64encode(f"text \x00\x01 {TOKEN}".encode()).decode(),
        standard(f"{TOKEN} and more")[1:],
        standard(f'{{"key": "{TOKEN}", "file": "{"x" * 70_000}"}}'),
    ):
        found = run(get("/", json_body({"s": text})), post("/x", f"key={TOKEN}"))
        assert sources(found) == [], text[:80]
    assert run(get("/", json_body({"s": deep})), post("/x", f"key={TOKEN}")).case


def test_an_echo_is_no_source() -> None:
    """What a response only repeats of its own request, encoded or not."""
    state = standard(json.dumps({"csrf": TOKEN}))
    configuration = run(
        call("POST", "/echo", {"key": TOKEN}, json_body({"state": state})), post("/x", f"k={TOKEN}")
    )
    assert sources(configuration) == []


@pytest.mark.parametrize("place", [*PLACES, "token"])
def test_stand_ins(place: str) -> None:
    """A saved recording that is to hold no tokens has none of them in base64 either; what it has
    instead decodes, and is correlated like before."""
    write = _signed_key if place == "token" else lambda key: PLACES[place](standard(_state(key)))
    for key in DAYS:
        answer = replace(write(key), url=f"{SERVER}/")
        exchanges = (answer, call("POST", "/x", {"key": key}))
        configured = run(*exchanges).case
        clean, evidence = masked(configured, exchanges, (), b"key")
        instead = json.loads(evidence[1].request_body)["key"]
        assert instead != key
        assert configure(clean, evidence).case == clean
        assert clean.variables["key[1]"].recorded == instead
        (extractor,) = next(iter(clean.transactions())).extractors
        source, masked_answer = extractor.source, RecordedResponse(evidence[0])
        assert isinstance(source, Decoded)
        read = {
            name: compile_source(replace(source, inner=JsonPath(f"$.{name}")))(masked_answer)
            for name in ("csrf", "session", "user", "n")
        }
        assert (read["csrf"], read["user"], read["n"]) == (instead, "kim", "17")
        assert read["session"] not in (None, "aB3dE6gH9jK2mN5pQ8"), "as secret as the other"
        if place == "token":
            old, new = (json.loads(one.response_body)["t"] for one in (answer, evidence[0]))
            assert new.split(".")[0] == old.split(".")[0]
            assert new.split(".")[2] != old.split(".")[2]


def _state(key: str) -> str:
    return json.dumps({"csrf": key, "session": "aB3dE6gH9jK2mN5pQ8", "user": "kim", "n": 17})


def _signed_key(key: str) -> Exchange:
    return json_body({"t": token(_state(key))})


def test_the_claim_of_a_masked_token_is_found() -> None:
    """A number is no secret, and the token that it is taken from is."""
    issued = _signed({"user_id": 17, "iat": 1732262226})
    bearer = str(json.loads(issued.response_body)["access_token"])
    exchanges = (
        call("POST", "/api/token", {"user": "kim"}, issued),
        get("/api/users/17", sent=(("Authorization", f"Bearer {bearer}"),)),
    )
    configured = run(*exchanges).case
    assert "/api/users/${user_id[1]}" in format_case(configured)
    clean, evidence = masked(configured, exchanges, (), b"key")
    assert configure(clean, evidence).case == clean
    assert bearer not in str(evidence)
    assert bearer.split(".")[2] not in str(evidence)


def test_what_no_script_can_read_comes_last() -> None:
    """The cookie of a session has the token, too, in a nearer response: it is taken from there only
    when nothing else has it."""
    state = standard(json.dumps({"csrf": TOKEN}))
    cookie = ("Set-Cookie", f"session={state}.Zz1-3w.x7; HttpOnly; Path=/")
    answers = get("/", json_body({"state": state})), get("/next", html("", cookie))
    found = run(*answers, call("POST", "/x", {"key": TOKEN}))
    alone = run(answers[1], call("POST", "/x", {"key": TOKEN}))
    assert [[str(source) for _, source, _ in sources(one)] for one in (found, alone)] == [
        ["JSON path $.csrf in JSON path $.state, decoded as base64"],
        [
            "JSON path $.csrf in header Set-Cookie matching 'session=(.*?)(?:\\\\.|$)', "
            "decoded as base64"
        ],
    ]
