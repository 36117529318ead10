"""What counts as an outcome of a change, and what does not."""

from __future__ import annotations

import re
from dataclasses import replace
from urllib.parse import urlencode

import pytest

from pytest_loadtool.correlation.configuration import asserted_anew
from pytest_loadtool.correlation.outcomes import without_outcome
from pytest_loadtool.correlation.outcomes.pages import attributes_with
from pytest_loadtool.correlation.outcomes.resources import Resource
from pytest_loadtool.correlation.outcomes.seen import FLASHED_WRONG, WRONG
from pytest_loadtool.editing.unique_values import make_unique
from pytest_loadtool.model.decision import OUTCOME
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.validator import (
    HeaderValidator,
    JsonValidator,
    Outcome,
    RegexValidator,
    TextValidator,
    Validator,
)
from tests.correlation.exchanges import answered, case_of, exchange, html, json_body
from tests.correlation.talk import call, configure, get, post, run

CREATED = json_body({"id": 4711})
CREATE = call("POST", "/orders", {"name": "Tea House", "secret": "x"}, CREATED)
ONE = "/orders/4711"


def item(**fields: object) -> Exchange:
    return get(ONE, json_body({"id": 4711, "name": "Tea House", **fields}))


def items(*names: str, **around: object) -> Exchange:
    rows = [{"id": 4700 + at, "name": name} for at, name in enumerate(names)]
    return get("/orders", json_body({"orders": rows, **around}))


def page(target: str, text: str) -> Exchange:
    return get(target, html(f"<h1>Shop</h1>{text}"))


def rows(*cells: str) -> str:
    found = (f'<tr><td><a href="/orders/{cell[-4:]}">{cell[:-4]}</a></td></tr>' for cell in cells)
    return f"<table>{''.join(found)}</table>"


def table(*filled: list[str]) -> str:
    found = ("".join(f"<td>{cell}</td>" for cell in row) for row in filled)
    return f"<table>{''.join(f'<tr>{row}</tr>' for row in found)}</table>"


def query(asked: str, *filled: list[str]) -> Exchange:
    return post("/query", f"q={asked}", html(f"<h1>Shop</h1>{table(*filled)}"))


def rpc(method: str, params: list[object], result: object) -> Exchange:
    sent = {"id": 1, "method": method, "params": params}
    return call("POST", "/rpc", sent, json_body({"id": 1, "result": result}))


AS_JSON = (("Content-Type", "application/json"),)
PACKAGE = {
    "name": "cups",
    "tags": {"stable": "1.0"},
    "versions": {"1.0": {"of": "tea"}, "1.1": {"of": "tea"}},
}


def put_file(path: str, body: str) -> Exchange:
    return answered("PUT", path, exchange(status=201), body=body.encode(), sent=())


def folder(*files: tuple[str, int]) -> Exchange:
    found = (f"<r><href>{path}</href><of><size>{size}</size></of></r>" for path, size in files)
    listed = f"<multi>{''.join(found)}</multi>".encode()
    return get("/tea/", exchange(received=(("Content-Type", "text/xml"),), answer=listed))


def soap(action: str, request: str, response: str) -> Exchange:
    answer = exchange(received=(("Content-Type", "text/xml"),), answer=response.encode())
    sent = (("Content-Type", "text/xml"), ("SOAPAction", action))
    body = f"<Envelope><Body><{action}>{request}</{action}></Body></Envelope>"
    return answered("POST", "/soap", answer, sent=sent, body=body.encode())


def texts(*exchanges: Exchange) -> list[str]:
    """The outcomes: what is so, because of what, where it is looked for, and how."""
    case = run(*exchanges).case
    return [
        f"{one.outcome.name} | {one.outcome.change} | {at} | {_written(one)}"
        for at, transaction in enumerate(case.transactions())
        for one in transaction.validators
        if one.outcome is not None
    ]


def _written(one: Validator) -> str:
    absent = "not " if one.absent else ""
    match one:
        case JsonValidator():
            equals = "" if one.equals is None else f" = {one.equals!r}"
            return f"{absent}{one.path}{equals}"
        case TextValidator():
            return f"{absent}{one.text}" + (f" in {one.row}" if one.row else "")
        case RegexValidator():
            return f"{absent}matching"
        case HeaderValidator():
            return f"{one.name}: {one.equals or one.contains}"
        case _:
            raise AssertionError(one)


def listed(*names: str) -> Exchange:
    """A folder as WebDAV lists it."""
    hrefs = "".join(f"<response><href>/cal/{one}</href></response>" for one in names)
    return get(
        "/cal/",
        exchange(
            received=(("Content-Type", "text/xml"),),
            answer=f"<multistatus>{hrefs}</multistatus>".encode(),
        ),
    )


def files(*names: str) -> Exchange:
    return get("/files", json_body({"files": [{"name": one} for one in names]}))


def chosen(label: str, value: int) -> str:
    return (
        f'<form action="{ONE}" method="post"><select name="state"><option value="0">new</option>'
        f'<option selected value="{value}">{label}</option></select></form>'
    )


def typed(note: str) -> str:
    return f'<form action="{ONE}" method="post"><input name="note" value="{note}"></form>'


def state(number: str, word: str) -> str:
    return f'<table><tr><td><a href="/orders/{number}">Tea</a></td><td>{word}</td></tr></table>'


def _noted_row(note: str) -> str:
    return f"<ul><li><b>Milk</b> <i>To go</i></li><li><b>Tea House</b> <i>{note}</i></li></ul>"


def _noted(note: str) -> Exchange:
    orders = [{"name": "Milk", "note": "To go"}, {"name": "Tea House", "note": note}]
    return get("/orders", json_body({"orders": orders}))


CREATE_BY_FORM = post("/orders", "n=5", exchange(status=303, received=(("Location", ONE),)))

#: An id that other things have, too, as that of what they belong to.
_SHOP = "0b1a6d0e-7d5c-4f0e-9a35-3f1c9d2b7a41"


def status_of(number: int) -> Exchange:
    return exchange(status=number)


