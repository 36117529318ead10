"""Making a typed text one of each virtual user's own."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from pytest_loadtool.correlation import Configuration
from pytest_loadtool.correlation.configuration import asserted_anew
from pytest_loadtool.editing.unique_values import make_unique, owned_parts
from pytest_loadtool.model.case import Header, Variable
from pytest_loadtool.model.editing import with_transactions
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.extractor import (
    Boundary,
    Choice,
    Extractor,
    FormField,
    HeaderValue,
    InItem,
    Link,
    RegularExpression,
    Source,
    with_texts,
)
from pytest_loadtool.model.generator import RandomText
from pytest_loadtool.model.validator import JsonValidator
from tests.correlation.exchanges import SERVER, answered, case_of, exchange, html, json_body
from tests.correlation.talk import call, configure, get, post, requests, run, sources

SESSION: tuple[Exchange, ...] = (
    post("/users/add", "username=carol&email=carol%40example.com&note=caroline"),
    get("/users?q=carol&filters=q%3Dcarol"),
    call("PUT", "/users/carol", {"name": "carol", "files": "home/carol/notes.txt"}),
    get("/users/caroline?page=1", sent=(("Referer", f"{SERVER}/users/carol?q=q%3Dcarol"),)),
)


def test_an_address_with_other_spaces() -> None:
    """As MediaWiki writes the titles of pages: with the same characters behind it."""
    unique = make_unique(
        case_of(
            get("/index.php?search=Kinds+of+tea"),
            get("/index.php?title=Kinds_of_tea&action=edit"),
            get("/index.php/Kinds_of_tea"),
        ),
        "Kinds of tea",
    )
    assert unique is not None
    assert unique.transactions == (0, 1, 2)
    assert [one.request.target for one in unique.case.transactions()] == [
        "/index.php?search=${search[1]}",
        "/index.php?title=${title[1]}&action=edit",
        "/index.php/${title[1]}",
    ]
    assert unique.case.variables == {
        "search_end[1]": Variable("search_end[1]", generate=RandomText(6)),
        "search[1]": Variable(
            "search[1]", template="Kinds of tea-${search_end[1]}", recorded="Kinds of tea"
        ),
        "title[1]": Variable(
            "title[1]", template="Kinds_of_tea-${search_end[1]}", recorded="Kinds_of_tea"
        ),
    }


def test_an_address_that_is_a_slug() -> None:
    """As a script makes it of a title while one types: it takes no capitals. What only begins alike
    is not one, and a title with other signs may have any slug."""
    case = case_of(post("/pages", "title=Green+Teas&slug=green-teas"), get("/green-teasers/"))
    unique = make_unique(case, "Green Teas")
    assert unique is not None
    sent, read = unique.case.transactions()
    assert sent.request.body == "title=${title[1]}&slug=${slug[1]}"
    assert read.request.target == "/green-teasers/"
    assert unique.case.variables == {
        "title_end[1]": Variable("title_end[1]", generate=RandomText(7, "base36")),
        "title[1]": Variable(
            "title[1]", template="Green Teas-${title_end[1]}", recorded="Green Teas"
        ),
        "slug[1]": Variable(
            "slug[1]", template="green-teas-${title_end[1]}", recorded="green-teas"
        ),
    }
    other = make_unique(case_of(post("/pages", "title=Tea+%26+cups&slug=tea-cups")), "Tea & cups")
    assert other is not None
    (sent,) = other.case.transactions()
    assert sent.request.body == "title=${title[1]}&slug=tea-cups"


def test_everywhere_it_stands() -> None:
    """As a value and as a word of one, under the encoding of each place; no other word."""
    unique = make_unique(case_of(*SESSION), "carol")
    assert unique is not None
    assert unique.variable == "username[1]"
    assert unique.transactions == (0, 1, 2, 3)
    name = "${username[1]}"
    assert [one.request.target for one in unique.case.transactions()] == [
        "/users/add", f"/users?q={name}&filters=q%3D{name}", f"/users/{name}",
        "/users/caroline?page=1",
    ]  # fmt: skip
    assert [one.request.body for one in unique.case.transactions()] == [
        f"username={name}&email={name}%40example.com&note=caroline",
        None,
        f'{{"name": "{name}", "files": "home/{name}/notes.txt"}}',
        None,
    ]
    referer = list(unique.case.transactions())[3].request.headers[0]
    assert referer.value == f"{SERVER}/users/{name}?q=q%3D${{username[1]|url}}"
    assert unique.case.variables == {
        "username_end[1]": Variable("username_end[1]", generate=RandomText(7, "base36")),
        "username[1]": Variable(
            "username[1]", template="carol-${username_end[1]}", recorded="carol"
        ),
    }


def test_a_slash_is_written_either_way() -> None:
    """A path in a query has it as it is, or encoded, as clients like."""
    sent = ("/stop?path=/tea&at=%2Ftea", "/stop?path=/teapot")
    unique = make_unique(case_of(*(call("GET", one, None) for one in sent)), "/tea")
    assert unique is not None
    assert [one.request.target for one in unique.case.transactions()] == [
        "/stop?path=${path[1]}&at=${path[1]}", "/stop?path=/teapot",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "variable"),
    [
        ("notes.txt", Variable("f[1]", template="notes-${f_end[1]}.txt", recorded="notes.txt")),
        ("a b@c.d", Variable("f[1]", template="a b-${f_end[1]}@c.d", recorded="a b@c.d")),
        ("$${", Variable("f[1]", template="-${f_end[1]}$$${", recorded="$${")),
        ("4711", Variable("f[1]", generate=RandomText(4, "digits"), recorded="4711")),
    ],
)
def test_the_end_of_a_name_stays(text: str, variable: Variable) -> None:
    """A file keeps its suffix, an address its host, a number its length."""
    unique = make_unique(case_of(call("POST", "/", {"f": text})), text)
    assert unique is not None
    assert unique.case.variables["f[1]"] == variable


def test_capitals_only_where_there_are_some() -> None:
    """The name in an address, as of a project, often may have none."""
    case = case_of(post("/a", "name=Tea&identifier=tea"))
    small, both = make_unique(case, "tea"), make_unique(case, "Tea")
    assert small is not None
    assert both is not None
    assert small.case.variables["identifier_end[1]"].generate == RandomText(7, "base36")
    assert both.case.variables["name_end[1]"].generate == RandomText(6, "alphanumeric")


def test_names_do_not_collide() -> None:
    """A second text of the same field has a variable of its own; what no request has, none."""
    case = case_of(post("/a", "name=tea"), post("/b", "name=milk"))
    first = make_unique(case, "tea")
    assert first is not None
    second = make_unique(first.case, "milk")
    assert second is not None
    assert (first.variable, second.variable) == ("name[1]", "name[2]")
    assert make_unique(second.case, "tea") is None


@pytest.mark.parametrize("text", ["carol", "carol@example.com", "home/carol/notes.txt"])
def test_what_is_unique_already(text: str) -> None:
    """A text with a part that was made unique before is told by that part."""
    first = make_unique(case_of(*SESSION), "carol")
    assert first is not None
    assert make_unique(first.case, text) is None
    assert owned_parts(first.case, text) == (first.case.variables["username[1]"],)
    assert not owned_parts(first.case, f"{text}s")
    assert not owned_parts(case_of(*SESSION), text)


@pytest.mark.parametrize(
    ("exchanges", "text", "wanted"),
    [
        (
            (
                post("/tasks/add", "title=Coffee"),
                get("/tasks/", html('<a href="/tasks/5/">Coffee</a>')),
                get("/tasks/5/"),
            ),
            "Coffee",
            ["/tasks/add title=${title[1]}", "/tasks/", "/tasks/${task_id[1]}/"],
        ),
        (
            (
                get("/?image=leaf.png", html('<img src="/fetch?tok=1bfea3&amp;media=leaf.png">')),
                get("/fetch?tok=1bfea3&media=leaf.png"),
            ),
            "leaf.png",
            ["/?image=${image[1]}", "/fetch?tok=${tok[1]}&media=${image[1]}"],
        ),
    ],
    ids=["the text of a link", "in a link"],
)
def test_configuring_again_leaves_it(
    exchanges: tuple[Exchange, ...], text: str, wanted: list[str]
) -> None:
    """What ASM found by the typed name it finds again."""
    once = configure(case_of(*exchanges), exchanges)
    unique = make_unique(once.case, text)
    assert unique is not None
    again = configure(unique.case, exchanges)
    assert again.case == asserted_anew(unique.case, exchanges).case
    assert requests(again) == wanted


#: ihatemoney: what is in a project has the project's name in its address.
_BILLS = (
    '<tr><td>Tent</td><td><a class="edit" href="/{0}/edit/1" title="edit">edit</a>'
    '<form action="/{0}/delete/1" method="POST"><input name="csrf_token" type="hidden" '
    'value="IjUxOGM4ZGYwYmM0MTRkZmRjZDEwZDVm"><button></button></form></td></tr>'
)


@pytest.mark.parametrize(
    ("typed", "path", "written"),
    [
        ("seaside", "seaside", "${id[1]}"),
        ("Our trip", "Our%20trip", "${id[1]|url}"),
        ("trip", "our-trip", "our-${id[1]}"),
    ],
)
def test_addresses_of_links_and_forms_are_followed(typed: str, path: str, written: str) -> None:
    """The extractor finds what the server makes of this user's text; configured again, too."""
    page = html(
        f'<form><input type="hidden" name="csrf_token" value="x"></form>{_BILLS.format(path)}'
    )
    exchanges = (
        post("/create", f"id={typed.replace(' ', '+')}"),
        get(f"/{path}/", html("<table></table>")),
        post(
            f"/{path}/new", "n=1", exchange(received=(("Location", f"/{path}/of/17"),)), status=303
        ),
        get(f"/{path}/of/17"),
        post(f"/{path}/add", "what=Tent"),
        get(f"/{path}/", page),
        get(f"/{path}/edit/1"),
        post(f"/{path}/delete/1", "csrf_token=IjUxOGM4ZGYwYmM0MTRkZmRjZDEwZDVm"),
    )
    unique = make_unique(run(*exchanges).case, typed)
    assert unique is not None
    found = [one.source for each in unique.case.transactions() for one in each.extractors]
    assert found == [
        HeaderValue("Location", f"/{written}/of/([^/?#&;]+)"),
        InItem(Link(f"/{written}/edit/*"), "Tent"),
        InItem(Link(f"/{written}/delete/*"), "Tent"),
        FormField("csrf_token", action=f"/{written}/delete/${{delete_id[1]}}"),
    ]
    assert configure(unique.case, exchanges).case == asserted_anew(unique.case, exchanges).case
    # What a person wrote stays when it is configured again.
    first, *others = unique.case.transactions()
    own = Extractor("own", RegularExpression(f"/{path}/list/([0-9]+)"))
    by_person = with_transactions(
        unique.case, (replace(first, extractors=(*first.extractors, own)), *others)
    )
    assert configure(by_person, exchanges).case == by_person


