"""Failures as servers of other kinds tell them, in their own formats: Django REST, Spring, Express,
Apollo, SOAP, gRPC as JSON, PHP, aiohttp. What the first lines are to name was written down before
anybody looked at what they say."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from tests.correlation.client import Client
from tests.diagnosis.situations.bench import Situation, Stage
from tests.diagnosis.situations.peers import at_app, recorded

_JSON, _HTML, _XML = "application/json", "text/html; charset=utf-8", "text/xml; charset=utf-8"


@dataclass(frozen=True)
class Told:
    """An answer: its body, JSON if it is no text."""

    body: object
    status: int = 200
    media: str = ""
    headers: tuple[tuple[str, str], ...] = ()

    def response(self) -> Response:
        """The answer as Starlette sends it."""
        text = self.body if isinstance(self.body, str) else json.dumps(self.body)
        media = self.media or (_HTML if isinstance(self.body, str) else _JSON)
        response = Response(text, self.status, media_type=media)
        for name, value in self.headers:
            response.headers.append(name, value)
        return response


#: What answers a request with its body.
_Answering = Callable[[Request, str], Told]
_Answers = Mapping[str, Told | _Answering]


def site(
    session: Callable[[Client], None],
    before: _Answers,
    after: _Answers,
    spoil: Callable[[str], str] = str,
) -> Stage:
    """A server that answers ``METHOD /path`` so before, and so after the recording."""

    @contextlib.contextmanager
    def stage(path: Path) -> Iterator[Callable[[], None]]:
        answers = dict(before)

        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            request = Request(scope, receive)
            asked = f"{request.method} {request.url.path}"
            folder = f"{asked.rpartition('/')[0]}/"  # of all that is in it
            told = answers.get(asked) or answers.get(folder) or Told("", 404)
            if not isinstance(told, Told):
                told = told(request, (await request.body()).decode())
            await told.response()(scope, receive, send)

        with at_app(app) as url:
            recorded(path, url, session, spoil, url)
            answers.update(after)

            def bring_back() -> None:
                answers.clear()
                answers.update(before)

            yield bring_back

    return stage


def unless(good: str, refused: Told, taken: Told) -> _Answering:
    """Refuse a request unless its body has the good value."""
    return lambda _, body: taken if good in body else refused


def calls(*wanted: tuple[str, str, object], **headers: str) -> Callable[[Client], None]:
    """A session of calls of an API."""

    def session(client: Client) -> None:
        for method, target, body in wanted:
            client.json(method, target, body, **headers)

    return session


_TICKET = {"title": "The printer is on fire", "priority": "urgent"}
_DELIVERY = {"street": "Sea Road 4", "deliveryDate": "2026-11-02", "gift": False}
_SPRING = {
    "timestamp": "2026-11-27T04:00:00.000+00:00",
    "status": 400,
    "error": "Bad Request",
    "errors": [
        {
            "codes": ["Future.delivery.deliveryDate", "Future"],
            "objectName": "delivery",
            "field": "deliveryDate",
            "defaultMessage": "must be a future date",
            "rejectedValue": "2026-11-02",
        }
    ],
    "path": "/deliveries",
}
_CART = {"items": [{"sku": "A1", "count": 2}, {"sku": "B7", "count": 1}], "currency": "EUR"}
_EXPRESS = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Error</title>
</head>
<body>
<pre>TypeError: Cannot read properties of undefined (reading &#39;sku&#39;)<br> &nbsp; &nbsp;at \
/srv/app/checkout.js:41:27<br> &nbsp; &nbsp;at Layer.handle [as handle_request]</pre>
</body>
</html>"""
_PAYMENT = {
    "query": "mutation Pay($input: PayInput!) { pay(input: $input) { id state } }",
    "variables": {"input": {"amount": 12, "currency": "DKK"}},
}
_APOLLO = {
    "errors": [
        {
            "message": 'Variable "$input" got invalid value "DKK" at "input.currency"; Value "DKK" '
            'does not exist in "Currency" enum.',
            "locations": [{"line": 1, "column": 14}],
            "extensions": {"code": "BAD_USER_INPUT"},
        }
    ]
}
_SOAP = """<?xml version="1.0"?>
<soap:Envelope xmlns:soap="http://www.w3.org/2003/05/soap-envelope"><soap:Body>%s</soap:Body>
</soap:Envelope>"""
_FAULT = _SOAP % (
    "<soap:Fault><soap:Code><soap:Value>soap:Receiver</soap:Value></soap:Code><soap:Reason>"
    '<soap:Text xml:lang="en">Customer 4711 has no open contract</soap:Text></soap:Reason>'
    "</soap:Fault>"
)
_FORM = """<html><head><title>Checkout</title></head><body><form method="post" action="/checkout">
<input name="region" value="north"><input name="amount" value="3"></form></body></html>"""
_THANKS = """<html><head><title>Thank you</title></head><body><p>Order number <b id="no">A-100</b>
</p></body></html>"""
_PHP = """<br />
<b>Warning</b>:  Undefined array key "region" in <b>/var/www/html/checkout.php</b> on line \
<b>12</b><br />
<html><head><title>Thank you</title></head><body></body></html>"""


