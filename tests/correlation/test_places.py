"""Values whose place tells nothing: taken by what is one's own, or told to be taken by place."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_loadtool.correlation.responses.tokens import tokens
from pytest_loadtool.extraction.row_search import in_row
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.extractor import HeaderValue, JsonPath
from tests.correlation.exchanges import JSON, exchange, html, json_body
from tests.correlation.talk import TOKEN, UUID, call, get, post, run, sources

HASH = "9f86d081884c7d659a2feaa0c55ad015"


def at(one: Exchange, started: float, took: float = 0.01) -> Exchange:
    """The exchange, at that time."""
    return replace(one, started=started, took=took)


def taken(*exchanges: Exchange) -> list[tuple[str, bool]]:
    """What is taken, as text, and whether by its place."""
    every = (one for each in run(*exchanges).case.transactions() for one in each.extractors)
    return [(str(one.source), one.by_place) for one in every]


def test_a_key_that_is_the_id_of_ones_own() -> None:
    """It is followed: ``$.items['17']`` is somebody else's on another server."""
    listed = json_body({"items": {"17": {"etag": TOKEN}, "16": {"etag": TOKEN[::-1]}}})
    created = (
        call("POST", "/api/items", {"name": "Tea"}, json_body({"id": 17})),
        call("PUT", "/api/items/17", {"name": "Tea 2"}),
        get("/api/items", listed),
    )
    configuration = run(*created, call("PUT", "/api/items/17", {"etag": TOKEN}))
    assert sources(configuration)[-1][1] == JsonPath("$.items['${item_id[1]}'].etag")
    assert not any(
        one.by_place for each in configuration.case.transactions() for one in each.extractors
    )


@pytest.mark.parametrize(
    ("answer", "by_place"),
    [
        ({"last_entry": {"hash": HASH}}, True),
        ({"user": {"hash": HASH}}, False),
        ({"etags": {"7": HASH, "8": TOKEN}}, True),
        ({"sha256": HASH}, False),
    ],
)
def test_keys_that_are_of_many(answer: object, by_place: bool) -> None:
    """The last of many, and what stands under an id."""
    found = taken(get("/state", json_body(answer)), call("PUT", "/x", {"hash": HASH}))
    assert [one for _, one in found] == [by_place]


def test_the_last_of_ones_own_is_ones_own() -> None:
    """A request that says what it is about is answered with that."""
    last = json_body({"latest_revision": {"key": TOKEN}})
    created = call("POST", "/api/docs", {"name": "Tea"}, json_body({"id": 17}))
    found = taken(created, get("/api/docs/17", last), call("PUT", "/api/docs/17", {"key": TOKEN}))
    assert found[-1] == ("JSON path $.latest_revision.key", False)


def test_the_only_one_that_was_asked_for_by_its_key() -> None:
    """Another answer may have more; of what was not asked for, nothing tells it from others."""
    listed = json_body({"kvs": [{"key": "kettle/1", "mod_revision": "41"}]})
    for key, by_place in (("kettle/1", False), ("ke", True)):
        found = taken(
            call("PUT", "/kv", {"key": "kettle/1", "value": "Tea"}),
            call("POST", "/kv/range", {"key": key}, listed),
            call("POST", "/kv/txn", {"key": "kettle/1", "modRevision": "41"}),
        )
        assert [one for _, one in found] == [by_place]


def test_links_in_a_header_by_their_relation() -> None:
    """RFC 8288: the next one, however many come before it."""
    links = (
        f'<https://shop.test/items?cursor={TOKEN[::-1]}>; rel="prev", '
        f'<https://shop.test/items?cursor={TOKEN}>; rel="next"'
    )
    listed = exchange(received=(JSON, ("Link", links)), answer=b"{}")
    configuration = run(get("/items", listed), call("POST", "/more", {"cursor": TOKEN}))
    ((_, source, match),) = sources(configuration)
    assert isinstance(source, HeaderValue)
    assert source.pattern is not None
    assert 'rel="?next' in source.pattern
    assert match == 1


