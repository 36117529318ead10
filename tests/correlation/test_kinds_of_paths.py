"""Numbers that things of several kinds have, each kind counted from 1 on: what tells whose a number
is. Judged by the state of the server, which others have used."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any
from urllib.parse import parse_qsl, urlsplit
from uuid import uuid4

import pytest

from tests.correlation.client import Client
from tests.correlation.outcomes.adversary import colour, replayed
from tests.correlation.small_servers import HTML, Answer, json_answer, recorded

#: The ends of codes, of which no two servers give out one.
_CODES = count(0x3C41A7, 0x1F35B)


@dataclass
class Panel:
    """Customers and orders behind paths that are alike: ``/admin/api/resources/Order/records/7``.

    With ``codes``, an order names its customer by number and code side by side, as it was answered,
    and is asked for by its own code. Orders have invoices, which only their list shows.
    """

    codes: bool = False
    works: bool = True
    first: int = 1
    paid: set[int] = field(default_factory=set)
    things: dict[str, dict[int, dict[str, Any]]] = field(
        default_factory=lambda: {"Customer": {}, "Label": {}, "Order": {}}
    )

    def __post_init__(self) -> None:
        for at in range(1, self.first):
            self.make("Customer", {"name": f"Old {at}", "vip": False})
            self.make("Label", {"name": f"old {at}"})
            for nth in range(3):
                self.make(
                    "Order",
                    {"title": f"Shelf {at} {nth}", "quantity": 1, "customerId": at, "labelId": at},
                )

    def make(self, kind: str, fields: Mapping[str, Any]) -> dict[str, Any]:
        """A new thing with the next number of its kind."""
        things = self.things[kind]
        id_ = max(things, default=0) + 1
        things[id_] = {"id": id_, **fields}
        if self.codes:
            things[id_]["documentId"] = f"fyb73rc1ayr4uh3y46{next(_CODES):06x}"
        return things[id_]

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        kind, way, *rest = urlsplit(target).path.split("/")[4:]
        if kind == "Invoice":
            self.paid.add(int(rest[0]) - 500)
            return json_answer({"ok": True})
        things = self.things[kind]
        if way == "actions" and method == "GET":
            listed = [self.shown(kind, one) for one in things.values()]
            return json_answer({"records": listed[::-1]})
        if way == "actions":
            sent = json.loads(body)
            if self.codes and kind == "Order":
                own = sent.pop("customer")["connect"][0]
                assert self.things["Customer"][own["id"]]["documentId"] == own["documentId"]
                sent["customerId"] = own["id"]
            return json_answer({"record": self.make(kind, sent)}, 201)
        one = next(one for one in things.values() if rest[0] in map(str, one.values()))
        if method == "POST" and self.works:
            one.update(json.loads(body))
        return json_answer({"record": one})

    def shown(self, kind: str, one: dict[str, Any]) -> dict[str, Any]:
        """A thing in its list, an order with its invoice and the name of its customer."""
        if kind != "Order":
            return one
        customer = {"name": self.things["Customer"][one["customerId"]]["name"]}
        return {**one, "invoice": {"id": 500 + one["id"]}, "customer": customer}

    def session(self, client: Client) -> None:
        """Two customers with an order each: an order is changed, and then a customer."""
        path = "/admin/api/resources/{}/actions/{}?page=1&perPage=50".format

        def made(kind: str, **fields: Any) -> dict[str, Any]:
            client.json("POST", path(kind, "new"), fields)
            found: dict[str, Any] = json.loads(client.exchanges[-1].response_body)["record"]
            client.send("GET", path(kind, "list"))
            return found

        client.send("GET", path("Customer", "list"))
        customers = [made("Customer", name=name, vip=False) for name in ("Kim Rivers", "Lou Hill")]
        labels = [made("Label", name=name) for name in ("urgent order", "later order")]
        client.send("GET", path("Order", "list"))
        orders = []
        things = zip(customers, labels, ("Green tea", "Two cups"), strict=True)
        for customer, label, title in things:
            own: dict[str, Any] = {"customerId": customer["id"], "labelId": label["id"]}
            if self.codes:
                names = {key: customer[key] for key in ("id", "documentId")}
                own = {"customer": {"connect": [names], "disconnect": []}, "labelId": label["id"]}
            orders.append(made("Order", title=title, quantity=1, **own))
        for kind, thing, change in (
            ("Order", orders[0], {"quantity": 5}),
            ("Customer", customers[0], {"vip": True}),
            ("Order", orders[1], {"quantity": 7, "labelId": labels[1]["id"]}),
        ):
            id_ = thing["documentId" if self.codes and kind == "Order" else "id"]
            record = f"/admin/api/resources/{kind}/records/{id_}"
            client.send("GET", f"{record}/edit")
            client.json("POST", f"{record}/edit", change)
            client.send("GET", f"{record}/show")
            client.send("GET", path(kind, "list"))
        invoice = f"/admin/api/resources/Invoice/records/{500 + orders[1]['id']}/pay"
        client.json("POST", invoice, {"by": "card"})

    def left(self) -> list[tuple[object, ...]]:
        """What the session has left, customers first, by their places."""
        customers = [*self.things["Customer"].values()]
        places = {one["id"]: at for at, one in enumerate(customers)}
        rows = [(one["name"], one["vip"]) for one in customers]
        orders = self.things["Order"].values()
        own = [
            (
                *(one["title"], one["quantity"], customers[places[one["customerId"]]]["name"]),
                *(self.things["Label"][one["labelId"]]["name"], one["id"] in self.paid),
            )
            for one in orders
        ]
        return [*rows[self.first - 1 :], *own[3 * (self.first - 1) :]]


_LEFT = [
    *(("Kim Rivers", True), ("Lou Hill", False)),
    *(
        ("Green tea", 5, "Kim Rivers", "urgent order", False),
        ("Two cups", 7, "Lou Hill", "later order", True),
    ),
]


@pytest.mark.parametrize("codes", [False, True])
def test_whose_number_it_is(codes: bool) -> None:
    """What is before ``records`` and ``actions`` is what they are of; a number beside a code is of
    what has both; ``page=1`` asks for nothing that has the number 1; and no order is found by the
    number of a customer."""
    office = Panel(codes)
    case = recorded(office, office.session)
    for first in (1, 4):
        used = Panel(codes, first=first)
        assert colour(replayed(case, used)) == "GREEN"
        assert used.left() == _LEFT
        others = [*used.things["Customer"].values()][: first - 1]
        assert not any(one["vip"] for one in others)
    assert colour(replayed(case, Panel(codes, works=False))) == "red"


def test_what_a_thing_has_is_no_id() -> None:
    """Who makes a project is led to the list of its checks, to which the form there adds."""
    checks: dict[str, list[str]] = {}

    class Projects:
        def answer(self, method: str, target: str, body: str) -> Answer:
            code, kind = ("", "", *target.split("/"))[-3:-1]
            if method == "GET":
                code = target.split("/")[2] if "/checks/" in target else ""
                shown = "".join(f"<li>{one}</li>" for one in checks.get(code, ()))
                return 200, HTML, f"<html><title>x</title><form method=post></form>{shown}</html>"
            name = dict(parse_qsl(body))["name"]
            if kind == "projects":
                code = str(uuid4())
                checks[code] = []
            else:
                checks[code].append(name)
            return 302, {"Location": f"/projects/{code}/checks/"}, ""

    def session(client: Client) -> None:
        page = client.open("/")
        page = client.submit(page, {"name": "Tea house"}, action="/projects/add")
        client.submit(page, {"name": "Boil water"}, action=f"{client.page}add")

    case = recorded(Projects(), session)
    targets = [one.request.target for one in case.transactions() if one.request.method == "POST"]
    assert targets[-1].endswith("/checks/add"), targets
    assert colour(replayed(case, Projects())) == "GREEN"
    assert [*checks.values()] == [["Boil water"], ["Boil water"]]
