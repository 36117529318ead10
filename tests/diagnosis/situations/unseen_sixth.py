"""A sixth ten of failures that no rule was written for: they were brought about at Tornado,
Litestar, Fastify, Node, CherryPy, HAProxy, django-axes, ModSecurity and aiohttp-cors before any
rule was mended for them. What these answered is kept here, so that none has to be installed."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable
from urllib.parse import parse_qs, quote

from starlette.requests import Request

from tests.correlation.client import Client
from tests.diagnosis.situations.bench import Situation, asserting
from tests.diagnosis.situations.strangers import Told, calls, site, unless

_PAGE = "<html><head><title>{0}</title></head><body><h1>{0}</h1>{1}</body></html>"


def _page(title: str, body: str = "", status: int = 200, **headers: str) -> Told:
    lines = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return Told(_PAGE.format(title, body), status, headers=lines)


def _to(address: str, status: int = 302, **headers: str) -> Told:
    return _page("", status=status, Location=address, **headers)


# Tornado.


def _notes() -> dict[str, Told | Callable[[Request, str], Told]]:
    """Forms with Tornado's token, which is another one each time, of the token in a cookie."""
    given: set[str] = set()

    def form(_request: Request, _body: str) -> Told:
        token = f"2|98c4f0ad|{secrets.token_hex(16)}|1795788267"
        given.add(quote(token, safe=""))
        field = f'<input type="hidden" name="_xsrf" value="{token}"/>'
        return _page("New note", f"<form method=post>{field}<textarea name=text></textarea></form>")

    def sent(_request: Request, body: str) -> Told:
        known = any(f"_xsrf={one}" in body for one in given)
        said = "<html><title>403: Forbidden</title><body>403: Forbidden</body></html>"
        return _to("/notes") if known else Told(said, 403)

    return {"GET /notes/new": form, "POST /notes/new": sent, "GET /notes": _page("Your notes")}


def _by_note(client: Client) -> None:
    client.submit(client.open("/notes/new"), {"text": "Buy tea"})


def _constant(text: str) -> str:
    found = re.search(r'recorded = "(2\|[^"]+)"', text)
    assert found is not None
    return re.sub(r"_xsrf=\$\{[^}]*\}", f"_xsrf={quote(found[1], safe='')}", text)


# CherryPy.


def _orders(*, slash: bool) -> dict[str, Told | Callable[[Request, str], Told]]:
    """A list of orders, whose address has a slash at its end, or none."""
    kept: list[str] = []

    def order(_request: Request, body: str) -> Told:
        kept.extend(parse_qs(body)["title"])
        return _to("/thanks", 303)

    def thanks(_request: Request, _body: str) -> Told:
        return _page("Your orders", "".join(f"<p>{one}</p>" for one in kept))

    form = "<form action=/orders method=post><input name=title></form>"
    return {
        "GET /": _page("Shop", form),
        "POST /orders": (lambda _, __: _to("/orders/", 301)) if slash else order,
        "GET /thanks": thanks,
    }


def _by_order(client: Client) -> None:
    client.submit(client.open("/"), {"title": "Darjeeling first flush"}, action="/orders")


# HAProxy, ModSecurity before Apache.


def _canonical(request: Request, _body: str) -> Told:
    name = f"localhost:{request.url.port}"
    if request.headers["host"] == name:
        return _page(f"Shop {request.url.path}")
    return Told("", 301, headers=(("Location", f"http://{name}{request.url.path}"),))


def _by_articles(client: Client) -> None:
    client.open("/")
    client.open("/articles")


def _by_search(client: Client) -> None:
    client.submit(client.open("/"), {"q": "tea' OR '1'='1"}, action="/search")


_FORM = "<form action=/search method=post><input name=q></form>"
_FORBIDDEN = """<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01//EN" "http://www.w3.org/TR/html4/strict.dtd">
<html><head>
<title>403 Forbidden</title>
</head><body>
<h1>Forbidden</h1>
<p>You don't have permission to access this resource.</p>
</body></html>"""

# django-axes, Node, aiohttp-cors.

_LOGIN = _page(
    "Log in", "<form method=post><input name=username><input type=password name=password></form>"
)


def _by_login(client: Client) -> None:
    page = client.open("/admin/login/")
    client.submit(page, {"username": "ann", "password": "correct-horse"})


_LOCKED = "Account locked: too many login attempts. Contact an admin to unlock your account."
_LONG = tuple(("Set-Cookie", f"basket{at}={'x' * 2000}; Path=/") for at in range(2))
_TOO_LONG = {
    "error": "Request Header Fields Too Large",
    "message": "Exceeded maximum allowed HTTP header size",
    "statusCode": 431,
}


def _by_basket(client: Client) -> None:
    client.open("/start")
    client.open("/basket")


_ORIGIN = "https://app.example"


def _by_preflight(client: Client) -> None:
    asking = {"Access-Control-Request-Method": "PUT", "Sec-Fetch-Mode": "cors"}
    client.send("OPTIONS", "/api/prices", headers={"Origin": _ORIGIN, **asking})
    client.json("PUT", "/api/prices", {"price": 3}, Origin=_ORIGIN)


