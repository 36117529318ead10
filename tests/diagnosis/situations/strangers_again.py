"""Ten more failures as servers of other kinds tell them, written down when `strangers` were
right, and before anybody looked at what they say: Laravel, Rails, ASP.NET, Tomcat, Go, gRPC-web."""

from __future__ import annotations

import secrets

from starlette.requests import Request

from tests.correlation.client import Client
from tests.diagnosis.situations.bench import Situation
from tests.diagnosis.situations.strangers import Told, calls, site, unless

_LARAVEL = {
    "message": "The given data was invalid.",
    "errors": {"coupon": ["The selected coupon is invalid."]},
}
_ASP = {
    "type": "https://tools.ietf.org/html/rfc7231#section-6.5.1",
    "title": "One or more validation errors occurred.",
    "status": 400,
    "traceId": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00",
    "errors": {
        "$.amount": ["The JSON value could not be converted to System.Int32. Path: $.amount."]
    },
}
_NEW = """<html><head><title>New order</title></head><body>%s<form method="post" action="/orders">
<input name="order[title]" value=""><input name="order[quantity]" value=""></form></body></html>"""
_RAILS = _NEW % (
    '<div id="error_explanation"><h2>1 error prohibited this order from being saved:</h2>'
    "<ul><li>Quantity must be less than 3</li></ul></div>"
)
_DONE = "<html><head><title>Order</title></head><body><p>Order placed.</p></body></html>"
_TOMCAT = """<!doctype html><html lang="en"><head><title>HTTP Status 500 - Internal Server Error\
</title></head><body><h1>HTTP Status 500 - Internal Server Error</h1><hr class="line" />\
<p><b>Type</b> Exception Report</p><p><b>Message</b> Connection pool exhausted: 20 of 20 in use</p>\
<p><b>Description</b> The server encountered an unexpected condition that prevented it from \
fulfilling the request.</p></body></html>"""


def _by_form(client: Client) -> None:
    page = client.open("/orders/new")
    client.submit(page, {"order[title]": "Tea", "order[quantity]": "3"}, action="/orders")


def _by_ticket(client: Client) -> None:
    ticket = client.json("POST", "/reports.Reports/Open", {"name": "sales"})["ticket"]
    client.json("GET", f"/tickets/{ticket}")


def _by_steps(client: Client) -> None:
    client.send("GET", "/checkout", headers={"Accept": "text/html"})
    body = b"card=4242&holder=Ann"
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    client.send("POST", "/checkout/payment", body, form)


def _ticket(_request: Request, _body: str) -> Told:
    return Told({"ticket": secrets.token_hex(8)})


def _to(path: str) -> Told:
    return Told("", 302, headers=(("Location", path),))


