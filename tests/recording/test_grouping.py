"""Referrer Analysis on recordings as they happen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.recording.entry import Entry
from pytest_loadtool.recording.filter.kinds import kind_of
from pytest_loadtool.recording.pages.grouping import REFERRER_ANALYSIS, group
from tests.recording.samples import SHOP, call, load, visit

pytestmark = pytest.mark.promise(11)


def pages(*exchanges: Exchange) -> list[list[str]]:
    """The paths of each page's transactions."""
    entries = [Entry(index, one, kind_of(one)) for index, one in enumerate(exchanges)]
    return [
        [_path(entry.exchange) for entry in page.entries]
        for page in group(entries, REFERRER_ANALYSIS)
    ]


def keys(exchanges: Sequence[Exchange]) -> list[str | None]:
    """The path of each page's key resource."""
    entries = [Entry(index, one, kind_of(one)) for index, one in enumerate(exchanges)]
    return [
        _path(page.key.exchange) if page.key else None for page in group(entries, REFERRER_ANALYSIS)
    ]


def _path(exchange: Exchange) -> str:
    path = "/" + exchange.url.split("/", 3)[3]
    return path if exchange.method == "GET" else f"{exchange.method} {path}"


def test_a_login_and_where_it_forwards_to_are_one_page() -> None:
    """A forward belongs to the page it leads to, over several steps and methods."""
    recording = [
        visit(f"{SHOP}/admin/", 0, to="/admin/login/?next=/admin/"),
        visit(f"{SHOP}/admin/login/?next=/admin/", 0.1, "<title>Log in"),
        visit(f"{SHOP}/admin/login/?next=/admin/", 5, method="POST", to="/go"),
        visit(f"{SHOP}/go", 5.1, to=f"{SHOP}/admin/#top"),
        visit(f"{SHOP}/admin/", 5.2, "<title>Admin"),
    ]
    assert pages(*recording) == [
        ["/admin/", "/admin/login/?next=/admin/"],
        ["POST /admin/login/?next=/admin/", "/go", "/admin/"],
    ]
    assert keys(recording) == ["/admin/login/?next=/admin/", "/admin/"]


def test_a_form_that_is_shown_again_is_a_page_of_its_own() -> None:
    """A POST answered with HTML, without a forward, is where a person went."""
    assert pages(
        visit(f"{SHOP}/login", 0, "<title>Log in"),
        visit(f"{SHOP}/login", 5, "<title>Try again", method="POST", referer=f"{SHOP}/login"),
    ) == [["/login"], ["POST /login"]]


def test_resources_follow_their_referer() -> None:
    """Images of the page, and fonts of its style sheet, belong to it even after the next began."""
    assert pages(
        visit(f"{SHOP}/a", 0, "<title>A"),
        load(f"{SHOP}/a.css", 0.1, "text/css", referer=f"{SHOP}/a", dest="style"),
        visit(f"{SHOP}/b", 1, "<title>B", referer=f"{SHOP}/a"),
        load(f"{SHOP}/font.woff2", 1.1, "font/woff2", referer=f"{SHOP}/a.css", dest="font"),
        load(f"{SHOP}/late.png", 1.2, "image/png", referer=f"{SHOP}/a", dest="image"),
        load(f"{SHOP}/b.png", 1.3, "image/png", referer=f"{SHOP}/b", dest="image"),
    ) == [["/a", "/a.css", "/font.woff2", "/late.png"], ["/b", "/b.png"]]


def test_a_script_that_asks_later_stays_on_its_page() -> None:
    """Calls long after the page was loaded belong to it, with a Referer or without."""
    assert pages(
        visit(f"{SHOP}/app", 0, "<title>App"),
        load(f"{SHOP}/api/1", 30, "application/json", b"{}", referer=f"{SHOP}/app"),
        load(f"{SHOP}/api/2", 60, "application/json", b"{}"),
    ) == [["/app", "/api/1", "/api/2"]]


def test_a_single_page_application_stays_one_page() -> None:
    """Its scripts change the address without a request: an unknown Referer is the current page."""
    assert pages(
        visit(f"{SHOP}/app", 0, "<title>App"),
        load(f"{SHOP}/api/1", 3, "application/json", b"{}", referer=f"{SHOP}/app/orders"),
        load(f"{SHOP}/api/2", 6, "application/json", b"{}", referer=f"{SHOP}/app/orders/7"),
    ) == [["/app", "/api/1", "/api/2"]]


