"""Pages of what the session created: numbers in their hidden fields, forms and scripts."""

from __future__ import annotations

import pytest

from pytest_loadtool.model.exchange import Exchange
from tests.correlation.exchanges import exchange, html, json_body
from tests.correlation.talk import call, get, made, post, requests, run


def roundup(number: int, file: int, *, link: str = '<a href="file{0}">edit</a>') -> Exchange:
    """The page of an issue with a file, as Roundup 2.6 has it."""
    return html(
        f'<form method="POST" action="issue{number}" enctype="multipart/form-data"><select '
        'name="status"><option value="2" selected>open</option></select><input name="title" '
        'value="Water is cold"><input type="hidden" name="@template" value="item"></form>'
        '<table class="files"><tr><th>File name</th></tr><tr>'
        f"<td>{link.format(file)}</td><td><span>admin</span></td><td>"
        f'<form style="padding:0" method="POST" action="issue{number}">'
        f'<input type="hidden" name="@remove@files" value="{file}">'
        '<input type="hidden" name="@count" value="1">'
        '<input type="hidden" name="@action" value="edit">'
        '<input type="submit" value="remove"></form></td></tr></table>'
    )


def created(path: str) -> Exchange:
    return exchange(received=(("Location", f"http://shop.test{path}"),))


REMOVE = "%40remove%40files=1&%40count=1&%40action=edit"
LINKS = [
    '<a href="file{0}">edit</a>',
    '<a href="/t/files/{0}/a.txt">a.txt</a>',
    "<a href=/t/?file={0}>a.txt</a>",
]


@pytest.mark.parametrize("link", LINKS)
def test_a_hidden_number_of_a_new_thing(link: str) -> None:
    """The field is called like the things, and the page of the new issue links to that one."""
    configuration = run(
        get("/t/", html("<a href=issue?@template=item>New</a>")),
        post("/t/issue", "title=Water", created("/t/issue7"), status=302),
        get("/t/issue7", roundup(7, 1, link=link)),
        post("/t/issue7", REMOVE),
    )
    assert requests(configuration)[3] == (
        "/t/${t_id[1]} %40remove%40files=${remove_files[1]}&%40count=1&%40action=edit"
    )
    assert {one.rule for one in made(configuration)} == {"created-location", "hidden-thing"}


def test_a_number_that_came_with_a_change() -> None:
    """On a page that was seen before without it."""
    empty = html('<form action="issue1" enctype="multipart/form-data"><input type="file"></form>')
    configuration = run(
        get("/t/issue1", empty),
        post("/t/issue1", "title=Water"),
        get("/t/issue1", roundup(1, 1)),
        post("/t/issue1", REMOVE),
    )
    assert [one.rule for one in made(configuration)] == ["hidden-thing"]


@pytest.mark.parametrize(
    "exchanges",
    [
        # It was there before anything was created.
        (get("/t/issue1", roundup(1, 1)), post("/t/issue1", REMOVE)),
        (
            get("/t/file", html('<a href="file1">a.txt</a>')),
            post("/t/issue", "title=Water"),
            get("/t/issue1", roundup(1, 1)),
            post("/t/issue1", REMOVE),
        ),
        # No link says what the number is, or one to another thing does.
        (
            get("/t/issue1", html("<p>")),
            post("/t/issue1", "title=Water"),
            get("/t/issue1", roundup(1, 1, link='<a href="user1">admin</a><a href="file12">')),
            post("/t/issue1", REMOVE),
        ),
    ],
    ids=["no change", "known before", "no link"],
)
def test_constants(exchanges: tuple[Exchange, ...]) -> None:
    """Nothing is made of them."""
    assert not run(*exchanges).case.variables


def test_signing_in_creates_nothing() -> None:
    """What the first page behind a login links to was there before."""
    form = '<form method=post action="/t/"><input name=user><input type=password name=pass></form>'
    assert not run(
        get("/t/", html(form)),
        post("/t/", "user=kim&pass=tea", created("/t/"), status=302),
        get("/t/", html('<a href="/t/keyword?@template=item">Create</a>')),
        get("/t/keyword?@template=item", html("<p>")),
        post("/t/keyword", "name=tea"),
    ).case.variables


def test_known_before_on_another_page() -> None:
    """A new page that links to an old thing does not make that new."""
    configuration = run(
        get("/t/file", html('<a href="file1">a.txt</a>')),
        post("/t/issue", "title=Water", created("/t/issue7"), status=302),
        get("/t/issue7", roundup(7, 1)),
        post("/t/issue7", REMOVE),
    )
    assert [one.rule for one in made(configuration)] == ["created-location"]


def editor(page: int, session: int, *, kind: str = "page") -> Exchange:
    """The page that edits a page, as Wagtail 8 has it, whose scripts tell that it is open."""
    return html(
        f'<div class="w-editing-sessions" data-controller="w-swap w-action w-session"\n'
        f'    data-w-swap-target-value="#w-editing-sessions"\n    data-w-swap-src-value='
        f'"/admin/editing-sessions/ping/wagtailcore/{kind}/{page}/{session}/"\n'
        f'    data-w-action-url-value="/admin/editing-sessions/release/{session}/"></div>'
        '<a href="/admin/pages/3/">Home</a>'
        f'<form action="/admin/pages/{page}/edit/" method="POST"><input name="title"></form>'
    )