def _by_soap(client: Client) -> None:
    for what in ("Stock", "Contract"):
        text = f'<Envelope><Body><{what} customer="4711"/></Body></Envelope>'
        client.send("POST", f"/soap/{what}", text.encode(), {"Content-Type": "text/xml"})


def _by_form(client: Client) -> None:
    page = client.open("/checkout")
    client.submit(page, {"region": "north", "amount": "3"})
    client.open("/receipt")


def _versioned(oldest: int) -> _Answering:
    def told(request: Request, _body: str) -> Told:
        version = request.headers.get("x-api-version", "none")
        if version.isdecimal() and int(version) >= oldest:
            return Told({"rooms": ["Blue room"]})
        said = f"400: X-Api-Version must be {oldest} or newer, got {version}"
        return Told(said, 400, "text/plain; charset=utf-8")

    return told


def _tenant(name: str) -> Told:
    cookie = (("Set-Cookie", f"tenant={name}; Path=/"),)
    return Told({"service": "Portal", "tenant": name}, headers=cookie)


_ORDER = {"id": 17, "customer": "Ann", "state": "open", "lines": [{"sku": "A1", "count": 2}]}

STRANGERS: tuple[Situation, ...] = (
    Situation(
        "Django REST: a choice that is none any more",
        site(
            calls(("GET", "/api/tickets/", None), ("POST", "/api/tickets/", _TICKET)),
            {"GET /api/tickets/": Told([]), "POST /api/tickets/": Told({"number": 3}, 201)},
            {
                "POST /api/tickets/": unless(
                    '"high"',
                    Told({"priority": ['"urgent" is not a valid choice.']}, 400),
                    Told({"number": 3}, 201),
                )
            },
        ),
        "POST /api/tickets/",
        "priority",
        filled={"VALUE": "high"},
    ),
    Situation(
        "Spring: a date that has to be in the future",
        site(
            calls(("GET", "/deliveries", None), ("POST", "/deliveries", _DELIVERY)),
            {"GET /deliveries": Told([]), "POST /deliveries": Told({"accepted": True}, 201)},
            {"POST /deliveries": unless("2099", Told(_SPRING, 400), Told({"accepted": True}, 201))},
        ),
        "POST /deliveries",
        "deliveryDate",
        filled={"VALUE": "2099-11-02"},
    ),
    Situation(
        "Express: the cart is empty, so checking out fails",
        site(
            calls(("GET", "/api/cart", None), ("POST", "/api/checkout", {"pay": "card"})),
            {"GET /api/cart": Told(_CART), "POST /api/checkout": Told({"paid": True})},
            {
                "GET /api/cart": Told({"items": [], "currency": "EUR"}),
                "POST /api/checkout": Told(_EXPRESS, 500),
            },
        ),
        "",
        "items|Cannot read properties of undefined",
        mended="server",
    ),
    Situation(
        "Apollo: a value that the enum has no more",
        site(
            calls(("GET", "/health", None), ("POST", "/graphql", _PAYMENT)),
            {
                "GET /health": Told({"up": True}),
                "POST /graphql": Told({"data": {"pay": {"id": 7, "state": "PAID"}}}),
            },
            {
                "POST /graphql": unless(
                    "EUR", Told(_APOLLO), Told({"data": {"pay": {"id": 7, "state": "PAID"}}})
                )
            },
        ),
        "2 of 2",
        "currency",
        filled={"VALUE": "EUR"},
    ),
    Situation(
        "SOAP 1.2: a fault of the application",
        site(
            _by_soap,
            {
                "POST /soap/Stock": Told(_SOAP % "<Stock>12</Stock>", media=_XML),
                "POST /soap/Contract": Told(_SOAP % "<Contract>open</Contract>", media=_XML),
            },
            {"POST /soap/Contract": Told(_FAULT, 500, _XML)},
        ),
        "2 of 2",
        "has no open contract",
        mended="server",
    ),
    Situation(
        "gRPC as JSON: a precondition failed",
        site(
            calls(
                ("GET", "/v1/stores", None),
                ("POST", "/v1/stores/main:reserve", {"sku": "A1", "count": 2}),
            ),
            {
                "GET /v1/stores": Told({"stores": [{"name": "main"}]}),
                "POST /v1/stores/main:reserve": Told({"reservation": {"count": 2}}),
            },
            {
                "POST /v1/stores/main:reserve": Told(
                    {"code": 9, "message": "store main is closed for stocktaking", "details": []},
                    400,
                )
            },
        ),
        "2 of 2",
        "closed for stocktaking",
        mended="server",
    ),
    Situation(
        "PHP: a warning where the page was",
        site(
            _by_form,
            {
                "GET /checkout": Told(_FORM),
                "POST /checkout": Told(_THANKS),
                "GET /receipt": Told("<html><head><title>Receipt</title></head></html>"),
            },
            {
                "POST /checkout": Told(_PHP),
                "GET /receipt": Told(
                    "<html><head><title>Error</title></head><body><p>No order.</p></body></html>",
                    404,
                ),
            },
        ),
        "POST /checkout",
        "Undefined array key",
        mended="server",
        outside="Undefined array key",
    ),
    Situation(
        "another tenant is set by a cookie",
        site(
            calls(("GET", "/", None), ("GET", "/t/north/reports", None)),
            {"GET /": _tenant("north"), "GET /t/north/reports": Told({"reports": []})},
            {"GET /": _tenant("south"), "GET /t/north/reports": Told("", 404)},
        ),
        "1 of 2",
        "south",
        mended="server",
        outside="south",
    ),
    Situation(
        "aiohttp: a header of an older version",
        site(
            calls(("GET", "/rooms", None), ("GET", "/rooms/blue", None), X_Api_Version="2"),
            {"GET /rooms": _versioned(1), "GET /rooms/blue": _versioned(1)},
            {"GET /rooms": _versioned(3), "GET /rooms/blue": _versioned(3)},
        ),
        "GET /rooms",
        "X-Api-Version",
        filled={"VALUE": "3"},
    ),
    Situation(
        "a thing in another state, and a conflict without a word",
        site(
            calls(("GET", "/orders/17", None), ("POST", "/orders/17/ship", {"by": "post"})),
            {"GET /orders/17": Told(_ORDER), "POST /orders/17/ship": Told({"shipped": True})},
            {
                "GET /orders/17": Told(_ORDER | {"state": "cancelled"}),
                "POST /orders/17/ship": Told("", 409),
            },
        ),
        "GET /orders/17",
        "(?s)(?=.*state)(?=.*cancelled)",
        mended="server",
        outside="cancelled",
    ),
)