def test_a_script_may_take_the_address_of_a_page_that_was_left() -> None:
    """A login elsewhere leads back to /callback, whose script then calls itself / again."""
    assert pages(
        visit(f"{SHOP}/", 0, "<title>App"),
        load(f"{SHOP}/app.js", 0.1, "text/javascript", referer=f"{SHOP}/", dest="script"),
        visit(f"{SHOP}/auth?state=1", 5, referer=f"{SHOP}/", to="/login"),
        visit(f"{SHOP}/login", 5.1, "<title>Log in", referer=f"{SHOP}/"),
        load(f"{SHOP}/late.png", 5.2, "image/png", referer=f"{SHOP}/", dest="image"),
        visit(f"{SHOP}/login", 9, method="POST", referer=f"{SHOP}/login", to="/callback?code=2"),
        visit(f"{SHOP}/callback?code=2", 9.1, "<title>App", referer=f"{SHOP}/login"),
        load(f"{SHOP}/token", 9.2, "application/json", referer=f"{SHOP}/callback?code=2"),
        load(f"{SHOP}/api", 9.3, "application/json", referer=f"{SHOP}/"),
    ) == [
        ["/", "/app.js", "/late.png"],
        ["/auth?state=1", "/login"],
        ["POST /login", "/callback?code=2", "/token", "/api"],
    ]


def test_a_page_that_was_left_and_came_back_is_itself_again() -> None:
    """A form that is shown again at its own address, and a page that is visited a second time."""
    assert pages(
        visit(f"{SHOP}/a", 0, "<title>A"),
        visit(f"{SHOP}/a", 5, "<title>A", method="POST", referer=f"{SHOP}/a"),
        load(f"{SHOP}/api/1", 6, "application/json", referer=f"{SHOP}/a"),
        visit(f"{SHOP}/b", 9, "<title>B", referer=f"{SHOP}/a"),
        visit(f"{SHOP}/a", 12, "<title>A", referer=f"{SHOP}/b"),
        load(f"{SHOP}/api/2", 13, "application/json", referer=f"{SHOP}/a"),
    ) == [["/a"], ["POST /a", "/api/1"], ["/b"], ["/a", "/api/2"]]


@pytest.mark.parametrize("told", [True, False], ids=["Fetch metadata", "no Fetch metadata"])
def test_frames_are_part_of_their_page(told: bool) -> None:
    """A frame starts no page, nor does what it loads; if the browser is silent, markup tells."""
    assert pages(
        visit(f"{SHOP}/a", 0, '<iframe class=x src="/frame?a=1&amp;b=2"></iframe>', told=told),
        visit(
            f"{SHOP}/frame?a=1&b=2", 0.1, "<title>Inner", dest="iframe", told=told,
            referer=f"{SHOP}/a",
        ),
        load(f"{SHOP}/in.png", 0.2, "image/png", referer=f"{SHOP}/frame?a=1&b=2", told=told),
    ) == [["/a", "/frame?a=1&b=2", "/in.png"]]  # fmt: skip


def test_two_tabs_keep_apart_by_referer() -> None:
    """What two pages load at the same time goes to each of them."""
    assert pages(
        visit(f"{SHOP}/left", 0, "<title>Left"),
        visit(f"{SHOP}/right", 0.1, "<title>Right"),
        load(f"{SHOP}/l.css", 0.2, "text/css", referer=f"{SHOP}/left"),
        load(f"{SHOP}/r.css", 0.3, "text/css", referer=f"{SHOP}/right"),
        load(f"{SHOP}/api", 9, "application/json", b"{}", referer=f"{SHOP}/left"),
    ) == [["/left", "/l.css", "/api"], ["/right", "/r.css"]]


def test_the_latest_of_equal_pages_is_meant() -> None:
    """After a reload, its resources belong to the new page."""
    assert pages(
        visit(f"{SHOP}/a", 0, "<title>A"),
        load(f"{SHOP}/a.css", 0.1, "text/css", referer=f"{SHOP}/a"),
        visit(f"{SHOP}/a", 5, "<title>A"),
        load(f"{SHOP}/a.css", 5.1, "text/css", referer=f"{SHOP}/a"),
    ) == [["/a", "/a.css"], ["/a", "/a.css"]]


def test_other_origins_are_told_less_of_the_referer() -> None:
    """A bare origin as Referer means the current page there, not the page at ``/``."""
    assert pages(
        visit(f"{SHOP}/", 0, "<title>Home"),
        visit(f"{SHOP}/cart", 5, "<title>Cart"),
        load("http://cdn.example/x.js", 5.1, "text/javascript", referer=f"{SHOP}/", dest="script"),
        load(f"{SHOP}/y.js", 5.2, "text/javascript", referer=f"{SHOP}/", dest="script"),
    ) == [["/", "/y.js"], ["/cart", "/x.js"]]


