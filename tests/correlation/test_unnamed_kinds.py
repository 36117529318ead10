"""Ids in requests that do not say what they are the ids of, on a server that has others' things:
judged by the state of the server."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from html import escape
from typing import Any
from urllib.parse import parse_qs, urlencode

import pytest

from tests.correlation.client import Client
from tests.correlation.exchanges import html, json_body
from tests.correlation.outcomes.adversary import colour, replayed
from tests.correlation.small_servers import FORM, HTML, Answer, json_answer, recorded
from tests.correlation.talk import UUID, call, get, post, requests, run


@dataclass
class Notes:
    """Notes that are toggled and removed by requests which have their id alone."""

    how: str
    works: bool = True
    first: int = 1
    notes: dict[int, dict[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for at in range(1, self.first):
            self.notes[at] = {"id": at, "title": f"Old {at}", "done": False}

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        if method == "GET":
            return json_answer(list(self.notes.values()))
        sent = json.loads(body)
        if target == "/notes":
            made = max(self.notes, default=0) + 1
            self.notes[made] = {"id": made, "title": sent["title"], "done": False}
            return json_answer({"ok": True})
        id_ = sent[0] if isinstance(sent, list) else sent["id"]
        if id_ not in self.notes:
            return json_answer({"error": "there is no such note"}, 404)
        if self.works and target.endswith("remove"):
            del self.notes[id_]
        elif self.works:
            self.notes[id_]["done"] = not self.notes[id_]["done"]
        return json_answer({"ok": True})

    def session(self, client: Client) -> None:
        """Three are made; the second is toggled, the third removed."""
        client.send("GET", "/notes")
        for title in ("Tea House", "Cups Ltd", "Spoon & Co"):
            client.json("POST", "/notes", {"title": title})
            client.send("GET", "/notes")
        made = [*self.notes][-3:]
        client.json("POST", f"/{self.how}toggle", {"id": made[1]})
        client.send("GET", "/notes")
        client.json("POST", f"/{self.how}remove", {"id": made[2]})
        client.send("GET", "/notes")

    def left(self) -> list[tuple[str, bool]]:
        """What the session has left."""
        return [(one["title"], one["done"]) for one in self.notes.values()][self.first - 1 :]


_LEFT = [("Tea House", False), ("Cups Ltd", True)]


@pytest.mark.parametrize("how", ["", "?/", "api/"], ids=["word", "query", "api"])
def test_what_a_change_was_about(how: str) -> None:
    """It is the thing that alone is another one afterwards."""
    office = Notes(how)
    case = recorded(office, office.session)
    for first in (1, 40):
        used = Notes(how, first=first)
        assert colour(replayed(case, used)) == "GREEN"
        assert used.left() == _LEFT
        assert all(not one["done"] for one in [*used.notes.values()][: first - 1])
    assert colour(replayed(case, Notes(how, works=False))) == "red"


@pytest.mark.parametrize(("id_", "second"), [(7, "7"), (UUID, '"${note_id[1]}"')])
def test_two_arguments_that_are_alike(id_: object, second: str) -> None:
    """Of two numbers the first is the id, and the other may be anything; what is random is the id
    wherever it stands."""
    made = json_body({"id": id_, "title": "Tea"})
    configured = run(
        call("POST", "/notes", {"title": "Tea"}, made),
        get(f"/notes/{id_}", made),
        call("POST", "/", [id_, id_, None]),
    )
    first = "${note_id[1]}" if isinstance(id_, int) else '"${note_id[1]}"'
    assert requests(configured)[-1] == f"/ [{first}, {second}, null]"


#: How a request says which note is meant, by the way: method, target and body.
_SAID = {
    "list": ("POST", "/router", '{"action": "Notes", "method": "%s", "tid": 5, "data": [%s]}'),
    "payload": ("POST", "/dispatch", '{"type": "NOTE_%s", "payload": %s}'),
    "target": ("POST", "/do", '{"op": "%s", "target": %s}'),
    "selected": ("POST", "/bulk", '{"action": "%s", "selected": [%s]}'),
    "form": ("POST", "/do", "cmd=%s&nid=%s"),
    "query": ("POST", "/do?cmd=%s&n=%s", ""),
    "link": ("GET", "/do?cmd=%s&n=%s", ""),
    "path": ("POST", "/%s/%s", ""),
    "path link": ("GET", "/%s/%s/", ""),
    "button": ("POST", "/do", "%s=%s"),
    "script": ("POST", "/act", '{"op": "%s", "n": %s}'),
    "name": ("POST", "/do", "%s_%s="),
}
_ON_PAGES = ("link", "path link", "button", "script", "name")
_WAY = re.compile(r"(toggle|remove).*?([\da-f-]+)\W*\Z")


@dataclass
class SaidNotes:
    """Notes in JSON, or on a page, that are toggled and removed in one of some ways."""

    way: str
    is_page: bool
    works: bool = True
    first: int = 1
    notes: dict[int, tuple[str, bool]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.notes |= {at: (f"Old {at}", False) for at in range(1, self.first)}

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        if target == "/notes" and method == "POST":
            self.notes[max(self.notes, default=0) + 1] = (parse_qs(body)["title"][0], False)
        elif target != "/notes":
            found = _WAY.search(f"{target} {body}")
            assert found is not None, (target, body)
            done, id_ = found[1], int(found[2])
            if id_ not in self.notes:
                return json_answer({"error": "there is no such note"}, 404)
            if self.works and done == "remove":
                del self.notes[id_]
            elif self.works:
                self.notes[id_] = self.notes[id_][0], not self.notes[id_][1]
        if target == "/notes" and method == "GET":
            return self.page() if self.is_page else self.listed()
        return (303, {"Location": "/notes"}, "") if self.is_page else json_answer({"ok": True})

    def listed(self) -> Answer:
        """The notes in JSON."""
        notes = self.notes.items()
        return json_answer([{"id": id_, "title": one, "done": done} for id_, (one, done) in notes])

    def page(self) -> Answer:
        """The notes on a page, each with what does something with it."""
        rows = "".join(
            f'<li class="{"done" if done else "open"}">{escape(one)} {_handles(self.way, id_)}</li>'
            for id_, (one, done) in self.notes.items()
        )
        return (
            200,
            HTML,
            f"<html><title>Notes</title>{'<p>Some words.</p>' * 9}<ul>{rows}</ul></html>",
        )

    def session(self, client: Client) -> None:
        """Three are made; the second is toggled, the third removed."""
        client.send("GET", "/notes")
        for title in ("Tea House", "Cups Ltd", "Spoon & Co"):
            client.send("POST", "/notes", urlencode({"title": title}).encode(), FORM)
            client.send("GET", "/notes")
        made = [*self.notes][-3:]
        for done, id_ in (("toggle", made[1]), ("remove", made[2])):
            method, target, body = _SAID[self.way]
            whole = tuple(one % (done, id_) if "%s" in one else one for one in (target, body))
            kind = {"Content-Type": "application/json"} if body.startswith("{") else FORM
            client.send(
                method, whole[0], whole[1].encode(), {**kind, "Referer": client.url + "/notes"}
            )
            client.send("GET", "/notes")


def _handles(way: str, id_: int) -> str:
    """What a page has in the row of a note, to toggle and to remove it."""
    if way == "path link":
        return "".join(f'<a href="/{one}/{id_}/">x</a>' for one in ("toggle", "remove"))
    if way == "link":
        return "".join(f'<a href="/do?cmd={one}&amp;n={id_}">x</a>' for one in ("toggle", "remove"))
    if way in ("button", "name"):
        names = f'name="%s" value="{id_}"' if way == "button" else f'name="%s_{id_}"'
        buttons = "".join(f"<button {names % one}>x</button>" for one in ("toggle", "remove"))
        return f'<form method="post" action="/do">{buttons}</form>'
    return f'<a href="#" onclick="act({id_}, this)">x</a>'


@pytest.mark.parametrize(
    ("way", "is_page"),
    [
        *((way, False) for way in _SAID if way not in _ON_PAGES),
        *((way, True) for way in ("form", *_ON_PAGES)),
    ],
)
def test_ways_to_say_which(way: str, is_page: bool) -> None:
    """Whatever the field is called, and be it a link that leads back to the page: of all that the
    page or the list shows, that one alone is another one, or gone, afterwards."""
    office = SaidNotes(way, is_page)
    case = recorded(office, office.session)
    for first in (1, 7):
        used = SaidNotes(way, is_page, first=first)
        assert colour(replayed(case, used)) == "GREEN"
        assert [*used.notes.values()][first - 1 :] == _LEFT
        assert not any(done for _, done in [*used.notes.values()][: first - 1])
    assert colour(replayed(case, SaidNotes(way, is_page, works=False))) == "red"


@pytest.mark.parametrize("id_", ["0b3510b0b46e41dab17017a6205738d1", UUID])
@pytest.mark.parametrize("body", ["remove_%s=", "remove=%s"])
def test_a_random_id_in_a_button(id_: str, body: str) -> None:
    """Whatever it begins with, and be it in the name of the button."""
    sent = (body % id_).removesuffix("=")
    name, _, value = sent.partition("=")
    row = f"<li>Tea House <button name='{name}' value='{value}'>x</button></li>"
    configured = run(
        get("/notes", html("<ul></ul>")),
        post("/notes", "title=Tea+House"),
        get("/notes", html(f"<ul>{row}</ul>")),
        post("/do", body % id_),
        get("/notes", html("<ul></ul>")),
    )
    assert f"/do {body % '${remove[1]}'}" in requests(configured)


def test_a_number_that_is_no_id() -> None:
    """A field for something else, and one of two that are alike, stay as they were sent."""
    office = Rated()
    case = recorded(office, office.session)
    used = Rated(first=7)
    replayed(case, used)
    assert used.rated[-1] == (8, 2)


@dataclass
class Rated:
    """Teas that are rated: the second by 2."""

    first: int = 1
    rated: list[tuple[int, int]] = field(default_factory=list)
    teas: dict[int, dict[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.teas |= {
            at: {"id": at, "title": f"Old {at}", "stars": 0} for at in range(1, self.first)
        }

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        if method == "GET":
            return json_answer([*self.teas.values()])
        sent = json.loads(body)
        if target == "/teas":
            made = max(self.teas, default=0) + 1
            self.teas[made] = {"id": made, "title": sent["title"], "stars": 0}
            return json_answer({"id": made})
        id_ = int(target.split("/")[2])
        self.rated.append((id_, sent["stars"]))
        self.teas[id_]["stars"] = sent["stars"]
        return json_answer({"ok": True})

    def session(self, client: Client) -> None:
        """Two are made, and the second is rated by as many stars as its id is."""
        client.send("GET", "/teas")
        for title in ("Green tea", "Black tea"):
            client.json("POST", "/teas", {"title": title})
            client.send("GET", "/teas")
        client.json("PUT", f"/teas/{[*self.teas][-1]}", {"stars": 2})
        client.send("GET", "/teas")


@dataclass
class Torrents:
    """Calls with ``arguments``, as Transmission has them: all go to one address."""

    works: bool = True
    first: int = 1
    torrents: dict[int, dict[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for at in range(1, self.first):
            self.torrents[at] = {"id": at, "name": f"old {at}", "priority": 0, "limit": 100}

    def answer(self, _method: str, _target: str, body: str) -> Answer:
        """What is answered to a request."""
        call = json.loads(body)
        sent, result = call["arguments"], dict[str, Any]()
        match call["method"]:
            case "torrent-add":
                made = max(self.torrents, default=0) + 1
                new = {"id": made, "name": sent["name"], "priority": 0, "limit": 100}
                self.torrents[made] = new
                result = {"torrent-added": {"id": made, "name": sent["name"]}}
            case "torrent-get":
                asked = sent.get("ids", [*self.torrents])
                result = {"torrents": [self.torrents[one] for one in asked]}
            case "torrent-set" if self.works:
                change = {name: one for name, one in sent.items() if name != "ids"}
                for one in sent["ids"]:
                    self.torrents[one].update(change)
            case "torrent-remove" if self.works:
                for one in sent["ids"]:
                    self.torrents.pop(one, None)
        return json_answer({"arguments": result, "result": "success", "tag": call["tag"]})

    def session(self, client: Client) -> None:
        """Three are added; the second and the first are changed, the third is removed."""

        def call(method: str, **arguments: Any) -> None:
            body = {"method": method, "arguments": arguments, "tag": 7}
            client.json("POST", "/transmission/rpc", body)

        call("torrent-get", fields=["id"])
        for name in ("tea.txt", "cups.txt", "spoon.txt"):
            call("torrent-add", name=name)
            call("torrent-get", fields=["id"])
        first, second, third = [*self.torrents][-3:]
        call("torrent-set", ids=[second], priority=1)
        call("torrent-get", fields=["id"], ids=[second])
        call("torrent-set", ids=[first], limit=55)
        call("torrent-get", fields=["id"])
        call("torrent-remove", ids=[third])
        call("torrent-get", fields=["id"])


def test_calls_with_arguments() -> None:
    """The method says what a call is about and whether it changes anything; that a priority is as
    large as an id makes it none."""
    office = Torrents()
    case = recorded(office, office.session)
    for first in (1, 40):
        used = Torrents(first=first)
        assert colour(replayed(case, used)) == "GREEN"
        assert [*used.torrents.values()][first - 1 :] == [
            {"id": first, "name": "tea.txt", "priority": 0, "limit": 55},
            {"id": first + 1, "name": "cups.txt", "priority": 1, "limit": 100},
        ]
        assert all(one["limit"] == 100 for one in [*used.torrents.values()][: first - 1])
    assert colour(replayed(case, Torrents(works=False))) == "red"
