"""Who has signed in, as pages, scripts, cookies, headers and tokens tell it: its number stands in
the addresses of one's own things. Judged by the state of the server."""

from __future__ import annotations

import base64
import json
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.correlation.client import Client
from tests.correlation.outcomes.adversary import colour, replayed
from tests.correlation.small_servers import FORM, HTML, Answer, json_answer, recorded


def page(inner: str) -> Answer:
    """A page with that in it."""
    return 200, HTML, f"<html><title>Notes</title>{inner}"


def token(subject: str) -> str:
    """A JSON Web Token (RFC 7519), whose signature nobody looks at."""
    said = {"sub": subject, "name": "Kim", "exp": 1_999_999_999}
    parts = (b'{"alg":"HS256","typ":"JWT"}', json.dumps(said).encode(), secrets.token_bytes(32))
    return ".".join(base64.urlsafe_b64encode(one).decode().rstrip("=") for one in parts)


#: By which rule the number is found, where it is not the answer to the login that gives it out.
RULES = {"link": "own-link", **dict.fromkeys(("attribute", "meta", "hidden"), "own-id")}
RULES |= dict.fromkeys(("cookie", "header"), "own-id")
#: What is answered to the login, by the number of who has signed in.
TOLD: Mapping[str, Callable[[int], Answer]] = {
    "link": lambda id_: page(f'<a href="/users/{id_}/notes">My notes</a><a href="/help">Help</a>'),
    "attribute": lambda id_: page(f'<body data-user-id="{id_}"><div id="app"></div>'),
    "script": lambda id_: page(f'<script>window.me = {{"id": {id_}, "name": "Kim"}};</script>'),
    "json": lambda id_: page(
        f'<script type="application/json" id="app">{{"user": {{"id": {id_}}}, "page": 1}}</script>'
    ),
    "meta": lambda id_: page(f'<meta name="user-id" content="{id_}">'),
    "hidden": lambda id_: page(f'<form><input type="hidden" name="user_id" value="{id_}"></form>'),
    "cookie": lambda id_: (200, HTML | {"Set-Cookie": f"uid={id_}; Path=/"}, "<p>Hello</p>"),
    "header": lambda id_: (200, HTML | {"X-User-Id": str(id_)}, "<p>Hello</p>"),
    "token": lambda id_: json_answer({"access_token": token(str(id_))}),
    "claims": lambda id_: json_answer({"sub": str(id_), "email": "kim@shop.test"}),
}


@dataclass
class Notes:
    """The notes of who has signed in, which nobody else sees."""

    how: str
    user: int = 5
    notes: list[str] = field(default_factory=list)

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        if target == "/login":
            return TOLD[self.how](self.user)
        if target != f"/users/{self.user}/notes":
            return json_answer({"message": "not yours"}, 403)
        if method == "POST":
            self.notes.append(json.loads(body)["text"])
        return json_answer(self.notes)

    def session(self, client: Client) -> None:
        """Sign in, and write a note."""
        client.send("POST", "/login", b"name=kim&password=tea+at+four", FORM)
        client.send("GET", f"/users/{self.user}/notes")
        client.json("POST", f"/users/{self.user}/notes", {"text": "Buy two cups"})
        client.send("GET", f"/users/{self.user}/notes")


@pytest.mark.parametrize("how", TOLD)
def test_who_it_is(how: str) -> None:
    """The user has another number on another server."""
    notes = Notes(how)
    case = recorded(notes, notes.session)
    other = Notes(how, user=41)
    assert colour(replayed(case, other)) == "GREEN"
    assert other.notes == ["Buy two cups"]
    (variable,) = (one for one in case.variables.values() if one.recorded == "5")
    assert variable.rule == RULES.get(how, "created-id")


@dataclass
class Graph:
    """The same by GraphQL, in which a variable is called an id, and its argument after users."""

    user: int = 5
    notes: list[str] = field(default_factory=list)

    def answer(self, _method: str, _target: str, body: str) -> Answer:
        """What is answered to a request."""
        asked = json.loads(body)
        if "me {" in asked["query"]:
            return json_answer({"data": {"me": {"id": str(self.user)}}})
        if asked["variables"]["id"] != str(self.user):
            return json_answer({"data": None, "errors": [{"message": "not yours"}]})
        if "text" in asked["variables"]:
            self.notes.append(asked["variables"]["text"])
            return json_answer({"data": {"addNote": {"ok": True}}})
        return json_answer({"data": {"user": {"notes": [{"text": one} for one in self.notes]}}})

    def session(self, client: Client) -> None:
        """Ask who it is, and write a note."""

        def ask(query: str, **variables: Any) -> None:
            client.json("POST", "/graphql", {"query": query, "variables": variables})

        own = str(self.user)
        ask("query { me { id } }")
        ask("query Notes($id: ID!) { user(id: $id) { notes { text } } }", id=own)
        ask(
            "mutation Add($id: ID!, $text: String!) { addNote(userId: $id, text: $text) { ok } }",
            id=own,
            text="Buy two cups",
        )
        ask("query Notes($id: ID!) { user(id: $id) { notes { text } } }", id=own)


def test_who_it_is_by_graphql() -> None:
    """The mutation takes the number, too."""
    graph = Graph()
    case = recorded(graph, graph.session)
    other = Graph(user=41)
    assert colour(replayed(case, other)) == "GREEN"
    assert other.notes == ["Buy two cups"]
