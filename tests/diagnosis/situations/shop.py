"""A shop over pages and JSON that can be broken in many ways, as real servers break.

It keeps sessions, gives out anti-forgery tokens with each form, and bearer tokens; ids of orders
are random, so that a recorded one is never there again.
"""

from __future__ import annotations

import base64
import html
import json
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

USERS = {"ann": "ann-password", "bob": "bob-password"}
_PAGE = "<html><head><title>{title}</title></head><body><h1>{title}</h1>{body}</body></html>"


@dataclass(frozen=True)
class Answer:
    """What the shop answers; its body is HTML, or JSON if it is no text."""

    status: int
    body: Any = ""
    headers: tuple[tuple[str, str], ...] = ()
    title: str = ""


@dataclass
class Shop:
    """The state. ``faults`` names what is broken; `_FAULTS` has them all."""

    faults: set[str] = field(default_factory=set)
    passwords: dict[str, str] = field(default_factory=lambda: dict(USERS))
    sessions: dict[str, dict[str, Any]] = field(default_factory=dict)
    tokens: dict[str, float] = field(default_factory=dict)
    orders: dict[str, dict[str, Any]] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    readers: set[str] = field(default_factory=set)
    state: str = field(default_factory=lambda: secrets.token_hex(8))
    version: int = field(default_factory=lambda: 1000 + secrets.randbelow(9000))
    session_life: float = 1e9
    token_life: float = 3600
    odd: Callable[[str, str, Mapping[str, str], Answer], Answer] | None = None
    """What becomes of an answer on its way: given the method, the path and the headers, too."""
    served: list[float] = field(default_factory=list)

    def answer(self, method: str, target: str, headers: Mapping[str, str], body: str) -> Answer:
        """Answer one request."""
        path = urlsplit(target).path
        broken = _broken(self, method, path, headers)
        if broken is not None:
            return broken
        for prefix, handle in _ROUTES.items():
            if path.startswith(prefix):
                return handle(self, method, path, headers, body)
        return Answer(404, "<p>There is no such page.</p>", title="Not Found")

    def too_many(self) -> bool:
        """Whether more than three requests came within two seconds, or a little less: who waits so
        long is never early."""
        now = time.monotonic()
        self.served = [*(one for one in self.served if now - one < 1.8), now]
        return len(self.served) > 3

    def session(self, headers: Mapping[str, str]) -> dict[str, Any] | None:
        """The session of a request, if it has one that lives."""
        cookies = dict(
            pair.strip().split("=", 1)
            for pair in headers.get("cookie", "").split(";")
            if "=" in pair
        )
        found = self.sessions.get(cookies.get("sid", ""))
        if found is None or time.monotonic() - found["seen"] > self.session_life:
            return None
        found["seen"] = time.monotonic()
        return found


def _broken(shop: Shop, method: str, path: str, headers: Mapping[str, str]) -> Answer | None:
    """The answer of a fault, where it is that fault's turn."""
    for name in shop.faults:
        where, answer = _FAULTS.get(name, ("", None))
        if answer is not None and f"{method} {path}".startswith(where):
            return answer
    if "basic" in shop.faults and not headers.get("authorization", "").startswith("Basic "):
        return Answer(401, "", (("WWW-Authenticate", 'Basic realm="shop"'),), "Unauthorized")
    if "limit" in shop.faults and shop.too_many():
        return Answer(429, "", (("Retry-After", "2"),), "Too Many Requests")
    return None