SESSIONS = {
    "the object": (
        [CREATE, item()],
        ["name is Tea House | POST /orders | 1 | $.name = 'Tea House'"],
    ),
    "a number and a switch": (
        [CREATE, item(), call("PATCH", ONE, {"n": 2, "gift": True}), item(n=2, gift=True)],
        [
            "name is Tea House | POST /orders | 1 | $.name = 'Tea House'",
            "n is 2 | PATCH /orders/${order_id[1]} | 3 | $.n = 2",
            "gift is true | PATCH /orders/${order_id[1]} | 3 | $.gift = True",
            "name is still Tea House | PATCH /orders/${order_id[1]} | 3 | $.name = 'Tea House'",
        ],
    ),
    "a state": (
        [CREATE, item(state="open"), call("POST", f"{ONE}/ship", {}), item(state="sent off")],
        [
            "name is Tea House | POST /orders | 1 | $.name = 'Tea House'",
            "state is sent off | POST /orders/${order_id[1]}/ship | 3 | $.state = 'sent off'",
            "name is still Tea House | POST /orders | 3 | $.name = 'Tea House'",
        ],
    ),
    "gone by its status": (
        [CREATE, item(), call("DELETE", ONE, {}), get(ONE, json_body({}), status=404)],
        ["name is Tea House | POST /orders | 1 | $.name = 'Tea House'"],
    ),
    "by its name": (
        [items("Milk"), call("POST", "/orders", {"name": "Tea House"}), items("Milk", "Tea House")],
        ['Tea House is not yet listed | POST /orders | 0 | not $.orders[?(@.name=="Tea House")]',
         'Tea House is listed | POST /orders | 2 | $.orders[?(@.name=="Tea House")]'],
    ),
    "by the name of an item without an id": (
        [call("POST", "/orders", {"name": "Tea House"}), _noted(""),
         call("POST", "/orders/1/edit", {"note": "At the door"}), _noted("At the door")],
        ['Tea House is listed | POST /orders | 1 | $.orders[?(@.name=="Tea House")]',
         "At the door is listed with Tea House | POST /orders/1/edit | 3 | "
         '$.orders[?(@.name=="Tea House")][?(@=="At the door")]'],
    ),
    "on a page, in the row of that name": (
        [post("/orders", "name=Tea+House"), page("/orders", _noted_row("")),
         post("/orders/1/edit", "note=At+the+door"), page("/orders", _noted_row("At the door"))],
        ["Tea House is shown | POST /orders | 1 | Tea House",
         "At the door is shown with Tea House | POST /orders/1/edit | 3 | "
         "At the door in Tea House"],
    ),
    "a page": (
        [page("/orders", rows("Milk4700")), post("/orders", "name=Tea+%26+Co"),
         page("/orders", rows("Milk4700", "Tea &amp; Co4711"))],
        ["Tea & Co is not yet shown | POST /orders | 0 | not Tea & Co",
         "Tea & Co is shown | POST /orders | 2 | Tea & Co"],
    ),
    "a text that has no fields": (
        [answered("PUT", "/cal", exchange(), body=b"BEGIN:X\nSUMMARY:Tea", sent=()),
         get("/cal", exchange(received=(("Content-Type", "text/plain"),),
                              answer=b"BEGIN:X\nSUMMARY:Tea"))],
        ["BEGIN:X is there | PUT /cal | 1 | BEGIN:X",
         "SUMMARY:Tea is there | PUT /cal | 1 | SUMMARY:Tea"],
    ),
    "XML, by the id beside": (
        [soap("Add", "<name>Tea House</name>", "<r><orderId>4711</orderId></r>"),
         soap("Change", "<orderId>4711</orderId><count>3</count>", "<r/>"),
         soap("GetAll", "", "<r><o><orderId>4711</orderId><count>3</count></o>"
              "<o><orderId>9</orderId><count>3</count></o></r>")],
        ["count is 3 | POST /soap (2) | 2 | count>3< in >${orderId[1]}<"],
    ),
    "XML, by its address": (
        [listed("tea.ics", "cups.ics"), answered("DELETE", "/cal/tea.ics", exchange(), sent=()),
         listed("cups.ics")],
        [
            "tea.ics is there | DELETE /cal/tea.ics | 0 | /tea.ics<",
            "tea.ics is gone | DELETE /cal/tea.ics | 2 | not /tea.ics<",
        ],
    ),
    "a small number, in a connection of GraphQL": (
        [call("POST", "/orders", {"name": "Tea House"}, json_body({"id": 2})),
         call("PATCH", "/orders/2", {"n": 30}),
         get("/all", json_body({"allOrders": {"edges": [
             {"node": {"id": 1, "itemsByOrderId": {"nodes": [{"id": 2, "n": 30}]}}},
             {"node": {"id": 2, "name": "Tea House", "n": 30}},
         ]}}))],
        ["name is Tea House | POST /orders | 2 "
         "| $.allOrders.edges[?(@.node.id==${order_id[1]})].node.name = 'Tea House'",
         "n is 30 | PATCH /orders/${order_id[1]} | 2 "
         "| $.allOrders.edges[?(@.node.id==${order_id[1]})].node.n = 30"],
    ),
    "a file, by its name": (
        [files("tea.txt", "cups.txt"), answered("DELETE", "/files/tea.txt", exchange(), sent=()),
         files("cups.txt")],
        [
            'tea.txt is there | DELETE /files/tea.txt | 0 | $.files[?(@.name=="tea.txt")]',
            'tea.txt is gone | DELETE /files/tea.txt | 2 | not $.files[?(@.name=="tea.txt")]',
        ],
    ),
    "gone from another query": (
        [CREATE, get("/orders?all=1", json_body([{"id": 4711, "name": "Tea House"}])),
         call("DELETE", ONE, {}), get("/orders", json_body([{"id": 9, "name": "Milk"}]))],
        ["name is Tea House | POST /orders | 1 | $[?(@.id==${order_id[1]})].name = 'Tea House'",
         "the order is gone | DELETE /orders/${order_id[1]} | 3 | not $[?(@.id==${order_id[1]})]"],
    ),
    "at its address": (
        [get("/drafts/tea", json_body({"n": 2})), call("PUT", "/drafts/tea", {"n": 3}),
         get("/drafts/tea", json_body({"n": 3}))],
        ["n is 3 | PUT /drafts/tea | 2 | $.n = 3"],
    ),
    "in a list of the object": (
        [CREATE, item(tags=["hot"]), call("PATCH", ONE, {"tags": ["hot", "green"]}),
         item(tags=["hot", "green"])],
        ["name is Tea House | POST /orders | 1 | $.name = 'Tea House'",
         'green is in tags | PATCH /orders/${order_id[1]} | 3 | $.tags[?(@=="green")]',
         "tags has 2 | PATCH /orders/${order_id[1]} | 3 | $.tags[1]",
         "tags has no more than 2 | PATCH /orders/${order_id[1]} | 3 | not $.tags[2]",
         "name is still Tea House | POST /orders | 3 | $.name = 'Tea House'"],
    ),
    "markup as HTML": (
        [items("Milk"), call("PUT", ONE, {"note": "Green is **best**, black is good"}),
         get("/notes", json_body([{"html": "<p>Green is <b>best</b>, black is good</p>"}]))],
        ["black is good is shown | PUT /orders/4711 | 2 | black is good"],
    ),
    "the choice in its form": (
        [page(ONE, chosen("open", 1)), post(ONE, "state=2&n=7"), page(ONE, chosen("sent", 2))],
        ['state is sent | POST /orders/4711 | 2 | <option selected value="2">sent'],
    ),
    "the answer to a later change": (
        [post("/run", "sql=INSERT+'Tea+House',+7", html("<p>1 row")),
         post("/run", "sql=SELECT", html("<table><tr><td>Tea House<td>7</table>"))],
        ["the page marks nothing as wrong | POST /run | 0 | not matching",
         "Tea House is shown | POST /run | 1 | Tea House",
         "the page marks nothing as wrong | POST /run (2) | 1 | not matching"],
    ),
    "a number in the row of a name": (
        [page("/list", "<table><tr><td>Tea House</td><td>7</td></tr></table>"),
         post("/save", "x=Tea+House&y=30"),
         page("/list", "<table><tr><td>Tea House</td><td>30</td></tr></table>")],
        ["30 is shown with Tea House | POST /save | 2 | >30< in Tea House"],
    ),
    "only the answer to it": (
        [call("POST", "/orders", {"name": "Tea House"},
              json_body({"id": 4711, "name": "Tea House"})), get(f"{ONE}/bill")],
        ["name is Tea House | POST /orders | 0 | $.name = 'Tea House'"],
    ),
    "what is empty then": (
        [CREATE, item(note="hot", due="May"), call("PATCH", ONE, {"note": "", "due": None}),
         item(note="", due=None)],
        ["name is Tea House | POST /orders | 1 | $.name = 'Tea House'",
         "due is empty | PATCH /orders/${order_id[1]} | 3 | not $.due",
         "note is empty | PATCH /orders/${order_id[1]} | 3 | $.note = ''",
         "name is still Tea House | POST /orders | 3 | $.name = 'Tea House'"],
    ),
    "a list where the object was asked for": (
        [get(ONE, json_body([{"id": 4711, "n": 1}])), call("PUT", ONE, {"note": "", "n": 3}),
         get(ONE, json_body({"note": "", "n": 3}))],
        ["n is 3 | PUT /orders/4711 | 2 | $.n = 3"],
    ),
    "a field of a form that is empty then": (
        [page(ONE, typed("hot")), post(ONE, "note=&n=7"), page(ONE, typed(""))],
        ['note is empty | POST /orders/4711 | 2 | <input name="note" value="">'],
    ),
    "a list of texts": (
        [get("/all", json_body({"members": ["a@b.org"]})),
         call("POST", "/join", {"email": "kim@b.org"}),
         get("/all", json_body({"members": ["a@b.org", "kim@b.org"]}))],
        ['kim@b.org is not yet in members | POST /join | 0 | not $.members[?(@=="kim@b.org")]',
         'kim@b.org is in members | POST /join | 2 | $.members[?(@=="kim@b.org")]'],
    ),
    "a word in its row": (
        [page("/orders", state("4711", "open") + state("9", "sent")), CREATE_BY_FORM,
         page("/orders", state("4711", "open") + state("9", "sent")), post(f"{ONE}/ship", ""),
         page("/orders", state("4711", "under way") + state("9", "sent"))],
        ['the order is listed | POST /orders | 2 | /orders/${order_id[1]}"',
         "the page marks nothing as wrong | POST /orders | 2 | not matching",
         'open is shown with the order | POST /orders | 2 | >open< in /orders/${order_id[1]}"',
         'under way is shown with the order | POST /orders/${order_id[1]}/ship | 4 '
         '| >under way< in /orders/${order_id[1]}"'],
    ),
    "a short word in its row": (
        [page("/orders", state("4711", "new") + state("9", "sent")),
         page(ONE, '<form action="/orders/4711" method="post"><input name="state">'),
         post(ONE, "state=done"),
         page("/orders", state("4711", "done") + state("9", "sent"))],
        ["done is shown with the order | POST /orders/4711 | 3 | >done< in /orders/4711\""],
    ),
    "a short text alone in an item of a list": (
        [page("/list", table(["Kim", "Green tea"])), post("/bills", "what=Milk&amount=3"),
         page("/list", table(["Kim", "Green tea"], ["Kim", "Milk"]))],
        ["Milk is shown | POST /bills | 2 | >Milk<"],
    ),
    "who pays, of several texts of a row": (
        [post("/people", "name=Max"), page("/", "<b>Max</b>"),
         page("/list", table(["Cups and pots", "Lou", "60.00"], ["Sugar", "Kim", "3.00"])),
         post("/bills/change", "title=Cups+and+pots&payer=3&amount=66"),
         page("/list", table(["Cups and pots", "Max", "66.00"], ["Sugar", "Kim", "3.00"]))],
        ["Max is shown | POST /people | 1 | Max",
         "Max is shown with Cups and pots | POST /bills/change | 4 | "
         ">Max< in >Cups and pots<"],
    ),
    "a file, by its size in the list of its folder": (
        [folder(("/tea/green.txt", 9)), put_file("/tea/cups.txt", "2 cups"),
         put_file("/tea/cups.txt", "10 cups"), put_file("/tea/spoons.txt", "4 spoons"),
         folder(("/tea/green.txt", 9), ("/tea/cups.txt", 7), ("/tea/spoons.txt", 8)),
         call("DELETE", "/tea/spoons.txt", {}),
         folder(("/tea/green.txt", 9), ("/tea/cups.txt", 7))],
        ["size is 7 of cups.txt | PUT /tea/cups.txt (2) | 4 | size>7< in >/tea/cups.txt<",
         "size is 8 of spoons.txt | PUT /tea/spoons.txt | 4 | size>8< in >/tea/spoons.txt<",
         "spoons.txt is there | DELETE /tea/spoons.txt | 4 | /spoons.txt<",
         "spoons.txt is gone | DELETE /tea/spoons.txt | 6 | not /spoons.txt<"],
    ),
    "what is left out of a document that is sent back": (
        [get("/cups", json_body(PACKAGE)),
         call("PUT", "/cups/-rev/x", {**PACKAGE, "versions": {"1.0": {"of": "tea"}}}),
         get("/cups", json_body({**PACKAGE, "versions": {"1.0": {"of": "tea"}}}))],
        ["1.1 is there | PUT /cups/-rev/x | 0 | $.versions['1.1']",
         "1.1 is gone | PUT /cups/-rev/x | 2 | not $.versions['1.1']"],
    ),
    "a value that was put under a key": (
        [get("/cups", json_body(PACKAGE)),
         answered("PUT", "/cups/tags/next", exchange(), body=b'"1.1"', sent=AS_JSON),
         get("/cups", json_body({**PACKAGE, "tags": {"stable": "1.0", "next": "1.1"}}))],
        ["next is 1.1 | PUT /cups/tags/next | 2 | $.tags.next = '1.1'"],
    ),
    "what a list of it has more, whatever that is called there": (
        [CREATE, item(lines=[]), call("PATCH", ONE, {"lines": {"create": [{"of": "tea"}]}}),
         item(lines=[31])],
        ["name is Tea House | POST /orders | 1 | $.name = 'Tea House'",
         "lines has 1 | PATCH /orders/${order_id[1]} | 3 | $.lines[0]",
         "name is still Tea House | POST /orders | 3 | $.name = 'Tea House'"],
    ),
    "not what another query does not show": (
        [post("/orders", "name=Tea+House"), post("/orders", "name=Cups+Ltd"),
         query("all", ["Tea House", "9"], ["Cups Ltd", "8"]),
         post("/save", "remark=Tea+House&y=12"), query("cups", ["Cups Ltd", "8"]),
         query("all", ["Tea House", "12"], ["Cups Ltd", "8"])],
        ["Tea House is shown | POST /orders | 2 | Tea House",
         "Cups Ltd is shown | POST /orders (2) | 2 | Cups Ltd",
         "12 is shown with Tea House | POST /save | 5 | >12< in Tea House",
         "12 is shown with Tea House | POST /save | 5 | >12< in >Tea House<"],
    ),
    "beside what is in doubt, what is not": (
        [post("/orders", "name=Tea+House"), page("/box", "<b>Tea House</b>"),
         page("/list", table(["Tea House", "9"], ["Cups Ltd", "8"], ["Pots", "3"])),
         post("/save", "remark=Tea+House&y=12"), page("/box", "<b>None</b>"),
         page("/list", table(["Tea House", "12"], ["Cups Ltd", "8"], ["Pots", "3"]))],
        ["Tea House is shown | POST /orders | 1 | Tea House",
         "Tea House is gone | POST /save | 4 | not Tea House",
         "what is shown is other than before | POST /save | 4 | matching",
         "12 is shown with Tea House | POST /save | 5 | >12< in Tea House",
         "12 is shown with Tea House | POST /save | 5 | >12< in >Tea House<"],
    ),
    "a file that was in no list": (
        [put_file("/tea/spoons.txt", "4 spoons"), call("DELETE", "/tea/spoons.txt", {}),
         folder(("/tea/green.txt", 9))],
        ["spoons.txt is gone | DELETE /tea/spoons.txt | 2 | not >/tea/spoons.txt<"],
    ),
    "a file, by its size in JSON": (
        [put_file("/tea/cups.txt", "10 cups"),
         get("/tea", json_body([{"name": "cups.txt", "size": 7}, {"name": "b.txt", "size": 7}]))],
        ["size is 7 of cups.txt | PUT /tea/cups.txt | 1 | $[?(@.name==\"cups.txt\")].size = 7"],
    ),
    "a row by a name in brackets": (
        [page("/?list", "Milk"), post("/?edit", "title=Milk+jugs&where%5Bid%5D=7"),
         page("/?list", '<table><tr><td><a href="/?edit=x&amp;where%5Bid%5D=7">Milk jugs</table>')],
        ["Milk jugs is shown | POST / | 2 | Milk jugs in /?edit=x&amp;where%5Bid%5D=7\""],
    ),
    "not by what another change says of itself": (
        [CREATE, item(gift=False), call("PATCH", ONE, {"x": 17}),
         call("PATCH", ONE, {"gift": True}, json_body({"id": 4711, "gift": True})),
         item(gift=True)],
        ["name is Tea House | POST /orders | 1 | $.name = 'Tea House'",
         "gift is true | PATCH /orders/${order_id[1]} (2) | 4 | $.gift = True",
         "name is still Tea House | POST /orders | 4 | $.name = 'Tea House'"],
    ),
    "how it went": (
        [call("POST", "/run", {"ids": [8, 9, 10]},
              json_body({"changed": 3, "done": True, "cached": True, "errors": []}))],
        ["changed says that it went well | POST /run | 0 | $.changed = 3",
         "done says that it went well | POST /run | 0 | $.done = True",
         "errors[0] says that it went well | POST /run | 0 | not $.errors[0]",
         "no field tells of an error | POST /run | 0 | not matching"],
    ),
    "how it went, in a page": (
        [page("/orders", ""), post("/run", "n=7", html('<p class="alert-success">Tea</p>'))],
        ['the page says that it went well | POST /run | 1 | class="alert-success"',
         "the page marks nothing as wrong | POST /run | 1 | not matching"],
    ),
    "how it went, in a message": (
        [page("/orders", ""), post("/run", "n=7", html("<p>OK - 1 row</p>")),
         post("/run", "n=8", html("<p>OK - 2 rows</p>"))],
        ["the message says that it went well | POST /run | 1 | >OK - ",
         "the page marks nothing as wrong | POST /run | 1 | not matching",
         "the message says that it went well | POST /run (2) | 2 | >OK - ",
         "the page marks nothing as wrong | POST /run (2) | 2 | not matching"],
    ),
}  # fmt: skip

