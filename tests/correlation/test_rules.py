"""Each rule on traffic as the frameworks send it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from pytest_loadtool.casefile import package_rules
from pytest_loadtool.correlation.index.traffic import steps_of
from pytest_loadtool.correlation.strategies.evidence import EVIDENCE, OF_OWN
from pytest_loadtool.correlation.writing.revert import revert
from pytest_loadtool.model.case import Header
from pytest_loadtool.model.extractor import (
    CookieValue,
    FormField,
    HeaderValue,
    JsonPath,
    Link,
    RegularExpression,
)
from pytest_loadtool.model.rule import EVIDENCE_NAMES
from pytest_loadtool.recording import build_case
from tests.correlation.exchanges import SERVER, case_of, exchange, html, json_body
from tests.correlation.rule_table import PAGE, updated
from tests.correlation.talk import (
    TOKEN,
    UUID,
    call,
    configure,
    get,
    made,
    post,
    requests,
    run,
    sources,
)


def test_rails() -> None:
    """Rails: authenticity_token from the form, X-CSRF-Token from the meta tag."""
    page = html(
        f'<head><meta name="csrf-param" content="authenticity_token">'
        f'<meta name="csrf-token" content="{TOKEN}meta==" /></head><form action="/session">'
        f'<input type="hidden" name="authenticity_token" value="{TOKEN}/form+1==" />'
        '<input name="user[name]"></form>'
    )
    configuration = run(
        get("/", page),
        post("/session", f"authenticity_token={TOKEN}%2Fform%2B1%3D%3D&user%5Bname%5D=kim"),
        call("PATCH", "/cart", {"n": 1}, sent=(("X-CSRF-Token", f"{TOKEN}meta=="),)),
    )
    assert requests(configuration)[1:] == [
        "/session authenticity_token=${csrf_token[1]}&user%5Bname%5D=kim",
        '/cart ${csrf_token[2]} {"n": 1}',
    ]
    assert sources(configuration) == [
        ("csrf_token[1]", FormField("authenticity_token"), 1),
        ("csrf_token[2]", FormField("csrf-token"), 1),
    ]
    assert [one.rule for one in made(configuration)] == ["csrf-form-field", "csrf-header"]


def test_angular() -> None:
    """Angular: the cookie XSRF-TOKEN is copied into the header X-XSRF-TOKEN."""
    cookie = ("Set-Cookie", f"XSRF-TOKEN={TOKEN}; Path=/; SameSite=Lax")
    configuration = run(
        get("/", html("", cookie)),
        call(
            "POST", "/api/x", {}, sent=(("X-XSRF-TOKEN", TOKEN), ("Cookie", f"XSRF-TOKEN={TOKEN}"))
        ),
    )
    assert requests(configuration)[1] == "/api/x ${csrf_token[1]|unurl} {}"
    assert sources(configuration) == [("csrf_token[1]", CookieValue("XSRF-TOKEN"), 1)]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("__VIEWSTATE", "/wEPDwUKMTY1NDU2MTA1MmRkQ2hlY2tib3g=" * 30),
        ("__VIEWSTATEGENERATOR", "CA0B0334"),
        ("__EVENTVALIDATION", "/wEdAAUKMTY1"),
        ("javax.faces.ViewState", "j_id1:j_id2"),
        ("javax.faces.ViewState", "-123:456"),
    ],
)
def test_view_state(name: str, value: str) -> None:
    """ASP.NET and JSF: the page's state goes back, from each page anew."""
    encoded = value.replace("/", "%2F").replace("=", "%3D").replace(":", "%3A")
    page = html(f'<form method="post"><input type="hidden" name="{name}" id="x" value="{value}" />')
    other = html(f'<form method="post"><input type="hidden" name="{name}" value="{value}">')
    body = f"{name}={encoded}&button=Go"
    configuration = run(get("/", page), post("/", body, other), post("/", body))
    variable = name.strip("_").replace(".", "_")
    assert requests(configuration)[1:] == [
        f"/ {name}=${{{variable}[1]}}&button=Go", f"/ {name}=${{{variable}[2]}}&button=Go",
    ]  # fmt: skip
    assert {one.rule for one in made(configuration)} == {"view-state"}


