"""A fourth ten of failures that no rule was written for: they were brought about after the rules of
`unseen_third` were mended and written down."""

from __future__ import annotations

import contextlib
import re
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

from fastapi import FastAPI, Header, HTTPException, Response
from starlette.middleware.trustedhost import TrustedHostMiddleware

from tests.correlation.client import Client
from tests.diagnosis.situations.bench import Situation, Stage, asserting
from tests.diagnosis.situations.peers import at_app, at_nginx, recorded
from tests.diagnosis.situations.sessions import by_notes
from tests.diagnosis.situations.shop import Answer
from tests.diagnosis.situations.table import as_constant
from tests.diagnosis.situations.unseen import odd

_BUSY = """limit_req_zone $binary_remote_addr zone=all:1m rate=1r/s;
    server { listen 127.0.0.1:<main>; location / { limit_req zone=all burst=2 nodelay;
    proxy_pass SHOP; } }"""
_CAPTCHA = """<p class="error">Please solve the puzzle below.</p>
<form method="post" action="/login">
<input name="username"><input name="password" type="password"><input name="captcha"></form>"""
_GERMAN = {"Welcome back": "Willkommen zurück", "teapots are in stock": "Teekannen sind vorrätig"}


@dataclass
class _Api:
    """What is different at the API after the recording."""

    xml: bool = False
    sold: bool = False
    most: int = 10
    """How many things a list has."""
    ids: tuple[str, ...] = field(default_factory=lambda: tuple(map(secrets.token_hex, [6] * 10)))
    paid: set[str] = field(default_factory=set)


def _app(api: _Api) -> FastAPI:
    app = FastAPI()

    @app.get("/tickets")
    def _tickets() -> Any:
        every = [{"id": one, "name": f"Seat {at}"} for at, one in enumerate(api.ids[: api.most], 1)]
        if api.xml:
            text = "".join("<ticket><id>{id}</id></ticket>".format(**one) for one in every)
            return Response(f"<tickets>{text}</tickets>", media_type="application/xml")
        return {"tickets": every, "next": None}

    @app.get("/tickets/{number}")
    def _ticket(number: str) -> dict[str, str]:
        if number not in api.ids:
            raise HTTPException(404, "Not Found")
        return {"id": number, "price": "12.00"}

    @app.post("/purchases")
    def _buy(order: dict[str, Any]) -> dict[str, Any]:
        if api.sold:
            raise HTTPException(409, {"code": "sold_out", "message": "This show is sold out."})
        return {"bought": order["title"]}

    @app.post("/payments")
    def _pay(order: dict[str, Any], idempotency_key: Annotated[str, Header()]) -> dict[str, Any]:
        if idempotency_key in api.paid:
            said = "The Idempotency-Key was already used for another payment."
            raise HTTPException(409, {"code": "idempotency_key_reused", "message": said})
        api.paid.add(idempotency_key)
        return {"paid": order["amount"]}

    return app


def _api(
    session: Callable[[Client], None],
    change: Callable[[_Api], None] = lambda _: None,
    *,
    host: str = "127.0.0.1",
    spoil: Callable[[str], str] = str,
) -> Stage:
    """FastAPI, which is another one after the recording; it is replayed at ``host``."""

    @contextlib.contextmanager
    def stage(path: Path) -> Iterator[Callable[[], None]]:
        api = _Api()
        app: Any = _app(api)
        if host != "127.0.0.1":
            app = TrustedHostMiddleware(app, ["127.0.0.1"])
        with at_app(app) as url:
            recorded(path, url, session, spoil, url.replace("127.0.0.1", host))
            before = replace(api, paid=set())
            change(api)
            yield lambda: vars(api).update(vars(before))

    return stage


def _set(**values: Any) -> Callable[[_Api], None]:
    return lambda api: vars(api).update(values)


def _by_tickets(client: Client) -> None:
    found = client.json("GET", "/tickets")["tickets"][7]
    client.json("GET", f"/tickets/{found['id']}")