NOTHING = {
    "secrets": [
        call("POST", "/pin", {"pin": "Tea House"}), get("/", json_body({"pin": "Tea House"})),
    ],
    "what was there before": [
        items("Tea House"), call("POST", "/orders", {"name": "Tea House"}), items("Tea House"),
    ],
    "further pages": [
        items("Milk", next=2), call("POST", "/orders", {"name": "Tea House"}),
        items("Milk", "Tea House", next=2),
    ],
    "the kind of many": [
        call("POST", "/orders", {"category": "garden tools"}),
        get("/orders", json_body([{"category": "garden tools"}, {"category": "garden tools"}])),
    ],
    "what two have in common": [
        call("POST", f"/shops/{_SHOP}/orders", {"size": 5}, status_of(204)),
        call("POST", f"/shops/{_SHOP}/orders", {"size": 3}, status_of(204)),
        get("/orders", json_body([{"id": 8, "shop": _SHOP, "size": 5},
                                  {"id": 7, "shop": _SHOP, "size": 3}])),
    ],
    "under a key that is an id": [
        call("POST", ONE, {"may": {"read": True, "who": "team"}}, status_of(204)),
        get(ONE, json_body({"acl": {"hVJts3bFue": {"read": True, "who": "team"}}})),
    ],
    "of what it belongs to": [
        get("/users/7", json_body({"id": 7, "shop_id": _SHOP, "name": "kim"})),
        call("PUT", f"/shops/{_SHOP}/users/7", {}, status_of(204)),
        get("/users", json_body([{"id": 8, "shop_id": _SHOP, "name": "lou"}])),
    ],
    "a search": [
        call("POST", "/api/search", {"name": "Tea House"}),
        get("/orders", json_body([{"name": "Tea House"}])),
    ],
    "an echo without an id": [
        call("POST", "/rpc", {"name": "Tea House"}, json_body({"name": "Tea House"})),
    ],
    "the answer to another change": [
        call("POST", "/orders", {"name": "Tea House"}),
        call("POST", "/names", {"name": "Tea House"}, json_body([{"name": "Tea House"}])),
    ],
    "a time that goes by": [
        page("/orders", state("4711", "just now")), post(f"{ONE}/ship", ""),
        page("/orders", state("4711", "a moment ago")),
    ],
    "an attribute of what it has made": [
        call("POST", "/visits", {"n": 5}, json_body({"visible": True, "first": 1})),
    ],
    "whether what is put was there": [
        call("PUT", "/drafts/tea", {"n": 7}, json_body({"result": "created", "inserted": 1})),
    ],
    "what the address itself asks for": [
        call("POST", "/orders", {"customer": "Tea House"}),
        get("/prices?customer=Tea+House", json_body({"customer": "Tea House", "total": 5})),
    ],
    "a short text by chance": [post("/", "mode=ab"), page("/", "<p>ab</p>")],
}  # fmt: skip