_FAULTS: dict[str, tuple[str, Answer]] = {
    "order fails": (
        "POST /order",
        Answer(500, "<p>Traceback: database is locked</p>", title="Server Error (500)"),
    ),
    "overloaded": ("GET /account", Answer(503, "", (("Retry-After", "120"),), "Overloaded")),
    "gateway": ("GET /account", Answer(502, "", (), "Bad Gateway")),
    "gateway slow": ("GET /account", Answer(504, "", (), "Gateway Time-out")),
    "robots": (
        "POST /order",
        Answer(403, "<p>Please complete the CAPTCHA: are you human?</p>", (("CF-RAY", "8a1"),)),
    ),
    "no rights": (
        "POST /order",
        Answer(403, '<p class="error">You do not have permission to do this.</p>', (), "Forbidden"),
    ),
    "about fails": ("GET /about", Answer(500, "<p>Try again.</p>", title="Server Error (500)")),
    "account gone": ("GET /account", Answer(404, "<p>No page.</p>", title="Not Found")),
    "account gone for good": ("GET /account", Answer(410, "<p>No more.</p>", title="Gone")),
    "no image": ("GET /static", Answer(404, "", title="Not Found")),
    "no method": ("POST /order", Answer(405, "", (("Allow", "GET"),), "Not Allowed")),
    "nothing there": ("", Answer(404, "<p>No application here.</p>", title="Not Found")),
    "soap fault": (
        "POST /soap",
        Answer(
            500,
            "<soap:Envelope xmlns:soap='http://schemas.xmlsoap.org/soap/envelope/'><soap:Body>"
            "<soap:Fault><faultcode>soap:Server</faultcode><faultstring>no stock</faultstring>"
            "</soap:Fault></soap:Body></soap:Envelope>",
            (("Content-Type", "text/xml"),),
        ),
    ),
    "soap fault with 200": (
        "POST /soap",
        Answer(
            200,
            "<soap:Envelope xmlns:soap='http://schemas.xmlsoap.org/soap/envelope/'><soap:Body>"
            "<soap:Fault><faultcode>soap:Client</faultcode><faultstring>no such shop</faultstring>"
            "</soap:Fault></soap:Body></soap:Envelope>",
            (("Content-Type", "text/xml"),),
        ),
    ),
    "maintenance": ("GET /account", Answer(200, "<p>Back soon.</p>", title="Down for maintenance")),
}


def _form(token: str, fields: str, action: str) -> str:
    return (
        f'<form method="post" action="{action}">'
        f'<input type="hidden" name="csrf_token" value="{token}">{fields}<button>OK</button></form>'
    )


def _token(session: dict[str, Any] | None) -> str:
    token = secrets.token_urlsafe(16)
    if session is not None:
        session.setdefault("tokens", set()).add(token)
    return token


_LOGIN_FIELDS = '<input name="username"><input name="password" type="password">'


def _login(shop: Shop, method: str, _path: str, _headers: Mapping[str, str], body: str) -> Answer:
    who = "mail_or_name" if "rebuilt" in shop.faults else "username"
    fields = _form(_token(None), _LOGIN_FIELDS.replace("username", who), "/login")
    if method == "GET":
        return Answer(200, fields, title="Log in")
    form = dict(parse_qsl(body, keep_blank_values=True))
    if shop.passwords.get(form.get(who, "")) != form.get("password"):
        error = '<p class="error">Wrong user name or password.</p>'
        return Answer(200, error + fields, title="Log in")
    number = secrets.token_hex(16)
    shop.sessions[number] = {"user": form[who], "seen": time.monotonic()}
    cookie = () if "no cookie" in shop.faults else (("Set-Cookie", f"sid={number}; Path=/"),)
    if "cookie elsewhere" in shop.faults:
        cookie = (("Set-Cookie", f"sid={number}; Path=/admin"),)
    return Answer(302, "", (("Location", "/account"), *cookie))


def _account(
    shop: Shop, _method: str, _path: str, headers: Mapping[str, str], _body: str
) -> Answer:
    session = shop.session(headers)
    if session is None:
        return _stranger(shop)
    name = session["user"].capitalize()
    stock = 41 if "stock" not in shop.faults else 40
    hello = f"Welcome back, {name}" if "renamed" not in shop.faults else f"Hello again, {name}"
    body = f"<p>{hello}</p><p>{stock} teapots are in stock</p><img src='/static/logo.png'>"
    return Answer(200, body, title="Account")


def _stranger(shop: Shop) -> Answer:
    if "login page" in shop.faults:
        return Answer(200, _form(_token(None), _LOGIN_FIELDS, "/login"), title="Log in")
    if "login by redirect" in shop.faults:
        return Answer(302, "", (("Location", "/login?next=/account"),))
    return Answer(401, "<p>Please log in.</p>", title="Unauthorized")


