"""What is left as recorded, silently or with a decision that says why."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pytest_loadtool.model.exchange import Exchange
from tests.correlation.exchanges import case_of, html, json_body
from tests.correlation.talk import TOKEN, UUID, call, get, made, post, requests, run


def test_a_token_without_a_source_is_named() -> None:
    """A token that no response holds is left, and a decision says that it will be refused."""
    configuration = run(get("/"), post("/", f"csrf_token={TOKEN}"))
    assert requests(configuration)[1] == f"/ csrf_token={TOKEN}"
    decision, unproven = configuration.decisions
    assert unproven.rule == "no-outcome"
    assert (decision.rule, decision.variable, decision.producer) == ("csrf-form-field", "", "")
    assert "will probably refuse" in decision.reason


def test_another_encoding_is_named() -> None:
    """Where replay would write other bytes than recorded, nothing is replaced, and it is said."""
    configuration = run(
        get("/", json_body({"cursor": "ab12+cd34/ef56=="})), get("/list?cursor=ab12+cd34/ef56==")
    )
    assert requests(configuration)[1] == "/list?cursor=ab12+cd34/ef56=="
    (decision,) = configuration.decisions
    assert decision.variable == ""
    assert decision.producer == "1 GET /"
    assert "another encoding" in decision.reason


FORM_PAGE = html(
    '<h1>Account 20240117ax9z</h1><form><input name="coupon" value=""><textarea name="text">'
    "</textarea>"
    '<input type="hidden" name="plan" value="premium"><input type="hidden" name="step" value="2">'
    '<input type="hidden" name="total" value="1200"><input type="hidden" name="ok" value="true">'
    '<input type="submit" name="go" value="Continue1x2y3z"><input name="password"></form>'
)


STORY = json_body({"status": "delivered", "lang": "english-uk"})
MD5 = "507639738a4736596db67a4ed1215a59"
NAME = "b068931cc450442b63f5b3d276ea4297"
CHECKSUM = html(
    f'<form method="post"><input type="hidden" name="changecheck" value="{MD5}" />'
    '<textarea name="wikitext">Tea</textarea></form>'
)
DASHBOARD = html("", ("Location", "/dashboard/"))


@pytest.mark.parametrize(
    "exchanges",
    [
        pytest.param(one, id=name)
        for name, one in {
            "typed": [get("/", FORM_PAGE), post("/", "coupon=20240117ax9z")],
            "the hash of what stands beside it": [
                get("/", html(f'<form><input name="fields[{NAME}]">')),
                post("/", f"fields[{NAME}]=Mint&column[{NAME}]=name"),
            ],
            "defaults": [get("/", FORM_PAGE), post("/", "plan=premium&step=2&total=1200&ok=true")],
            "shown again": [
                get("/", html('<form><input name="day">')),
                get("/?day=2026-12-24", html('<form><input name="day" value="2026-12-24">')),
                post("/", "day=2026-12-24"),
            ],
            "button": [get("/", FORM_PAGE), post("/", "coupon=&go=Continue")],
            "password": [get("/", FORM_PAGE), post("/", f"password={TOKEN}")],
            "first request": [get(f"/?key={TOKEN}", html(TOKEN)), get(f"/?key={TOKEN}")],
            "echo": [post("/", f"text={TOKEN}", html(TOKEN)), post("/", f"text={TOKEN}")],
            "picked from a list": [get("/", json_body([{"id": 5}])), get("/items/5")],
            "words": [get("/", STORY), get("/?s=delivered&l=english-uk")],
            "version": [get("/", html('<a href="/v-2.10.3/">')), get("/v-2.10.3/")],
            "slug": [get("/", html('<a href="/2026/how-to-win/">')), get("/2026/how-to-win/")],
            "page after login": [
                post("/login", "user=kim", DASHBOARD, status=302), get("/dashboard/"),
            ],
            "number in a text": [get("/", html("<p>1234</p>")), get("/?n=1234")],
            "scrolled": [
                get("/", html('<input type="hidden" name="__SCROLLPOSITIONX" value="0">')),
                post("/", "__SCROLLPOSITIONX=0"),
            ],
            "a header against forgery": [
                get("/", json_body({"id": 1})), call("POST", "/", {}, sent=(("X-CSRF", "1"),)),
            ],
            "checksum": [get("/", CHECKSUM), post("/", f"changecheck={MD5}&wikitext=Tea")],
            "words under names of tokens": [
                get("/me", json_body([{"access": "read-only"}, {"token": "favourites"}])),
                call("POST", "/docs?show=favourites", {"visibility": "read-only"}),
            ],
            "words in fields of a login": [
                get("/", html('<input name="min" value="100"><select name="n"><option>5</select>')),
                get("/items?lt=100&tab_id=5"),
            ],
            "words in fields of signatures": [
                get("/config", json_body({"mode": "strict"})), get("/check?Policy=strict"),
            ],
            "words in fields of a single sign-on": [
                get("/", html('<form><input name="news" value="on"></form>')),
                post("/", "RelayState=on"),
            ],
            "literals": [get("/", json_body({"flag": True})), get("/?a=true&b=null")],
        }.items()
    ],
)  # fmt: skip
def test_left_alone(exchanges: Sequence[Exchange]) -> None:
    """What a person typed, constants, words, picked ids, echoes: nothing of it is correlated."""
    configuration = run(*exchanges)
    assert made(configuration) == []
    assert configuration.case == case_of(*exchanges)


def test_credentials_with_a_random_id() -> None:
    """A field named user that holds a random id from the server is no typed credential."""
    configuration = run(
        get("/people", json_body({"people": [{"key": UUID}]})),
        call("POST", "/assign", {"user": UUID}),
    )
    assert requests(configuration)[1] == '/assign {"user": "${user[1]}"}'


def test_cookies_that_nobody_set() -> None:
    """A cookie that a script made is named: replay will not send it."""
    configuration = run(get("/", sent=(("Cookie", "_ga=GA1.2.3"),)))
    (decision,) = configuration.decisions
    assert (decision.rule, decision.producer) == ("cookie", "")
    assert "only if a response sets it" in decision.reason


@pytest.mark.parametrize(
    "markup",
    [
        "<tr class='tracker-2 odd'><td>Water them</tr><tr class='tracker-5 odd'><td>Other</tr>",
        "<select name=version_id><option value=2>Water them</option><option value=5>Other</select>",
    ],
)
def test_the_number_of_another_kind(markup: str) -> None:
    """The row of what was sent has it as that of something else."""
    page = html(f"<!doctype html><table>{markup}</table>")
    sent = post("/items", "title=Water+them"), get("/items", page)
    assert made(run(*sent, post("/save", "status_id=2&note=Later"))) == []


def test_what_a_form_offers_is_picked_there() -> None:
    """And is not the number of a row with something that was sent."""
    rows = "<tr><td>Water<td><a href='/users/1'>x</a></tr><tr><td>Milk<td><a href='/users/5'>x</a>"
    form = (
        '<select name="user_id"><option value="1">I</option><option value="5">She</option></select>'
    )
    page = html(f"<!doctype html><table>{rows}</table>{form}</select>")
    sent = get("/users/1"), post("/items", "title=Water"), get("/items", page)
    assert made(run(*sent, post("/entries", "user_id=1&note=Later"))) == []