@pytest.mark.parametrize("name", SESSIONS)
def test_outcomes(name: str) -> None:
    """What the recording shows of a change after it, and not before, is asserted."""
    exchanges, expected = SESSIONS[name]
    assert texts(*exchanges) == expected


@pytest.mark.parametrize("name", NOTHING)
def test_no_outcomes(name: str) -> None:
    """What may have come from elsewhere proves nothing."""
    assert texts(*NOTHING[name]) == []


def test_the_change_that_was_last() -> None:
    """Of two changes that say the same, the second is what shows."""
    again = call("POST", "/more", {"title": "Tea House"})
    listed = get("/titles", json_body([{"title": "Tea House"}]))
    (only,) = texts(call("POST", "/orders", {"name": "Tea House"}), again, listed)
    assert "| POST /more |" in only


def test_configured_again() -> None:
    """The same outcomes, not twice as many; a validator of a person stays."""
    exchanges = (CREATE, item())
    once = run(*exchanges).case
    assert configure(once, exchanges).case == once
    assert configure(once, ()).case == once
    own = TextValidator("Tea")
    first, second = once.transactions()
    pages = (replace(once.pages[0], transactions=(replace(first, validators=(own,)), second)),)
    with_own = replace(once, pages=pages)
    assert configure(with_own, exchanges).case == with_own


