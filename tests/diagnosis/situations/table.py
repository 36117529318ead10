"""The failures that are brought about, with what is really wrong in each."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from tests.diagnosis.situations.bench import Situation
from tests.diagnosis.situations.sessions import by_api, by_pages, by_soap
from tests.diagnosis.situations.shop import Shop

Mend = Callable[[Shop, Path], None]


def _without(*faults: str) -> Mend:
    def mend(shop: Shop, _path: Path) -> None:
        shop.faults -= set(faults)

    return mend


def _recorded(name: str) -> Callable[[str], str]:
    """Send a variable's recorded value instead: somebody took the correlation back."""

    def spoil(text: str) -> str:
        found = re.search(
            rf'^"{re.escape(name)}" = \{{ recorded = "([^"]*)".*\n', text, re.MULTILINE
        )
        assert found is not None
        text = text.replace(found[0], "")
        text = re.sub(rf'  \{{ variable = "{re.escape(name)}".*\n', "", text)
        text = text.replace("extractors = [\n]\n", "")
        return text.replace(f"${{{name}}}", found[1])

    return spoil


def _replaced(old: str, new: str, count: int = -1) -> Callable[[str], str]:
    def spoil(text: str) -> str:
        assert old in text, old
        return text.replace(old, new, count)

    return spoil


def _elsewhere(text: str) -> str:
    """The token of the order is taken from the form to log in."""
    text = text.replace('  { variable = "csrf_token[2]", form = "csrf_token" },\n', "")
    text = text.replace("extractors = [\n]\n", "")
    line = '  { variable = "csrf_token[1]", form = "csrf_token" },\n'
    return text.replace(line, line + line.replace("[1]", "[2]"))


def _after(key: str, value: str) -> Callable[[str], str]:
    """A line more behind a request."""

    def spoil(text: str) -> str:
        assert key in text
        return text.replace(key, f"{key}\n{value}")

    return spoil


def _lives(seconds: float) -> Callable[[Shop], None]:
    def arrange(shop: Shop) -> None:
        shop.session_life = seconds

    return arrange


def _token_lives(seconds: float) -> Callable[[Shop], None]:
    def arrange(shop: Shop) -> None:
        shop.token_life = seconds

    return arrange


def _renewed(seconds: float) -> Mend:
    return lambda shop, _path: _token_lives(seconds)(shop)


def _new_password(shop: Shop) -> None:
    shop.passwords["ann"] = "another-password"


def _old_password(shop: Shop, _path: Path) -> None:
    shop.passwords["ann"] = "ann-password"


def _rewritten(old: str, new: str) -> Mend:
    """A person corrects the test case."""

    def mend(_shop: Shop, path: Path) -> None:
        path.write_text(_replaced(old, new)(path.read_text(encoding="utf-8")), encoding="utf-8")

    return mend


def _header_back(_shop: Shop, path: Path) -> None:
    """A person gives the request its header, with the token that it needs."""
    bearer = '  "Authorization: Bearer ${bearer_token[1]}",\n'
    _rewritten(bearer, bearer + '  "X-CSRF-Token: ${csrf_token[1]}",\n')(_shop, path)


