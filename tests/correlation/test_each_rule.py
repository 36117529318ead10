"""Rules that no other test names, each on the traffic that it was written for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pytest_loadtool.casefile import package_rules
from pytest_loadtool.model.exchange import Exchange
from tests.correlation.exchanges import SERVER, exchange, html, json_body
from tests.correlation.talk import EMPTY, TOKEN, get, post, run

_TESTS = Path(__file__).parents[1]
_JWT = "eyJhbGciOiJSUzI1NiIsImtpZCI6IjEifQ.eyJzdWIiOiIxNyIsIm5vbmNlIjoiYTEifQ.c2lnbmF0dXJlMTIz"
_CHECK = "7051db7aa4e2f7d1b0c3a9e85f6d4c21"
_EMPTY = "d41d8cd98f00b204e9800998ecf8427e"
_MAPS = "AIzaSyD4x9QmK2vN7cR8wE1tY6uB3oP5aL0zXsG"

_TRAFFIC: dict[str, tuple[tuple[Exchange, ...], str]] = {
    # MediaWiki's editor: of a summary that the server has not filled in.
    "empty-digest": (
        (
            get("/", html(f'<form><input type="hidden" name="wpAutoSummary" value="{_EMPTY}">')),
            post("/index.php", f"wpAutoSummary={_EMPTY}&wpTextbox1=Tea"),
        ),
        f"wpAutoSummary={_EMPTY}&wpTextbox1=Tea",
    ),
    # Google Maps, loaded by a page that has the key of its site.
    "api-key-google": (
        (
            get("/", html(f'<script src="/maps/api/js?key={_MAPS}"></script>')),
            get(f"/maps/api/geocode/json?address=Bonn&key={_MAPS}"),
        ),
        f"/maps/api/geocode/json?address=Bonn&key={_MAPS}",
    ),
    # phpMyAdmin's forms.
    "csrf-form-token": (
        (
            get("/", html(f'<form><input type="hidden" name="token" value="{TOKEN}"></form>')),
            post("/sql", f"token={TOKEN}&sql_query=SELECT+1"),
        ),
        "token=${csrf_token[1]}&sql_query=SELECT+1",
    ),
    # Django's admin: a time that nobody has touched; the other was written anew.
    "filled-in-field": (
        (
            get(
                "/users/2/change/",
                html(
                    '<form><input name="joined_0" value="2026-11-22"><input name="name">'
                    '<input name="seen" value="09:04:55"></form>'
                ),
            ),
            post("/users/2/change/", "joined_0=2026-11-22&name=Kim&seen=10:00:00"),
        ),
        "joined_0=${joined_0[1]}&name=Kim&seen=10:00:00",
    ),
    # Cacti: what is done to the rows that were picked is confirmed.
    "hidden-selection": (
        (
            post(
                "/teas?id=17",
                "action=off",
                html('<form><input type="hidden" name="selected" value="[17,18]"></form>'),
            ),
            post("/teas", "selected=%5B17%2C18%5D"),
        ),
        "selected=${selected[1]}",
    ),
    # WordPress's form of a category, which the change before has made of its name.
    "filled-in-slug": (
        (
            post("/tags", "name=Brews"),
            get(
                "/tags/7",
                html('<form><input name="name" value="Brews"><input name="slug" value="brews">'),
            ),
            post("/tags/7", "name=Brews&slug=brews&text=Black"),
        ),
        "name=Brews&slug=${slug[1]}&text=Black",
    ),
    # DokuWiki's editor: the checksum of what a person wrote.
    "text-checksum": (
        (
            get("/", html(f'<form><input type="hidden" name="changecheck" value="{_CHECK}">')),
            post("/doku.php", f"changecheck={_CHECK}&wikitext=Tea"),
        ),
        f"changecheck={_CHECK}&wikitext=Tea",
    ),
    # ASP.NET, maxPageStateFieldLength.
    "view-state-count": (
        (
            get("/", html('<form><input type="hidden" name="__VIEWSTATEFIELDCOUNT" value="3">')),
            post("/default.aspx", "__VIEWSTATEFIELDCOUNT=3&q=Tea"),
        ),
        "__VIEWSTATEFIELDCOUNT=3&q=Tea",
    ),
    # OpenID Connect RP-Initiated Logout 1.0 §2.
    "oauth2-id-token": (
        (
            post("/token", "grant_type=password", json_body({"id_token": _JWT, "expires_in": 60})),
            get(f"/logout?id_token_hint={_JWT}"),
        ),
        "/logout?id_token_hint=${id_token[1]}",
    ),
    # Django: the cookie beside the form's field.
    "csrf-cookie": (
        (
            get("/", EMPTY, received=(("Set-Cookie", f"csrftoken={TOKEN}; Path=/"),)),
            get("/next", EMPTY, sent=(("Cookie", f"csrftoken={TOKEN}"),)),
        ),
        "/next",
    ),
    # Jupyter's contents API: the server names what it makes.
    "created-resource": (
        (
            exchange(
                "POST", f"{SERVER}/api/contents", status=201,
                received=(("Location", "/api/contents/untitled.txt"),),
            ),
            get("/api/contents/untitled.txt"),
        ),
        "/api/contents/${content_id[1]}",
    ),
    # A board's list, in which the new one turns up without its name.
    "created-link": (
        (
            get("/boards", html('<a href="/boards/12">one</a>')),
            post("/boards/new", "colour=red"),
            get("/boards", html('<a href="/boards/12">one</a><a href="/boards/13">open</a>')),
            get("/boards/13"),
        ),
        "/boards/${board_id[1]}",
    ),
    # A page that links to a random address.
    "link": (
        (
            get("/", html(f'<a href="/invite/{TOKEN}">Invite</a>')),
            get(f"/invite/{TOKEN}"),
        ),
        "/invite/${invite_id[1]}",
    ),
    # A receipt number in a sentence.
    "record-scan": (
        (
            get("/", html(f"<p>Your receipt {TOKEN} is ready.</p>")),
            get(f"/receipts?number={TOKEN}"),
        ),
        "/receipts?number=${number[1]}",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", _TRAFFIC)
def test_rule(name: str) -> None:
    """The rule makes a decision, and the last request is what that says."""
    exchanges, expected = _TRAFFIC[name]
    configuration = run(*exchanges)
    assert name in {one.rule for one in configuration.decisions}
    *_, last = configuration.case.transactions()
    assert expected in (last.request.target, last.request.body)


def test_every_rule_has_a_test() -> None:
    """A rule that is added to the package is named by one that shows what it does."""
    files = [*_TESTS.glob("correlation/test_*.py"), *_TESTS.glob("frameworks/test_*.py")]
    text = "\n".join(file.read_text() for file in files)
    for rule in package_rules():
        assert re.search(rf'["\' ]{rule.name}["\']', text), rule.name
