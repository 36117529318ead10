"""A third ten of failures that no rule was written for, brought about when the rules of
`unseen_again` were done."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any

import jwt
from fastapi import Depends, FastAPI, HTTPException
from fastapi.security import OAuth2PasswordBearer
from pydantic import BaseModel

from tests.correlation.client import Client
from tests.diagnosis.situations.bench import Situation, Stage
from tests.diagnosis.situations.peers import at_app, at_nginx, recorded
from tests.diagnosis.situations.shop import Answer
from tests.diagnosis.situations.unseen import odd

_KEY = "a key of thirty-two octets, and more"
_LOG_IN = """<form method="post" action="/login/code"><p>Enter the code that we have sent to your
phone.</p><input name="code" autocomplete="one-time-code"><button>Verify</button></form>"""
_NO_LONG_LINES = """client_header_buffer_size 64; large_client_header_buffers 4 512;
    server { listen 127.0.0.1:<main>; location / { proxy_pass SHOP; } }"""
_DENIED = "server { listen 127.0.0.1:<main>; location / { deny all; proxy_pass SHOP; } }"
_SLASHES = """server { listen 127.0.0.1:<main>; location = /order { return 301 /order/; }
    location / { proxy_pass SHOP; } }"""


@dataclass
class _Api:
    """What is different at the API after the recording."""

    days: int = -10
    """What the server's date is before today's, in days."""
    known: bool = True
    """Whether it knows the query that clients name by its hash."""
    early: float = 0.0
    """How much later than this machine's clock the server's tokens begin, in seconds."""

    @property
    def today(self) -> str:
        """The server's date."""
        return (datetime.now(UTC) + timedelta(days=self.days)).date().isoformat()


class _Booking(BaseModel):
    room: str
    arrival: str
    nights: int


class _Query(BaseModel):
    operationName: str  # noqa: N815  so named by GraphQL over HTTP
    variables: dict[str, Any]
    extensions: dict[str, Any]


_bearer = OAuth2PasswordBearer("token")


def _app(api: _Api) -> FastAPI:
    app = FastAPI()

    @app.get("/rooms")
    def _rooms() -> list[dict[str, str]]:
        return [{"name": "Blue room"}]

    @app.post("/bookings")
    def _book(booking: _Booking) -> dict[str, Any]:
        if booking.arrival < api.today:
            raise HTTPException(422, [{"loc": ["body", "arrival"], "msg": "is in the past"}])
        return {"booked": True, "nights": booking.nights}

    @app.post("/graphql")
    def _graphql(query: _Query) -> dict[str, Any]:
        if not api.known:
            code = {"code": "PERSISTED_QUERY_NOT_FOUND"}
            return {"errors": [{"message": "PersistedQueryNotFound", "extensions": code}]}
        return {"data": {"rooms": [{"name": "Blue room"}]}}

    @app.post("/token")
    def _token() -> dict[str, Any]:
        claims = {"sub": "ann", "iat": int(time.time()), "nbf": int(time.time() + api.early)}
        token = jwt.encode(claims, _KEY, "HS256")
        return {"access_token": token, "token_type": "Bearer", "expires_in": 3600}

    @app.get("/me")
    def _me(token: Annotated[str, Depends(_bearer)]) -> dict[str, str]:
        try:
            return {
                "name": jwt.decode(token, _KEY, ["HS256"], leeway=0 if api.early else 900)["sub"]
            }
        except jwt.InvalidTokenError as error:
            why = f'Bearer error="invalid_token", error_description="{error}"'
            raise HTTPException(401, "Unauthorized", {"WWW-Authenticate": why}) from error

    return app


def _api(session: Callable[[Client], None], **changes: Any) -> Stage:
    """FastAPI, which is another one after the recording."""

    @contextlib.contextmanager
    def stage(path: Path) -> Iterator[Callable[[], None]]:
        api = _Api()
        before = {name: getattr(api, name) for name in changes}
        with at_app(_app(api)) as url:
            recorded(path, url, session, str, url)
            vars(api).update(changes)
            yield lambda: vars(api).update(before)

    return stage


def _by_booking(client: Client) -> None:
    client.json("GET", "/rooms")
    arrival = (datetime.now(UTC) - timedelta(days=3)).date().isoformat()
    client.json("POST", "/bookings", {"room": "Blue room", "arrival": arrival, "nights": 2})


