"""A register of things, whose clients say in one of many ways which thing they mean.

A way is a function that writes a request: it changes the note of the thing with that id, or drops
it. The server does what the request of its way says, letter by letter; whatever else it is asked it
answers as if it were done, as the worst servers do.
"""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from itertools import count
from random import Random
from typing import Any
from urllib.parse import quote, urlencode

from pytest_loadtool.codec.content import decode
from pytest_loadtool.codec.request_coding import coder
from tests.served import answer, served

__all__ = ["NOTE", "WAYS", "Register", "Sent", "serving"]

NOTE = "At the door"
Id = int | str


@dataclass(frozen=True, slots=True)
class Sent:
    """A request."""

    method: str
    target: str
    body: bytes = b""
    kind: str = "application/json"
    header: tuple[str, str] = ("Accept", "*/*")
    coding: str = ""
    """Of the body, which here is plain."""

    @property
    def coded(self) -> bytes:
        """The body as it travels."""
        code = coder(self.coding)
        return self.body if code is None else code(self.body)

    @property
    def headers(self) -> dict[str, str]:
        """Its headers."""
        coded = {"Content-Encoding": self.coding} if self.coding else {}
        return {"Content-Type": self.kind, self.header[0]: self.header[1], **coded}


Way = Callable[[str, Id, str], Sent]


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()


def _form(text: str) -> tuple[bytes, str]:
    return text.encode(), "application/x-www-form-urlencoded"


def _method(act: str) -> str:
    return "PATCH" if act == "edit" else "DELETE"


def _key(id_: Id) -> str:
    return f"'{id_}'" if isinstance(id_, str) else str(id_)


def _called(
    target: str, value: Callable[[str, Id, str], Any], kind: str = "application/json"
) -> Way:
    """JSON at an address with the act in it."""
    return lambda act, id_, note: Sent(
        "POST", target.format(act=act), _json(value(act, id_, note)), kind
    )


def _coded(coding: str) -> Way:
    return lambda act, id_, note: Sent(
        "POST", f"/things/{act}", _json({"id": id_, "note": note}), coding=coding
    )


def _global(id_: Id) -> str:
    return base64.b64encode(f"Thing:{id_}".encode()).decode()


def _behind(target: str) -> Way:
    """The id is in the address."""
    return lambda act, id_, note: Sent(
        "POST", target.format(act=act, id=id_, key=_key(id_)), _json({"note": note})
    )


def _text(target: str, template: str, kind: str) -> Way:
    return lambda act, id_, note: Sent(
        "POST",
        target.format(act=act),
        template.format(act=act, id=id_, key=_key(id_), note=note).encode(),
        kind,
    )


def _xml_rpc(act: str, id_: Id, note: str) -> Sent:
    type_ = "int" if isinstance(id_, int) else "string"
    values = "".join(
        f"<param><value><{one}>{value}</{one}></value></param>"
        for one, value in ((type_, id_), ("string", note))
    )
    call = f"<methodName>thing.{act}</methodName><params>{values}</params>"
    return Sent("POST", "/RPC2", f"<methodCall>{call}</methodCall>".encode(), "text/xml")


def _batch(act: str, id_: Id, note: str) -> Sent:
    inner = f"{_method(act)} Things({_key(id_)}) HTTP/1.1"
    lines = (
        *("--batch", "Content-Type: application/http", "", inner),
        *("Content-Type: application/json", "", json.dumps({"note": note}), "--batch--", ""),
    )
    return Sent("POST", "/$batch", "\r\n".join(lines).encode(), "multipart/mixed; boundary=batch")


