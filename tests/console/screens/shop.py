"""A test case that has one of everything that screens show."""

from __future__ import annotations

from pathlib import Path

from pytest_loadtool.model.case import (
    Header,
    Kind,
    Page,
    Recorded,
    Request,
    TestCase,
    Transaction,
    Variable,
)
from pytest_loadtool.model.dataset import DatasetUse
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.extractor import Extractor, FormField
from pytest_loadtool.model.kept_replay import (
    KeptReplay,
    KeptTransaction,
    KeptVariable,
    Outcome,
    TransactionId,
)
from pytest_loadtool.model.result import Failure
from pytest_loadtool.model.validator import TextValidator
from pytest_loadtool.workflow.document import Document
from pytest_loadtool.workflow.replays import OpenReplay

__all__ = ["REPLAY", "SHOP"]

SERVER = "http://127.0.0.1:8000"
FORM = "application/x-www-form-urlencoded"
LOGIN = (
    '<!doctype html><html><head><title>Log in</title></head><body><form method="post">'
    '<input type="hidden" name="csrf" value="6CCUccJo7hGf"><input name="user">'
    '<input type="password" name="password"></form><p>Grüße, 世界</p></body></html>'
)
ORDERS = '{"orders":[{"id":17,"name":"Tea","price":1.50},{"id":18,"name":"Pot","price":20}]}'


def _exchange(
    at: float,
    method: str,
    target: str,
    status: int,
    media: str,
    body: str = "",
    sent: str = "",
) -> Exchange:
    headers: tuple[tuple[str, str], ...] = (("Host", "127.0.0.1:8000"),)
    if sent:
        headers += (("Content-Type", FORM), ("Cookie", "sessionid=s3cr3ts3cr3t"))
    return Exchange(
        started=1_790_000_000 + at,
        took=0.012,
        method=method,
        url=f"{SERVER}{target}",
        http_version="HTTP/1.1",
        request_headers=headers,
        request_body=sent.encode(),
        status=status,
        reason={200: "OK", 302: "Found", 404: "Not Found"}.get(status, "Internal Server Error"),
        response_headers=(("Content-Type", media),),
        response_body=body.encode(),
    )


_EXCHANGES = (
    _exchange(0, "GET", "/login", 200, "text/html; charset=utf-8", LOGIN),
    _exchange(
        2, "POST", "/login", 302, "text/html", sent="csrf=6CCUccJo7hGf&user=ann&password=ann-pass-1"
    ),
    _exchange(3, "GET", "/orders", 200, "application/json", ORDERS),
    _exchange(3.1, "GET", "/static/a/very/deep/folder/that/is/long/logo.png", 404, "image/png"),
    _exchange(5, "POST", "/pay", 500, "text/plain", "Out of \x1b[31mtea", sent="amount=21.50"),
)

_LOGIN_PAGE = Transaction(
    Request("GET", "/login", (Header("Accept", "text/html"),)),
    extractors=(Extractor("csrf[1]", FormField("csrf")),),
    recorded=Recorded(200, Kind.HTML, entry=0),
)
_SENT = Transaction(
    Request(
        "POST",
        "/login",
        (Header("Content-Type", FORM), Header("Cookie")),
        body="csrf=${csrf[1]|url}&user=${users.username|url}&password=ann-pass-1",
    ),
    recorded=Recorded(302, Kind.OTHER, entry=1),
)
_LIST = Transaction(
    Request("GET", "/orders"),
    validators=(TextValidator("Tea"),),
    recorded=Recorded(200, Kind.JSON, entry=2),
)
_LOGO = Transaction(
    Request("GET", "/static/a/very/deep/folder/that/is/long/logo.png"),
    recorded=Recorded(404, Kind.IMAGE, entry=3),
)
_PAY = Transaction(
    Request("POST", "/pay", (Header("Content-Type", FORM),), body="amount=21.50"),
    name="pay",
    recorded=Recorded(500, Kind.OTHER, entry=4),
)

SHOP = Document(
    TestCase(
        "shop",
        (
            Page("Log in", (_LOGIN_PAGE, _SENT), think_time=1.5),
            Page("Orders · 注文", (_LIST, _LOGO)),
            Page("Pay", (_PAY,)),
        ),
        server=SERVER,
        datasets=(DatasetUse("users", "users.csv"),),
        variables={"csrf[1]": Variable("csrf[1]", recorded="6CCUccJo7hGf", set_by="asm")},
    ),
    _EXCHANGES,
)


def _kept(
    index: int, outcome: Outcome, status: int, body: str, message: str = ""
) -> KeptTransaction:
    recorded = _EXCHANGES[index]
    one = list(SHOP.case.transactions())[index]
    return KeptTransaction(
        index,
        TransactionId(one.title, "", one.request.method, one.request.target, index),
        outcome,
        recorded.changed(status=status, response_body=body.encode(), took=0.25),
        failures=(Failure("status", message),) if message else (),
        taken={"csrf[1]": "new-token-9"} if index == 0 else {},
    )


REPLAY = OpenReplay(
    Path("shop.replays/1.har"),
    KeptReplay(
        "shop",
        1_790_001_000,
        3.0,
        SERVER,
        (
            _kept(0, "passed", 200, LOGIN),
            _kept(1, "failed", 200, "<p>No such user</p>", "Status Code is 200, expected 300-399"),
            _kept(2, "not as recorded", 200, ORDERS.replace("Pot", "Cup")),
            _kept(3, "passed", 404, ""),
        ),
        variables=(KeptVariable("csrf[1]", "new-token-9", (0,)),),
        ending="finished",
    ),
)