def test_decisions() -> None:
    """Each outcome is explained, and what nothing shows: once for all that are alike."""
    exchanges = (CREATE, item(), *(call("PUT", f"/track/{n}", {"to": "Page"}) for n in (1, 2)))
    shown, silent = [one for one in run(*exchanges).decisions if "outcome" in one.rule]
    assert shown.rule == OUTCOME
    assert (shown.value, shown.producer) == ("name is Tea House", "1 POST /orders")
    assert shown.consumers == ("2 GET /orders/${order_id[1]}",)
    assert silent.value == "3 PUT /track/1 and 1 more like it"


def test_ignored() -> None:
    """Of one change, or of all; they do not come back."""
    exchanges = (CREATE, item())
    case = without_outcome(run(*exchanges).case, exchanges, "1 POST /orders")
    assert case.asm.ignore == ("POST /orders: outcome",)
    assert not any(one.validators for one in configure(case, exchanges).case.transactions())
    bare = case_of(*exchanges)
    none = replace(bare, asm=replace(bare.asm, ignore=("outcome",)))
    assert not any(one.validators for one in configure(none, exchanges).case.transactions())


@pytest.mark.parametrize(
    ("shown", "alone"),
    [
        (page("/orders", "<p>Tea House</p>"), True),
        (items("Tea House"), True),
        (item(), False),
        (page(f"{ONE}/edit", "<p>Tea House</p>"), False),
    ],
)
def test_a_text_alone_may_be_that_of_an_earlier_run(shown: Exchange, alone: bool) -> None:
    """On a server that was used it may be there: the decision says so, and what helps."""
    create = call("POST", "/orders", {"name": "Tea House"}, json_body({"id": 4711}))
    made = run(create, shown).decisions
    reason = next(one.reason for one in made if one.rule == OUTCOME)
    assert ("`unique Tea House` makes it each run's own" in reason) == alone


@pytest.mark.parametrize(("path", "told"), [("/login", False), ("/register", True)])
def test_who_logs_in_has_no_other_name(path: str, told: bool) -> None:
    """Who registers may take one that is each run's own."""
    sent = {"username": "Zoe Miller", "password": "kept to herself"}
    reasons = [
        one.reason
        for one in run(call("POST", path, sent), page("/", "<p>Zoe Miller</p>")).decisions
        if one.rule == OUTCOME
    ]
    assert len(reasons) == 1
    assert ("`unique Zoe Miller`" in reasons[0]) == told


@pytest.mark.parametrize(
    ("earlier", "told"),
    [
        ([items("Milk")], True),  # a name
        ([items("Tea House")], False),  # it was there already: what is listed is no proof
        ([page("/orders", "Milk")], True),
        ([get("/others", json_body([]))], False),  # another list
        ([], False),
    ],
)
def test_what_was_not_yet_so_is_looked_for_before(earlier: list[Exchange], told: bool) -> None:
    """Where the same request showed before the change that its name was not there, a replay looks
    whether that is so; the decision says it."""
    create = call("POST", "/orders", {"name": "Tea House"})
    made = run(*earlier, create, items("Milk", "Tea House"))
    before = [
        one.outcome.name
        for transaction in made.case.transactions()
        for one in transaction.validators
        if one.outcome is not None and one.outcome.before
    ]
    assert before == ["Tea House is not yet listed"] * told
    reasons = " ".join(one.reason for one in made.decisions)
    assert ('"1 GET /orders" is before it: a replay says so if it is there' in reasons) == told


