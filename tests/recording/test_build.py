"""From a recording to its test case."""

from __future__ import annotations

import pytest

from pytest_loadtool.model.case import Kind
from pytest_loadtool.recording import build_case
from pytest_loadtool.recording.notes import UNREPLAYABLE
from tests.recording.samples import SHOP, call, load, visit

RECORDING = [
    visit(f"{SHOP}/", 0, "<title>Shop</title>"),
    load(f"{SHOP}/shop.css", 0.2, "text/css", dest="style", referer=f"{SHOP}/"),
    load(f"{SHOP}/shop.js", 0.1, "text/javascript", dest="script", referer=f"{SHOP}/"),
    load(f"{SHOP}/logo.png", 0.3, "image/png", dest="image", referer=f"{SHOP}/"),
    load(f"{SHOP}/api/cart", 2, "application/json", b"{}", referer=f"{SHOP}/"),
    load(f"{SHOP}/feed", 3, "text/xml", b"<a/>", referer=f"{SHOP}/"),
    visit(f"{SHOP}/orders", 9, "<title>Orders</title>", referer=f"{SHOP}/"),
]


@pytest.mark.promise(1)
@pytest.mark.promise(20)
@pytest.mark.promise(22)
def test_a_recording_is_a_tree_of_pages_with_their_transactions() -> None:
    """Pages by name, each with its requests in the order in which they were sent."""
    case = build_case(RECORDING, name="shop").case
    assert case.name == "shop"
    tree = {
        page.name: [
            (one.title, one.recorded.kind) for one in page.transactions if one.recorded is not None
        ]
        for page in case.pages
    }
    assert tree == {
        "Shop": [
            ("GET /", Kind.HTML),
            ("GET /shop.js", Kind.JAVASCRIPT),
            ("GET /shop.css", Kind.CSS),
            ("GET /logo.png", Kind.IMAGE),
            ("GET /api/cart", Kind.JSON),
            ("GET /feed", Kind.XML),
        ],
        "Orders": [("GET /orders", Kind.HTML)],
    }


@pytest.mark.promise(21)
def test_every_transaction_points_to_its_evidence() -> None:
    """The index of its exchange, whatever the order in which they ended."""
    case = build_case(RECORDING, name="shop").case
    for one in case.transactions():
        assert one.recorded is not None
        assert one.recorded.entry is not None
        exchange = RECORDING[one.recorded.entry]
        assert exchange.url == SHOP + one.request.target
        assert one.recorded.status == exchange.status
        wire = case.wire_headers(one.request)
        sent = [
            (name, None if name == "Host" else value.replace(SHOP, "${server}"))
            for name, value in exchange.request_headers
        ]
        assert [(header.name, header.value) for header in wire] == sent


@pytest.mark.promise(6)
def test_rest_soap_and_graphql_calls_are_transactions_like_the_others() -> None:
    """Next to pages and static resources, named after their operation."""
    json = ("Content-Type", "application/json")
    recording = build_case(
        [
            *RECORDING,
            call("PUT", f"{SHOP}/api/items/1", 10, json, body=b'{"price": 3}'),
            call("POST", f"{SHOP}/graphql", 11, json, body=b'{"query": "query Cart {id}"}'),
            call("POST", f"{SHOP}/soap", 12, ("SOAPAction", '"urn:Pay"'), content_type="text/xml"),
        ],
        name="mixed",
    )
    assert recording.notes == ()
    assert [one.title for one in recording.case.transactions()][-3:] == [
        "PUT /api/items/1", "Cart", "Pay",
    ]  # fmt: skip
    assert [page.name for page in recording.case.pages] == [
        "Shop",
        "Orders",
        "items",
        "Cart",
        "Pay",
    ]


def test_nothing_is_dropped_without_a_word() -> None:
    """Each exchange is a transaction or has a note."""
    socket = visit("ws://127.0.0.1:8000/ws", 1, status=101)
    recording = build_case([*RECORDING, socket], name="shop")
    assert [note.kind for note in recording.notes] == [UNREPLAYABLE]
    assert len(list(recording.case.transactions())) == len(RECORDING)


def test_a_recording_of_nothing_is_a_case_without_pages() -> None:
    """It is for the caller to say so."""
    recording = build_case([], name="empty")
    assert (recording.case.pages, recording.notes) == ((), ())
