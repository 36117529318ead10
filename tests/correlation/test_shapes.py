"""In whatever an answer tells the id of a new thing, a replay on a used server changes and drops
its own things, and no other."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from html import escape
from http.server import BaseHTTPRequestHandler
from typing import Any, NamedTuple

import pytest

from pytest_loadtool.engine.functional import replay_once
from pytest_loadtool.recording import build_case
from pytest_loadtool.replay import compile_case
from tests.correlation.carriers import NOTE, WAYS, Register
from tests.correlation.client import Client
from tests.correlation.outcomes.adversary import failures
from tests.correlation.talk import configure
from tests.observed import Observed
from tests.served import answer, served

JSON = {"Content-Type": "application/json"}


class Answer(NamedTuple):
    """What is answered when a thing is made."""

    text: str
    kind: str = "application/json"
    header: tuple[str, str] = ("Vary", "Accept")


def _multipart(thing: dict[str, Any]) -> Answer:
    head = "--b\r\nContent-Type: application/http\r\n\r\nHTTP/1.1 201 Created\r\n"
    location = f"Location: /things/{thing['id']}\r\n\r\n"
    return Answer(f"{head}{location}{_named(thing)}\r\n--b--\r\n", "multipart/mixed; boundary=b")


def _named(thing: dict[str, Any]) -> str:
    return json.dumps({"id": thing["id"], "name": thing["name"]})


SHAPES: dict[str, Callable[[dict[str, Any]], Answer]] = {
    "a link in the head": lambda one: Answer(
        '{"ok": true}', header=("Link", f'</things/{one["id"]}>; rel="self"')),
    "the fragment of a redirect": lambda one: Answer(
        "", header=("Location", f"/app#/things/{one['id']}")),
    "htmx's trigger": lambda one: Answer(
        "<p>ok</p>", "text/html", ("HX-Trigger", json.dumps({"made": {"id": one["id"]}}))),
    "JSON:API": lambda one: Answer(json.dumps(
        {"data": {"type": "things", "id": str(one["id"]), "attributes": {"name": one["name"]}}})),
    "an event": lambda one: Answer(
        f"event: made\ndata: {_named(one)}\n\nevent: end\ndata: {{}}\n\n", "text/event-stream"),
    "JSON behind a guard": lambda one: Answer(f")]}}',\n{_named(one)}"),
    "a call": lambda one: Answer(f"done({_named(one)});", "application/javascript"),
    "a stream of Turbo": lambda one: Answer(
        '<turbo-stream action="append" target="things"><template>'
        f'<div id="thing_{one["id"]}"><p>{escape(one["name"])}</p></div></template></turbo-stream>',
        "text/vnd.turbo-stream.html"),
    "a part of several": _multipart,
    "JSON in base64": lambda one: Answer(
        json.dumps({"data": base64.b64encode(_named(one).encode()).decode()})),
    "a sentence": lambda one: Answer(f"Made thing {one['id']}.\n", "text/plain"),
}  # fmt: skip


def _hal(one: dict[str, Any]) -> dict[str, Any]:
    return {"name": one["name"], "_links": {"self": {"href": f"/things/{one['id']}"}}}


def _at(key: str, address: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda one: {key: address.format(one["id"]), "name": one["name"], "note": one["note"]}


#: How a thing is written, without an id of its own: when it is made, and in lists.
WRITTEN: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "HAL": _hal,
    "an address as its id": _at("id", "things/{}"),
    "an address": _at("url", "https://shop.test/api/things/{}/"),
    "JSON-LD": _at("@id", "/things/{}"),
    "a URN": _at("urn", "urn:shop:thing:{}"),
    "an address of what is done to it": _at(
        "edit", "http://127.0.0.1:8000/things/{}/edit?from=list"
    ),
}
SHAPES |= {f"{shape}, in lists alone": lambda _: Answer('{"done": true}') for shape in WRITTEN}


def _row(one: dict[str, Any]) -> list[Any]:
    return [one["id"], one["name"], one["note"]]


def _inner(one: dict[str, Any]) -> dict[str, Any]:
    return {"name": one["name"], "note": one["note"]}


#: How things are listed, in something else than a list of objects; who makes one is not told.
LISTED: dict[str, Callable[[list[dict[str, Any]]], Any]] = {
    "rows below the names of columns": lambda things: {
        "columns": ["id", "name", "note"], "rows": [*map(_row, things)]},
    "rows below columns": lambda things: {"tables": [{
        "cols": [{"name": "thing_id", "type": "int"}, {"name": "title"}, {"name": "note"}],
        "data": [*map(_row, things)]}]},
    "rows below a first one": lambda things: [["id", "name", "note"], *map(_row, things)],
    "rows": lambda things: {"draw": 1, "data": [*map(_row, things)]},
    "objects by id": lambda things: {"things": {one["id"]: _inner(one) for one in things}},
    "objects by id at the top": lambda things: {one["id"]: _inner(one) for one in things},
    "objects by id with it": lambda things: {"things": {one["id"]: one for one in things}},
}  # fmt: skip
SHAPES |= {shape: lambda _: Answer('{"done": true}') for shape in LISTED}


def serving(register: Register, shape: str) -> AbstractContextManager[str]:
    """A server that answers so when a thing is made."""
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _any(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            with lock:
                told = self._told(body)
            answer(self, 200, told.text.encode(), ("Content-Type", told.kind), told.header)

        def _told(self, body: bytes) -> Answer:
            things, write = register.things, WRITTEN.get(shape.partition(",")[0], dict)
            if (self.command, self.path) == ("POST", "/things"):
                made = register.put(json.loads(body)["name"])
                return SHAPES[shape](made) if shape in SHAPES else Answer(json.dumps(write(made)))
            for id_ in list(things):
                if self.path == f"/things/{id_}/edit":
                    things[id_]["note"] = NOTE
                elif self.path == f"/things/{id_}/drop":
                    del things[id_]
            listed: Any = [*things.values()][::-1] if self.command == "GET" else {"done": True}
            if isinstance(listed, list) and shape in LISTED:
                listed = LISTED[shape](listed)
            elif isinstance(listed, list):
                listed = {"_embedded": {"things": [*map(write, listed)]}}
            return Answer(json.dumps(listed))

        do_GET = do_POST = _any  # noqa: N815

        def log_message(self, *_: object) -> None:
            pass

    return served(Handler)


@pytest.mark.parametrize("shape", [*SHAPES, *WRITTEN])
def test_shapes(shape: str) -> None:
    """The state is right, and no check says otherwise. Each id of the recording is that of somebody
    else's thing on the used server."""
    register = Register(WAYS["a segment"])
    with serving(register, shape) as url:
        client = Client(url)
        for name in ("Tea & Tales", "Cup"):
            client.send("GET", "/things")
            client.send("POST", "/things", json.dumps({"name": name}).encode(), JSON)
        for act, id_ in zip(("edit", "drop"), list(register.things), strict=True):
            client.send("GET", "/things")
            client.send("POST", f"/things/{id_}/{act}", b'{"note": "At the door"}', JSON)
        client.send("GET", "/things")
        client.close()
    exchanges = tuple(client.exchanges)
    case = configure(build_case(exchanges, name="shapes").case, exchanges).case
    used = Register(WAYS["a segment"])
    others = [dict(used.put(f"Other {number}")) for number in range(9)]
    observed = Observed()
    with serving(used, shape) as url:
        replay_once(compile_case(case, server=url), observer=observed)
    things = [*used.things.values()]
    assert things[: len(others)] == others
    assert [(one["name"], one["note"]) for one in things[len(others) :]] == [("Tea & Tales", NOTE)]
    assert failures(observed) == []