@pytest.mark.promise(96)
@pytest.mark.parametrize("key", ["access_token", "accessToken", "token", "jwt", "id_token"])
def test_bearer_tokens(key: str) -> None:
    """A token in JSON goes into Authorization, whatever the API calls it."""
    token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    configuration = run(
        call(
            "POST", "/login", {"email": "a@b.c", "password": "x"}, json_body({"auth": {key: token}})
        ),
        get("/me", sent=(("Authorization", f"Bearer {token}"),)),
    )
    name = "id_token" if key == "id_token" else "bearer_token"
    assert requests(configuration)[1] == f"/me Bearer ${{{name}[1]}}"
    assert sources(configuration) == [(f"{name}[1]", JsonPath(f"$.auth.{key}"), 1)]


@pytest.mark.promise(98)
def test_shared_headers() -> None:
    """A header of a set is replaced where it stands, once for all transactions that follow it."""
    exchanges = [
        call("POST", "/token", {}, json_body({"access_token": TOKEN, "token_type": "Bearer"})),
        *(get(f"/{name}") for name in ("a", "b", "c", "d")),
    ]
    case = case_of(*exchanges)
    (page,) = case.pages
    login, *others = page.transactions
    names = ("calls", "", "calls", "")
    transactions = (
        replace(login, request=replace(login.request, header_set="bare")),
        *(
            replace(one, request=replace(one.request, header_set=name))
            for one, name in zip(others, names, strict=True)
        ),
    )
    shared = (Header("Authorization", f"Bearer {TOKEN}"), Header("X-API-Key", UUID))
    case = replace(
        case,
        headers=shared,
        header_sets={"bare": (Header("Host"),), "calls": (Header("Host"), *shared)},
        pages=(replace(page, transactions=transactions),),
    )
    configuration = configure(case, exchanges)
    rewritten = (Header("Authorization", "Bearer ${bearer_token[1]}"), shared[1])
    assert configuration.case.headers == rewritten
    assert configuration.case.header_sets == {
        "bare": (Header("Host"),),
        "calls": (Header("Host"), *rewritten),
    }
    (decision,) = made(configuration)
    assert decision.consumers == ("2 GET /a", "3 GET /b", "4 GET /c", "5 GET /d")
    constant = [one.consumers for one in configuration.decisions if one.rule == "api-key-header"]
    assert constant == [decision.consumers]
    assert configure(configuration.case, exchanges) == configuration
    assert revert(configuration.case, steps_of(configuration.case, exchanges)) == case


def test_shared_referer() -> None:
    """The Referer of a set follows its page's address, if that is known to all who follow it."""
    made_up = {"id": "8f41c2d7"}
    exchanges = [
        call("POST", "/items", {}, json_body(made_up)),
        *(get(path) for path in ("/x", "/items/8f41c2d7", "/a", "/b")),
    ]
    case = case_of(*exchanges)
    referer = Header("Referer", "${server}/items/8f41c2d7")
    (page,) = case.pages

    def referers(*names: str) -> list[str | None]:
        """Of the default set and of the other, after the transactions followed these."""
        transactions = tuple(
            replace(one, request=replace(one.request, header_set=name))
            for one, name in zip(page.transactions, names, strict=True)
        )
        sets = {"late": (referer,), "bare": ()}
        edited = replace(
            case,
            headers=(referer,),
            header_sets=sets,
            pages=(replace(page, transactions=transactions),),
        )
        configuration = configure(edited, exchanges)
        assert revert(configuration.case, steps_of(configuration.case, exchanges)) == edited
        return [
            configuration.case.headers[0].value,
            configuration.case.header_sets["late"][0].value,
        ]

    followed = "${server}/items/${item_id[1]}"
    assert referers("bare", "bare", "bare", "", "late") == [followed, followed]
    assert referers("", "bare", "bare", "late", "late") == [referer.value, followed]


