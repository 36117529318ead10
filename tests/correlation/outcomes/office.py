"""An office over pages and over JSON that does a change otherwise than it says.

The answer to a change is always that of an honest server. What is done is up to a trick, and
between two requests others may do what they like.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import count
from typing import Any
from urllib.parse import parse_qsl

__all__ = ["TRICKS", "Answer", "Office", "Trick"]

Record = dict[str, Any]
#: Status, headers and body.
Answer = tuple[int, dict[str, str], str]
#: Does something with the order of that number, and what was sent, in place of what was asked for.
Trick = Callable[["Office", int, Record], None]


@dataclass
class Office:
    """The state: orders by number. ``trick`` is done in place of ``change``; ``between`` before
    each request, by others. ``shown`` is how many orders a list shows, the newest first, or by
    ``order``; ``write`` is how lists write their texts, and ``escape`` how all that is sent is
    escaped; with ``aged``, they say how long ago each order was made."""

    first: int = 1
    change: str = ""
    trick: Trick | None = None
    between: Callable[[Office], None] | None = None
    shown: int = 1000
    order: Callable[[Record], Any] = lambda one: -one["id"]
    write: Callable[[str], str] = str
    escape: Callable[[str], str] = str
    aged: bool = False
    orders: dict[int, Record] = field(default_factory=dict)
    later: list[Callable[[], None]] = field(default_factory=list)
    """What is done before the next request but one."""

    def __post_init__(self) -> None:
        self.ids = count(self.first)
        self.turns = count()
        self._due: list[Callable[[], None]] = []

    def age(self, one: Record) -> Record:
        """How long ago an order was made, where lists say that."""
        return {"age": f"{next(self.turns)} minutes ago"} if self.aged else {}

    def put(self, values: Record) -> int:
        """A new order; its number."""
        number = next(self.ids)
        self.enter(number, values)
        return number

    def enter(self, number: int, values: Record) -> None:
        """An order under that number."""
        self.orders[number] = deepcopy({"id": number, **_NEW, **values})

    def do(self, change: str, number: int, values: Record) -> None:
        """Do a change, or what the trick does in its place."""
        how = self.trick if self.trick is not None and change == self.change else _HONEST[change]
        how(self, number, values)

    def do_honestly(self, change: str, number: int, values: Record) -> None:
        """Do a change of somebody else."""
        _HONEST[change](self, number, values)

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        status, headers, text = self._answered(method, target, body)
        return status, headers, self.escape(text)

    def _answered(self, method: str, target: str, body: str) -> Answer:
        due, self._due, self.later = self._due, self.later, []
        for undo in due:
            undo()
        if self.between is not None:
            self.between(self)
        path = target.partition("?")[0]
        for pattern, route in _ROUTES:
            if found := re.fullmatch(pattern, f"{method} {path}"):
                numbers = list(map(int, found.groups()))
                if numbers and numbers[0] not in self.orders:
                    return 404, {}, "no such order"
                return route(self, body, *numbers)
        return 404, {}, "no such page"

    def listed(self) -> list[Record]:
        """The first orders."""
        first = sorted(self.orders.values(), key=self.order)[: self.shown]
        return [{**one, **{key: self.write(one[key]) for key in ("name", "note")}} for one in first]


_NEW: Record = {"note": "", "quantity": 1, "price": 1.5, "state": "open", "gift": False}
_NEW |= {"tags": [], "comments": [], "likes": 0}


def _set(office: Office, number: int, values: Record) -> None:
    office.orders[number].update(deepcopy(values))


def _comment(office: Office, number: int, values: Record) -> None:
    said = office.orders[number]["comments"]
    said.append({"id": number * 100 + len(said), **values})


def _like(office: Office, number: int, _: Record) -> None:
    office.orders[number]["likes"] += 1


_HONEST: Mapping[str, Trick] = {
    "add": Office.enter,
    "edit": _set,
    "ship": _set,
    "drop": lambda office, number, _: _drop(office, number),
    "comment": _comment,
    "like": _like,
}


def _drop(office: Office, number: int) -> None:
    office.orders.pop(number, None)


def _nothing(_: Office, __: int, ___: Record) -> None:
    pass


def _with(**new: Callable[[Any], Any]) -> Callable[[str], Trick]:
    """The change, with what is made of some of its fields."""

    def make(change: str) -> Trick:
        def trick(office: Office, number: int, values: Record) -> None:
            made = {key: new[key](value) if key in new else value for key, value in values.items()}
            _HONEST[change](office, number, made)

        return trick

    return make


def _only(*names: str) -> Callable[[str], Trick]:
    """Of the change these fields alone."""

    def make(change: str) -> Trick:
        def trick(office: Office, number: int, values: Record) -> None:
            kept = {key: value for key, value in values.items() if key in names}
            _HONEST[change](office, number, kept)

        return trick

    return make


def _more(more: Callable[[Office, int, Record], None]) -> Callable[[str], Trick]:
    """The change, and something else."""

    def make(change: str) -> Trick:
        def trick(office: Office, number: int, values: Record) -> None:
            _HONEST[change](office, number, values)
            more(office, number, values)

        return trick

    return make


def _of(other: Callable[[Office, int], int]) -> Callable[[str], Trick]:
    """The change of another order."""

    def make(change: str) -> Trick:
        return lambda office, number, values: _HONEST[change](office, other(office, number), values)

    return make


def _undone(change: str) -> Trick:
    """The change, which is taken back after the next answer."""

    def trick(office: Office, number: int, values: Record) -> None:
        before = deepcopy(office.orders.get(number))
        _HONEST[change](office, number, values)

        def undo() -> None:
            if before is None:
                _drop(office, number)
            else:
                office.orders[number] = before

        office.later.append(undo)

    return trick


def _oldest(office: Office, _: int) -> int:
    return next(iter(office.orders))


def _neighbour(office: Office, number: int) -> int:
    """The one before it, or else that after it."""
    others = [one for one in office.orders if one != number]
    return max((one for one in others if one < number), default=min(others, default=number))


def _all(change: str) -> Trick:
    def trick(office: Office, _: int, values: Record) -> None:
        for number in list(office.orders):
            _HONEST[change](office, number, values)

    return trick


def _again(office: Office, _: int, values: Record) -> None:
    office.put(values)


def _cleared(office: Office, number: int, values: Record) -> None:
    _set(office, number, {"name": ""} if "name" not in values else {"note": ""})


_Make = Callable[[str], Trick]
_CUT: _Make = _with(
    name=lambda text: text[:5], note=lambda text: text[:5], text=lambda text: text[:5]
)
_ADDED: dict[str, _Make] = {
    "nothing": lambda _: _nothing,
    "twice": _more(_again),
    "another quantity": _with(quantity=lambda number: number + 1),
    "the name alone": _only("name"),
    "all but the note": _only("name", "quantity", "price", "tags"),
    "all but the quantity": _only("name", "note", "price", "tags"),
    "all but the price": _only("name", "note", "quantity", "tags"),
    "the price rounded": _with(price=round),
    "a tag less": _with(tags=lambda tags: tags[:-1]),
    "no tags": _with(tags=lambda _: []),
    "texts cut": _CUT,
    "in small letters": _with(name=str.lower),
    "escaped twice": _with(name=lambda text: html.escape(html.escape(text))),
    "as a draft": _more(lambda office, number, _: _set(office, number, {"state": "draft"})),
    "undone": _undone,
    "in place of another": lambda _: (
        lambda office, number, values: _set(office, _neighbour(office, number), values)
    ),
}
_EDITED: dict[str, _Make] = {
    "nothing": lambda _: _nothing,
    "of the oldest": _of(_oldest),
    "of a neighbour": _of(_neighbour),
    "of all": _all,
    "the first field": lambda change: (
        lambda office, number, values: _set(office, number, dict(list(values.items())[:1]))
    ),
    "the last field": lambda change: (
        lambda office, number, values: _set(office, number, dict(list(values.items())[-1:]))
    ),
    "appended": _with(note=lambda text: f"{text} {text}"),
    "texts cut": _CUT,
    "another quantity": _with(quantity=lambda number: number + 1),
    "undone": _undone,
    "as a copy": lambda _: (
        lambda office, number, values: _again(
            office, 0, {**{k: v for k, v in office.orders[number].items() if k != "id"}, **values}
        )
    ),
    "another field cleared": _more(_cleared),
    "as text": _with(quantity=str, gift=str),
    "and dropped": _more(lambda office, number, _: _drop(office, number)),
}
_SHIPPED: dict[str, _Make] = {
    "nothing": lambda _: _nothing,
    "of the oldest": _of(_oldest),
    "of a neighbour": _of(_neighbour),
    "of all": _all,
    "another word": _with(state=lambda _: "delayed"),
    "undone": _undone,
    "and dropped": _more(lambda office, number, _: _drop(office, number)),
}
_DROPPED: dict[str, _Make] = {
    "nothing": lambda _: _nothing,
    "a neighbour": _of(_neighbour),
    "a neighbour, too": _more(lambda office, number, _: _drop(office, _neighbour(office, number))),
    "the newest, too": _more(lambda office, _, __: _drop(office, max(office.orders, default=0))),
    "all": _all,
    "undone": _undone,
    "emptied": lambda _: lambda office, number, values: _set(office, number, {"name": ""}),
}
_SAID: dict[str, _Make] = {
    "nothing": lambda _: _nothing,
    "twice": lambda change: _more(_comment)(change),
    "of the oldest": _of(_oldest),
    "of a neighbour": _of(_neighbour),
    "texts cut": _CUT,
    "undone": _undone,
    "the ones before dropped": lambda _: (
        lambda office, number, values: _set(
            office,
            number,
            {"comments": [{"id": number * 100 + len(office.orders[number]["comments"]), **values}]},
        )
    ),
}
_LIKED: dict[str, _Make] = {
    "nothing": lambda _: _nothing,
    "twice": _more(_like),
    "of a neighbour": _of(_neighbour),
}
#: By change and what is done: how.
TRICKS: Mapping[tuple[str, str], Trick] = {
    (change, name): make(change)
    for change, tricks in {
        "add": _ADDED, "edit": _EDITED, "ship": _SHIPPED, "drop": _DROPPED, "comment": _SAID,
        "like": _LIKED,
    }.items()
    for name, make in tricks.items()
}  # fmt: skip


def _json(value: Any, status: int = 200) -> Answer:
    return status, {"Content-Type": "application/json"}, json.dumps(value)


def _page(title: str, text: str) -> Answer:
    return 200, {"Content-Type": "text/html"}, f"<title>{title}</title><h1>{title}</h1>{text}"


def _to(address: str) -> Answer:
    return 303, {"Location": address}, ""


def _add(office: Office, body: str) -> Answer:
    values, number = json.loads(body), next(office.ids)
    office.do("add", number, values)
    return _json({"id": number, **_NEW, **values}, 201)


def _edit(office: Office, body: str, number: int) -> Answer:
    values = json.loads(body)
    answer = {**office.orders[number], **values}
    office.do("edit", number, values)
    return _json(answer)


def _ship(office: Office, _: str, number: int) -> Answer:
    office.do("ship", number, {"state": "shipped"})
    return _json({"done": True})


def _remove(office: Office, _: str, number: int) -> Answer:
    office.do("drop", number, {})
    return 204, {}, ""


def _say(office: Office, body: str, number: int) -> Answer:
    values = json.loads(body)
    office.do("comment", number, values)
    return _json(values, 201)


def _liked(office: Office, _: str, number: int) -> Answer:
    office.do("like", number, {})
    return 204, {}, ""


def _rows(office: Office, _: str) -> Answer:
    rows = "".join(
        f'<tr><td><a href="/orders/{one["id"]}">{html.escape(one["name"])}</a></td>'
        f"<td>{one['quantity']}</td><td>{one['price']}</td><td>{one['state']}</td>"
        f"{''.join(f'<td>{age}</td>' for age in office.age(one).values())}</tr>"
        for one in office.listed()
    )
    return _page("Orders", f'<a href="/orders/new">New order</a><table>{rows}</table>')


def _form(office: Office, _: str, number: int = 0) -> Answer:
    order = office.orders.get(number) or {"name": "", **_NEW}
    fields = "".join(
        f'<input name="{one}" value="{html.escape(str(order[one]))}">'
        for one in ("name", "note", "quantity", "price")
    )
    said = "".join(f"<li>{html.escape(one['text'])}</li>" for one in order["comments"])
    return _page(
        "An order",
        f"<ul>{said}</ul><p>{order['state']}</p><p>{order['likes']} likes</p>"
        f'<form method="post" action="/orders/{number}/edit">{fields}</form>'
        f'<form method="post" action="/orders/{number}/say"><input name="text" value=""></form>'
        f'<form method="post" action="/orders/{number}/ship"></form>'
        f'<form method="post" action="/orders/{number}/drop"></form>',
    )


def _typed(body: str) -> Record:
    values: Record = dict(parse_qsl(body))
    for name, kind in (("quantity", int), ("price", float)):
        if name in values:
            values[name] = kind(values[name])
    return values


def _add_page(office: Office, body: str) -> Answer:
    number = next(office.ids)
    office.do("add", number, _typed(body))
    return _to(f"/orders?made={number}")


def _by_form(change: str, to: str, **values: Any) -> Callable[[Office, str, int], Answer]:
    def route(office: Office, body: str, number: int) -> Answer:
        office.do(change, number, {**_typed(body), **values})
        return _to(to.format(number))

    return route


_ROUTES: list[tuple[str, Callable[..., Answer]]] = [
    (
        r"GET /api/orders",
        lambda office, _: _json({"orders": [{**o, **office.age(o)} for o in office.listed()]}),
    ),
    (r"GET /api/orders/(\d+)", lambda office, _, number: _json(office.orders[number])),
    (
        r"GET /api/orders/(\d+)/comments",
        lambda office, _, number: _json(office.orders[number]["comments"]),
    ),
    (r"POST /api/orders", _add),
    (r"PATCH /api/orders/(\d+)", _edit),
    (r"POST /api/orders/(\d+)/ship", _ship),
    (r"POST /api/orders/(\d+)/comments", _say),
    (r"POST /api/orders/(\d+)/like", _liked),
    (r"DELETE /api/orders/(\d+)", _remove),
    (r"GET /orders", _rows),
    (r"GET /orders/new", _form),
    (r"GET /orders/(\d+)", _form),
    (r"POST /orders/0/edit", _add_page),
    (r"POST /orders/(\d+)/edit", _by_form("edit", "/orders")),
    (r"POST /orders/(\d+)/say", _by_form("comment", "/orders/{}")),
    (r"POST /orders/(\d+)/ship", _by_form("ship", "/orders", state="shipped")),
    (r"POST /orders/(\d+)/drop", _by_form("drop", "/orders")),
]