def test_html_for_scripts_is_no_page() -> None:
    """Fragments that a script fetches are part of the page, with Fetch metadata or without."""
    assert pages(
        visit(f"{SHOP}/a", 0, "<title>A"),
        load(f"{SHOP}/part", 1, "text/html", referer=f"{SHOP}/a"),
    ) == [["/a", "/part"]]
    fragment = visit(f"{SHOP}/part", 1, "<p>", told=False, referer=f"{SHOP}/a")
    said = ("X-Requested-With", "XMLHttpRequest")
    assert pages(
        visit(f"{SHOP}/a", 0, "<title>A", told=False),
        load(f"{SHOP}/any", 1, "text/html", referer=f"{SHOP}/a", told=False),
        replace(fragment, request_headers=(*fragment.request_headers, said)),
    ) == [["/a", "/any", "/part"]]


def test_a_download_leaves_the_page_as_it_is() -> None:
    """A file that is saved, and an empty answer, belong to the page that asked for them."""
    saved = (("Content-Disposition", 'attachment; filename="r.pdf"'),)
    assert pages(
        visit(f"{SHOP}/a", 0, "<title>A"),
        visit(
            f"{SHOP}/r.pdf", 5, "%PDF", referer=f"{SHOP}/a", extra=saved,
            content_type="application/pdf",
        ),
        visit(f"{SHOP}/ping", 6, status=204, content_type="", referer=f"{SHOP}/a"),
    ) == [["/a", "/r.pdf", "/ping"]]  # fmt: skip


def test_an_image_that_is_gone_to_is_a_page() -> None:
    """A person looks at it, so time to think comes before and after it."""
    recording = [
        visit(f"{SHOP}/a", 0, "<title>A"),
        visit(f"{SHOP}/photo.png", 5, "PNG", content_type="image/png", referer=f"{SHOP}/a"),
    ]
    assert pages(*recording) == [["/a"], ["/photo.png"]]
    assert keys(recording) == ["/a", None]


def test_each_call_of_an_api_client_is_a_page() -> None:
    """One after the other they are steps; together in flight they are one."""
    assert pages(
        call("POST", f"{SHOP}/token", 0),
        call("GET", f"{SHOP}/items", 1),
        call("GET", f"{SHOP}/items/1", 2, took=0.5),
        call("GET", f"{SHOP}/items/2", 2.1),
        call("GET", f"{SHOP}/items/3", 2.3, took=0.1),
        call("DELETE", f"{SHOP}/items/1", 3),
    ) == [
        ["POST /token"],
        ["/items"],
        ["/items/1", "/items/2", "/items/3"],
        ["DELETE /items/1"],
    ]


def test_an_api_client_that_follows_a_forward_stays_on_its_page() -> None:
    """The forward and where it leads are one step."""
    assert pages(
        call("POST", f"{SHOP}/jobs", 0, to="/jobs/1"),
        call("GET", f"{SHOP}/jobs/1", 0.1),
        call("GET", f"{SHOP}/jobs/1", 5),
    ) == [["POST /jobs", "/jobs/1"], ["/jobs/1"]]


def test_a_forward_that_nobody_followed_is_forgotten() -> None:
    """Going to the same address much later is a new page."""
    assert pages(
        visit(f"{SHOP}/old", 0, to="/new"),
        visit(f"{SHOP}/new", 60, "<title>New"),
    ) == [["/old"], ["/new"]]


def test_an_api_client_beside_the_browser_has_pages_of_its_own() -> None:
    """Clients are told apart: curl's calls do not belong to what the browser shows."""
    assert pages(
        visit(f"{SHOP}/a", 0, "<title>A"),
        call("GET", f"{SHOP}/api", 1),
        load(f"{SHOP}/a.js", 2, "text/javascript"),
    ) == [["/a", "/a.js"], ["/api"]]


def test_a_document_that_was_not_recorded_still_holds_its_calls_together() -> None:
    """Recording began after the page was loaded: all that it fetched is one page."""
    assert pages(
        load(f"{SHOP}/api/1", 0, "application/json", b"{}", referer=f"{SHOP}/app"),
        load(f"{SHOP}/api/2", 9, "application/json", b"{}", referer=f"{SHOP}/app"),
        load(f"{SHOP}/api/3", 18, "application/json", b"{}"),
    ) == [["/api/1", "/api/2", "/api/3"]]


def test_a_preflight_belongs_to_the_page_of_its_call() -> None:
    """OPTIONS is kept, next to the call that it asks permission for."""
    assert pages(
        visit(f"{SHOP}/a", 0, "<title>A"),
        load("http://api.example/x", 1, "", b"", method="OPTIONS", referer=f"{SHOP}/", status=204),
        load("http://api.example/x", 1.1, "application/json", b"{}", referer=f"{SHOP}/"),
    ) == [["/a", "OPTIONS /x", "/x"]]