def test_referer_with_a_query() -> None:
    """It holds what the query of its page was asked with, encoded, also where that is a URL."""
    address = f"/callback?code={UUID}&iss=http%3A%2F%2Fshop.test%2Foidc"
    exchanges = [
        get("/auth", html("", ("Location", address)), status=302),
        get(address),
        get("/me", sent=(("Referer", SERVER + address),)),
    ]
    case = build_case(exchanges, name="case").case
    configuration = configure(case, exchanges)
    assert [one.value for one in list(configuration.case.transactions())[2].request.headers] == [
        "${server}/callback?code=${code[1]|url}&iss=${server|url}%2Foidc"
    ]
    assert revert(configuration.case, steps_of(configuration.case, exchanges)) == case


@pytest.mark.parametrize(
    ("address", "followed"),
    [
        ("/orders/17/edit?tab=2", "/orders/${order_id[1]}/edit?tab=2"),
        ("/edit?orders=17", "/edit?orders=${order_id[1]|url}"),
        ("/customers/17", "/customers/17"),
        (f"/batches/{UUID}", "/batches/${batch[1]}"),
        ("/", "/"),
    ],
)
def test_referer_of_a_script(address: str, followed: str) -> None:
    """An address that no request had, with what the API has given out; no number by chance."""
    configuration = run(
        call("POST", "/api/orders", {}, json_body({"id": 17, "batch": UUID})),
        call("PUT", "/api/orders/17", {"batch": UUID}, sent=(("Referer", SERVER + address),)),
        get("/api/orders/17", sent=(("Referer", SERVER + address),)),
    )
    sent = list(configuration.case.transactions())[2].request.headers
    assert [one.value for one in sent] == [SERVER + followed]


def test_tokens_in_response_headers() -> None:
    """A token that comes in a header goes where later requests send it."""
    configuration = run(
        call("POST", "/login", {}, html("", ("Authorization", f"Bearer {TOKEN}"))),
        get("/me", sent=(("Authorization", f"Bearer {TOKEN}"),)),
        get("/you", html("", ("X-Auth-Token", UUID))),
        get("/me", sent=(("X-Auth-Token", UUID),)),
    )
    assert requests(configuration)[1::2] == [
        "/me Bearer ${authorization[1]}",
        "/me ${auth_token[1]}",
    ]
    assert sources(configuration) == [
        ("authorization[1]", HeaderValue("Authorization", "^Bearer (.+)"), 1),
        ("auth_token[1]", HeaderValue("X-Auth-Token"), 1),
    ]


def test_oauth_code() -> None:
    """OAuth 2.0: the code comes from the redirect; the state, made by the client, stays."""
    state = "af0ifjsldkj9X3kd8W2"
    back = html("", ("Location", f"https://app.test/callback?code={TOKEN}&state={state}"))
    configuration = run(
        get(f"/authorize?response_type=code&state={state}", back, status=302),
        get(f"https://app.test/callback?code={TOKEN}&state={state}"),
        post("/token", f"grant_type=authorization_code&code={TOKEN}"),
    )
    assert requests(configuration) == [
        f"/authorize?response_type=code&state={state}",
        f"https://app.test/callback?code=${{code[1]|unurl}}&state={state}",
        "/token grant_type=authorization_code&code=${code[1]|unurl}",
    ]
    ((_, source, _),) = sources(configuration)
    assert source == HeaderValue("Location", r"/callback\?code=([^/?#&;]+)")


@pytest.mark.parametrize(
    ("location", "request_line"),
    [
        ("/orders/31/", "/orders/${order_id[1]}/lines"),
        ("http://shop.test/orders/31/?new=1", "/orders/${order_id[1]}/lines"),
        ("/orders/ORD-1045", "/orders/${order_id[1]}"),
        (f"/orders/{UUID}", "/orders/${order_id[1]}"),
    ],
)
def test_created_location(location: str, request_line: str) -> None:
    """201 or a redirect after a POST: the id in Location, in every later path that leads there."""
    key = location.split("/orders/")[1].partition("/")[0]
    target = request_line.replace("${order_id[1]}", key)
    configuration = run(
        call("POST", "/orders", {"n": 1}, html("", ("Location", location)), status=201), get(target)
    )
    assert requests(configuration)[1] == request_line


