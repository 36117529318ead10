"""A register on pages: its rows tell their ids in one of many ways, and scripts or forms send them.

The server does what it is asked of a thing that it has, and answers all else as if it were done, as
the worst servers do.
"""

from __future__ import annotations

import html
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from itertools import count
from random import Random
from typing import Any, NamedTuple
from urllib.parse import parse_qs

from tests.served import served

__all__ = ["NOTE", "WAYS", "Book", "Way", "serving"]

NOTE = "At the door"
_FORM = "application/x-www-form-urlencoded"
Id = int | str


class Way(NamedTuple):
    """What a row has for its id, and the request that has it then: an address and a body."""

    row: str
    target: str
    body: str = "note={note}"
    kind: str = _FORM
    item: str = "<tr><td>{name}</td><td>{note}</td><td>{row}</td></tr>"
    around: str = "<table>{items}</table>"


_BY_ID = ("/things/{act}", "id={id}&note={note}")
_BY_JSON = ("/api/things/{act}", '{{"id": {json}, "note": "{note}"}}', "application/json")

#: In rows and requests, ``{id}`` stands for the id and ``{act}`` for what is done.
WAYS = {
    "a link to something else": Way('<a href="/things/{id}/show">Show</a>', "/things/{id}/{act}"),
    "a query": Way('<a href="/edit.php?id={id}">Edit</a>', "/{act}.php?id={id}"),
    "a slug": Way('<a href="/things/{id}-tea">Show</a>', "/things/{id}-tea/{act}"),
    "a handler": Way('<button onclick="editThing({id})">Edit</button>', *_BY_ID),
    "a data attribute": Way('<i data-key="{id}"></i>', *_BY_ID),
    "the id of an element": Way('<i id="thing_{id}"></i>', *_BY_JSON),
    "a cell": Way("</td><td>{id}", *_BY_ID),
    "a check box": Way(
        '<input type="checkbox" name="ids[]" value="{id}">',
        "/things/save", "do={act}&ids%5B%5D={id}&note={note}",
    ),
    "the name of a field": Way(
        '<input type="checkbox" name="ids[]" value="{id}">',
        "/things/save", "do={act}&note%5B{id}%5D={note}",
    ),
    "an action": Way('<form action="/things/{id}/edit"></form>', "/things/{id}/{act}"),
    "a call in a script": Way("<script>load({json})</script>", *_BY_ID),
    "an option": Way(
        "", "/things/save", "thing={id}&do={act}&note={note}", _FORM,
        '<option value="{id}">{name}</option>',
        '<form action="/things/save"><select name="thing">{items}</select></form>'),
    "a box": Way(
        '<input type="checkbox" name="chk_{id}">',
        "/things/save", "chk_{id}=on&do={act}&note={note}"),
    "a div in single quotes": Way(
        "<a data-key='{id}'>Edit</a>", *_BY_ID, _FORM,
        "<div class='row'><b>{name}</b> <i>{note}</i> {row}</div>", "<div>{items}</div>"),
    "a style": Way('<i style="view-transition-name: thing-{id}"></i>', *_BY_ID),
    "what a label is for": Way('<label for="thing-{id}">Edit</label>', *_BY_ID),
    "an id with a year": Way(
        '<i data-ref="order-2026-{id}"></i>', "/things/{act}", "ref=order-2026-{id}&note={note}"),
    "an id in a number of an order": Way(
        "<td>A{id}/3</td>", "/things/{act}", "ref=A{id}%2F3&note={note}"),
    "htmx's values": Way("<button hx-post='/edit' hx-vals='{{\"id\": {json}}}'>Edit</button>",
                         *_BY_ID),
    "a frame of Turbo": Way(
        "<a>Edit</a>", "/things/{id}/{act}", "note={note}", _FORM,
        '<turbo-frame id="thing_{id}"><p>{name}</p><p>{note}</p>{row}</turbo-frame>', "{items}"),
    "JSON of a row": Way("<i data-thing='{attribute}'></i>", *_BY_JSON),
    "Next's data": Way(
        "", *_BY_JSON, "<p>{name}</p>", '{items}<script id="__NEXT_DATA__" type="application/json">'
        '{{"props": {{"things": {state}}}}}</script>'.replace("{{", "{").replace("}}", "}")),
    "an initial state": Way(
        "", *_BY_JSON, "<p>{name}</p>",
        "{items}<script>window.__INITIAL_STATE__ = {state};</script>"),
    "a page of Inertia": Way(
        "", *_BY_JSON, "", '<div id="app" data-page="{attribute}"></div>'),
    "an attribute of a framework": Way('<i wire:key="thing-{id}"></i>', *_BY_JSON),
}  # fmt: skip


@dataclass
class Book:
    """The state: names and notes by id, which are numbers or ``random``."""

    way: Way
    random: bool = False
    first: int = 1
    things: dict[Id, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._numbers, self._drawn = count(self.first), Random(self.first)

    def put(self, name: str) -> None:
        """A new thing."""
        number = next(self._numbers)
        id_: Id = f"{self._drawn.getrandbits(64):016x}" if self.random else number
        self.things[id_] = [name, ""]

    def sent(self, act: str, id_: Id, note: str) -> tuple[str, str]:
        """The request that does it: its target and body."""
        texts = {"act": act, "id": id_, "json": json.dumps(id_), "note": note}
        return self.way.target.format(**texts), self.way.body.format(**texts)

    def page(self) -> str:
        """All things, the newest first."""
        things = [
            {"id": id_, "name": name, "note": note}
            for id_, (name, note) in reversed(self.things.items())
        ]
        items = "".join(map(self._item, things))
        form = '<form action="/things" method="post"><input name="name"></form>'
        around = self.way.around.replace("{items}", items).replace("{state}", json.dumps(things))
        around = around.replace("{attribute}", html.escape(json.dumps(things)))
        return f"<title>Things</title><h1>Things</h1>{form}{around}"

    def _item(self, thing: dict[str, Any]) -> str:
        """What the page shows of a thing."""
        written = {
            "state": json.dumps(thing),
            "attribute": html.escape(json.dumps(thing)),
            "json": json.dumps(thing["id"]),
            **{key: html.escape(str(one)) for key, one in thing.items()},
        }
        return self.way.item.format(row=self.way.row.format(**written), **written)

    def do(self, target: str, body: str) -> None:
        """What is asked for, of the things that are there."""
        if target == "/things":
            self.put(parse_qs(body)["name"][0])
            return
        for id_ in list(self.things):
            if (target, body) == self.sent("edit", id_, NOTE):
                self.things[id_][1] = NOTE
            elif (target, body) == self.sent("drop", id_, ""):
                del self.things[id_]


@contextmanager
def serving(book: Book) -> Iterator[str]:
    """Its server."""
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            with lock:
                content = book.page().encode()
            self._answer(200, content)

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
            with lock:
                book.do(self.path, body)
            self._answer(303, b"", Location="/things")

        def _answer(self, status: int, content: bytes, **headers: str) -> None:
            self.send_response(status)
            headers |= {"Content-Type": "text/html", "Content-Length": str(len(content))}
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    with served(Handler) as url:
        yield url