def _order(shop: Shop, method: str, path: str, headers: Mapping[str, str], body: str) -> Answer:
    session = shop.session(headers)
    if session is None:
        return _stranger(shop)
    if path == "/order/new":
        fields = '<input name="title"><input name="quantity">'
        return Answer(200, _form(_token(session), fields, "/order"), title="New order")
    if method not in ("GET", "POST"):
        return Answer(405, "", (("Allow", "GET, POST"),), "Not Allowed")
    if method == "POST":
        form = dict(parse_qsl(body, keep_blank_values=True))
        if session["user"] in shop.readers:
            return Answer(403, '<p class="error">You do not have permission.</p>', (), "Forbidden")
        if form.get("csrf_token") not in session.get("tokens", set()):
            if "laravel" in shop.faults:
                return Answer(419, "", (), "Page Expired")
            return Answer(403, "<p>CSRF verification failed. Request aborted.</p>", (), "Forbidden")
        if "unique" in shop.faults and form["title"] in shop.names:
            error = '<p class="error">An order with this title already exists.</p>'
            page = error + _form(_token(session), '<input name="title">', "/order")
            return Answer(200, page, title="New order")
        shop.names.add(form["title"])
        number = secrets.token_hex(8)
        if "order ignored" not in shop.faults:
            shop.orders[number] = form
        return Answer(302, "", (("Location", f"/orders/{number}"),))
    number = path.removeprefix("/orders/")
    order = shop.orders.get(number)
    if order is None and path != "/orders":
        if "order ignored" in shop.faults:
            return Answer(200, "<p>Nothing was ordered.</p>", title="Orders")
        return Answer(404, "<p>There is no such order.</p>", title="Not Found")
    listed = [order] if order else shop.orders.values()
    items = "".join(f"<li>{html.escape(one['title'])}</li>" for one in listed)
    return Answer(200, f"<ul>{items}</ul>", title="Orders")


def _api_token(
    shop: Shop, _method: str, _path: str, _headers: Mapping[str, str], body: str
) -> Answer:
    try:
        asked = json.loads(body)
    except ValueError as error:
        return Answer(400, {"error": "bad_request", "detail": f"not JSON: {error}"})
    if shop.passwords.get(asked.get("username")) != asked.get("password"):
        return Answer(401, {"error": "invalid_grant", "error_description": "wrong password"})
    token = secrets.token_urlsafe(24)
    shop.tokens[token] = time.monotonic()
    return Answer(
        200, {"access_token": token, "token_type": "Bearer", "expires_in": int(shop.token_life)}
    )


def _api(shop: Shop, method: str, path: str, headers: Mapping[str, str], body: str) -> Answer:
    scheme, _, token = headers.get("authorization", "").partition(" ")
    given = shop.tokens.get(token)
    if scheme != "Bearer" or given is None:
        why = 'Bearer error="invalid_token", error_description="unknown token"'
        return Answer(401, {"error": "invalid_token"}, (("WWW-Authenticate", why),))
    if time.monotonic() - given > shop.token_life:
        why = 'Bearer error="invalid_token", error_description="The token expired"'
        return Answer(401, {"error": "invalid_token"}, (("WWW-Authenticate", why),))
    if "scope" in shop.faults and method != "GET":
        why = 'Bearer error="insufficient_scope", scope="items:write"'
        return Answer(403, {"error": "insufficient_scope"}, (("WWW-Authenticate", why),))
    if method == "GET" and path == "/api/items":
        items = [{"id": number, **one} for number, one in shop.orders.items()]
        return Answer(200, {"items": items, "csrf": _api_csrf(token)})
    if method == "GET":
        one = shop.orders.get(path.rpartition("/")[2])
        return Answer(200, one) if one else Answer(404, {"error": "not found"})
    if headers.get("x-csrf-token") != _api_csrf(token):
        return Answer(403, {"error": "CSRF token missing or incorrect"})
    if "json" not in headers.get("content-type", ""):
        return Answer(415, {"error": "this is no JSON"})
    asked = json.loads(body)
    if "taken" in shop.faults and asked["name"] in shop.names:
        return Answer(409, {"error": "conflict", "message": "name is already taken"})
    if "invalid" in shop.faults and asked["quantity"] > 2:
        return Answer(422, {"detail": "quantity: must be at most 2"})
    if "says no" in shop.faults:
        return Answer(200, {"success": False, "message": "out of stock"})
    shop.names.add(asked["name"])
    number = secrets.token_hex(8)
    shop.orders[number] = {"title": asked["name"], "quantity": asked["quantity"]}
    return Answer(201, {"id": number, "success": True, **asked})


def _api_csrf(token: str) -> str:
    return base64.urlsafe_b64encode(f"for {token[:16]}".encode()).decode().rstrip("=")


def _soap(_shop: Shop, _method: str, _path: str, _headers: object, _body: str) -> Answer:
    text = "<Envelope><Body><StockResponse><Count>4</Count></StockResponse></Body></Envelope>"
    return Answer(200, text, (("Content-Type", "text/xml"),))