def test_designators() -> None:
    """Roundup: ``issue2`` is the address of an issue, ``msg3`` of a message in it."""
    page = '<a href="page1">back</a> <a href="msg3">msg3 (view)</a> <a href="page2">next</a>'
    shown = html(page.replace("msg3", "msg1"))
    configuration = run(
        post("/t/issue", "title=x", html("", ("Location", "/t/issue2?@ok=1")), status=302),
        get("/t/issue2?@ok=1", shown),
        post("/t/issue2", "note=y", html("", ("Location", "/t/issue2")), status=302),
        get("/t/issue2", html(page)),
        get("/t/msg3"),
        get("/t/page2"),
    )
    assert requests(configuration)[1:] == [
        "/t/${t_id[1]}?@ok=1",
        "/t/${t_id[1]} note=y",
        "/t/${t_id[1]}",
        "/t/${t_id[2]}",
        "/t/page2",
    ]
    assert sources(configuration)[1][1] == Link("*", "* (view)")


def test_created_resource() -> None:
    """201 and an address: a name that the server made up is no constant, whatever it looks like."""
    answer = {"name": "New Folder", "type": "directory"}
    configuration = run(
        call("POST", "/files", {"e": 1}, html("", ("Location", "/files/new.txt")), status=201),
        call("PUT", "/files/new.txt", {"path": "new.txt", "text": "new"}),
        call("POST", "/files", {"type": "directory"}, json_body(answer), status=201,
             received=(("Location", "/files/New%20Folder"),)),
        call("PATCH", "/files/New%20Folder", {"path": "old"}),
        call("POST", "/login", {"a": 1}, html("", ("Location", "/files/home")), status=303),
        get("/files/home"),
    )  # fmt: skip
    assert requests(configuration)[1::2] == [
        '/files/${file_id[1]} {"path": "${file_id[1]}", "text": "new"}',
        '/files/${file_id[2]|unurl} {"path": "old"}',
        "/files/home",
    ]


@pytest.mark.parametrize(
    ("answer", "request_line", "path"),
    [
        ({"id": 7}, "/api/items/${item_id[1]}", "$.id"),
        ({"id": 7}, "/api/items/${item_id[1]}/edit?tab=7", "$.id"),
        ({"data": {"id": 7, "n": 7}}, "/api/items/${item_id[1]}", "$.data.id"),
        ({"item": {"id": 7}}, "/api/items/${item_id[1]}", "$.item.id"),
        ({"item_id": 7}, "/api/items/${item_id[1]}", "$.item_id"),
        ({"itemId": 7}, "/api/items/${itemId[1]}", "$.itemId"),
        ({"id": 7}, "/api/labels?itemId=${itemId[1]}", "$.id"),
        ({"user": {"id": 7}}, "/api/items/7", None),
        ({"id": 7}, "/api/users/7", None),
        ({"id": 7}, "/api/items?page=7", None),
        ({"count": 7}, "/api/items/7", None),
        ({"number": "A-7701"}, "/api/items/${number[1]}", "$.number"),
    ],
)
def test_created_id(answer: Any, request_line: str, path: str | None) -> None:
    """A small id is believed only where name and place say that it is the same thing's."""
    value = "A-7701" if "number" in answer else "7"
    target = request_line.partition("${")[0]
    if "${" in request_line:
        target += value + request_line.partition("}")[2]
    configuration = run(
        call("POST", "/api/items", {"x": 1}, json_body(answer), status=201), get(target)
    )
    assert requests(configuration)[1] == request_line
    assert [source for _, source, _ in sources(configuration)] == ([JsonPath(path)] if path else [])