@pytest.mark.parametrize(
    ("source", "followed"),
    [
        (HeaderValue("Location", "/shop/([^/?#&;]+)"), HeaderValue("Location", "/X/([^/?#&;]+)")),
        (HeaderValue("shop"), HeaderValue("shop")),
        (Boundary('href="/shop/', '"'), Boundary('href="/X/', '"')),
        (Link("/shop/*/shops", "shop 5"), Link("/X/*/shops", "X 5")),
        (FormField("shop", action="/shop?at=..."), FormField("shop", action="/X?at=...")),
        (Choice("shop", "shop"), Choice("shop", "X")),
        (InItem(Boundary("/shop/", "/"), "a shop"), InItem(Boundary("/X/", "/"), "a X")),
        (RegularExpression(r"/a\?q=shop&id=(\d+)"), RegularExpression(r"/a\?q=X&id=(\d+)")),
        (RegularExpression(r"to=%2Fshop%2F(\d+)"), RegularExpression(r"to=%2FX%2F(\d+)")),
        (RegularExpression('name="shop" (.*)'), RegularExpression('name="shop" (.*)')),
        (RegularExpression("</?shop>(.*)"), RegularExpression("</?shop>(.*)")),
        (RegularExpression("/workshop/(.*)"), RegularExpression("/workshop/(.*)")),
    ],
)
def test_only_addresses_are_followed(source: Source, followed: Source) -> None:
    """A path segment or a value of a query, in any kind of extractor; no names, tags or words."""
    case = case_of(post("/", "f=shop"))
    (one,) = case.transactions()
    case = with_transactions(case, (replace(one, extractors=(Extractor("v", source),)),))
    unique = make_unique(case, "shop")
    assert unique is not None
    written = with_texts(followed, lambda text: text.replace("X", "${f[1]}"))
    assert sources(Configuration(unique.case, ())) == [("v", written, 1)]