def _by_graphql(client: Client) -> None:
    client.json("GET", "/rooms")
    named = {"persistedQuery": {"version": 1, "sha256Hash": "ecf4edb46db40b5132295c0291d62fb6"}}
    query = {"operationName": "Rooms", "variables": {"first": 5}, "extensions": named}
    client.json("POST", "/graphql", query)


def _by_token(client: Client) -> None:
    who = {"username": "ann", "password": "ann-password"}
    token = client.json("POST", "/token", who)["access_token"]
    client.json("GET", "/me", Authorization=f"Bearer {token}")


def _by_search(client: Client) -> None:
    client.open("/home")
    client.open(f"/home?q={'teapots+and+kettles+' * 40}")


def _second_factor(method: str, path: str, _headers: object, answer: Answer) -> Answer:
    if (method, path) != ("POST", "/login"):
        return answer
    return Answer(200, _LOG_IN, title="Two-step verification")


def _firewall(method: str, path: str, _headers: object, answer: Answer) -> Answer:
    if (method, path) != ("POST", "/order"):
        return answer
    said = "The requested URL was rejected. Please consult with your administrator."
    return Answer(200, f"{said}<br><br>Your support ID is: 1082", title="Request Rejected")


def _single_sign_on(_method: str, _path: str, headers: Mapping[str, str], _: Answer) -> Answer:
    back = f"http%3A%2F%2F{headers['host']}%2Fcallback"
    sso = f"https://sso.shop.example/authorize?client_id=shop&redirect_uri={back}"
    return Answer(302, "", (("Location", sso),))


def _elsewhere(_method: str, path: str, headers: Mapping[str, str], answer: Answer) -> Answer:
    if "sid=" not in headers.get("cookie", "") or path.startswith(("/account", "/static")):
        return answer
    said = "You were logged out, because somebody logged in to this account on another device."
    return Answer(401, f"<p>{said}</p>", title="Logged out")


UNSEEN_THIRD: tuple[Situation, ...] = (
    Situation(
        "a second factor is asked for now",
        odd(_second_factor),
        "POST /login",
        "(?i)two-step|code|factor",
        mended="server",
        outside="Two-step",
    ),
    Situation(
        "FastAPI: a date that is in the past now",
        _api(_by_booking, days=0),
        "POST /bookings",
        "arrival|past",
        filled={"VALUE": "2099-12-24"},
    ),
    Situation(
        "a firewall rejects it with 200",
        odd(_firewall),
        "POST /order",
        "(?i)reject|firewall|defence",
        mended="server",
        outside="Request Rejected",
    ),
    Situation(
        "everything goes to a single sign-on now",
        odd(_single_sign_on),
        "GET /login",
        "(?i)sso.shop.example|log in|login",
        mended="server",
        outside="sso.shop.example",
    ),
    Situation(
        "nginx: an address that is too long (414)",
        at_nginx(_NO_LONG_LINES, session=_by_search),
        "GET /home",
        "(?i)too long|so long",
        mended="server",
    ),
    Situation(
        "FastAPI: GraphQL, a query that the server has forgotten",
        _api(_by_graphql, known=False),
        "2 of 2",
        "PersistedQueryNotFound|says that it failed",
        mended="server",
        outside="PersistedQueryNotFound",
    ),
    Situation(
        "FastAPI: a token that is not valid yet",
        _api(_by_token, early=600),
        "GET /me",
        "(?i)clock|not yet valid|not valid yet",
        mended="server",
    ),
    Situation(
        "nginx: nobody is let in from here (403)",
        at_nginx(_DENIED),
        "GET /login",
        "(?i)whatever|everything|from here|nginx|address|lets nobody",
        mended="server",
    ),
    Situation(
        "nginx: a redirect in place of the change",
        at_nginx(_SLASHES),
        "POST /order",
        "(?i)redirect|/order/",
        mended="server",
        outside="Location: .*/order/",
    ),
    Situation(
        "somebody logged in elsewhere, which ends this session",
        odd(_elsewhere),
        "GET /order/new",
        "(?i)another device|logged out|ended",
        mended="server",
    ),
)