def test_created_ids_are_told_apart() -> None:
    """Two things of the same kind have two variables; one request can use both."""
    configuration = run(
        call("POST", "/carts", {}, json_body({"id": 3}), status=201),
        call("POST", "/carts/3/lines", {"p": 1}, json_body({"id": 9}), status=201),
        call("POST", "/carts/3/lines", {"p": 2}, json_body({"id": 10}), status=201),
        call("PUT", "/carts/3/lines/10", {"before": 9, "line_id": 9, "quantity": 3}),
    )
    assert requests(configuration) == [
        "/carts {}",
        '/carts/${cart_id[1]}/lines {"p": 1}',
        '/carts/${cart_id[1]}/lines {"p": 2}',
        "/carts/${cart_id[1]}/lines/${line_id[2]} "
        '{"before": 9, "line_id": ${line_id[1]}, "quantity": 3}',
    ]


def test_graphql() -> None:
    """GraphQL: an id of a mutation's answer goes into later variables."""
    query = "mutation($n:String!){createItem(name:$n){id}}"
    answer = json_body({"data": {"createItem": {"id": UUID}}})
    configuration = run(
        call("POST", "/graphql", {"query": query, "variables": {"n": "x"}}, answer),
        call("POST", "/graphql", {"query": "{item}", "variables": {"itemId": UUID}}),
    )
    assert requests(configuration)[1].endswith('"variables": {"itemId": "${itemId[1]}"}}')
    assert sources(configuration) == [("itemId[1]", JsonPath("$.data.createItem.id"), 1)]


def test_api_keys() -> None:
    """A key in a header that a response gives out is extracted; constant ones are not."""
    configuration = run(
        get("/keys", json_body({"key": TOKEN}), sent=(("X-Constant", UUID),)),
        get("/data?api_key=abcdef123456abcdef", sent=(("X-API-Key", TOKEN), ("X-Constant", UUID))),
        get("/data?api_key=abcdef123456abcdef", sent=(("X-API-Key", "Kq8w2Lm4Zx9R"),)),
    )
    assert requests(configuration)[1:] == [
        "/data?api_key=abcdef123456abcdef ${api_key[1]}", "/data?api_key=abcdef123456abcdef",
    ]  # fmt: skip
    unknown = [one for one in configuration.decisions if one.value == "Kq8w2Lm4Zx9R"]
    assert [(one.rule, one.variable) for one in unknown] == [("api-key-header", "")]
    assert "No response gives out" in unknown[0].reason


def test_links() -> None:
    """A random id in a link is taken from the page, whichever of its links it was."""
    page = html(
        f"<a href=\"/docs/{UUID[::-1]}?v=1\">1</a> <a href='/docs/{UUID}?v=1&amp;sig={TOKEN}'>2</a>"
    )
    configuration = run(get("/docs", page), get(f"/docs/{UUID}?v=1&sig={TOKEN}"))
    assert requests(configuration)[1] == "/docs/${doc_id[1]}?v=1&sig=${sig[1]}"
    (_, first, _), (_, second, _) = sources(configuration)
    assert first == Link("/docs/*?v=...&sig=...")
    assert second == Link("/docs/${doc_id[1]}?v=...&sig=*")


def test_new_links_only() -> None:
    """A small id in a link counts when the page got the link after a change, not when picked."""
    old = '<a href="/tasks/4/">old</a>'
    new = '<p class="message"><a href="/tasks/5/">new</a></p>' + old
    shown = (get("/tasks/", html(old)), post("/tasks/add/", "title=x"), get("/tasks/", html(new)))
    assert requests(run(*shown, get("/tasks/5/")))[-1] == "/tasks/${task_id[1]}/"
    assert requests(run(*shown, get("/tasks/4/")))[-1] == "/tasks/4/"
    assert requests(run(*shown[2:], get("/tasks/5/")))[-1] == "/tasks/5/"


