"""Credentials and tokens leave a test case and its evidence, which correlates like before."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from urllib.parse import quote, quote_plus, unquote

import pytest

from pytest_loadtool.casefile import format_case
from pytest_loadtool.casefile.rules import package_rules
from pytest_loadtool.correlation.classify import looks_random
from pytest_loadtool.masking.case import masked
from pytest_loadtool.masking.found_secrets import captured, moved, session_cookies, typed
from pytest_loadtool.masking.pseudonyms import Replacer, stand_ins
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.dataset import Dataset, DatasetUse
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.recording import build_case
from pytest_loadtool.replay import Plan, compile_case
from tests.console.traffic import exchange
from tests.correlation.sessions import SESSIONS
from tests.correlation.talk import configure
from tests.replay.playbook import Playbook

KEY = bytes(range(32))
TOKENS = (
    "aB3dE6gH9jK2mN5pQ8",
    "0f8e7d6c5b4a39281706f5e4d3c2b1a0",
    "3f2b8c1e-9d47-4a60-b1c5-7e8f90a1b2c3",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV",
    "8401937755",
    "c2VjcmV0IHNlc3Npb24gMTIz+/8=",
)


def whole(exchanges: tuple[Exchange, ...]) -> str:
    """Everything that is in the evidence, as text."""
    return "\n".join(
        f"{one.url} {one.request_headers} {one.request_body!r} {one.response_headers} "
        f"{one.response_body!r}"
        for one in exchanges
    )


def without_secrets(
    case: TestCase, exchanges: tuple[Exchange, ...]
) -> tuple[TestCase, tuple[Exchange, ...]]:
    """Credentials in a dataset, stand-ins for the rest."""
    found = typed(case)
    names = {one.column: f"users.{one.column}" for one in found}
    return masked(moved(case, found, names), exchanges, found, KEY)


def sent_by(plan: Plan) -> list[bytes]:
    """What a virtual user sends."""
    book, found = Playbook(plan), []
    while not book.ended:
        if book.wait is not None:
            book.wake()
        found += [book.answer(line).data for line in tuple(book.under_way)]
    return found


@pytest.mark.parametrize("name", list(SESSIONS))
def test_masked_evidence_correlates_like_before(
    name: str, recorded: dict[str, tuple[Exchange, ...]]
) -> None:
    """Real sessions: configured again on the stand-ins, the test case is the same; and no secret
    is left in either."""
    exchanges = recorded[name]
    case = configure(build_case(exchanges, name=name).case, exchanges).case
    tokens = captured(case, exchanges)
    assert tokens
    clean, evidence = without_secrets(case, exchanges)
    assert configure(clean, evidence).case == clean
    assert clean.variables.keys() == case.variables.keys()
    for text in (format_case(clean), whole(evidence)):
        assert [one for one in (*tokens, "secret pass", "secret+pass") if one in text] == []
        assert "long enough 7" not in text
    sizes = [len(one.response_body) for one in exchanges]
    assert [len(one.response_body) for one in evidence] == sizes
    assert [one.status for one in evidence] == [one.status for one in exchanges]


def test_what_a_person_typed_is_found(recorded: dict[str, tuple[Exchange, ...]]) -> None:
    """The login's name and password, and another user's; each value is one column."""
    exchanges = recorded["admin"]
    case = configure(build_case(exchanges, name="admin").case, exchanges).case
    values = {one.column: one.field.value for one in typed(case)}
    assert values["username"] == "admin"
    assert values["password"] == "secret pass"
    assert values["password_2"] == "long enough 7"
    assert values["username_2"] == "bob"
    clean, _ = without_secrets(case, exchanges)
    assert typed(clean) == ()
    assert "username=${users.username}&password=${users.password}" in format_case(clean)


def test_keys_that_no_response_gives_out_are_credentials() -> None:
    """API keys and tokens in headers and queries, which are sent in every run."""
    exchanges = (
        exchange("GET", "http://x/items?api_key=Zk3Lm9Qx", 0, ("X-API-Key", "k-28391-Zq")),
        exchange("GET", "http://x/items", 1, ("Authorization", "Bearer aB3dE6gH9jK2mN5pQ8")),
        exchange("GET", "http://x/items", 2, ("Authorization", "Basic YW5uOmhvcnNl")),
    )
    case = build_case(exchanges, name="x").case
    assert {one.column: one.field.value for one in typed(case)} == {
        "api_key": "Zk3Lm9Qx",
        "x_api_key": "k-28391-Zq",
        "authorization": "aB3dE6gH9jK2mN5pQ8",
    }
    clean, evidence = without_secrets(case, exchanges)
    text = format_case(clean)
    assert "Authorization: Bearer ${users.authorization}" in text
    everything = text + whole(evidence)
    assert not [
        one for one in (*TOKENS, "Zk3Lm9Qx", "k-28391", "YW5uOmhvcnNl") if one in everything
    ]
    basic = evidence[2].request_header("authorization") or ""
    user, _, password = base64.b64decode(basic.removeprefix("Basic ")).decode().partition(":")
    assert (user, len(password)) == ("ann", 5)


def test_session_from_before_the_recording_leaves_the_test_case() -> None:
    """A cookie that no response set is sent in every run; what is no secret in it stays."""
    exchanges = (
        exchange("GET", "http://x/", 0, ("Cookie", "sid=aB3dE6gH9jK2mN5pQ8; theme=dark")),
        exchange("GET", "http://x/a", 1, ("Cookie", "sid=aB3dE6gH9jK2mN5pQ8; theme=dark")),
    )
    case = build_case(exchanges, name="x").case
    assert {one.column: one.field.value for one in typed(case)} == {"sid": "aB3dE6gH9jK2mN5pQ8"}
    clean, evidence = without_secrets(case, exchanges)
    first, second = clean.transactions()
    assert first.request.cookies == ("sid=${users.sid}", "theme=dark")
    assert second.request.cookies == ()
    assert "aB3dE6gH9jK2mN5pQ8" not in format_case(clean) + whole(evidence)


def test_short_password_is_masked_where_it_was_typed() -> None:
    """A word that stands in addresses and texts as well is replaced in its field alone."""
    exchanges = (
        exchange(
            "POST",
            "http://x/admin/",
            0,
            ("Content-Type", "application/json"),
            body='{"user": "admin", "password": "admin"}',
            answer="<a href='/admin/'>admin</a>",
        ),
    )
    clean, (one,) = without_secrets(build_case(exchanges, name="x").case, exchanges)
    assert one.url == "http://x/admin/"
    assert one.response_body == exchanges[0].response_body
    sent = json.loads(one.request_body)
    assert sent["user"] == "admin"
    assert sent["password"] != "admin"
    assert len(sent["password"]) == 5
    assert next(clean.transactions()).request.target == "/admin/"


def test_secrets_within_values_are_masked() -> None:
    """A password in JSON in a form field, in an address in a query, in base64; a token there."""
    token = TOKENS[0]
    sent = json.dumps({"user": "ann", "password": "horse7battery", "token": token})
    packed = base64.b64encode(sent.encode()).decode()
    form = ("Content-Type", "application/x-www-form-urlencoded")
    exchanges = (
        exchange("GET", "http://x/start", 0, answer=json.dumps({"token": token})),
        exchange("POST", f"http://x/a?b={quote(packed)}", 1, form, body=f"data={quote(sent)}"),
        exchange("GET", f"http://x/?next={quote('/y?password=horse7battery', safe='')}", 2),
    )
    case = configure(build_case(exchanges, name="x").case, exchanges).case
    _, evidence = without_secrets(case, exchanges)
    address, body = evidence[1].url, evidence[1].request_body.decode()
    opened = base64.b64decode(unquote(address.partition("b=")[2])).decode()
    everything = unquote(whole(evidence)) + opened
    assert not [one for one in ("horse7battery", token) if one in everything]
    assert json.loads(opened) == json.loads(unquote(body.removeprefix("data=")))
    assert json.loads(opened)["user"] == "ann"
    assert json.loads(opened)["token"] == json.loads(evidence[0].response_body)["token"]


def test_credentials_within_values_leave_the_test_case() -> None:
    """JSON in a form field, an address in a query, base64, which becomes a variable made of its
    text: what is sent then is what was recorded."""
    sent = json.dumps({"user": "ann", "password": 'horse "7" battery', "page": 7})
    packed = base64.b64encode(sent.encode()).decode()
    form = ("Content-Type", "application/x-www-form-urlencoded")
    address = quote("/y?user=ann&password=horse%20%227%22%20battery", safe="")
    exchanges = (
        exchange("POST", "http://x/a", 1, form, body=f"data={quote_plus(sent)}&password=direct"),
        exchange("GET", f"http://x/?next={address}", 2, ("X-Data", packed)),
    )
    case = build_case(exchanges, name="x").case
    found = typed(case)
    assert {one.column: one.field.value for one in found} == {
        "username": "ann",
        "password": 'horse "7" battery',
        "password_2": "direct",
    }
    clean = moved(case, found, {one.column: f"users.{one.column}" for one in found})
    assert typed(clean) == ()
    text = format_case(clean)
    assert not [one for one in ("horse", "battery", "direct", packed) if one in text]
    assert "${users.password|json}" in text
    assert clean.variables["x_data[1]"].set_by == "person"
    row = ("ann", 'horse "7" battery', "direct")
    users = Dataset(("username", "password", "password_2"), (row,))
    clean = replace(clean, datasets=(DatasetUse("users", "users.csv"),))
    first, second = sent_by(compile_case(clean, datasets={"users": users}))
    assert first.endswith(exchanges[0].request_body)
    assert second.startswith(f"GET /?next={address} HTTP/1.1\r\n".encode())
    assert f"\r\nX-Data: {packed}\r\n".encode() in second


def test_secrets_in_base64_in_headers_are_masked() -> None:
    """In fields of JSON, whatever they are; and what was typed elsewhere, wherever it stands."""
    typed_there = "horse7battery"
    fields = base64.b64encode(b'{"user": "ann", "password": "plain", "page": 7}').decode()
    pair = base64.urlsafe_b64encode(f"ann|{typed_there}|~~~".encode()).decode().rstrip("=")
    exchanges = (
        exchange(
            "POST", "http://x/login", 0, ("Content-Type", "application/x-www-form-urlencoded"),
            body=f"user=ann&password={typed_there}",
        ),
        exchange("GET", "http://x/a", 1, ("X-Session-Data", fields), ("X-Who", pair)),
    )  # fmt: skip
    _, evidence = without_secrets(build_case(exchanges, name="x").case, exchanges)
    data = json.loads(base64.b64decode(evidence[1].request_header("x-session-data") or ""))
    assert (data["user"], data["page"], len(data["password"])) == ("ann", 7, 5)
    assert data["password"] != "plain"
    who = base64.urlsafe_b64decode((evidence[1].request_header("x-who") or "") + "==").decode()
    user, password, rest = who.split("|")
    assert (user, len(password), rest) == ("ann", len(typed_there), "~~~")
    assert password != typed_there
    body = evidence[0].request_body.decode()
    assert body == f"user=ann&password={password}"


@pytest.mark.parametrize("value", ["COOKIESECRET88bb", "horsebattery", "aB3dE6gH9jK2mN5pQ8", "k7"])
@pytest.mark.parametrize(("name", "more"), [("sid", ""), ("basket", "; HttpOnly")])
def test_session_cookie_is_masked_whatever_it_looks_like(value: str, name: str, more: str) -> None:
    """One that rules know by its name, or that is kept from scripts; others keep a word."""
    page = f"<p>{value}</p>" if len(value) > 12 else ""
    set_cookie = ("Set-Cookie", f"{name}={value}; Path=/{more}")
    theme = ("Set-Cookie", "theme=DARKWOOD88bb; Path=/")
    sent = ("Cookie", f"{name}={value}; theme=DARKWOOD88bb")
    exchanges = (
        exchange("GET", "http://x/", 0, answer=page, answer_headers=(set_cookie, theme)),
        exchange("GET", "http://x/a", 1, sent),
        exchange("GET", "http://x/b", 2, sent),
    )
    rules = package_rules()
    case = configure(build_case(exchanges, name="x").case, exchanges).case
    sessions = session_cookies(exchanges, rules)
    clean, evidence = masked(case, exchanges, typed(case, sessions), KEY, sessions)
    assert value not in whole(evidence)
    assert whole(evidence).count("DARKWOOD88bb") == 3
    made = (evidence[1].request_header("cookie") or "").partition(";")[0]
    assert len(made) == len(f"{name}={value}")
    assert made in (evidence[0].response_header("set-cookie") or "")
    assert made in (evidence[2].request_header("cookie") or "")
    assert made.partition("=")[2] in evidence[0].response_body.decode() or not page
    assert configure(clean, evidence).case == clean


def test_session_cookie_from_before_is_typed_whatever_it_looks_like() -> None:
    """What no response set is sent in every run, so it moves; a word under another name stays."""
    sent = ("Cookie", "sid=COOKIESECRET88bb; theme=DARKWOOD88bb")
    case = build_case((exchange("GET", "http://x/", 0, sent),), name="x").case
    found = typed(case, session_cookies((), package_rules()))
    assert {one.column: one.field.value for one in found} == {"sid": "COOKIESECRET88bb"}


@pytest.mark.parametrize("value", TOKENS)
def test_stand_in_looks_like_its_secret(value: str) -> None:
    """The same length, and the same kind of character at each place."""
    (made,) = stand_ins([value], KEY).values()
    assert made != value
    assert len(made) == len(value)
    for old, new in zip(value, made, strict=True):
        assert (old.isdigit(), old.islower(), old.isupper()) == (
            new.isdigit(),
            new.islower(),
            new.isupper(),
        )
        assert old.isalnum() or old == new
    assert looks_random(made) == looks_random(value)


def test_stand_ins_depend_on_the_key_and_nothing_else() -> None:
    """Equal secrets have equal stand-ins; nobody without the key can compare guesses."""
    assert stand_ins(TOKENS, KEY) == stand_ins(reversed(TOKENS), KEY)
    assert stand_ins(TOKENS, KEY).keys() == stand_ins(TOKENS, b"other").keys()
    assert not set(stand_ins(TOKENS, KEY).values()) & set(stand_ins(TOKENS, b"other").values())


def test_secret_within_another_has_its_own_stand_in() -> None:
    """A token that is a part of a longer value stays a part of it."""
    inner, outer = "aB3dE6gH9jK2mN5pQ8", "v1:aB3dE6gH9jK2mN5pQ8:x7"
    made = stand_ins([outer, inner], KEY)
    assert made[inner] in made[outer]


def test_secret_is_replaced_in_every_encoding() -> None:
    """As it stands, percent-encoded, in JSON, HTML and Base64, and as its SHA-256."""
    value = "aB3+/dE6=gH9&jK2"
    made = stand_ins([value], KEY)
    replacer = Replacer(made)
    text = (
        f"{value} aB3%2B%2FdE6%3DgH9%26jK2 aB3%2b%2fdE6%3dgH9%26jK2 aB3+\\/dE6=gH9&jK2 "
        "aB3\\u002b/dE6\\u003dgH9\\u0026jK2 aB3+/dE6=gH9&amp;jK2 "
        + base64.b64encode(value.encode()).decode()
    )
    clean = replacer.text(text)
    new = made[value]
    assert clean.split()[0] == new
    assert not {"dE6", "gH9", "jK2"} & set(clean.replace("%", " ").replace("\\", " ").split())
    assert base64.b64decode(clean.split()[-1]).decode() == new
    assert replacer.content(text.encode()).decode() == clean
    assert Replacer({}).text(text) == text


def test_evidence_without_secrets_stays_as_it_is() -> None:
    """Ids, times and texts are no secrets."""
    exchanges = (
        exchange("GET", "http://x/items/17?since=1790000000", 0, answer="<p>2026-11-21</p>"),
    )
    case = build_case(exchanges, name="x").case
    assert without_secrets(case, exchanges) == (case, exchanges)
    assert replace(case) == case