#: By name. What is in braces is filled in; where a value is needed that JSON has, it is a function.
WAYS: dict[str, Way] = {
    "a segment": _behind("/things/{id}/{act}"),
    "a segment with an ending": _behind("/things/{id}.json?do={act}"),
    "before a slug": _behind("/things/{id}-tea-house/{act}"),
    "between commas": _behind("/thing,{id},{act}.html"),
    "behind words": _behind("/{act}_thing_{id}.html"),
    "a matrix parameter": _behind("/things;id={id}/{act}"),
    "OData's key": lambda act, id_, note: Sent(
        _method(act), f"/Things({_key(id_)})", _json({"note": note})
    ),
    "OData's batch": _batch,
    "PostgREST's operator": lambda act, id_, note: Sent(
        _method(act), f"/things?id=eq.{id_}", _json({"note": note})
    ),
    "an expression in the query": lambda act, id_, note: Sent(
        "POST", f"/things/{act}?q={quote(f'id = {_key(id_)}')}", _json({"note": note})
    ),
    "a header": lambda act, id_, note: Sent(
        "POST", f"/things/{act}", _json({"note": note}), header=("X-Thing-Id", str(id_))
    ),
    "a member of JSON": _called("/things/{act}", lambda _, id_, note: {"id": id_, "note": note}),
    "a key of JSON": _called("/things/{act}", lambda _, id_, note: {"things": {str(id_): note}}),
    "behind its kind": _called("/{act}", lambda _, id_, note: {"ref": f"thing:{id_}", "n": note}),
    "an address in JSON": _called("/{act}", lambda _, id_, note: {
        "@id": f"/api/things/{id_}", "note": note}),
    "tRPC's input": _called("/trpc/thing.{act}", lambda _, id_, note: {
        "0": {"json": {"id": id_, "note": note}}}),
    "an argument of JSON-RPC": _called("/rpc", lambda act, id_, note: {
        "jsonrpc": "2.0", "id": 1, "method": f"thing.{act}", "params": [id_, note]}),
    "a path of JSON Patch": lambda act, id_, note: Sent(
        "PATCH", "/things", _json([{"op": act, "path": f"/{id_}/note", "value": note}]),
        "application/json-patch+json"),
    "an argument of XML-RPC": _xml_rpc,
    "an argument of GraphQL": _called("/graphql", lambda act, id_, note: {
        "query": f"mutation {{ {act}Thing(id: {json.dumps(id_)}, note: {json.dumps(note)})"
        " { id } }"}),
    "a field": lambda act, id_, note: Sent(
        "POST", f"/things/{act}", *_form(urlencode({"id": id_, "note": note}))),
    "JSON in a field": lambda act, id_, note: Sent(
        "POST", "/things/ajax",
        *_form(urlencode({"do": act, "data": json.dumps({"id": id_, "note": note})}))),
    "JSON in base64": lambda act, id_, note: Sent(
        "POST", f"/things/{act}", base64.b64encode(_json({"id": id_, "note": note})), "text/plain"),
    "the name of a field": lambda act, id_, note: Sent(
        "POST", "/things/save", *_form(f"do={act}&thing%5B{id_}%5D%5Bnote%5D={quote(note)}")),
    "lines of JSON": lambda act, id_, note: Sent(
        "POST", "/_bulk",
        b"%b\n%b\n" % (
            _json({act: {"_index": "things", "_id": str(id_)}}), _json({"doc": note})),
        "application/x-ndjson"),
    "YAML": _text("/things/{act}", "id: {id}\nnote: {note}\n", "application/yaml"),
    **{f"a body in {one}": _coded(one) for one in ("gzip", "br, zstd")},
    "Relay's global id": _called("/graphql", lambda act, id_, note: {
        "query": f"mutation($id: ID!, $note: String) {{ {act}Thing(id: $id, note: $note)"
        " { id } }", "variables": {"id": _global(id_), "note": note}}),
    "an IRI": _called("/{act}", lambda _, id_, note: {
        "thing": f"urn:example:thing:{id_}", "note": note}),
    "a reference of FHIR": _called("/{act}", lambda _, id_, note: {
        "subject": {"reference": f"Thing/{id_}"}, "note": note}),
    "behind a year": _called("/{act}", lambda _, id_, note: {
        "ref": f"thing-2026-{id_}", "note": note}),
    "an expression of Mongo": _called("/things/{act}", lambda _, id_, note: {
        "q": {"_id": {"$eq": id_}}, "u": {"$set": {"note": note}}}),
    "text of columns": _text("/things/{act}", "id,note\n{id},{note}\n", "text/csv"),
    "a Turtle": _text("/sparql", "{act} DATA {{ <urn:thing/{id}> <urn:note> '{note}' }}",
                      "application/sparql-update"),
    "a field with an index": lambda act, id_, note: Sent(
        "POST", f"/things/{act}", *_form(f"ids%5B0%5D={id_}&note={quote(note)}")),
    "behind a slash that is encoded": _behind("/{act}/things%2F{id}"),
    "a named key of OData": _behind("/things(id={key})/{act}"),
    "behind its kind and a line": _called("/{act}", lambda _, id_, note: {
        "ref": f"thing_{id_}", "note": note}),
    "a selector": _called("/{act}", lambda _, id_, note: {
        "at": f"#thing-{id_}", "note": note}),
    "a query's own language": _behind("/things/{act}?q=id:{id}"),
    "XML that says to be text": _text(
        "/things/{act}", "<thing><id>{id}</id><note>{note}</note></thing>", "text/plain"),
    "JSON that says to be a form": lambda act, id_, note: Sent(
        "POST", f"/things/{act}", *_form(json.dumps({"ids": [id_], "note": note}))),
    "a condition in SQL": _text(
        "/things/sql", "{act} things WHERE id = {key} -- {note}", "text/plain"),
}  # fmt: skip


@dataclass
class Register:
    """The state: notes by id and name. Ids are numbers from ``first`` on, or ``random``."""

    way: Way
    first: int = 1
    random: bool = False
    things: dict[Id, dict[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._numbers = count(self.first)
        self._drawn = Random(self.first)

    def put(self, name: str) -> dict[str, Any]:
        """A new thing."""
        number = next(self._numbers)
        id_: Id = f"{self._drawn.getrandbits(96):024x}" if self.random else number
        self.things[id_] = {"id": id_, "name": name, "note": ""}
        return self.things[id_]

    def answer(self, sent: Sent, headers: Any) -> tuple[int, Any]:
        """What is answered to a request."""
        if (sent.method, sent.target) == ("GET", "/things"):
            return 200, list(self.things.values())[::-1]
        if (sent.method, sent.target) == ("POST", "/things"):
            return 201, self.put(json.loads(sent.body)["name"])
        for id_, thing in list(self.things.items()):
            if self._means(self.way("edit", id_, NOTE), sent, headers):
                thing["note"] = NOTE
            elif self._means(self.way("drop", id_, ""), sent, headers):
                del self.things[id_]
        return 200, {"done": True}

    @staticmethod
    def _means(wanted: Sent, sent: Sent, headers: Any) -> bool:
        """Whether it is that request; bodies count but for white space at their ends."""
        name, value = wanted.header
        same = all(
            getattr(wanted, one) == getattr(sent, one) for one in ("method", "target", "coding")
        )
        return same and headers.get(name) == value and wanted.body.strip() == sent.body.strip()


@contextmanager
def serving(register: Register) -> Iterator[str]:
    """Its server."""
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _any(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            with lock:
                coding = self.headers.get("Content-Encoding", "")
                sent = Sent(self.command, self.path, decode(body, coding), coding=coding)
                status, value = register.answer(sent, self.headers)
            answer(self, status, _json(value), ("Content-Type", "application/json"))

        do_GET = do_POST = do_PATCH = do_DELETE = _any  # noqa: N815

        def log_message(self, *_: object) -> None:
            pass

    with served(Handler) as url:
        yield url