def test_links_by_name() -> None:
    """A small id counts, too, behind the name that was just typed; then in all its places."""
    page = '<a href="/tasks/4/">Tea</a> <a href="/tasks/5/">Coffee &amp; milk</a>'
    shown = (post("/tasks/add/", "title=Coffee+%26+milk"), get("/tasks/", html(page)))
    configuration = run(
        *shown,
        get("/tasks/5/"),
        post("/tasks/5/edit", "parent=5&task_id=5"),
        post("/tasks/", "_selected_action=5&count=5"),
        get("/users/5/"),
    )
    assert requests(configuration)[2:] == [
        "/tasks/${task_id[1]}/",
        "/tasks/${task_id[1]}/edit parent=5&task_id=${task_id[1]}",
        "/tasks/ _selected_action=${task_id[1]}&count=5",
        "/users/5/",
    ]
    assert [decision.rule for decision in made(configuration)] == ["named-link"]
    assert requests(run(*shown, get("/tasks/4/")))[-1] == "/tasks/4/"
    kim = html('<a href="/users/edit/5/"> Kim O&#x27;Neill </a>')  # Wagtail
    added = (post("/users/new/", "first=Kim&last=O'Neill"), post("/tasks/add/", "title=Tea"))
    assert requests(run(*added, get("/users/", kim), get("/users/edit/5/")))[-1] == (
        "/users/edit/${edit_id[1]}/"
    )


def test_values_in_scripts() -> None:
    """A value that stands only in a script is found by its name there, however it is written."""
    page = html(f"<script>\n  var app17 = 1; window.appKey = '{TOKEN}';\n</script>")
    configuration = run(get("/", page), call("POST", "/save", {"key": TOKEN}))
    pattern = r"\bappKey\s*=\s*'([^']*)'"
    assert sources(configuration) == [("key[1]", RegularExpression(pattern), 1)]


def test_session_in_the_path() -> None:
    """Java: ;jsessionid= in the address."""
    location = html("", ("Location", f"/shop;jsessionid={TOKEN}?a=1"))
    configuration = run(get("/", location, status=302), get(f"/shop;jsessionid={TOKEN}?a=1"))
    assert requests(configuration)[1] == "/shop;jsessionid=${jsessionid[1]|unurl}?a=1"


def test_multipart() -> None:
    """The token of a multipart form is replaced; its file is not looked into."""
    page = html(
        f'<form><input type="hidden" name="csrf_token" value="{TOKEN}"><input type=file name=f>'
    )
    body = (
        f'--B7\r\nContent-Disposition: form-data; name="csrf_token"\r\n\r\n{TOKEN}\r\n'
        f'--B7\r\nContent-Disposition: form-data; name="f"; filename="a.txt"\r\n\r\n'
        f"{TOKEN}\r\n--B7--\r\n"
    )
    sent = (("Content-Type", "multipart/form-data; boundary=B7"),)
    configuration = run(
        get("/", page), exchange("POST", "http://shop.test/up", sent=sent, body=body.encode())
    )
    expected = body.replace(TOKEN, "${csrf_token[1]}", 1)
    assert requests(configuration)[1] == f"/up {expected}"


def test_nearest_producer() -> None:
    """Each use takes the value from the nearest response before it; equal forms by ordinal."""
    page = '<form><input type="hidden" name="_token" value="{}"></form>'
    twice = page.format("first1second2") + page.format(TOKEN)
    configuration = run(
        get("/", html(page.format(TOKEN))),
        post("/a", f"_token={TOKEN}", html(twice)),
        post("/b", f"_token={TOKEN}"),
    )
    assert [body.partition(" ")[2] for body in requests(configuration)[1:]] == [
        "_token=${csrf_token[1]}", "_token=${csrf_token[2]}",
    ]  # fmt: skip
    assert sources(configuration) == [
        ("csrf_token[1]", FormField("_token"), 1), ("csrf_token[2]", FormField("_token"), 2),
    ]  # fmt: skip


def test_lists_are_shared() -> None:
    """An id that a response has alone is not taken from a later list, where others' ids are too."""
    author = {"id": UUID, "name": "Mary"}
    books = [{"title": "Frankenstein", "author": {"id": UUID}}]
    configuration = run(
        call("POST", "/authors", {"name": "Mary"}, json_body(author)),
        get("/books", json_body(books)),
        get(f"/authors/{UUID}"),
    )
    assert sources(configuration) == [("author_id[1]", JsonPath("$.id"), 1)]
    configuration = run(get("/books", json_body(books)), get(f"/authors/{UUID}"))
    assert sources(configuration) == [("author_id[1]", JsonPath("$[0].author.id"), 1)]


