"""``python -m tests.correlation.outcomes.refusals``: answers that say no, each beside the one that
said yes, and what a replay makes of them where no later answer shows the change."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from pytest_loadtool.engine.functional import replay_once
from pytest_loadtool.recording import build_case
from pytest_loadtool.replay import compile_case
from tests.correlation.client import Client
from tests.correlation.outcomes.adversary import colour, failures, say, serving
from tests.correlation.outcomes.office import Answer, Office
from tests.correlation.talk import configure
from tests.observed import Observed

__all__ = ["PAIRS", "told_no"]


def _j(value: Any, status: int = 200, **headers: str) -> Answer:
    lines = {name.replace("_", "-"): one for name, one in headers.items()}
    return status, {"Content-Type": "application/json", **lines}, json.dumps(value)


def _h(text: str, title: str = "Order") -> Answer:
    page = f"<!doctype html><html><title>{title}</title><h1>{title}</h1>{text}</html>"
    return 200, {"Content-Type": "text/html"}, page


def _x(text: str) -> Answer:
    return 200, {"Content-Type": "text/xml"}, f'<?xml version="1.0"?>{text}'


def _to(address: str, **headers: str) -> Answer:
    return 303, {"Location": address, **headers}, ""


def _soap(body: str) -> Answer:
    return _x(f'<s:Envelope xmlns:s="urn:s"><s:Body>{body}</s:Body></s:Envelope>')


_FORM = '<form method="post" action="/do"><input name="text" value="{}"></form>'
_THERE = "/there"

#: What was asked, as JSON or a form; what said yes, and what says no.
PAIRS: Mapping[str, tuple[str, Answer, Answer]] = {
    "success: false": ("json", _j({"success": True}), _j({"success": False})),
    "ok: 0": ("json", _j({"ok": 1}), _j({"ok": 0})),
    "error appears": ("json", _j({"id": 7}), _j({"error": "gone"})),
    "error beside": ("json", _j({"id": 7}), _j({"id": 7, "error": "gone"})),
    "errors appear": ("json", _j({"id": 7}), _j({"id": 7, "errors": ["gone"]})),
    "errors filled": ("json", _j({"id": 7, "errors": []}), _j({"id": 7, "errors": ["gone"]})),
    "error set": ("json", _j({"id": 7, "error": None}), _j({"id": 7, "error": "gone"})),
    "code": ("json", _j({"code": 0, "msg": ""}), _j({"code": 1003, "msg": "gone"})),
    "status word": ("json", _j({"status": "ok"}), _j({"status": "error"})),
    "status of its own": ("json", _j({"status": "ACCEPTED"}), _j({"status": "REJECTED"})),
    "result word": ("json", _j({"result": "created"}), _j({"result": "noop"})),
    "type": ("json", _j({"type": "success"}), _j({"type": "error"})),
    "level": ("json", _j({"message": "Saved", "level": "success"}),
              _j({"message": "Not saved", "level": "danger"})),
    "a code of texts": ("json", _j({"code": "OK"}), _j({"code": "E_LOCKED"})),
    "an inner result": ("json", _j({"data": {"success": True}}), _j({"data": {"success": False}})),
    "an inner error": ("json", _j({"response": {"id": 7}}), _j({"response": {"error": "gone"}})),
    "a toast": ("json", _j({"toast": {"kind": "success", "text": "Saved"}}),
                _j({"toast": {"kind": "error", "text": "Not saved"}})),
    "violations": ("json", _j({"id": 7, "violations": []}),
                   _j({"id": 7, "violations": [{"field": "text"}]})),
    "warnings": ("json", _j({"id": 7}), _j({"id": 7, "validationErrors": {"text": "gone"}})),
    "an error by its name": ("json", _j({"id": 7}), _j({"errorMessage": "gone"})),
    "Fehler": ("json", _j({"ergebnis": "gespeichert"}), _j({"fehler": "gesperrt"})),
    "problem": ("json", _j({"id": 7}), _j({"type": "about:blank", "title": "gone", "status": 409})),
    "a problem by its type": ("json", _j({"id": 7}),
                              (200, {"Content-Type": "application/problem+json"}, '{"a": 1}')),
    "none changed": ("json", _j({"changed": 1}), _j({"changed": 0})),
    "none modified": ("json", _j({"matchedCount": 1, "modifiedCount": 1}),
                      _j({"matchedCount": 1, "modifiedCount": 0})),
    "some failed": ("json", _j({"failed": 0, "done": 3}), _j({"failed": 1, "done": 3})),
    "some skipped": ("json", _j({"items": [{"ok": True}, {"ok": True}]}),
                     _j({"items": [{"ok": True}, {"ok": False}]})),
    "a bulk's errors": ("json", _j({"errors": False, "items": [{"index": {"status": 201}}]}),
                        _j({"errors": True, "items": [{"index": {"status": 409}}]})),
    "multi-status": ("json", _j({"items": [{"status": 200}]}), _j({"items": [{"status": 403}]})),
    "saved: false": ("json", _j({"saved": True}), _j({"saved": False})),
    "true": ("json", _j(True), _j(False)),
    "a number": ("json", _j(1), _j(0)),
    "null": ("json", _j({"id": 7}), _j(None)),
    "an empty object": ("json", _j({"id": 7}), _j({})),
    "an id of none": ("json", _j({"id": 7}), _j({"id": None})),
    "an id of nothing": ("json", _j({"id": 7}), _j({"id": 0})),
    "a page": ("json", _j({"id": 7}), _h("sorry", "Maintenance")),
    "a word": ("json", (200, {"Content-Type": "text/plain"}, "OK"),
               (200, {"Content-Type": "text/plain"}, "ERROR gone")),
    "nothing": ("json", _j({"id": 7}), (200, {"Content-Type": "application/json"}, "")),
    "no content": ("json", _j({"id": 7}, 201), (204, {}, "")),
    "not created": ("json", _j({"id": 7}, 201), _j({"id": 7}, 200)),
    "accepted": ("json", _j({"id": 7}, 200), _j({"queued": True}, 202)),
    "GraphQL": ("graphql", _j({"data": {"save": {"id": 7}}}),
                _j({"data": None, "errors": [{"message": "gone"}]})),
    "GraphQL in part": ("graphql", _j({"data": {"save": {"id": 7}, "tag": {"id": 8}}}),
                        _j({"data": {"save": {"id": 7}, "tag": None}, "errors": [{"m": "gone"}]})),
    "GraphQL null": ("graphql", _j({"data": {"save": {"id": 7}}}), _j({"data": {"save": None}})),
    "GraphQL user errors": ("graphql", _j({"data": {"save": {"userErrors": [], "id": 7}}}),
                            _j({"data": {"save": {"userErrors": [{"m": "gone"}], "id": 7}}})),
    "GraphQL ok": ("graphql", _j({"data": {"save": {"ok": True}}}),
                   _j({"data": {"save": {"ok": False}}})),
    "GraphQL union": ("graphql", _j({"data": {"save": {"__typename": "Order"}}}),
                      _j({"data": {"save": {"__typename": "NotAllowed"}}})),
    "JSON-RPC": ("rpc", _j({"jsonrpc": "2.0", "id": 1, "result": 7}),
                 _j({"jsonrpc": "2.0", "id": 1, "error": {"code": -1, "message": "gone"}})),
    "JSON-RPC batch": ("rpc", _j([{"jsonrpc": "2.0", "id": n, "result": 7} for n in (1, 2)]),
                       _j([{"jsonrpc": "2.0", "id": 1, "result": 7},
                           {"jsonrpc": "2.0", "id": 2, "error": {"code": -1, "message": "gone"}}])),
    "JSON-RPC false": ("rpc", _j({"jsonrpc": "2.0", "id": 1, "result": True}),
                       _j({"jsonrpc": "2.0", "id": 1, "result": False})),
    "JSON-RPC batch short": ("rpc", _j([{"jsonrpc": "2.0", "id": n, "result": 7} for n in (1, 2)]),
                             _j([{"jsonrpc": "2.0", "id": 1, "result": 7}])),
    "SOAP fault": ("soap", _soap("<R><id>7</id></R>"),
                   _soap("<s:Fault><faultcode>s:Client</faultcode></s:Fault>")),
    "SOAP result": ("soap", _soap("<R><SaveResult>true</SaveResult></R>"),
                    _soap("<R><SaveResult>false</SaveResult></R>")),
    "SOAP code": ("soap", _soap("<R><ResultCode>0</ResultCode></R>"),
                  _soap("<R><ResultCode>17</ResultCode><Message>no</Message></R>")),
    "SOAP another element": ("soap", _soap("<SaveResponse><id>7</id></SaveResponse>"),
                             _soap("<ErrorResponse><text>no</text></ErrorResponse>")),
    "XML-RPC": ("soap", _x("<methodResponse><params/></methodResponse>"),
                _x("<methodResponse><fault/></methodResponse>")),
    "XML stat": ("soap", _x('<rsp stat="ok"/>'), _x('<rsp stat="fail"/>')),
    "a redirect's query": ("form", _to("/there"), _to("/there?error=gone")),
    "a redirect's other query": ("form", _to("/there?saved=1"), _to("/there?saved=0")),
    "a redirect's message": ("form", _to("/there?msg=saved"), _to("/there?msg=failed")),
    "a redirect back": ("form", _to("/there"), _to("/here")),
    "a redirect's anchor": ("form", _to("/there"), _to("/there#error")),
    "a redirect to log in": ("form", _to("/there"), _to("/login?next=/do")),
    "no redirect": ("form", _to("/there"), _h(_FORM.format("Tea"))),
    "the form again": ("form", _h("<p>Saved</p>"), _h(_FORM.format("Tea") + "<p>Please fill</p>")),
    "the form again, in German": ("form", _h("<p>Gespeichert</p>"),
                                  _h(_FORM.format("Tea") + "<ul class=errorlist><li>Pflichtfeld")),
    "an alert": ("form", _h('<div class="alert alert-success">Saved</div>'),
                 _h('<div class="alert alert-danger">No</div>')),
    "an alert that was not": ("form", _h("<p>List</p>"),
                              _h('<p>List</p><div class="alert alert-danger">No</div>')),
    "invalid fields": ("form", _h(_FORM.format("")),
                       _h(_FORM.format("Tea").replace("<input", '<input aria-invalid="true"'))),
    "an error's role": ("form", _h("<p>List</p>"), _h('<p>List</p><p role="alert">Gesperrt</p>')),
    "a heading": ("form", _h("<p>List</p>"), _h("<p>List</p>", "Error")),
    "a login page": ("form", _h("<p>List</p>"), _h('<input name=u><input type="password">')),
    "a header": ("json", _j({"id": 7}, X_Result="ok"), _j({"id": 7}, X_Result="error")),
    "a header that was not": ("json", _j({"id": 7}), _j({"id": 7}, X_Error="gone")),
    "a trigger's header": ("htmx", _h("<p>x</p>"), (200, {"Content-Type": "text/html",
                           "HX-Trigger": '{"showError":"gone"}'}, _h("<p>x</p>")[2])),
    "a gRPC status": ("json", _j({"id": 7}, grpc_status="0"), _j({"id": 7}, grpc_status="7")),
}  # fmt: skip

_ASKED: Mapping[str, tuple[str, str]] = {
    "json": ("application/json", '{"text": "Tea"}'),
    "htmx": ("application/x-www-form-urlencoded", "text=Tea"),
    "graphql": ("application/json", '{"query": "mutation { save(text: \\"Tea\\") { id } }"}'),
    "rpc": ("application/json", '{"jsonrpc": "2.0", "id": 1, "method": "save", "params": ["Tea"]}'),
    "soap": ("text/xml", "<Envelope><Body><Save><text>Tea</text></Save></Body></Envelope>"),
    "form": ("application/x-www-form-urlencoded", "text=Tea"),
}


class _Says(Office):
    """It answers one way only."""

    says: Answer

    def answer(self, method: str, target: str, body: str) -> Answer:
        """That answer to what changes something; nothing is ever shown."""
        return self.says if method == "POST" else _h(_FORM.format(""), "Orders")


def told_no(name: str) -> Observed:
    """A replay in which the answer is the one that says no."""
    kind, yes, no = PAIRS[name]
    media, body = _ASKED[kind]
    office = _Says()
    office.says = yes
    with serving(office) as url:
        client = Client(url)
        client.open("/")
        headers = {"Content-Type": media} | ({"HX-Request": "true"} if kind == "htmx" else {})
        answer = client.send("POST", "/do", body.encode(), headers)
        if location := answer.header("location"):
            client.open(location)
        client.open("/")
        client.close()
        exchanges = tuple(client.exchanges)
        case = configure(build_case(exchanges, name="asked").case, exchanges).case
        honest = Observed()
        replay_once(compile_case(case, server=url), observer=honest)
        assert not failures(honest), (name, failures(honest))
        office.says = no
        observed = Observed()
        replay_once(compile_case(case, server=url), observer=observed)
    return observed


def main() -> None:
    """Print those that were not seen, and the sums."""
    tally: Counter[str] = Counter()
    for name in PAIRS:
        observed = told_no(name)
        shade = colour(observed)
        tally[shade] += 1
        if shade != "red":
            say(f"{name:30} {shade} ", *(one.not_as_recorded for one in observed.responses))
    say(dict(tally))


if __name__ == "__main__":
    main()