_ALLOWED = Told(
    "", 200, headers=(("Access-Control-Allow-Origin", _ORIGIN), ("Content-Length", "0"))
)
_NOT_ALLOWED = f"CORS preflight request failed: origin '{_ORIGIN}' is not allowed"


def _limit(request: Request, _body: str) -> Told:
    if int(request.query_params["limit"]) <= 100:
        return Told([{"id": 1}])
    extra = [{"message": "Expected `int` <= 100", "key": "limit", "source": "query"}]
    detail = f"Validation failed for GET {request.url.path}?{request.url.query}"
    return Told({"status_code": 400, "detail": detail, "extra": extra}, 400)


_FASTIFY = {
    "statusCode": 400,
    "code": "FST_ERR_VALIDATION",
    "error": "Bad Request",
    "message": "body/quantity must be <= 2",
}

UNSEEN_SIXTH: tuple[Situation, ...] = (
    Situation(
        "Tornado: the token of a form left constant",
        site(_by_note, _notes(), _notes(), _constant),
        "POST /notes/new",
        "_xsrf = .* was sent as recorded, and 1 GET /notes/new gives out another now",
    ),
    Situation(
        "Litestar: a limit that is too large",
        site(
            calls(("GET", "/api/me", None), ("GET", "/api/orders?limit=500", None)),
            {"GET /api/me": Told({"name": "Ann"}), "GET /api/orders": Told([{"id": 1}])},
            {"GET /api/orders": _limit},
        ),
        "GET /api/orders",
        "does not take limit = 500",
        filled={"VALUE": "50"},
    ),
    Situation(
        "Fastify: a quantity that is too large",
        site(
            calls(
                ("GET", "/api/basket", None), ("POST", "/api/orders", {"sku": "A1", "quantity": 3})
            ),
            {"GET /api/basket": Told({"lines": 1}), "POST /api/orders": Told({"placed": True})},
            {
                "POST /api/orders": unless(
                    '"quantity": 2', Told(_FASTIFY, 400), Told({"placed": True})
                )
            },
        ),
        "POST /api/orders",
        "does not take quantity = 3",
        filled={"VALUE": "2"},
    ),
    Situation(
        "Node: cookies that are too long, 431",
        site(
            _by_basket,
            {
                "GET /start": Told(_PAGE.format("Shop", ""), headers=_LONG),
                "GET /basket": _page("Your basket"),
            },
            {"GET /basket": Told(_TOO_LONG, 431)},
        ),
        "GET /basket",
        "no request whose head is so long",
        mended="server",
        says=("Cookie has",),
    ),
    Situation(
        "CherryPy: a slash is missing, and the change is lost",
        site(_by_order, _orders(slash=False), _orders(slash=True)),
        "POST /orders",
        "did not take effect: it redirects to /orders/",
        mended="server",
    ),
    Situation(
        "HAProxy: everything is redirected to another host",
        site(
            _by_articles,
            {"GET /": _page("Shop /"), "GET /articles": _page("Shop /articles")},
            {"GET /": _canonical, "GET /articles": _canonical},
            asserting("GET /articles", '{ text = "Shop /articles" }'),
        ),
        "GET /articles",
        "wants to be asked at http://localhost:",
    ),
    Situation(
        "django-axes: the account is locked",
        site(
            _by_login,
            {
                "GET /admin/login/": _LOGIN,
                "POST /admin/login/": _to("/admin/", Set_Cookie="sessionid=k3y7w0b1q9z8x5m2"),
                "GET /admin/": _page("Welcome, ann"),
            },
            {"POST /admin/login/": Told(_LOCKED, 429)},
        ),
        "POST /admin/login/",
        "The account is locked",
        mended="server",
    ),
    Situation(
        "ModSecurity: a value that the firewall refuses",
        site(
            _by_search,
            {
                "GET /": _page("Shop", _FORM, Server="shopd/1"),
                "POST /search": _page("3 articles found", Server="shopd/1"),
            },
            {
                "POST /search": Told(
                    _FORBIDDEN, 403, headers=(("Server", "Apache/2.4.71 (Debian)"),)
                )
            },
        ),
        "POST /search",
        "Apache, which stands before the server, refuses the request",
        mended="server",
    ),
    Situation(
        "Litestar: a host that is not allowed",
        site(
            calls(("GET", "/api/me", None), ("GET", "/api/orders", None)),
            {"GET /api/me": Told({"name": "Ann"}), "GET /api/orders": Told([])},
            {
                "GET /api/me": Told({"message": "invalid host header"}, 400),
                "GET /api/orders": Told({"message": "invalid host header"}, 400),
            },
        ),
        "GET /api/me",
        "does not answer to the name that it is asked by",
        mended="server",
    ),
    Situation(
        "aiohttp-cors: a preflight is refused",
        site(
            _by_preflight,
            {"OPTIONS /api/prices": _ALLOWED, "PUT /api/prices": Told({"saved": True})},
            {"OPTIONS /api/prices": Told(_NOT_ALLOWED, 403, "text/plain; charset=utf-8")},
        ),
        "OPTIONS /api/prices",
        f"of pages of the origin {_ORIGIN}",
        mended="server",
    ),
)