def test_of_a_token_the_nearest_counts() -> None:
    """Be it in a list, and another one alone before it: the server may have given out a new one."""
    configuration = run(
        get("/me", json_body({"csrfToken": TOKEN})),
        get("/forms", json_body({"forms": [{"name": "Order", "csrfToken": TOKEN}]})),
        call("POST", "/orders", {"csrfToken": TOKEN}),
    )
    assert sources(configuration) == [("csrf_token[1]", JsonPath("$.forms[0].csrfToken"), 1)]


def test_a_token_is_not_laravels() -> None:
    """A field `token` is no `_token`: it does not make a bearer token one against forgery."""
    bearer = ("Authorization", f"Bearer {TOKEN}")
    configuration = run(
        call("POST", "/login", {"n": 1}, json_body({"token": TOKEN})),
        call("POST", "/logout", {"token": TOKEN}, sent=(bearer,)),
    )
    assert (
        requests(configuration)[1]
        == '/logout Bearer ${bearer_token[1]} {"token": "${bearer_token[1]}"}'
    )
    assert [decision.rule for decision in made(configuration)] == ["bearer-token"]


def test_literal_placeholders_in_the_recording() -> None:
    """A recorded "${" and "$" stay what they are, beside placeholders."""
    page = html(f'<form><input type="hidden" name="csrf" value="{TOKEN}"></form>')
    body = f"csrf={TOKEN}&a=${{name}}&b=$"
    configuration = run(get("/", page), post("/", body), post("/", f"${TOKEN}&csrf=${TOKEN}"))
    assert requests(configuration)[1] == "/ csrf=${csrf_token[1]}&a=$${name}&b=$"
    assert requests(configuration)[2] == f"/ ${TOKEN}&csrf=${TOKEN}"


@pytest.mark.parametrize(
    ("written", "asked"),
    [
        ("/lib/exe/fetch.php?t=1795304444&amp;w=1&amp;tok={}&amp;media=tea:leaf.png",
         "/lib/exe/fetch.php?t=1795304444&w=1&tok={}&media=tea:leaf.png"),
        ("/files/a.png?X-Amz-Signature={}", "/files/a.png?X-Amz-Signature={}"),
    ],
)  # fmt: skip
def test_signed_address(written: str, asked: str) -> None:
    """DokuWiki and S3: a picture is refused without its page's signature, however short."""
    page = html(
        '<link rel="stylesheet" href="/css.php?tseed=1900539d0b82d17941ae57dfa9a35eda">'
        f'<img src="{written.format("6df2c7")}" alt="">'
    )
    configuration = run(
        get("/", page),
        get(
            "/css.php?tseed=1900539d0b82d17941ae57dfa9a35eda",
            exchange(received=(("Content-Type", "text/css"),)),
        ),
        get(asked.format("6df2c7"), exchange(received=(("Content-Type", "image/png"),))),
    )
    (variable,) = configuration.case.variables
    assert requests(configuration)[1:] == [
        "/css.php?tseed=1900539d0b82d17941ae57dfa9a35eda", asked.format(f"${{{variable}}}"),
    ]  # fmt: skip
    assert [one.rule for one in made(configuration)] == ["signed-address"]


def test_the_page_has_the_rules() -> None:
    """docs/correlation.md lists the rules as they are.

    If not: python -m tests.correlation.rule_table
    """
    text = PAGE.read_text()
    assert updated(text) == text
    assert all(f"| `{rule.name}` |" in text for rule in package_rules())


def test_rules_name_their_evidence() -> None:
    """Every rule's evidence is a function, reasons are sentences, and nothing is certain."""
    assert {*EVIDENCE, *OF_OWN} == set(EVIDENCE_NAMES)
    for rule in package_rules():
        filled: Mapping[str, str] = {"field": "F", "producer": "P"}
        assert rule.reason.format_map(filled).endswith(".")
        assert rule.unfound.format_map(filled).endswith(".")
        assert 0 < rule.confidence < 1
        assert rule.source, f"{rule.name} does not say where it is known from"
