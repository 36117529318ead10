"""Filters in the proxy: what is blocked never leaves, what is not recorded passes through."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import pytest

from pytest_loadtool.capture import Recorder
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.recording import Domain, DomainFilter
from pytest_loadtool.recording.filter.domains import BLOCKED, OUTSIDE
from tests.capture.clients import curl, through
from tests.capture.driving import driven
from tests.capture.servers import SecureSite, WireServer, answer, secure_site

HTML = "Content-Type: text/html; charset=utf-8"


def _domain(server: WireServer) -> Domain:
    return Domain("127.0.0.1", server.port)


@pytest.mark.promise(9)
@pytest.mark.promise(10)
def test_chromium_shows_the_page_without_its_tracker() -> None:
    """The tracker is asked for nothing, the CDN's script works unrecorded, the page is recorded."""
    got: list[Exchange] = []

    async def scenario(url: str, wanted: DomainFilter) -> str:
        async with (
            Recorder(got.append, domains=wanted) as recorder,
            driven(recorder, url) as page,
        ):
            return await page.title()

    script = "Content-Type: text/javascript"
    with (
        WireServer(answer(b"document.title += ' cdn'", script)) as cdn,
        WireServer(answer(b"document.title += ' tracked'", script)) as tracker,
    ):
        page = (
            "<title>Shop</title><link rel=icon href=data:,>"
            f"<script src={cdn.origin}/lib.js?key=k></script>"
            f"<script src={tracker.origin}/track.js?user=7></script>"
        ).encode()
        with WireServer(answer(page, HTML)) as shop:
            wanted = DomainFilter(only=(_domain(shop),), block=(_domain(tracker),))
            assert asyncio.run(scenario(f"{shop.origin}/", wanted)) == "Shop cdn"
        assert tracker.requests == []
        assert len(cdn.requests) == 1
    seen = {exchange.url: exchange.note for exchange in got}
    assert seen == {
        f"{shop.origin}/": "",
        f"{cdn.origin}/lib.js": OUTSIDE,
        f"{tracker.origin}/track.js": BLOCKED,
    }
    assert [one.response_body for one in got if one.note] == [b"", b""]


@pytest.mark.promise(10)
def test_a_blocked_domain_gets_neither_request_nor_tunnel() -> None:
    """Over HTTP the client is told so; over HTTPS no connection is made. A large upload is not
    sent either."""
    got: list[Exchange] = []
    wanted = DomainFilter(block=(Domain("tracker.test"), Domain("127.0.0.1")))

    async def scenario(port: int) -> None:
        async with Recorder(got.append, domains=wanted) as recorder:
            proxy = through(recorder)
            plain = await curl(*proxy, "-w", "%{http_code}", "http://a.tracker.test/hit?user=7")
            assert plain.output == b"a.tracker.test is blocked by the recorder.\n403"
            for url in ("http://tracker.test/up", f"http://127.0.0.1:{port}/up"):
                upload = await curl(*proxy, "-T", "-", url, data=b"x" * 300_000)
                assert b"blocked" in upload.output
            secure = await curl(*proxy, f"https://127.0.0.1:{port}/")
            assert "403" in secure.errors

    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        asyncio.run(scenario(port))
        server.setblocking(False)
        with pytest.raises(BlockingIOError):  # nobody came
            server.accept()
    assert [(one.method, one.url, one.note) for one in got] == [
        ("GET", "http://a.tracker.test/hit", BLOCKED),
        ("PUT", "http://tracker.test/up", BLOCKED),
        ("PUT", f"http://127.0.0.1:{port}/up", BLOCKED),
        ("CONNECT", f"https://127.0.0.1:{port}/", BLOCKED),
    ]


@pytest.mark.promise(9)
def test_what_is_not_recorded_is_forwarded_byte_for_byte(tmp_path: Path) -> None:
    """Over HTTPS too: only where it went and how long it took is in the evidence."""
    got: list[Exchange] = []
    wanted = DomainFilter(only=(Domain("shop.test"),))

    async def scenario(nginx: SecureSite) -> bytes:
        async with Recorder(got.append, domains=wanted) as recorder:
            return (await curl(*through(recorder), "--compressed", f"{nginx.origin}/gzip")).output

    with secure_site(tmp_path) as nginx:
        assert asyncio.run(scenario(nginx)).decode() == nginx.text
    assert [(one.url, one.note, one.response_headers) for one in got] == [
        (f"{nginx.origin}/gzip", OUTSIDE, ())
    ]
