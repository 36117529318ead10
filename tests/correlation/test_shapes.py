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
from itertools import cycle
from typing import Any, NamedTuple

import pytest

from pytest_loadtool.codec.content import decode
from pytest_loadtool.engine.functional import replay_once
from pytest_loadtool.recording import build_case
from pytest_loadtool.replay import compile_case
from tests.correlation.carriers import NOTE, WAYS, Register, Sent
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


def _inner(one: dict[str, Any]) -> dict[str, Any]:
    return {"name": one["name"], "note": one["note"]}


def _multipart(thing: dict[str, Any]) -> Answer:
    head = "--b\r\nContent-Type: application/http\r\n\r\nHTTP/1.1 201 Created\r\n"
    location = f"Location: /things/{thing['id']}\r\n\r\n"
    return Answer(f"{head}{location}{_named(thing)}\r\n--b--\r\n", "multipart/mixed; boundary=b")


def _named(thing: dict[str, Any]) -> str:
    return json.dumps({"id": thing["id"], "name": thing["name"]})


def _page(body: str) -> Answer:
    return Answer(f"<!DOCTYPE html><html><body>{body}</body></html>", "text/html")


#: What is answered when a thing is made. Lists show what things are called, and no id.
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
    "a sentence of JSON": lambda one: Answer(f'{{"message": "Thing #{one["id"]} is there"}}'),
    "a sentence on a page": lambda one: _page(f"<p>Thing #{one['id']} is there.</p>"),
    "a heading": lambda one: _page(f"<h1>Thing {one['id']}</h1><p>{escape(one['name'])}</p>"),
    "a script that goes on": lambda one: _page(
        f"<script>location = '/things/{one['id']}'</script>"),
    "a page that goes on": lambda one: _page(
        f"<meta http-equiv='refresh' content='0;url=/things/{one['id']}'>"),
    "an object of a script": lambda one: _page(f"<script>var it = {{id: {one['id']}}};</script>"),
    "a variable of a script": lambda one: _page(f"<script>App.thingId = {one['id']};</script>"),
    "a relative address": lambda one: Answer("", header=("Location", f"things/{one['id']}")),
    "the address of the content": lambda one: Answer(
        '{"ok": true}', header=("Content-Location", f"/things/{one['id']}")),
    "a header of its own": lambda one: Answer('{"ok": 1}', header=("X-Thing-Id", f"{one['id']}")),
    "OData's head": lambda one: Answer(
        "", header=("OData-EntityId", f"https://shop.test/api/things({one['id']})")),
    "a cookie": lambda one: Answer(
        '{"ok": true}', header=("Set-Cookie", f"last_thing={one['id']}; Path=/")),
    "YAML": lambda one: Answer(f"thing:\n  id: {one['id']}\n  size: 3\n", "application/yaml"),
    "lines of keys": lambda one: Answer(f"status=ok\nid={one['id']}\nsize=3\n", "text/plain"),
    "a form": lambda one: Answer(
        f"status=ok&thing_id={one['id']}&size=3", "application/x-www-form-urlencoded"),
    "a number": lambda one: Answer(f"{one['id']}", "text/plain"),
    "a number of JSON": lambda one: Answer(f"{one['id']}"),
    "an inserted id": lambda one: Answer(f'{{"affectedRows": 1, "insert_id": {one["id"]}}}'),
    "the last inserted id": lambda one: Answer(f'{{"affected": 1, "lastInsertId": {one["id"]}}}'),
    "a number among others": lambda one: Answer(f'{{"thing_no": {one["id"]}, "size": 3}}'),
    "the only number": lambda one: Answer(f'{{"seq": {one["id"]}, "title": "A cup"}}'),
    "a reference": lambda one: Answer(f'{{"thing": {one["id"]}, "size": 3}}'),
    "an element": lambda one: Answer(
        f"<answer><status>ok</status><thing>{one['id']}</thing></answer>", "application/xml"),
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
                coding = self.headers.get("Content-Encoding", "")
                sent = Sent(self.command, self.path, decode(body, coding), coding=coding)
                told = self._told(sent)
            answer(self, 200, told.text.encode(), ("Content-Type", told.kind), told.header)

        def _told(self, sent: Sent) -> Answer:
            write = WRITTEN.get(shape.partition(",")[0], _inner)
            _, answered = register.answer(sent, self.headers)
            if (sent.method, sent.target) == ("POST", "/things"):
                if shape in SHAPES:
                    return SHAPES[shape](answered)
                answered = write(answered)
            elif sent.method == "GET" and shape in LISTED:
                answered = LISTED[shape](answered)
            elif sent.method == "GET":
                answered = {"_embedded": {"things": [*map(write, answered)]}}
            return Answer(json.dumps(answered))

        do_GET = do_POST = do_PATCH = do_DELETE = _any  # noqa: N815

        def log_message(self, *_: object) -> None:
            pass

    return served(Handler)


#: Each shape of an answer, with a way to say which thing is meant: all of both come.
_CASES = [
    *(("a segment", shape) for shape in (*SHAPES, *WRITTEN)),
    *zip([*WAYS][1:], cycle(SHAPES), strict=False),
]


@pytest.mark.parametrize(("way", "shape"), _CASES)
def test_shapes(way: str, shape: str) -> None:
    """The state is right, and no check says otherwise. Each id of the recording is that of somebody
    else's thing on the used server."""
    register = Register(WAYS[way])
    with serving(register, shape) as url:
        client = Client(url)
        for name in ("Tea & Tales", "Cup"):
            client.send("GET", "/things")
            client.send("POST", "/things", json.dumps({"name": name}).encode(), JSON)
        for act, id_, note in zip(("edit", "drop"), list(register.things), (NOTE, ""), strict=True):
            client.send("GET", "/things")
            sent = register.way(act, id_, note)
            client.send(sent.method, sent.target, sent.coded, sent.headers)
        client.send("GET", "/things")
        client.close()
    exchanges = tuple(client.exchanges)
    case = configure(build_case(exchanges, name="shapes").case, exchanges).case
    used = Register(WAYS[way])
    others = [dict(used.put(f"Other {number}")) for number in range(9)]
    observed = Observed()
    with serving(used, shape) as url:
        replay_once(compile_case(case, server=url), observer=observed)
    things = [*used.things.values()]
    assert things[: len(others)] == others
    assert [(one["name"], one["note"]) for one in things[len(others) :]] == [("Tea & Tales", NOTE)]
    assert failures(observed) == []