@pytest.mark.parametrize(
    ("about", "told"),
    [
        ("id=tea", True),
        ("id=milk", False),  # the page of something else, or of many
        ("", False),
    ],
)
def test_a_text_on_the_page_of_the_thing_is_looked_for_before(about: str, told: bool) -> None:
    """A text that is no name may be that of many; but not where only the thing itself is shown."""
    read = f"/wiki?{about}".rstrip("?")
    made = run(
        page(read, "Nothing yet"),
        post("/wiki?id=tea&do=edit", "note=Green+and+black", exchange(status=302)),
        page(read, "<p>Green and black</p>"),
    )
    first = next(iter(made.case.transactions()))
    assert [one.outcome.name for one in first.validators if one.outcome] == [
        "Green and black is not yet shown"
    ] * told


def test_a_moment_proves_nothing() -> None:
    """A server may have put its own in the place of the client's, within the same millisecond."""
    made = call("POST", "/orders", {"since": "1970-01-01T00:00:00.005Z"}, CREATED)
    shown = get(ONE, json_body({"id": 4711, "since": "1970-01-01T00:00:00.005Z"}))
    assert not [one for one in texts(made, shown) if "since" in one]


def test_a_text_that_is_written_twice_is_not_expected_once() -> None:
    """Also where one of the places writes it with references, within more text."""
    stored = "<pre>VALUES (&#039;Tea &amp; Co&#039;)</pre><p>Tea &amp; Co</p>"
    for shown, once in ((stored, False), ("<p>Tea &amp; Co</p>", True)):
        exchanges = (post("/orders", "name=Tea+%26+Co"), page("/orders", shown))
        unique = make_unique(run(*exchanges).case, "Tea & Co")
        assert unique is not None
        made = configure(unique.case, exchanges).case
        says = [one.outcome.name for each in made.transactions() for one in each.validators
                if one.outcome]  # fmt: skip
        assert ("Tea & Co is not shown twice" in says) == once


@pytest.mark.parametrize(
    ("read", "sent", "told"),
    [
        ([{"id": 1}], [{"id": 1}, {"id": 2}], True),
        ([{"id": 1}, {"id": 2}], [{"id": 1}], True),
        ([{"id": 1}, {"id": 2}, {"id": 3}], [{"id": 1}], False),  # one that was picked
        ([{"id": 1}], [{"id": 7}], False),
        ([], [{"id": 1}], False),
        (["a"], ["a", "b"], False),
    ],
)
def test_a_whole_list_that_is_sent_back(read: list[object], sent: list[object], told: bool) -> None:
    """Others' items would be lost: a replay is red where there are more than were recorded."""
    made = run(
        get("/flows?_=1795554879767", json_body({"flows": read, "rev": "1-a"})),
        call("PUT", "/flows", {"flows": sent, "rev": "1-a"}),
    )
    first = next(iter(made.case.transactions()))
    says = f"flows has no more than {len(read)}"
    wanted = [Outcome(says, "PUT /flows", before=True, needed=True)]
    before = [one.outcome for one in first.validators]
    assert before == wanted * told
    assert any("sends back" in one.reason for one in made.decisions) == told


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"folders": [{"id": 1}]}, True),
        ({"folders": []}, True),
        ({"folders": [{"id": 1}], "gui": {"theme": "dark"}, "options": {}}, False),  # all is new
        ({"folders": [{"id": 1}], "more": 1}, False),
    ],
)
def test_a_whole_document_that_is_sent_back(changed: dict[str, object], told: bool) -> None:
    """What others have added to a list that was empty would be lost, too."""
    read = {"version": 35, "folders": [], "gui": {"theme": "light"}, "options": {"port": 1}}
    made = run(get("/config", json_body(read)), call("PUT", "/config", {**read, **changed}))
    first = next(iter(made.case.transactions()))
    wanted = [Outcome("folders has no more than 0", "PUT /config", before=True, needed=True)]
    assert [one.outcome for one in first.validators] == wanted * told


@pytest.mark.parametrize(
    ("read", "sent", "told"),
    [
        ("a b\nc d\ne f\n", "a b\nc d!\ne f\n", True),
        ("a b\nc d", "a b\nc d\nmore", True),
        ("a b\nc d\ne f", "all\nis new", False),
        ("a b\nc d\ne f", "a b\nis\nnew", False),
        ("", "a b\nc d", False),
    ],
)
def test_a_whole_text_that_is_sent_back(read: str, sent: str, told: bool) -> None:
    """Others' lines would be lost: a replay is red where there are more than were recorded."""
    form = "<form method=post><textarea id=x name='text' rows=9>\n{}</textarea></form>"
    body = urlencode({"text": sent.replace("\n", "\r\n"), "token": "1"})
    made = run(page("/edit/book", form.format(read)), post("/edit/book", body))
    (first, _) = made.case.transactions()
    says = f"text has no more than {len(read.splitlines())} lines"
    wanted = [Outcome(says, "POST /edit/book", before=True, needed=True)]
    assert [one.outcome for one in first.validators] == wanted * told
    for check in first.validators:
        assert isinstance(check, RegexValidator)
        assert not re.search(check.pattern, form.format(read))
        assert re.search(check.pattern, form.format(f"{read.rstrip()}\n\nof others"))


def test_controls_and_rows_follow_what_is_unique() -> None:
    """A user with another name is asked for that one."""
    typed = '<form action="/orders/4711" method=post><input name="title" value="{}"></form>'
    listed_rows = "<table><tr><td>Tea House</td><td>{}</td></tr></table>"
    case = run(
        page(ONE, typed.format("")),
        page("/list", listed_rows.format(7)),
        post(ONE, "title=Tea+House&n=30"),
        page(ONE, typed.format("Tea House")),
        post("/save", "title=Tea+House&n=31"),
        page("/list", listed_rows.format(31)),
    ).case
    unique = make_unique(case, "Tea House")
    assert unique is not None
    found = [
        f"{one.text} in {one.row}"
        for transaction in unique.case.transactions()
        for one in transaction.validators
        if isinstance(one, TextValidator)
    ]
    assert found == [
        '<input name="title" value="${title[1]}"> in ',
        ">31< in ${title[1]}",
    ]


def test_a_text_beside_a_name_of_its_own() -> None:
    """What is listed with a name that is each run's own is not looked for before: no earlier run
    has left that."""
    contexts = [{"name": "Milk house", "description": "Old"}]
    sent = {"name": "Tea House", "description": "Where it is"}
    exchanges = (
        get("/contexts", json_body(contexts)),
        call("POST", "/contexts", sent),
        get("/contexts", json_body([*contexts, sent])),
    )
    unique = make_unique(run(*exchanges).case, "Tea House")
    assert unique is not None
    first, _, last = asserted_anew(unique.case, exchanges).case.transactions()
    assert [one for one in first.validators if one.outcome is not None] == []
    says = [one.outcome.name for one in last.validators if one.outcome is not None]
    assert says == ["Tea House is listed", "Where it is is listed", "Tea House is not listed twice"]


