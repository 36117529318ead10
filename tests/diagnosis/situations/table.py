"""The failures that are brought about, with what is really wrong in each."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from tests.diagnosis.situations.bench import Situation, asserting, in_the_shop
from tests.diagnosis.situations.peers import (
    at_django,
    at_fastapi,
    at_next_version,
    by_hand,
    identity,
    limited,
    small,
    through,
)
from tests.diagnosis.situations.sessions import (
    by_api,
    by_django,
    by_failing_links,
    by_fastapi,
    by_key,
    by_links,
    by_new_pages,
    by_notes,
    by_pages,
    by_soap,
)
from tests.diagnosis.situations.shop import Shop


def as_constant(name: str) -> Callable[[str], str]:
    """Send a variable's recorded value instead: somebody took the correlation back."""

    def spoil(text: str) -> str:
        line = rf"""^"{re.escape(name)}" = \{{ .*?\brecorded = ["'](.*?)["'], .*\n"""
        found = re.search(line, text, re.MULTILINE)
        assert found is not None
        text = text.replace(found[0], "")
        text = re.sub(rf'  \{{ variable = "{re.escape(name)}".*\n', "", text)
        text = text.replace("extractors = [\n]\n", "")
        return text.replace(f"${{{name}}}", found[1].replace('"', '\\"'))

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


def _new_password(shop: Shop) -> None:
    shop.passwords["ann"] = "another-password"


def _at(url: str) -> Callable[[str], str]:
    return lambda text: re.sub(r"^server = .*", f'server = "{url}"', text, flags=re.MULTILINE)


def _titles(shop: Shop) -> None:
    shop.names |= {"Tea for two", "Kettle"}


def _of_dataset(text: str) -> str:
    """User and password are of a dataset."""
    text = text.replace(
        "username=ann&password=ann-password",
        "username=${users.username|form}&password=${users.password|form}",
    )
    return text + '\n[datasets.users]\nfile = "users.csv"\n'


def _dataset_at_hand(text: str) -> str:
    """The user is of a dataset that has the password, too; that is still the recorded one."""
    text = text.replace("username=ann&", "username=${users.username|form}&")
    return text + '\n[datasets.users]\nfile = "users.csv"\n'


def _users(user: str, password: str) -> Callable[[Shop, Path], None]:
    def after(_shop: Shop, path: Path) -> None:
        (path.parent / "users.csv").write_text(f"username,password\n{user},{password}\n")

    return after


def _reader(shop: Shop) -> None:
    shop.readers.add("bob")


def _line_gone(start: str, number: int = 1) -> Callable[[str], str]:
    """A header of a transaction is gone."""

    def spoil(text: str) -> str:
        found = list(re.finditer(rf',? ?\n? *"{re.escape(start)}[^"]*"', text))
        chosen = [one for one in found if not one[0].rstrip('"').endswith((": ", ":"))]
        one = chosen[number - 1]
        return (text[: one.start()] + text[one.end() :]).replace("[,", "[")

    return spoil


def _variable_of(text: str, before: str) -> str:
    found = re.search(rf"{before}[^$\n]*\$\{{([^}}|]+)", text)
    assert found is not None, text
    return found[1]


def _constant_etag(text: str) -> str:
    return as_constant(_variable_of(text, "If-Match: "))(text)


def _constant_version(text: str) -> str:
    return as_constant(_variable_of(text, '"version": '))(text)


ACCOUNT, LOGIN, ORDER = "GET /account", "POST /login", "POST /order"