@pytest.mark.parametrize(
    ("text", "template"),
    [
        (
            "https://example.org/long/Page.html?x=1#a",
            "https://example.org/long/Page-${}.html?x=1#a",
        ),
        ("https://example.org/a/b/", "https://example.org/a/b-${}/"),
        ("https://example.org:8443", "https://example.org:8443/${}"),
        ("https://example.org/", "https://example.org/${}"),
        ("https://example.org?next=/a/b", "https://example.org/${}?next=/a/b"),
        ("https://example.org/?next=/a/b", "https://example.org/${}?next=/a/b"),
        ("//cdn.example.org/x.js", "//cdn.example.org/x-${}.js"),
        ("ftp://user@example.org/~kim", "ftp://user@example.org/-${}~kim"),
        ("www.example.org/x", "www.example.org/x-${}"),
        ("a@b.org", "a-${}@b.org"),
        ("notes.txt", "notes-${}.txt"),
        ("http: the basics", "http-${}: the basics"),
        ("/tea", "/tea-${}"),
        ("/shelves/tea.txt", "/shelves/tea-${}.txt"),
    ],
)
def test_an_address_leads_to_its_server_yet(text: str, template: str) -> None:
    """What differs goes into its path, never into its scheme or host."""
    unique = make_unique(case_of(call("POST", "/links", {"url": text})), text)
    assert unique is not None
    made = unique.case.variables[unique.variable].template
    assert made == template.replace("${}", "${url_end[1]}")