def test_a_row_with_an_address_follows_what_is_unique() -> None:
    """The form of a row goes to an address in which each user has a name of its own."""
    shown = '<table><tr><td>{}<form action="/tea-club/people/4711/edit"></form></td></tr></table>'
    exchanges = (
        post("/create", "id=tea-club"),
        page("/tea-club/", shown.format("Lou")),
        post("/tea-club/people/4711/edit", "name=Lou+the+second"),
        page("/tea-club/", shown.format("Lou the second")),
    )
    unique = make_unique(run(*exchanges).case, "tea-club")
    assert unique is not None
    (*_, last) = asserted_anew(unique.case, exchanges).case.transactions()
    rows_of = [one.row for one in last.validators if isinstance(one, TextValidator) and one.row]
    assert rows_of
    assert all(one.startswith("/${id[1]}/people/") for one in rows_of)


def test_pages_side_by_side() -> None:
    """What was shown before a change proves nothing when the test case asks for it afterwards."""
    exchanges = [
        get(ONE, json_body({"id": 4711})),
        call("PUT", ONE, {"note": "Green"}),
        get(f"{ONE}/notes", json_body({"note": "Green"})),
        call("PUT", ONE, {"note": "Black"}),
    ]
    first, put, read, changed = case_of(*exchanges).pages[0].transactions
    for order, shown in (((first, put, read, changed), 1), ((first, put, changed, read), 0)):
        case = case_of(*exchanges)
        case = replace(case, pages=(replace(case.pages[0], transactions=order),))
        found = configure(case, exchanges).case.transactions()
        assert sum(len(one.validators) for one in found) == shown


PAY = post("/orders/4711/pay", "how=cash")
LISTED = page("/", rows("Tea House4711", "Cups4712"))


@pytest.mark.parametrize(
    ("between", "shown", "gone"),
    [
        ([], rows("Cups4712"), True),
        ([], "<p>Tea House, Cups</p>", False),
        ([page("/drop?order=4711&token=zs8Kq2Vx71", "")], rows("Cups4712"), False),
    ],
    ids=["a row of several", "all that links, as of who has signed out", "by a link with a token"],
)
def test_gone(between: list[Exchange], shown: str, gone: bool) -> None:
    """What is not there any more is the doing of a change only if nothing else explains it."""
    found = texts(LISTED, PAY, *between, page("/", shown))
    assert any("the order is gone" in one for one in found) is gone


def test_a_number_in_an_attribute_is_no_row() -> None:
    """`1` stands in attributes of anything."""
    row = '<table><tr data-at="1"><td>Plan of the house</td></tr></table>'
    sent = post("/uploads?attachment_id=1", "text=Plan of the house")
    found = texts(page("/", ""), sent, page("/", row))
    assert found == [
        "Plan of the house is not yet shown | POST /uploads | 0 | not Plan of the house",
        "Plan of the house is shown | POST /uploads | 2 | Plan of the house",
    ]


@pytest.mark.parametrize(
    ("markup", "in_form", "in_message"),
    [
        ('<p class="alert alert-danger">', True, True),
        ('<p class="flash-error">', True, True),
        ('<li class="message error">', True, True),
        ('<div role="alert"> No', True, True),
        ('<div role="alert"></div>', False, False),
        ('<td class="status error">', True, False),
        ('<a class="btn btn-danger">', True, False),
        ('<p class="terror">', False, False),
    ],
)
def test_how_pages_say_that_something_is_wrong(
    markup: str, in_form: bool, in_message: bool
) -> None:
    """A page that a change leads to may list what is in error for other reasons."""
    assert bool(re.search(WRONG, markup)) is in_form
    assert bool(re.search(FLASHED_WRONG, markup)) is in_message


@pytest.mark.parametrize("opened", [True, False], ids=["has an id", "has a name"])
@pytest.mark.parametrize("done", [True, False])
@pytest.mark.parametrize("space", ["", "\n  "])
def test_a_command_of_a_row(opened: bool, done: bool, space: str) -> None:
    """Its row is gone: known by the id of one's own in it, or by a name that is each run's own, be
    there space around it."""

    def grid(*names: str) -> str:
        rows = (
            f"<tr><td>{space}{name}{space}</td>"
            f'<td><a href="/order?id={4709 + len(name)}">Open</a></td>'
            f"<td><a href=\"javascript:go('Grid','Delete${at}')\">x</a></td></tr>"
            for at, name in enumerate(names)
        )
        return f"<!doctype html><table>{''.join(rows)}</table>"

    after = ("Salt", "Milk") if done else ("Salt", "Green tea", "Milk")
    exchanges = (
        page("/list", grid("Salt", "Milk")),
        post("/new", "title=Green+tea", status=302, received=(("Location", "/order?id=4718"),)),
        *((page("/order?id=4718", "<h1>Green tea</h1>"),) * opened),
        page("/list", grid("Salt", "Green tea", "Milk")),
        post("/list", "target=Grid&argument=Delete%241", html(grid(*after))),
    )
    unique = make_unique(run(*exchanges).case, "Green tea")
    assert unique is not None
    checks = list(asserted_anew(unique.case, exchanges).case.transactions())[-1].validators
    found = [one.text for one in checks if isinstance(one, TextValidator) and one.absent]
    name = f">{space}${{title[1]}}{space}<"
    assert found == ['/order?id=${id[1]}"' if opened else name] * done


def test_a_row_below_another_of_ones_own() -> None:
    """The address that it is known by has both ids of each run."""
    row = '<tr><td><a href="/orders/{}/items/{}">Item</a></td></tr>'
    made = run(
        call("POST", "/orders", {"n": 1}, json_body({"id": 4711})),
        call("POST", "/orders/4711/items", {"n": 1}, json_body({"id": 5812})),
        page("/list", f"<table>{row.format(4709, 5810)}{row.format(4711, 5812)}</table>"),
        get("/orders/4711/items/5812"),
    )
    listed = list(made.case.transactions())[2]
    assert [one.text for one in listed.validators if isinstance(one, TextValidator)] == [
        '/orders/${order_id[1]}/items/${item_id[1]}"'
    ]


@pytest.mark.parametrize("key", ["type", "className", "__typename", "kind"])
def test_a_type_is_no_name(key: str) -> None:
    """That a thing of the type is listed already is nothing to tell: there may be many."""
    sent = call("POST", "/orders", {key: "text/x-wiki"})
    shown = get("/orders", json_body({"orders": [{"id": 1, key: "text/x-wiki"}]}))
    made = run(items("Milk"), sent, shown).case
    validators = [one for each in made.transactions() for one in each.validators]
    assert [one.outcome.before for one in validators if one.outcome] == [False]


