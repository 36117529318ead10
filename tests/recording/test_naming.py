"""Names of pages and operations."""

from __future__ import annotations

import pytest

from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.recording.entry import Entry
from pytest_loadtool.recording.filter.kinds import kind_of
from pytest_loadtool.recording.pages.grouping import REFERRER_ANALYSIS, group
from pytest_loadtool.recording.pages.naming import operation_name, page_names, title
from tests.recording.samples import SHOP, call, load, visit

pytestmark = pytest.mark.promise(20)


def names(*exchanges: Exchange) -> list[str]:
    """What the pages of a recording are called."""
    entries = (Entry(index, one, kind_of(one)) for index, one in enumerate(exchanges))
    return page_names(group(entries, REFERRER_ANALYSIS))


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<html><head><title>Home</title>", "Home"),
        ("<TITLE lang='en'>\n  Caf&eacute;\n  &amp; Bar </TITLE >", "Café & Bar"),
        ("<!-- <title>Old</title> --><title>New</title>", "New"),
        ("<title>a <b> c</title>", "a <b> c"),
        ("<title></title>", ""),
        ("<title>never closed", ""),
        ("<!-- never closed <title>x</title>", ""),
        ("<p>nothing", ""),
    ],
)
def test_titles(html: str, expected: str) -> None:
    """Entities are decoded and white space is collapsed; comments do not count."""
    assert title(visit(f"{SHOP}/a", 0, html)) == expected


@pytest.mark.parametrize(
    ("content_type", "html"),
    [
        ("text/html; charset=ISO-8859-1", b"<title>Gr\xfc\xdfe</title>"),
        ("text/html", b"<meta charset='iso-8859-1'><title>Gr\xfc\xdfe</title>"),
        ("text/html", "<title>Grüße</title>".encode()),
        ("text/html; charset=no-such", "<title>Grüße</title>".encode()),
    ],
)
def test_titles_are_read_in_their_character_set(content_type: str, html: bytes) -> None:
    """The header's character set comes first, then the document's, then UTF-8."""
    assert title(load(f"{SHOP}/a", 0, content_type, html)) == "Grüße"


def test_the_page_is_named_after_its_document() -> None:
    """Not after a forward, a frame or a style sheet of the page."""
    assert names(
        visit(f"{SHOP}/", 0, to="/home"),
        visit(f"{SHOP}/home", 0.1, "<title>Home</title>"),
        visit(f"{SHOP}/frame", 0.2, "<title>Frame</title>", dest="iframe"),
    ) == ["Home"]


def test_without_a_title_the_address_names_the_page() -> None:
    """The last path segment, decoded; the host if there is none."""
    assert names(
        visit(f"{SHOP}/orders/gr%C3%BCn/?a=/b", 0, "<p>"),
        visit(f"{SHOP}/?q=1", 5, "<p>"),
        visit(f"{SHOP}/photo.png", 9, "PNG", content_type="image/png"),
        visit(f"{SHOP}/old", 12, to="/new.pdf"),
        visit(f"{SHOP}/new.pdf", 12.1, "%PDF", content_type="application/pdf"),
    ) == ["grün", "127.0.0.1:8000", "photo.png", "new.pdf"]


def test_an_id_is_no_name() -> None:
    """Numbers, UUIDs and hexadecimal keys are passed over, unless there is nothing else."""
    assert names(
        visit(f"{SHOP}/orders/9fb197cb-576f-4051-b840-c4d961f66c69", 0, "<p>"),
        visit(f"{SHOP}/items/17/", 5, "<p>"),
        visit(f"{SHOP}/blobs/d41d8cd98f00b204e9800998ecf8427e", 9, "<p>"),
        visit(f"{SHOP}/42", 12, "<p>"),
    ) == ["orders", "items", "blobs", "42"]


def test_repeated_names_are_numbered() -> None:
    """Every name is there once, even if a title looks like a numbered one."""
    assert names(
        visit(f"{SHOP}/1", 0, "<title>A</title>"),
        visit(f"{SHOP}/2", 1, "<title>A (2)</title>"),
        visit(f"{SHOP}/3", 2, "<title>A</title>"),
        visit(f"{SHOP}/4", 3, "<title>A</title>"),
    ) == ["A", "A (2)", "A (3)", "A (4)"]