STRANGERS_AGAIN: tuple[Situation, ...] = (
    Situation(
        "Laravel: a coupon that is none any more",
        site(
            calls(
                ("GET", "/api/basket", None),
                ("POST", "/api/orders", {"sku": "A1", "coupon": "SUMMER"}),
            ),
            {"GET /api/basket": Told({"lines": 1}), "POST /api/orders": Told({"placed": True})},
            {"POST /api/orders": unless("WINTER", Told(_LARAVEL, 422), Told({"placed": True}))},
        ),
        "POST /api/orders",
        "coupon",
        filled={"VALUE": "WINTER"},
    ),
    Situation(
        "Rails: a number that is too large, in a form",
        site(
            _by_form,
            {"GET /orders/new": Told(_NEW % ""), "POST /orders": Told(_DONE)},
            {"POST /orders": unless("quantity%5D=2", Told(_RAILS, 422), Told(_DONE))},
        ),
        "POST /orders",
        "Quantity must be less than 3",
        filled={"VALUE": "2"},
    ),
    Situation(
        "Go: an origin that is not let in",
        site(
            calls(("GET", "/api/plans", None), ("PUT", "/api/plans/basic", {"price": 3})),
            {"GET /api/plans": Told([]), "PUT /api/plans/basic": Told({"saved": True})},
            {
                "PUT /api/plans/basic": Told(
                    "origin is not in the list of those that may call\n", 403, "text/plain"
                )
            },
        ),
        "PUT /api/plans/basic",
        "origin is not in the list",
        mended="server",
    ),
    Situation(
        "a number for an error, with 200",
        site(
            calls(("GET", "/cgi-bin/menu", None), ("POST", "/cgi-bin/send", {"template": "T-17"})),
            {
                "GET /cgi-bin/menu": Told({"errcode": 0, "errmsg": "ok", "menu": "main"}),
                "POST /cgi-bin/send": Told({"errcode": 0, "errmsg": "ok", "sent": 1}),
            },
            {"POST /cgi-bin/send": Told({"errcode": 40037, "errmsg": "invalid template_id"})},
        ),
        "POST /cgi-bin/send",
        "invalid template_id",
        mended="server",
        outside="40037",
    ),
    Situation(
        "a job that has failed, and has no result",
        site(
            calls(("GET", "/jobs/1", None), ("GET", "/jobs/1/result", None)),
            {
                "GET /jobs/1": Told({"job": "export", "status": "done"}),
                "GET /jobs/1/result": Told({"rows": 12}),
            },
            {
                "GET /jobs/1": Told({"job": "export", "status": "failed", "reason": "disk full"}),
                "GET /jobs/1/result": Told({"message": "no result"}, 404),
            },
        ),
        "1 of 2",
        "failed|disk full",
        mended="server",
        outside="disk full",
    ),
    Situation(
        "gRPC-web: refused in headers, with 200",
        site(
            _by_ticket,
            {"POST /reports.Reports/Open": _ticket, "GET /tickets/": Told({"rows": 3})},
            {
                "POST /reports.Reports/Open": Told(
                    "",
                    200,
                    "application/grpc-web+json",
                    (("grpc-status", "7"), ("grpc-message", "caller%20lacks%20role%20auditor")),
                )
            },
        ),
        "1 of 2",
        "lacks role auditor",
        mended="server",
        outside="lacks%20role",
    ),
    Situation(
        "ASP.NET: a number where text was",
        site(
            calls(
                ("GET", "/api/accounts", None),
                ("POST", "/api/transfers", {"to": "B", "amount": "12"}),
            ),
            {"GET /api/accounts": Told([]), "POST /api/transfers": Told({"done": True})},
            {"POST /api/transfers": unless("700", Told(_ASP, 400), Told({"done": True}))},
        ),
        "POST /api/transfers",
        "amount",
        filled={"VALUE": "700"},
    ),
    Situation(
        "a guest where somebody was known, and a refusal without a word",
        site(
            calls(("GET", "/me", None), ("POST", "/projects/blue/archive", {"keep": True})),
            {
                "GET /me": Told({"login": "ann", "admin": True}),
                "POST /projects/blue/archive": Told({"archived": True}),
            },
            {
                "GET /me": Told({"login": "guest", "admin": False}),
                "POST /projects/blue/archive": Told("", 403),
            },
        ),
        "GET /me",
        "guest|admin is false",
        mended="server",
        outside="guest",
    ),
    Situation(
        "a step more before the payment",
        site(
            _by_steps,
            {"GET /checkout": _to("/checkout/payment"), "POST /checkout/payment": Told(_DONE)},
            {"GET /checkout": _to("/checkout/address"), "POST /checkout/payment": Told("", 400)},
        ),
        "GET /checkout",
        "/checkout/address",
        mended="server",
        outside="/checkout/address",
    ),
    Situation(
        "Tomcat: a pool that is exhausted",
        site(
            calls(("GET", "/app/health", None), ("GET", "/app/report", None)),
            {"GET /app/health": Told({"up": True}), "GET /app/report": Told({"rows": 3})},
            {"GET /app/report": Told(_TOMCAT, 500)},
        ),
        "GET /app/report",
        "pool exhausted",
        mended="server",
    ),
)
