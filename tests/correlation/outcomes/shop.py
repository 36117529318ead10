"""A small shop over pages and over JSON, of which changes can be made to do nothing.

Each instance counts its ids from where it is told to, and may have the orders of others.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from itertools import count
from typing import Any
from urllib.parse import parse_qsl

from tests.served import served

__all__ = ["Shop", "serving"]


@dataclass
class Shop:
    """The state: orders by id. ``idle`` are the changes that are answered and do nothing."""

    first_id: int = 1
    idle: set[str] = field(default_factory=set)
    orders: dict[int, dict[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._ids = count(self.first_id)
        self.url = ""

    def add(self, name: str, quantity: int = 1) -> dict[str, Any]:
        """A new order, or what would have been one."""
        number = next(self._ids)
        order = {"id": number, "name": name, "quantity": quantity, "state": "open"}
        if "add" not in self.idle:
            self.orders[number] = order
        return order

    def change(self, number: int, **new: Any) -> dict[str, Any]:
        """The order with other values, or what would have been it."""
        changed = {**self.orders[number], **new}
        if "change" not in self.idle:
            self.orders[number] = changed
        return changed

    def ship(self, number: int) -> None:
        """The order is under way."""
        if "ship" not in self.idle:
            self.orders[number]["state"] = "shipped"

    def drop(self, number: int) -> None:
        """The order is no more."""
        if "drop" not in self.idle:
            self.orders.pop(number, None)


@contextmanager
def serving(shop: Shop) -> Iterator[str]:
    """The shop's base URL, as long as it is entered."""

    class Handler(_Handler):
        pass

    Handler.shop = shop
    with served(Handler) as url:
        yield url


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16
    shop: Shop

    def _any(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        asked = f"{self.command} {self.path.partition('?')[0]}"
        for pattern, answer in _ROUTES:
            if found := re.fullmatch(pattern, asked):
                status, headers, text = answer(self.shop, body, *map(int, found.groups()))
                break
        else:
            status, headers, text = 404, {}, "no such thing"
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    do_GET = do_POST = do_PATCH = do_DELETE = _any  # noqa: N815

    def log_message(self, *_: object) -> None:
        pass


_Answer = tuple[int, dict[str, str], str]


def _json(value: Any, status: int = 200) -> _Answer:
    return status, {"Content-Type": "application/json"}, json.dumps(value)


def _page(title: str, text: str) -> _Answer:
    return 200, {"Content-Type": "text/html"}, f"<title>{title}</title><h1>{title}</h1>{text}"


def _to(address: str) -> _Answer:
    return 303, {"Location": address}, ""


def _one(shop: Shop, _body: str, number: int) -> _Answer:
    order = shop.orders.get(number)
    return _json(order) if order else _json({"error": "no such order"}, 404)


def _drop(shop: Shop, _body: str, number: int) -> _Answer:
    shop.drop(number)
    return 204, {}, ""


def _ship(shop: Shop, _body: str, number: int) -> _Answer:
    shop.ship(number)
    return _json({"done": True})


def _rows(shop: Shop, _body: str) -> _Answer:
    rows = "".join(
        f'<tr><td><a href="/orders/{one["id"]}">{html.escape(one["name"])}</a></td>'
        f"<td>{one['quantity']}</td><td>{one['state']}</td></tr>"
        for one in shop.orders.values()
    )
    return _page("Orders", f'<a href="/orders/new">New order</a><table>{rows}</table>')


def _form(shop: Shop, _body: str, number: int = 0) -> _Answer:
    order = shop.orders.get(number, {"name": ""})
    action = f"/orders/{number}/edit" if number else "/orders"
    return _page(
        "An order",
        f'<form method="post" action="{action}">'
        f'<input name="name" value="{html.escape(order["name"])}"></form>'
        f'<form method="post" action="/orders/{number}/delete"></form>',
    )


def _add(shop: Shop, body: str) -> _Answer:
    order = shop.add(dict(parse_qsl(body))["name"])
    return _to(f"/orders/{order['id']}")


def _edit(shop: Shop, body: str, number: int) -> _Answer:
    if number in shop.orders:
        shop.change(number, name=dict(parse_qsl(body))["name"])
    return _to("/orders")


def _remove(shop: Shop, _body: str, number: int) -> _Answer:
    shop.drop(number)
    return _to("/orders")


_ROUTES: list[tuple[str, Callable[..., _Answer]]] = [
    (r"GET /api/orders", lambda shop, _: _json({"orders": list(shop.orders.values())})),
    (r"POST /api/orders", lambda shop, body: _json(shop.add(**json.loads(body)), 201)),
    (r"GET /api/orders/(\d+)", _one),
    (r"PATCH /api/orders/(\d+)", lambda shop, body, n: _json(shop.change(n, **json.loads(body)))),
    (r"POST /api/orders/(\d+)/ship", _ship),
    (r"DELETE /api/orders/(\d+)", _drop),
    (r"GET /orders", _rows),
    (r"GET /orders/new", _form),
    (r"GET /orders/(\d+)", _form),
    (r"POST /orders", _add),
    (r"POST /orders/(\d+)/edit", _edit),
    (r"POST /orders/(\d+)/delete", _remove),
]