def test_the_key_of_an_object() -> None:
    """What has the name of somebody or of a file as its key is another one, too."""
    body = {"_id": "tea", "users": {"carol": True}, "files": {"carol-1.tgz": {"size": 3}}}
    unique = make_unique(case_of(call("PUT", "/tea", body)), "carol")
    assert unique is not None
    (transaction,) = unique.case.transactions()
    name = unique.variable
    assert json.loads(str(transaction.request.body)) == {
        "_id": "tea",
        "users": {f"${{{name}}}": True},
        "files": {f"${{{name}}}-1.tgz": {"size": 3}},
    }


def test_a_path_behind_the_server() -> None:
    """A header that says where something is to go, in the address of this server."""
    target = (("Destination", f"{SERVER}/tea-orders/copy.txt"),)
    exchanges = (exchange(method="COPY", url=f"{SERVER}/tea-orders/a.txt", sent=target),)
    case = case_of(*exchanges)
    (transaction,) = case.transactions()
    headers = (Header("Destination", "${server}/tea-orders/copy.txt"),)
    request = replace(transaction.request, headers=headers)
    unique = make_unique(
        with_transactions(case, [replace(transaction, request=request)]), "tea-orders"
    )
    assert unique is not None
    (transaction,) = unique.case.transactions()
    name = unique.variable
    assert transaction.request.target == f"/${{{name}}}/a.txt"
    assert transaction.request.headers[0].value == f"${{server}}/${{{name}|url}}/copy.txt"


def test_an_outcome_under_a_key_that_is_made_unique() -> None:
    """It looks under this user's key."""
    before, after = ({"users": one} for one in ({}, {"kim-packs": True}))
    exchanges = (
        answered("GET", "/tea", json_body(before)),
        call("PUT", "/tea", {"users": {"kim-packs": True}}),
        answered("GET", "/tea", json_body(after)),
    )
    unique = make_unique(run(*exchanges).case, "kim-packs")
    assert unique is not None
    for again in (asserted_anew, configure):
        case = again(unique.case, exchanges).case
        (outcome,) = [*case.transactions()][-1].validators
        assert isinstance(outcome, JsonValidator)
        assert outcome.path == f"$.users['${{{unique.variable}}}']"


def test_what_is_encoded_twice() -> None:
    """A page has encoded the name of an entry for its address, and a form does so again."""
    exchanges = (
        post("/entries", "ou=carol"),
        post("/rename", "dn=cn%253DLou%2Cou%253Dcarol%252Cdc%253Dorg&to=Kim"),
    )
    unique = make_unique(configure(case_of(*exchanges), exchanges).case, "carol")
    assert unique is not None, "it was typed"
    *_, last = unique.case.transactions()
    assert last.request.body == "dn=cn%253DLou%2Cou%253D${ou[1]}%252Cdc%253Dorg&to=Kim"
