"""What Strip Static Resources removes, and what it leaves."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_loadtool.casefile import read_har
from pytest_loadtool.model.case import Kind, Page, Request, TestCase, Transaction
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.extractor import Extractor, RegularExpression
from pytest_loadtool.recording import build_case, strip
from tests.recording.samples import SHOP, call, load, visit

CASES = Path(__file__).parents[2] / "example_suite" / "cases"
SITEMAP = b'<?xml version="1.0"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"/>'


def left(*exchanges: Exchange) -> list[str]:
    """The requests that stay of a page that loaded these."""
    recorded = (visit(f"{SHOP}/", 0, "<title>Shop</title>"), *exchanges)
    case = build_case(recorded, name="shop").case
    return [one.title for one in strip(case, recorded).case.transactions()][1:]


@pytest.mark.promise(51)
@pytest.mark.parametrize(
    ("path", "content_type", "dest"),
    [
        ("/app.css", "text/css", "style"),
        ("/app-4a8f9c2.js", "text/javascript", "script"),
        ("/styles?v=3", "text/css", "style"),
        ("/logo.png", "image/png", "image"),
        ("/photo.jpg", "image/jpeg", "image"),
        ("/spinner.gif", "image/gif", "image"),
        ("/icon.svg", "image/svg+xml", "image"),
        ("/hero.webp", "image/webp", "image"),
        ("/font.woff", "font/woff", "font"),
        ("/font.woff2", "application/octet-stream", "font"),
        ("/font.ttf", "font/ttf", "font"),
        ("/favicon.ico", "image/x-icon", "image"),
        ("/missing.png", "text/html", "image"),
        ("/captcha", "image/png", "image"),
    ],
)
def test_static_resources_go(path: str, content_type: str, dest: str) -> None:
    """Known by what the browser wanted it for, and without that by its address and its type."""
    assert left(load(SHOP + path, 1, content_type, dest=dest)) == []
    assert left(load(SHOP + path, 1, content_type, told=False, status=200)) == (
        ["GET /missing.png"] if path == "/missing.png" else []
    )
    assert left(load(SHOP + path, 1, content_type, told=False, status=404)) == []


@pytest.mark.promise(51)
@pytest.mark.parametrize("path", ["/sitemap.xml", "/sitemap-products.xml", "/seo/map.xml"])
def test_sitemaps_go(path: str) -> None:
    """By name, or by their root element."""
    content = SITEMAP if path == "/seo/map.xml" else b"<x/>"
    assert left(load(SHOP + path, 1, "application/xml", content)) == []


@pytest.mark.promise(52)
@pytest.mark.parametrize(
    "exchange",
    [
        load(f"{SHOP}/api/items", 1, "application/json", b"{}"),
        call("DELETE", f"{SHOP}/api/items/7", 1),
        call("POST", f"{SHOP}/upload/logo.png", 1, body=b"x", content_type="text/plain"),
        call("POST", f"{SHOP}/graphql", 1, body=b'{"query": "{ items { id } }"}'),
        call("POST", f"{SHOP}/orders.xml", 1, body=b"<Envelope/>", content_type="text/xml"),
        load(f"{SHOP}/feed.xml", 1, "application/xml", b"<rss/>"),
        load(f"{SHOP}/cart-badge", 1, "text/html", b"<b>3</b>"),
        load(f"{SHOP}/widget", 1, "text/javascript", b"render(3)"),
        load(f"{SHOP}/chart", 1, "image/svg+xml", b"<svg/>"),
        load(f"{SHOP}/data?callback=show", 1, "text/javascript", b"show({})", dest="script"),
        visit(f"{SHOP}/wiki/File:Logo.png", 1, "<title>Logo</title>", told=False),
        visit(f"{SHOP}/old.js", 1, "<title>Old</title>"),
    ],
    ids=lambda exchange: f"{exchange.method} {exchange.url.removeprefix(SHOP)}",
)
def test_calls_and_pages_stay(exchange: Exchange) -> None:
    """Whatever carries data: calls, fragments, what scripts fetch, pages with misleading names."""
    assert len(left(exchange)) == 1


@pytest.mark.promise(50)
@pytest.mark.promise(5)
def test_recording_of_a_browser_keeps_its_pages() -> None:
    """A recorded session of the Django admin in Chromium: what is left is HTML and redirects."""
    exchanges = read_har(CASES / "admin.har")
    case = build_case(exchanges, name="admin").case
    stripped = strip(case, exchanges)
    kinds = Counter(one.recorded.kind for one in stripped.case.transactions() if one.recorded)
    assert not {Kind.CSS, Kind.JAVASCRIPT, Kind.IMAGE} & kinds.keys()
    before = Counter(one.recorded.kind for one in case.transactions() if one.recorded)
    assert kinds[Kind.HTML] == before[Kind.HTML] > 5
    assert len(stripped.removed) == sum(before.values()) - sum(kinds.values()) > 5
    assert [page.name for page in stripped.case.pages] == [page.name for page in case.pages]


def test_static_resource_that_sets_a_variable_stays() -> None:
    """A key in a script that later requests send: without the script they could not."""
    script = load(f"{SHOP}/config.js", 1, "text/javascript", b"key='x'", dest="script")
    recorded = (visit(f"{SHOP}/", 0), script)
    case = build_case(recorded, name="shop").case
    page = case.pages[0]
    extractor = Extractor("key", RegularExpression("key='(.*?)'"))
    taken = replace(page.transactions[1], extractors=(extractor,))
    case = replace(case, pages=(replace(page, transactions=(page.transactions[0], taken)),))
    stripped = strip(case, recorded)
    assert (stripped.removed, stripped.needed) == ((), (1,))
    assert stripped.case == case


def test_case_without_evidence_is_judged_by_addresses() -> None:
    """A test case parted from its traffic, or written by hand, can be stripped as well."""
    targets = ("/", "/a.css?v=1", "/api", "https://cdn.example/b.js")
    page = Page("Home", tuple(Transaction(Request("GET", target)) for target in targets))
    stripped = strip(TestCase("shop", (page,)), ())
    assert stripped.removed == (1, 3)