def test_names_of_two_scripts_are_no_list() -> None:
    """Each has its place; two in one list have none."""
    one = f'<script>var a = {{"token": "{HASH}"}};</script>'
    two = f'<script>var b = {{"token": "{TOKEN}"}};</script>'
    page = html(f"<!DOCTYPE html><html><body>{one}{two}</body></html>")
    assert [place for _, place in taken(get("/", page), post("/x", f"token={TOKEN}"))] == [False]
    rows = f'[{{"token": "{HASH}"}}, {{"token": "{TOKEN}"}}]'
    page = html(f"<!DOCTYPE html><html><body><script>start({rows})</script></body></html>")
    assert [place for _, place in taken(get("/", page), post("/x", f"token={TOKEN}"))] == [True]


def test_a_form_behind_a_paragraph_without_an_end_tag() -> None:
    """It is in no paragraph, so that it is none of several forms."""
    forms = (
        f"<form method=post><input name=title><p><input type=submit><input type=hidden name=token "
        f"value={TOKEN}></form><form method=post><input type=hidden name=token value={HASH}></form>"
    )
    page = html(f"<!DOCTYPE html><html><body><div><p><a href=/>Home</a><h2>New</h2>{forms}")
    found = taken(get("/new", page), post("/new", f"title=Tea&token={TOKEN}"))
    assert found == [("form field 'token'", False)]


def test_what_stands_behind_a_word_and_a_hyphen() -> None:
    """A fragment names things so."""
    assert {HASH, UUID} <= tokens(f"<a href='#context-{HASH}'><li id=\"row-{UUID}\">")
    assert "entry" not in tokens("first-blog-entry")


def test_attributes_of_xml_are_in_their_own_element() -> None:
    """Not in the one around it."""
    text = '<r>\n<t key="17">Tea</t>\n<t key="18"><b>Milk</b></t>\n<t key="19" name="Cup"/></r>'
    assert in_row(text, '"17"', "Tea")
    assert not in_row(text, '"17"', "Milk")
    assert in_row(text, '"18"', "Milk")
    assert in_row(text, '"19"', "Cup")
    assert not in_row(text, '"19"', "Milk")


def test_an_element_beside_a_list_of_its_name() -> None:
    """However long the list is."""
    rows = "".join(f"<item><key>{one}{TOKEN}</key></item>" for one in "abc")
    text = f"<r><items>{rows}</items><new><key>{HASH}</key></new></r>"
    page = exchange(received=(("Content-Type", "application/xml"),), answer=text.encode())
    found = taken(get("/items", page), call("PUT", "/x", {"key": HASH}))
    assert found == [("XML path /r/new/key", False)]


@pytest.mark.parametrize("after", ["36", "37"])
def test_a_version_that_outlasts_its_change(after: str) -> None:
    """It is that of a format: the one of a thing is another then."""
    before = json_body({"version": 36, "name": "Milk"})
    exchanges = (
        get("/config", before),
        call("PUT", "/config", {"version": 36, "name": "Tea"}),
        get("/config", json_body({"version": int(after), "name": "Tea"})),
        call("PUT", "/config", {"version": int(after), "name": "Cup"}),
    )
    assert len(taken(*exchanges)) == (0 if after == "36" else 2)


def test_a_long_poll_is_asked_last() -> None:
    """What came since it was asked is known from what was asked for, too."""
    created = at(call("POST", "/things", {"name": "Tea"}, json_body({"key": HASH})), 1.0)
    poll = at(get("/events?since=3", json_body([{"thing": {"key": HASH}}])), 0.5, 0.8)
    later = at(get("/notes", json_body({"notes": "none"})), 1.2)
    used = at(call("POST", "/note", {"key": HASH}), 2.0)
    assert taken(poll, created, later, used) == [("JSON path $.key", False)]
    assert taken(created, replace(poll, started=1.05), later, used)[-1][0] != ""


def test_an_id_that_the_client_makes_up_is_its_own() -> None:
    """Although a list has it by the name of the thing, and a poll before its request was sent."""
    thing = {"id": "ygfgt-nhgn3", "label": "Black teas"}
    poll = at(get("/events?since=3", json_body([{"folders": [thing]}])), 0.5, 0.8)
    change = at(call("PUT", "/config", {"folders": [thing]}), 1.0)
    listed = at(get("/config", json_body({"folders": [thing]})), 1.5)
    used = at(get("/status?folder=ygfgt-nhgn3"), 2.0)
    assert taken(poll, change, listed, used) == []