def _server_back(shop: Shop, path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    path.write_text(_at(shop.url)(text), encoding="utf-8")


def _at(url: str) -> Callable[[str], str]:
    return lambda text: re.sub(r"^server = .*", f'server = "{url}"', text, flags=re.MULTILINE)


def _titles(shop: Shop) -> None:
    shop.names |= {"Tea for two", "Kettle"}


ACCOUNT, LOGIN, ORDER = "GET /account", "POST /login", "POST /order"

SITUATIONS = (
    Situation(
        "session expired, 401",
        by_pages,
        "GET /order/new",
        "session has probably expired",
        arrange=_lives(3),
        think=(1, 3.5),
        says=(
            "Authentication folder: none",
            "WWW-Authenticate: none: a form or a session",
            "Set-Cookie of the login: 2 POST /login set sid",
            "Cookie of this request: sent sid",
            "confirm  pytest shop.case.toml --loadtool-think-time none",
        ),
        promises=(106, 107, 108, 109),
    ),
    Situation(
        "session expired, redirect to the login",
        by_pages,
        "GET /order/new",
        "session has probably expired",
        faults=("login by redirect",),
        spoil=_after('request = "GET /order/new"', "status = 200"),
        arrange=_lives(3),
        think=(1, 3.5),
    ),
    Situation(
        "the login sets no cookie",
        by_pages,
        LOGIN,
        "set the cookie sid when recorded, and did not now",
        faults=("no cookie",),
        mend=_without("no cookie"),
        says=("missing, though recorded: sid", "later failures, possible consequences"),
        promises=(109, 122),
    ),
    Situation(
        "the cookie is for another path",
        by_pages,
        LOGIN,
        "cookie sid was not sent, though",
        faults=("cookie elsewhere",),
        mend=_without("cookie elsewhere"),
    ),
    Situation(
        "anti-forgery token left constant in a form",
        by_pages,
        ORDER,
        r"csrf_token = .* sent as recorded, and 5 GET /order/new gives out another",
        spoil=_recorded("csrf_token[2]"),
        says=("csrf_token (Constant value)", "csrf_token: as recorded"),
        promises=(113, 114),
    ),
    Situation(
        "a constant written over the token",
        by_pages,
        ORDER,
        "csrf_token sends the constant WRONG, which was not recorded",
        spoil=_replaced("csrf_token=${csrf_token[2]}", "csrf_token=WRONG"),
        says=("csrf_token: not as recorded, the constant WRONG",),
        promises=(114,),
    ),
    Situation(
        "token taken from the wrong page",
        by_pages,
        ORDER,
        "taken from 1 GET /login; when recorded, it was of 5 GET /order/new",
        spoil=_elsewhere,
        says=("csrf_token: taken anew",),
        promises=(115,),
    ),
    Situation(
        "wrong password in a form",
        by_pages,
        LOGIN,
        "The login was refused",
        arrange=_new_password,
        mend=_old_password,
    ),
    Situation(
        "wrong password in a form, which answers 200 as it may",
        by_pages,
        LOGIN,
        "The login was refused",
        spoil=_replaced(
            'status = "300-399"\nrecorded = { status = 302, kind = "HTML", entry = 1,',
            'recorded = { status = 302, kind = "HTML", entry = 1,',
        ),
        arrange=_new_password,
        mend=_old_password,
    ),
    Situation(
        "wrong password in JSON",
        by_api,
        "POST /api/token",
        "The login was refused",
        arrange=_new_password,
        mend=_old_password,
    ),
    Situation(
        "HTTP authentication that nobody configured",
        by_pages,
        "GET /login",
        "asks who you are \\(Basic\\)",
        faults=("basic",),
        mend=_without("basic"),
    ),
    Situation(
        "header with the token missing",
        by_api,
        "POST /api/items",
        "header X-CSRF-Token was sent when recorded, and is not now",
        spoil=_replaced('  "X-CSRF-Token: ${csrf_token[1]}",\n', ""),
        mend=_header_back,
        promises=(113,),
    ),
    Situation(
        "bearer token expired",
        by_api,
        "GET /api/items",
        "bearer token has expired",
        arrange=_token_lives(1),
        think=(0, 1.5),
        mend=_renewed(3600),
        says=("bearer_token[1]",),
        promises=(111,),
    ),
    Situation(
        "bearer token left constant",
        by_api,
        "GET /api/items",
        "bearer token is a constant",
        spoil=_recorded("bearer_token[1]"),
        promises=(111,),
    ),
    Situation(
        "scope too small",
        by_api,
        "POST /api/items",
        "its scope is too small",
        faults=("scope",),
        mend=_without("scope"),
    ),
    Situation(
        "id of the recording in a path",
        by_pages,
        "7 of 8",
        "sent as recorded, and 6 POST /order gives out another",
        spoil=_recorded("order_id[1]"),
    ),
    Situation(
        "id of the recording in a path of an API",
        by_api,
        "4 of 4",
        "sent as recorded, and 3 POST /api/items gives out another",
        spoil=_recorded("item_id[1]"),
    ),
    Situation(
        "page gone",
        by_pages,
        ACCOUNT,
        "is not there",
        faults=("account gone",),
        mend=_without("account gone"),
        promises=(118,),
    ),
    Situation(
        "page gone for good",
        by_pages,
        ACCOUNT,
        "was taken away",
        faults=("account gone for good",),
        mend=_without("account gone for good"),
    ),
    Situation(
        "static file gone",
        by_pages,
        "/static/logo.png",
        "static file is not there",
        faults=("no image",),
        promises=(118,),
    ),
    Situation(
        "another application answers",
        by_pages,
        "GET /login",
        "another server or path",
        faults=("nothing there",),
        mend=_without("nothing there"),
    ),
    Situation(
        "rate limit",
        by_pages,
        "/static/logo.png",
        "limits how many requests",
        faults=("limit",),
        mend=_without("limit"),
        says=("Retry-After: 30",),
        promises=(119,),
    ),
    Situation(
        "server error",
        by_pages,
        ORDER,
        "The server failed \\(500\\)",
        faults=("order fails",),
        mend=_without("order fails"),
        says=("database is locked",),
        promises=(120,),
    ),
    Situation(
        "overloaded",
        by_pages,
        ACCOUNT,
        "overloaded",
        faults=("overloaded",),
        mend=_without("overloaded"),
        promises=(120,),
    ),
    Situation(
        "bad gateway",
        by_pages,
        ACCOUNT,
        "A gateway got no good answer",
        faults=("gateway",),
        mend=_without("gateway"),
    ),
    Situation(
        "gateway time-out",
        by_pages,
        ACCOUNT,
        "A gateway got no answer",
        faults=("gateway slow",),
        mend=_without("gateway slow"),
    ),
    Situation(
        "defence against robots",
        by_pages,
        ORDER,
        "robots",
        faults=("robots",),
        mend=_without("robots"),
        promises=(112, 116),
    ),
    Situation(
        "no rights",
        by_pages,
        ORDER,
        "may not do this",
        faults=("no rights",),
        mend=_without("no rights"),
        promises=(112, 116),
    ),
    Situation(
        "method not allowed",
        by_pages,
        ORDER,
        "405",
        faults=("no method",),
        mend=_without("no method"),
    ),
    Situation(
        "a name that is taken, in a form",
        by_pages,
        ORDER,
        "'Tea for two' only once",
        faults=("unique",),
        arrange=_titles,
    ),
    Situation(
        "a name that is taken, in JSON",
        by_api,
        "POST /api/items",
        "'Kettle' only once",
        faults=("taken",),
        arrange=_titles,
    ),
    Situation(
        "a value that is not accepted",
        by_api,
        "POST /api/items",
        "does not take a value",
        faults=("invalid",),
        mend=_without("invalid"),
    ),
    Situation(
        "status 200 that says no",
        by_api,
        "POST /api/items",
        "The answer says that it failed",
        faults=("says no",),
        mend=_without("says no"),
        spoil=_replaced('validators = [\n  { json = "$.success", equals = true },\n]\n', ""),
    ),
    Situation(
        "malformed JSON",
        by_api,
        "POST /api/token",
        "no valid JSON",
        spoil=_replaced('"password": "ann-password"}', '"password": "ann-password"'),
        mend=_rewritten('"ann-password"', '"ann-password"}'),
        promises=(120,),
    ),
    Situation(
        "a change that does nothing",
        by_pages,
        ORDER,
        "did not take effect",
        faults=("order ignored",),
        mend=_without("order ignored"),
    ),
    Situation(
        "search text that the recording has not",
        by_pages,
        ACCOUNT,
        "The validator is wrong: 'Welcome back, Anne'",
        spoil=_after('request = "GET /account"', 'validators = [{ text = "Welcome back, Anne" }]'),
        mend=_rewritten("Welcome back, Anne", "Welcome back, Ann"),
        says=(
            "Search text not found: 'Welcome back, Anne'",
            "nearest on the page: 'Welcome back, Ann'",
        ),
        promises=(123, 124),
    ),
    Situation(
        "search text that has changed",
        by_pages,
        ACCOUNT,
        "The page has changed",
        spoil=_after(
            'request = "GET /account"', 'validators = [{ text = "41 teapots are in stock" }]'
        ),
        faults=("stock",),
        mend=_without("stock"),
        says=("JSON path",),
        promises=(124,),
    ),
    Situation(
        "search text on another page",
        by_pages,
        ACCOUNT,
        "not recorded|nothing like it",
        spoil=_after(
            'request = "GET /account"', 'validators = [{ text = "teapots are in stock" }]'
        ),
        faults=("maintenance",),
        mend=_without("maintenance"),
    ),
    Situation(
        "SOAP fault",
        by_soap,
        "POST /soap",
        "The server failed",
        faults=("soap fault",),
        mend=_without("soap fault"),
    ),
    Situation(
        "too slow",
        by_pages,
        ACCOUNT,
        "did not come in time",
        faults=("slow",),
        timeout=2.0,
        mend=_without("slow"),
    ),
    Situation(
        "connection ended by the server",
        by_pages,
        ACCOUNT,
        "ended the connection",
        faults=("hangs up",),
        mend=_without("hangs up"),
    ),
    Situation(
        "host not known",
        by_pages,
        "GET /login",
        "host's name is not known",
        spoil=_at("http://no-such-host.invalid"),
        mend=_server_back,
    ),
    Situation(
        "nobody listens",
        by_pages,
        "GET /login",
        "Nobody accepts connections",
        spoil=_at("http://127.0.0.1:9"),
        mend=_server_back,
    ),
)