def test_an_anchor_is_known_without_its_page() -> None:
    """The page that a comment is on may have another address now: ``/kinds-of-tea-2/``."""
    comment = Resource("4711", "${comment_ID[1]}", "comment")
    link = '<a href="http://shop.test/kinds-of-tea/#comment-4711">'
    assert list(attributes_with(link, comment)) == [
        ('#comment-${comment_ID[1]}"', '#comment-4711"')
    ]


def test_when_another_was_changed_last_is_no_state() -> None:
    """A server gives another time out the next day, to what is as it was, too."""

    def listed(state: str, at: str) -> Exchange:
        other = {"id": 4712, "state": "open", "at": "2026-11-28T01:48:53Z"}
        return get("/orders", json_body([{"id": 4711, "state": state, "at": at}, other]))

    found = texts(
        CREATE,
        call("POST", "/orders", {"name": "Cup"}, json_body({"id": 4712})),
        listed("open", "2026-11-28T01:48:52Z"),
        call("POST", f"{ONE}/ship", {}, status_of(204)),
        listed("sent", "2026-11-28T01:48:54Z"),
        get("/orders/4712", json_body({"id": 4712})),
    )
    assert [one.partition(" | ")[0] for one in found if "other" in one] == [
        "state of the other order is still open"
    ]


def test_what_a_form_came_with_is_not_set_by_the_change() -> None:
    """The minute of a comment, which its form came with, is no outcome where another form of the
    order has that minute; what was written is."""

    def form(minute: int, note: str) -> str:
        return f'<form><input name="mn" value="{minute}"><input name="note" value="{note}"></form>'

    session = (
        page("/orders/edit?order_id=4711", form(17, "")),
        page("/comments/4712", form(12, "Hi")),
        post("/comments/4712", "order_id=4711&mn=12&note=For+Ann"),
        page("/orders/edit?order_id=4711", form(12, "For Ann")),
    )
    assert [one.partition(" |")[0] for one in texts(*session)] == ["note is For Ann"]


def test_a_change_makes_nothing_that_it_names() -> None:
    """The id of the order in the row of what was written about it is no new thing: that its form
    has a minute is no outcome."""
    form = '<form><input name="mn" value="12"><p>Orders</p></form>'
    row = '<li>For Ann, and soon<button data-order-id="4711">Reply</button></li>'
    session = (
        page("/orders/4711", f'{form}<a href="/orders/list?ids=4711">List</a>'),
        post("/comments/save", "order_id=4711&mn=12&note=For+Ann%2C+and+soon"),
        page("/comments", f"<ul><li>Hi<button data-order-id='9'>Reply</button></li>{row}</ul>"),
        page("/orders/list?ids=4711", form),
    )
    assert not any(one.startswith("mn is") for one in texts(*session))


def test_an_id_behind_a_number_of_something_else() -> None:
    """It is known by what is between the two; without a word there, it may be anything."""
    release = Resource("2", "${release_id[1]}", "release")
    found = attributes_with('<a href="/page/3/2/"><a href="/page/3/ends?release=2&x">', release)
    assert [template for template, _ in found] == ["/ends?release=${release_id[1]}&"]


@pytest.mark.parametrize("done", [True, False])
def test_an_option_that_is_chosen_no_more(done: bool) -> None:
    """Of a list in which several can be chosen, the form offers one unchosen since the change."""

    def form(*chosen: str) -> str:
        options = "".join(
            f'<option {"selected " * (one in chosen)}value="{at}">{one}</option>'
            for at, one in enumerate(("organic", "fragile", "on offer"))
        )
        fields = f'<input name="name" value="Tea"><select multiple name="tags">{options}</select>'
        return f"<form method=post>{fields}</form>"

    found = texts(
        page("/items/4711/edit", form("organic", "on offer")),
        post("/items/4711/edit", "name=Tea&tags=0"),
        page("/items/4711/edit", form("organic", *["on offer"] * (not done))),
    )
    assert any(one.startswith("tags on offer is not chosen") for one in found) is done


@pytest.mark.parametrize("listed", [True, False])
def test_a_message_is_no_other_answer(listed: bool) -> None:
    """What a page says itself makes it another one than before, whatever was done; a list that is
    another one proves it once there is no message any more."""

    def shown(note: str, message: str = "") -> str:
        said = f'<div class="alert alert-info"><button>x</button>{message}</div>' * bool(message)
        return f"<!doctype html>{said}<ul><li>Milk{note}</li></ul>"

    found = texts(
        page("/list", shown(" (cold)")),
        post("/edit", "size=7", html(shown(" (cold)", "It was made."))),
        page("/list", shown(" (cold)", "It was saved.")),
        page("/list", shown(" (warm)" if listed else " (cold)")),
    )
    assert any("other than before" in one for one in found) is listed


def test_what_a_call_has_not_asked_for_again() -> None:
    """Is not gone: another call of the method was about it."""
    made = rpc("order.create", [[{"name": "Cups"}, {"name": "Pots"}]], [7101, 7102])
    both, one = [{"id": 7101, "n": 1}, {"id": 7102, "n": 1}], [{"id": 7101, "n": 1}]
    told = texts(
        made,
        rpc("order.read", [[7101, 7102]], both),
        rpc("order.write", [[7102], {"note": "hot"}], None),
        rpc("order.read", [[7101]], one),
    )
    assert not [one for one in told if "gone" in one], told


def test_messages_of_people_are_another_answer() -> None:
    """What they write to each other is what is shown."""

    def talk(*words: str) -> Exchange:
        messages = "".join(f'<div class="message">{one}</div>' for one in words)
        return page("/talk", f"<!doctype html><main>{messages}</main>")

    found = texts(talk("Milk"), post("/next", "size=7"), talk("Milk", "Tea"))
    assert any("other than before" in one for one in found)


@pytest.mark.parametrize("twice", [True, False])
def test_who_is_added_with_a_password(twice: bool) -> None:
    """It is typed twice then, and the name is the session's own afterwards: it is gone for sure."""
    found = texts(
        page("/users", table(["Anna"])),
        post("/users", "user=Kimberley&password=tea" + "&password2=tea" * twice),
        page("/users", table(["Anna"], ["Kimberley"])),
        post("/users/next", "size=7"),
        page("/users", table(["Anna"])),
    )
    assert any(one.startswith("Kimberley is gone") for one in found) is twice