def _notes(shop: Shop, method: str, path: str, headers: Mapping[str, str], body: str) -> Answer:
    """Notes, which are changed with If-Match, and tasks, with their version."""
    etag = (("ETag", f'"{shop.state}"'),)
    if method == "GET":
        return Answer(200, {"text": "old", "version": shop.version}, etag)
    if path.startswith("/tasks"):
        if json.loads(body).get("version") != shop.version:
            return Answer(409, {"message": "the task was changed by somebody else: version"})
        shop.version += 1
        return Answer(200, {"done": True})
    if "if-match" not in headers:
        return Answer(428, {"message": "this request needs a condition"})
    if headers["if-match"] != f'"{shop.state}"':
        return Answer(412, {"message": "it was changed since"})
    return Answer(200, {"done": True}, etag)


def _stock(_shop: Shop, _method: str, _path: str, headers: Mapping[str, str], _body: str) -> Answer:
    if headers.get("x-api-key") != "key-of-a-program":
        return Answer(401, {"error": "API key missing or unknown"})
    if headers.get("x-requested-with") != "XMLHttpRequest":
        return Answer(403, {"error": "only for scripts of our pages"})
    return Answer(200, {"teapots": 41})


def _home(shop: Shop, _method: str, path: str, _headers: object, _body: str) -> Answer:
    team = "/about/people" if "renamed page" in shop.faults else "/about/team"
    if path == "/home":
        return Answer(200, f'<a href="/home">Home</a> <a href="{team}">Team</a>', title="Home")
    if path != team:
        return Answer(404, "<p>No such page.</p>", title="Not Found")
    return Answer(200, "<p>That is us, Jürgen and Zoë.</p>", title="Team")


def _signed(shop: Shop, _method: str, _path: str, headers: Mapping[str, str], _body: str) -> Answer:
    late = 600 if "clock" in shop.faults else 0
    if abs(time.time() + late - float(headers.get("x-timestamp", 0))) > 300:
        said = "The difference between the request time and the current time is too large."
        return Answer(403, {"code": "RequestTimeTooSkewed", "message": said})
    return Answer(200, {"signed": True})


def _static(_shop: Shop, _method: str, _path: str, _headers: object, _body: str) -> Answer:
    return Answer(200, "PNG", (("Content-Type", "image/png"),))


_ROUTES = {
    "/login": _login,
    "/account": _account,
    "/order": _order,
    "/api/token": _api_token,
    "/api/": _api,
    "/soap": _soap,
    "/static/": _static,
    "/notes": _notes,
    "/tasks": _notes,
    "/stock": _stock,
    "/home": _home,
    "/about": _home,
    "/signed": _signed,
}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ShopServer

    def _answer(self) -> None:
        shop = self.server.shop
        body = self.rfile.read(int(self.headers.get("content-length") or 0)).decode()
        if "slow" in shop.faults and self.path == "/account":
            self.server.released.wait(3)
        if "hangs up" in shop.faults and self.path == "/account":
            self.close_connection = True
            return
        headers = {name.lower(): value for name, value in self.headers.items()}
        with self.server.lock:
            found = shop.answer(self.command, self.path, headers, body)
            if shop.odd is not None:
                found = shop.odd(self.command, self.path, headers, found)
        text = found.body
        media = "application/json"
        if isinstance(text, str):
            media = "text/html; charset=utf-8"
            if found.title or not text:
                text = _PAGE.format(title=found.title, body=text)
        elif not isinstance(text, bytes):
            text = json.dumps(text)
        content = text if isinstance(text, bytes) else text.encode()
        self.send_response(found.status)
        if not any(name == "Content-Type" for name, _ in found.headers):
            self.send_header("Content-Type", media)
        for name, value in found.headers:
            self.send_header(name, value)
        if any(name == "Content-Length" for name, _ in found.headers):
            self.close_connection = True
        else:
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = _answer  # noqa: N815  named by the library

    def log_message(self, *_: object) -> None:
        pass


class ShopServer(ThreadingHTTPServer):
    """A server of `shop`, which may become another one, as after a restart."""

    daemon_threads = True

    def __init__(self, shop: Shop) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.shop, self.lock, self.released = shop, threading.Lock(), threading.Event()
        self.url = f"http://127.0.0.1:{self.server_address[1]}"


@contextmanager
def serving(shop: Shop) -> Iterator[ShopServer]:
    """Serve a shop."""
    with ShopServer(shop) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.released.set()
            server.shutdown()
            thread.join()