def test_calls_are_named_after_their_operation() -> None:
    """GraphQL and SOAP have one address for everything: the operation tells them apart."""
    json = ("Content-Type", "application/json")
    graphql = b'{"operationName": "Orders", "query": "query Orders { orders { id } }"}'
    assert names(
        call("POST", f"{SHOP}/graphql", 0, json, body=graphql),
        call("POST", f"{SHOP}/soap", 1, ("SOAPAction", '"http://shop.example/Shop/GetOrder"')),
        call("GET", f"{SHOP}/api/items", 2),
        call("GET", f"{SHOP}/api/items", 3),
    ) == ["Orders", "GetOrder", "items", "items (2)"]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b'{"query": "mutation Pay($id: ID!) { pay(id: $id) { ok } }"}', "Pay"),
        (b'{"operationName": null, "query": " query Named { a }"}', "Named"),
        (b'[{"operationName": "First"}, {"operationName": "Second"}]', "First"),
        (b'{"query": "{ anonymous }"}', ""),
        (b'{"query": "red shoes"}', ""),
        (b'{"name": "x"}', ""),
        (b'{"jsonrpc": "2.0", "method": "aria2.addUri", "params": [], "id": 1}', "aria2.addUri"),
        (b'[{"jsonrpc": "2.0", "method": "first"}, {"method": "second"}]', "first"),
        (b'{"method": "old", "params": [], "id": 1}', "old"),
        (b'{"jsonrpc": "2.0", "method": 1}', ""),
        (b'{"method": "post", "id": 1}', ""),
        (b"query=1", ""),
        (b"[" * 100_000, ""),
    ],
)
def test_operations_in_json(body: bytes, expected: str) -> None:
    """By name, else by the document; JSON-RPC by the method. A search for shoes is neither."""
    assert operation_name(call("POST", f"{SHOP}/x", 0, body=body)) == expected


def test_graphql_by_get() -> None:
    """The operation stands in the query string."""
    url = f"{SHOP}/graphql?query=query+Orders+%7Bid%7D"
    assert operation_name(call("GET", url, 0)) == "Orders"
    assert operation_name(call("GET", f"{url}&operationName=Mine", 0)) == "Mine"
    assert operation_name(call("GET", f"{SHOP}/search?query=shoes", 0)) == ""
    assert operation_name(call("GET", f"{SHOP}/list?operationName=Mine", 0)) == ""


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ([("SOAPAction", '"urn:shop#GetOrder"')], "GetOrder"),
        ([("SOAPAction", "urn:shop:GetOrder")], "GetOrder"),
        ([("SOAPAction", '""')], ""),
        ([("Content-Type", 'application/soap+xml; action="urn:x/Pay"')], "Pay"),
        ([("Content-Type", "application/soap+xml")], ""),
        ([("Content-Type", 'text/xml; action="urn:x/Pay"')], ""),
    ],
)
def test_soap_actions(headers: list[tuple[str, str]], expected: str) -> None:
    """SOAP 1.1 has a header for it, SOAP 1.2 a parameter."""
    assert operation_name(call("POST", f"{SHOP}/x", 0, *headers)) == expected


def test_program_that_asks_for_documents_names_its_pages_after_them() -> None:
    """It wants no HTML above all, and navigates nowhere. What a script of a page asks for is no
    document."""
    plain, untyped, scripted = (
        call("GET", f"{SHOP}/{path}", at, *headers, answer=answer, content_type=kind)
        for path, at, headers, answer, kind in (
            ("", 0, (), b"<title>Main</title>", "text/html"),
            ("index.html", 5, (), b"<html><title>Reports</title>", ""),
            ("part", 9, (("X-Requested-With", "x"),), b"<title>Part</title>", "text/html"),
        )
    )
    assert names(plain, untyped, scripted) == ["Main", "Reports", "part"]