@pytest.mark.parametrize("kind", ["page", "pages"])
def test_addresses_that_scripts_are_given(kind: str) -> None:
    """The page's own id is known by one or many of them; the session is new with the page."""
    exchanges = (
        get("/admin/pages/3/", html('<a href="/admin/pages/3/add/">Add</a>')),
        post("/admin/pages/3/add/", "title=Tea", created("/admin/pages/4/edit/"), status=302),
        get("/admin/pages/4/edit/", editor(4, 1, kind=kind)),
        post(f"/admin/editing-sessions/ping/wagtailcore/{kind}/4/1/", "a=b"),
        post("/admin/editing-sessions/release/1/", "a=b"),
        get("/admin/pages/3/", html('<a href="/admin/pages/4/edit/">Tea</a>')),
        get("/admin/pages/4/edit/", editor(4, 2, kind=kind)),
        post(f"/admin/editing-sessions/ping/wagtailcore/{kind}/4/2/", "a=b"),
        post("/admin/editing-sessions/release/2/", "a=b"),
    )
    configuration = run(*exchanges)
    targets = [one.request.target for one in configuration.case.transactions()]
    ping = f"/admin/editing-sessions/ping/wagtailcore/{kind}/${{page_id[1]}}/"
    release = "/admin/editing-sessions/release/"
    assert targets[3:5] == [f"{ping}${{page_id[2]}}/", f"{release}${{release_id[1]}}/"]
    assert targets[7:9] == [f"{ping}${{page_id[3]}}/", f"{release}${{release_id[2]}}/"]


@pytest.mark.parametrize(
    "attribute",
    ["hx-post", "data-hx-delete", "formaction", "data-url", "data-href", "data-action", "action"],
)
def test_attributes_with_addresses(attribute: str) -> None:
    """htmx, Stimulus, rails-ujs and forms."""
    configuration = run(
        get("/shop", html("<p>")),
        post("/shop/carts", "n=1", created("/shop/carts/31"), status=303),
        get("/shop/carts/31", html(f'<button {attribute}="/lines/6/remove">Remove</button>')),
        post("/lines/6/remove", "a=b"),
    )
    assert requests(configuration)[3] == "/lines/${line_id[1]}/remove a=b"


def test_addresses_of_what_was_there() -> None:
    """What a person follows from a new page, what another page had, and what a new id is in."""
    page = html(
        '<a href="/products/3">Tea</a><form action="/lines/5/like"></form>'
        '<form action="/shops/2/carts/31/pay"></form>'
    )
    configuration = run(
        get("/shop", html('<form action="/lines/5/like"></form>')),
        post("/shop/carts", "n=1", created("/shop/carts/31"), status=303),
        get("/shop/carts/31", page),
        get("/products/3"),
        post("/lines/5/like", "a=b"),
        post("/shops/2/carts/31/pay", "a=b"),
    )
    assert requests(configuration)[3:] == [
        "/products/3",
        "/lines/5/like a=b",
        "/shops/2/carts/${cart_id[1]}/pay a=b",
    ]


def test_fields_that_are_called_like_it() -> None:
    """A created thing is meant where a script, a choice or a hidden field has its number."""
    page = html(
        '<form><select name="category"><option value="7">No. 7</option></select>'
        '<input type="hidden" name="parent" value="7"><input name="shelf"></form>'
    )
    configuration = run(
        post("/categories", "title=Tea", created("/categories/7"), status=303),
        get("/categories/7", page),
        post("/items", "category=7&parent=7&shelf=x"),
        call("POST", "/api/items", {"category": 7, "size": 7}, json_body({})),
        post("/shelves", "name=a", created("/shelves/8"), status=303),
        get("/shelves/8"),
        post("/items", "category=7&parent=8&shelf=8"),
    )
    assert requests(configuration)[2:4] == [
        "/items category=${category_id[1]}&parent=${parent[1]}&shelf=x",
        '/api/items {"category": ${category_id[1]}, "size": 7}',
    ]
    assert requests(configuration)[6] == "/items category=${category_id[1]}&parent=8&shelf=8"


def _row(number: int, name: str) -> str:
    return (
        f'<tr><td><a href="/comments/show/{number}">{name}</a></td>'
        f'<td><a href="/comments/edit/{number}">Edit</a></td></tr>'
    )


@pytest.mark.parametrize("number", [8, 53])
def test_a_row_with_the_number_of_its_page(number: int) -> None:
    """Comment 8 on the page of ticket 8 is found as comment 53 is: by its row."""
    page, rows = "/tickets/show/8", _row(5, "Draft")
    configured = run(
        post("/tickets", "name=Pond", html(""), status=302, received=(("Location", page),)),
        get(page, html(f"<table>{rows}</table>")),
        post("/comments", "ticket_id=8&name=Lamp", html("")),
        get(page, html(f"<table>{rows}{_row(number, 'Lamp')}</table>")),
        get(f"/comments/edit/{number}"),
    )
    assert requests(configured)[-1] == "/comments/edit/${edit_id[1]}"


def _linking(code: str, text: str = "Edit") -> str:
    configured = run(
        get("/orders", html("<p>No orders.</p>")),
        post("/orders", "name=Tea", html("")),
        get("/orders", html(f'<p>Tea</p><a href="/orders/{code}/edit">{text}</a>')),
        get(f"/orders/{code}/edit"),
    )
    return requests(configured)[-1]


@pytest.mark.parametrize("code", ["GJUBSR", "BA2T5S", "Vorbs"])
def test_a_code_without_a_digit(code: str) -> None:
    """What the server makes up may look like a name by chance."""
    assert _linking(code) == "/orders/${order_id[1]}/edit"


@pytest.mark.parametrize(("name", "text"), [("HELP", "HELP"), ("All_teas", "Edit all teas")])
def test_the_name_of_a_page_that_people_read(name: str, text: str) -> None:
    """The address of a page may be its name."""
    assert _linking(name, text) == f"/orders/{name}/edit"