def _by_buying(client: Client) -> None:
    client.json("GET", "/tickets")
    client.json("POST", "/purchases", {"title": "The Tempest", "seats": 2})


def _by_paying(client: Client) -> None:
    client.json("GET", "/tickets")
    order = {"title": "The Tempest", "amount": 24}
    client.json("POST", "/payments", order, Idempotency_Key="order-of-ann-1")


def _captcha(method: str, path: str, _headers: object, answer: Answer) -> Answer:
    if (method, path) != ("POST", "/login"):
        return answer
    return Answer(200, _CAPTCHA, title="Log in")


def _raced(method: str, path: str, _headers: object, answer: Answer) -> Answer:
    if (method, path) != ("PUT", "/notes/1"):
        return answer
    return Answer(412, {"message": "bob has saved this note a moment ago"})


def _cached(method: str, path: str, _headers: object, answer: Answer) -> Answer:
    """A cache gives everybody the form that it has kept of somebody."""
    if (method, path) != ("GET", "/order/new"):
        return answer
    kept = re.sub(r'(name="csrf_token" value=")[^"]*', r"\1bW9yZS1vZi1ib2IncyB0b2tlbg", answer.body)
    kept_since = (("Age", "340"), ("X-Cache", "HIT"))
    return replace(answer, body=kept, headers=(*answer.headers, *kept_since))


def _german(_method: str, path: str, _headers: object, answer: Answer) -> Answer:
    if path != "/account":
        return answer
    body = answer.body
    for old, new in _GERMAN.items():
        body = body.replace(old, new)
    return replace(answer, body=body, headers=(("Content-Language", "de"),), title="Konto")


UNSEEN_FOURTH: tuple[Situation, ...] = (
    Situation(
        "Starlette: a host name that it does not answer to",
        _api(_by_buying, host="localhost"),
        "GET /tickets",
        "(?i)host|another server|name",
    ),
    Situation(
        "a puzzle against robots in the form to log in",
        odd(_captcha),
        "POST /login",
        "(?i)puzzle|captcha|robot",
        mended="server",
        outside="solve the puzzle",
    ),
    Situation(
        "somebody else saved it in between (412)",
        odd(_raced, session=by_notes),
        "PUT /notes/1",
        "(?i)bob|somebody|changed|in between",
        mended="server",
    ),
    Situation(
        "a cache gives out somebody else's token",
        odd(_cached),
        "/order",
        "(?i)cache",
        mended="server",
        outside="X-Cache: HIT|403",
    ),
    Situation(
        "FastAPI: XML where JSON was",
        _api(_by_tickets, _set(xml=True)),
        "GET /tickets",
        "(?i)xml",
        mended="server",
        outside="application/xml",
    ),
    Situation(
        "FastAPI: sold out (409)",
        _api(_by_buying, _set(sold=True)),
        "POST /purchases",
        "(?i)sold",
        mended="server",
    ),
    Situation(
        "nginx: limit_req with its own 503",
        at_nginx(_BUSY),
        "/static/logo.png",
        "(?i)limit|too many|so many",
        wanting="one answer does not tell a limit from overload: what helps is told, no command",
    ),
    Situation(
        "FastAPI: a list is cut to pages",
        _api(_by_tickets, _set(most=5)),
        "GET /tickets",
        r"(?i)fewer|shorter|\b5\b|page",
        mended="server",
        outside=r"(?s)\A(?!.*Seat 6).*Seat 5",
    ),
    Situation(
        "the pages are in another language",
        odd(_german, asserting("GET /account", '{ text = "teapots are in stock" }')),
        "GET /account",
        r"(?i)language|german|\bde\b|'Konto', where 'Account'",
        mended="server",
        outside="Teekannen",
        says=("its language: de",),
    ),
    Situation(
        "FastAPI: an idempotency key that was used (409)",
        _api(_by_paying, spoil=as_constant("idempotency_key[1]")),
        "POST /payments",
        "(?i)idempotency-key",
        wanting="it is said which key was used; no command gives a header a new value each time",
    ),
)