SITUATIONS = (
    Situation(
        "session expired, 401",
        in_the_shop(by_pages, arrange=_lives(3), think=(1, 3.5)),
        "GET /order/new",
        "session has probably expired",
        says=(
            "Authentication folder: none",
            "WWW-Authenticate: none: a form or a session",
            "Set-Cookie of the login: 2 POST /login set sid",
            "Cookie of this request: sent sid",
            "usual causes: no credentials were sent; the session cookie was not sent; the session",
            "the credentials are wrong",
            "confirm  pytest shop.case.toml --loadtool-think-time none",
        ),
        promises=(105, 106, 107, 108, 109),
    ),
    Situation(
        "session expired, redirect to the login",
        in_the_shop(
            by_pages,
            "login by redirect",
            spoil=_after('request = "GET /order/new"', "status = 200"),
            arrange=_lives(3),
            think=(1, 3.5),
        ),
        "GET /order/new",
        "session has probably expired",
    ),
    Situation(
        "the login sets no cookie",
        in_the_shop(by_pages, "no cookie"),
        LOGIN,
        "set the cookie sid when recorded, and did not now",
        says=("missing, though recorded: sid", "later failures, possible consequences"),
        promises=(109, 122),
        mended="server",
        outside=r"(?is)\A(?!.*set-cookie: sid=).* 302 ",
    ),
    Situation(
        "the cookie is for another path",
        in_the_shop(by_pages, "cookie elsewhere"),
        LOGIN,
        "cookie sid was not sent, though",
        mended="server",
        outside="Path=/admin",
    ),
    Situation(
        "anti-forgery token left constant in a form",
        in_the_shop(by_pages, spoil=as_constant("csrf_token[2]")),
        ORDER,
        r"csrf_token = .* sent as recorded, and 5 GET /order/new gives out another",
        says=("csrf_token (Constant value)", "csrf_token: as recorded"),
        promises=(113, 114),
    ),
    Situation(
        "a constant written over the token",
        in_the_shop(by_pages, spoil=_replaced("csrf_token=${csrf_token[2]}", "csrf_token=WRONG")),
        ORDER,
        "csrf_token sends the constant WRONG, which was not recorded",
        says=("csrf_token: not as recorded, the constant WRONG",),
        promises=(114,),
    ),
    Situation(
        "token taken from the wrong page",
        in_the_shop(by_pages, spoil=_elsewhere),
        ORDER,
        "taken from 1 GET /login; when recorded, it was of 5 GET /order/new",
        says=("csrf_token: taken anew",),
        promises=(115,),
    ),
    Situation(
        "wrong password in a form",
        in_the_shop(by_pages, arrange=_new_password),
        LOGIN,
        "The login was refused",
        environment={"LOADTOOL_PASSWORD": "another-password"},
    ),
    Situation(
        "wrong password in a form, which answers 200 as it may",
        in_the_shop(
            by_pages,
            spoil=_replaced(
                'status = "300-399"\nrecorded = { status = 302, kind = "HTML", entry = 1,',
                'recorded = { status = 302, kind = "HTML", entry = 1,',
            ),
            arrange=_new_password,
        ),
        LOGIN,
        "The login was refused",
        environment={"LOADTOOL_PASSWORD": "another-password"},
    ),
    Situation(
        "wrong password in JSON",
        in_the_shop(by_api, arrange=_new_password),
        "POST /api/token",
        "The login was refused",
        environment={"LOADTOOL_PASSWORD": "another-password"},
    ),
    Situation(
        "HTTP authentication that nobody configured",
        in_the_shop(by_pages, "basic"),
        "GET /login",
        "asks who you are \\(Basic\\)",
        filled={"USERNAME": "ann"},
        environment={"LOADTOOL_PASSWORD": "any"},
    ),
    Situation(
        "header with the token missing",
        in_the_shop(by_api, spoil=_replaced('  "X-CSRF-Token: ${csrf_token[1]}",\n', "")),
        "POST /api/items",
        "header X-CSRF-Token was sent when recorded, and is not now",
        promises=(113,),
    ),
    Situation(
        "bearer token expired",
        in_the_shop(by_api, arrange=_token_lives(3), think=(0, 3.5)),
        "GET /api/items",
        "bearer token has expired",
        says=("Authorization of this request:", "${bearer_token[1]} of 1 POST /api/token"),
        promises=(111,),
        mended="line",
    ),
    Situation(
        "bearer token left constant",
        in_the_shop(by_api, spoil=as_constant("bearer_token[1]")),
        "GET /api/items",
        "bearer token is a constant",
        promises=(111,),
    ),
    Situation(
        "scope too small",
        in_the_shop(by_api, "scope"),
        "POST /api/items",
        "its scope is too small",
        mended="server",
    ),
    Situation(
        "id of the recording in a path",
        in_the_shop(by_pages, spoil=as_constant("order_id[1]")),
        "7 of 8",
        "sent as recorded, and 6 POST /order gives out another",
    ),
    Situation(
        "id of the recording in a path of an API",
        in_the_shop(by_api, spoil=as_constant("item_id[1]")),
        "4 of 4",
        "sent as recorded, and 3 POST /api/items gives out another",
    ),
    Situation(
        "page gone",
        in_the_shop(by_pages, "account gone"),
        ACCOUNT,
        "is not there",
        promises=(118,),
        mended="server",
    ),
    Situation(
        "page gone for good",
        in_the_shop(by_pages, "account gone for good"),
        ACCOUNT,
        "was taken away",
        mended="server",
    ),
    Situation(
        "static file gone",
        in_the_shop(by_pages, "no image"),
        "/static/logo.png",
        "static file is not there",
        promises=(118,),
    ),
    Situation(
        "another application answers",
        in_the_shop(by_pages, "nothing there"),
        "GET /login",
        "another server or path",
        mended="server",
    ),
    Situation(
        "rate limit",
        in_the_shop(by_pages, "limit"),
        "/static/logo.png",
        "limits how many requests",
        says=("Retry-After: 2",),
        settles=2.0,
        promises=(119,),
    ),
    Situation(
        "server error",
        in_the_shop(by_pages, "order fails"),
        ORDER,
        "The server failed \\(500\\)",
        says=("database is locked",),
        promises=(120,),
        mended="server",
    ),
    Situation(
        "overloaded",
        in_the_shop(by_pages, "overloaded"),
        ACCOUNT,
        "overloaded",
        promises=(120,),
        mended="server",
    ),
    Situation(
        "bad gateway",
        in_the_shop(by_pages, "gateway"),
        ACCOUNT,
        "A gateway got no good answer",
        mended="server",
    ),
    Situation(
        "gateway time-out",
        in_the_shop(by_pages, "gateway slow"),
        ACCOUNT,
        "A gateway got no answer",
        mended="server",
    ),
    Situation(
        "defence against robots",
        in_the_shop(by_pages, "robots"),
        ORDER,
        "robots",
        promises=(112, 116),
        mended="server",
    ),
    Situation(
        "no rights",
        in_the_shop(by_pages, "no rights"),
        ORDER,
        "may not do this",
        promises=(112, 116),
        mended="server",
    ),
    Situation(
        "method not allowed",
        in_the_shop(by_pages, "no method"),
        ORDER,
        "does not take POST there",
        mended="server",
    ),
    Situation(
        "a name that is taken, in a form",
        in_the_shop(by_pages, "unique", arrange=_titles),
        ORDER,
        "'Tea for two' only once",
    ),
    Situation(
        "a name that is taken, in JSON",
        in_the_shop(by_api, "taken", arrange=_titles),
        "POST /api/items",
        "'Kettle' only once",
    ),
    Situation(
        "a value that is not accepted",
        in_the_shop(by_api, "invalid"),
        "POST /api/items",
        "does not take quantity = 3",
        filled={"VALUE": "2"},
    ),
    Situation(
        "status 200 that says no",
        in_the_shop(
            by_api,
            "says no",
            spoil=_replaced('validators = [\n  { json = "$.success", equals = true },\n]\n', ""),
        ),
        "POST /api/items",
        "The answer says that it failed",
        mended="server",
        outside="out of stock",
    ),
    Situation(
        "malformed JSON",
        in_the_shop(
            by_api, spoil=_replaced('"password": "ann-password"}', '"password": "ann-password"')
        ),
        "POST /api/token",
        "no valid JSON",
        promises=(120,),
    ),
    Situation(
        "a change that does nothing",
        in_the_shop(by_pages, "order ignored"),
        ORDER,
        "did not take effect",
        mended="server",
        outside="Nothing was ordered",
    ),
    Situation(
        "search text that the recording has not",
        in_the_shop(
            by_pages,
            spoil=asserting("GET /account", '{ text = "Welcome back, Anne" }'),
        ),
        ACCOUNT,
        "The validator is wrong: 'Welcome back, Anne'",
        says=(
            "Search text not found: 'Welcome back, Anne'",
            "nearest on the page: 'Welcome back, Ann'",
        ),
        promises=(123, 124),
    ),
    Situation(
        "search text that has changed",
        in_the_shop(
            by_pages,
            "stock",
            spoil=asserting("GET /account", '{ text = "41 teapots are in stock" }'),
        ),
        ACCOUNT,
        "The page has changed",
        says=("JSON path",),
        promises=(124,),
    ),
    Situation(
        "search text on another page",
        in_the_shop(
            by_pages,
            "maintenance",
            spoil=asserting("GET /account", '{ text = "teapots are in stock" }'),
        ),
        ACCOUNT,
        "Another page came: 'Down for maintenance'",
        mended="server",
        outside="Back soon",
    ),
    Situation(
        "SOAP fault",
        in_the_shop(by_soap, "soap fault"),
        "POST /soap",
        "The server failed",
        mended="server",
    ),
    Situation(
        "too slow",
        in_the_shop(by_pages, "slow"),
        ACCOUNT,
        "did not come in time",
        timeout=2.0,
    ),
    Situation(
        "connection ended by the server",
        in_the_shop(by_pages, "hangs up"),
        ACCOUNT,
        "ended the connection",
        mended="server",
        outside="exit 52",
    ),
    Situation(
        "host not known",
        in_the_shop(by_pages, spoil=_at("http://no-such-host.invalid")),
        "GET /login",
        "host's name is not known",
    ),
    Situation(
        "nobody listens",
        in_the_shop(by_pages, spoil=_at("http://127.0.0.1:9")),
        "GET /login",
        "Nobody accepts connections",
    ),
    Situation(
        "wrong password in a row of a dataset",
        in_the_shop(by_pages, spoil=_of_dataset, after=_users("ann", "ann-passwort")),
        LOGIN,
        "The login was refused",
        filled={"PASSWORD": "ann-password"},
    ),
    Situation(
        "the user is of a dataset, the password is not",
        in_the_shop(by_pages, spoil=_dataset_at_hand, after=_users("bob", "bob-password")),
        LOGIN,
        "The login was refused",
        says=("set-field 2 password --dataset users.password",),
    ),
    Situation(
        "another user than was recorded, without the rights",
        in_the_shop(
            by_pages, spoil=_of_dataset, arrange=_reader, after=_users("bob", "bob-password")
        ),
        ORDER,
        "may not do this",
        says=("which is not who was recorded",),
        promises=(116,),
    ),
    Situation(
        "session expired, the page to log in with 200",
        in_the_shop(by_pages, "login page", arrange=_lives(3), think=(1, 3.5)),
        "GET /order/new",
        "session has probably expired",
    ),
    Situation(
        "Laravel's 419, the token left constant",
        in_the_shop(by_pages, "laravel", spoil=as_constant("csrf_token[2]")),
        ORDER,
        "sent as recorded, and 5 GET /order/new gives out another",
    ),
    Situation(
        "a condition missing (428)",
        in_the_shop(by_notes, spoil=_line_gone("If-Match: ")),
        "PUT /notes/1",
        "header If-Match was sent when recorded",
    ),
    Situation(
        "ETag left constant (412)",
        in_the_shop(by_notes, spoil=_constant_etag),
        "PUT /notes/1",
        "sent as recorded, and 1 GET /notes/1 gives out another",
    ),
    Situation(
        "version left constant (409)",
        in_the_shop(by_notes, spoil=_constant_version),
        "PUT /tasks/1",
        "sent as recorded, and 3 GET /tasks/1 gives out another",
    ),
    Situation(
        "API key missing",
        in_the_shop(by_key, spoil=_line_gone("X-API-Key: ")),
        "GET /stock",
        "header X-API-Key was sent when recorded",
    ),
    Situation(
        "X-Requested-With missing",
        in_the_shop(by_key, spoil=_line_gone("X-Requested-With: ")),
        "GET /stock",
        "header X-Requested-With was sent when recorded",
    ),
    Situation(
        "Content-Type missing (415)",
        in_the_shop(by_api, spoil=_line_gone("Content-Type: application/json", 2)),
        "POST /api/items",
        "header Content-Type was sent when recorded",
    ),
    Situation(
        "page renamed",
        in_the_shop(by_links, "renamed page"),
        "GET /about/team",
        "another address now: /about/people",
    ),
    Situation(
        "address mistyped",
        in_the_shop(by_pages, spoil=_replaced('"GET /account"', '"GET /acount"')),
        "GET /acount",
        "address is another than was recorded: /acount",
    ),
    Situation(
        "method edited (405)",
        in_the_shop(by_pages, spoil=_replaced('"POST /order"', '"PUT /order"')),
        "PUT /order",
        "PUT is not allowed there: POST was recorded",
    ),
    Situation(
        "SOAP fault with 200",
        in_the_shop(by_soap, "soap fault with 200"),
        "POST /soap",
        "says that it failed|Fault",
        mended="server",
        outside="no such shop",
    ),
    Situation(
        "the next version, whose form has other fields",
        in_the_shop(by_pages, "rebuilt", again=by_new_pages),
        LOGIN,
        "form of 1 GET /login has changed since it was recorded",
        mended="record",
        says=("2 POST /login sends username", "it has mail_or_name instead"),
        promises=(125,),
    ),
    Situation(
        "FastAPI: the next version, whose answers have other names",
        at_next_version(),
        "GET /orders",
        "calls its things otherwise than when recorded",
        mended="record",
        says=("it has no created_on, customer_name", "it has createdOn, customerName"),
        promises=(125,),
    ),
    Situation(
        "a page that had failed when it was recorded",
        in_the_shop(by_failing_links, before=("about fails",), again=by_links),
        "GET /about/team",
        r"had failed when it was recorded \(500\), and goes well now",
        mended="record",
        promises=(125,),
    ),
    Situation(
        "Apache, Basic: wrong password in a row",
        by_hand("GET /basic/one/page", head=identity()),
        "GET /basic/one/page",
        "credentials were refused",
        filled={"PASSWORD": "secret1"},
    ),
    Situation(
        "Apache, Digest: wrong password in a row",
        by_hand("GET /digest/page", head=identity()),
        "GET /digest/page",
        "credentials were refused",
        filled={"PASSWORD": "secret1"},
    ),
    Situation(
        "Apache, NTLM: wrong password in a row",
        by_hand("GET /ntlm/page", head=identity("EXAMPLE\\")),
        "GET /ntlm/page",
        "credentials were refused",
        filled={"PASSWORD": "secret1"},
        says=("NTLMv2 with session security is spoken here", "from version 5.4"),
        promises=(110,),
    ),
    Situation(
        "Apache, Negotiate: wrong password in a row",
        by_hand("GET /negotiate/page", head=identity("EXAMPLE\\")),
        "GET /negotiate/page",
        "credentials were refused",
        filled={"PASSWORD": "secret1"},
    ),
    Situation(
        "Apache, NTLM: nobody configured",
        by_hand("GET /ntlm/page"),
        "GET /ntlm/page",
        r"asks who you are \(NTLM\)",
        filled={"USERNAME": "EXAMPLE\\alice"},
        environment={"LOADTOOL_PASSWORD": "secret1"},
    ),
    Situation(
        "Apache, Basic: an identity for another realm",
        by_hand("GET /basic/two/page", head=identity(more='realm = "One"')),
        "GET /basic/two/page",
        r"no \[\[identity\]\] is for this host and the realm 'Two'",
        filled={"USERNAME": "bob"},
        environment={"LOADTOOL_PASSWORD": "sëcret 2"},
        mended="line",
    ),
    Situation(
        "Apache as a proxy, Basic: no login (407)",
        by_hand("GET /open/page", head='\n[proxy]\nurl = "http://<basic>"\n'),
        "GET /open/page",
        r"proxy wants a login \(Basic\)",
        filled={"USERNAME": "alice"},
        environment={"PROXY_PASSWORD": "secret1"},
        promises=(117,),
    ),
    Situation(
        "Apache as a proxy, Digest: wrong password (407)",
        by_hand(
            "GET /open/page",
            head='\n[proxy]\nurl = "http://<digest>"\nusername = "alice"\n'
            'password = "${users.password}"\n\n[datasets.users]\nfile = "users.csv"\n',
        ),
        "GET /open/page",
        "credentials were refused",
        filled={"PASSWORD": "secret1"},
        promises=(117,),
    ),
    Situation(
        "squid as a proxy, NTLM: no login (407)",
        by_hand(
            "GET /open/page",
            head='\n[proxy]\nurl = "http://<ntlm>"\n',
            proxies=through("squid"),
        ),
        "GET /open/page",
        r"proxy wants a login \(NTLM\)",
        filled={"USERNAME": "EXAMPLE\\alice"},
        environment={"PROXY_PASSWORD": "secret1"},
    ),
    Situation(
        "no proxy where one is said to be",
        by_hand("GET /open/page", head='\n[proxy]\nurl = "http://127.0.0.1:9"\n'),
        "GET /open/page",
        "Nobody accepts connections|proxy",
    ),
    Situation(
        "TLS of an authority that nobody trusts",
        by_hand("GET /open/page", scheme="https"),
        "GET /open/page",
        "authority that is not trusted",
        mended="line",
    ),
    Situation(
        "https where the server speaks http",
        in_the_shop(by_pages, spoil=_replaced('server = "http://', 'server = "https://')),
        "GET /login",
        "TLS did not come about|not HTTP",
    ),
    Situation(
        "nginx, limit_req (429)",
        limited(),
        "/static/logo.png",
        "limits how many requests",
        settles=3.0,
        promises=(119,),
    ),
    Situation(
        "nginx, too large a body (413)",
        small(),
        LOGIN,
        "no request whose body is so long",
        mended="server",
    ),
    Situation(
        "FastAPI, bearer token left constant",
        at_fastapi(by_fastapi, as_constant("bearer_token[1]")),
        "GET /me",
        "bearer token is a constant",
        promises=(111,),
    ),
    Situation(
        "FastAPI, wrong password",
        at_fastapi(by_fastapi, _replaced("password=ann%27s", "password=ann")),
        "POST /token",
        "The login was refused",
        environment={"LOADTOOL_PASSWORD": "ann's"},
    ),
    Situation(
        "Django, wrong password",
        at_django(by_django, _replaced("password=correct-horse-battery", "password=wrong")),
        "POST /admin/login",
        "The login was refused",
        environment={"LOADTOOL_PASSWORD": "correct-horse-battery"},
    ),
    Situation(
        "Django, anti-forgery token left constant",
        at_django(by_django, as_constant("csrf_token[2]")),
        "POST /admin/auth/group/add",
        "was sent as recorded",
    ),
)
