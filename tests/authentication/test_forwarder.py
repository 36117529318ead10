"""Recording through proxies that want to know who asks, in every scheme: what their logs have."""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from pathlib import Path

import pytest

from pytest_loadtool.capture import Recorder
from pytest_loadtool.console.behind_proxy import way_through
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.replay.compile.proxies import ProxyUrl
from pytest_loadtool.transport.proxy import forwarder as module
from tests.authentication.accounts import DOMAIN, USERS
from tests.authentication.apache import PAGE
from tests.authentication.matrix import BOUND, OVERHEAD
from tests.authentication.ntlm_server import ntlm_server
from tests.authentication.peer import Peer
from tests.authentication.squid import serving as serving_squid
from tests.capture.clients import NOBODY, as_root, curl, curl_of, through
from tests.capture.servers import WireServer, answer

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

USER, PASSWORD = USERS[0]

#: How curl says that nothing came back: no answer, or a connection that was reset.
HUNG_UP = (52, 56)


def url_of(peer: Peer, scheme: str, secure: str = "http") -> ProxyUrl:
    """The proxy, with who asks it."""
    who = f"{DOMAIN}%5C{USER}" if scheme in BOUND else USER
    return ProxyUrl.parse(peer.url(scheme, secure).replace("://", f"://{who}:{PASSWORD}@"))


def recorded(proxy: ProxyUrl, *clients: tuple[str, ...]) -> list[Exchange]:
    """What these runs of curl have as exchanges, one run after the other."""
    got: list[Exchange] = []

    async def scenario() -> None:
        async with (
            way_through(proxy) as way,
            Recorder(got.append, upstream=way) as recorder,
        ):
            for arguments in clients:
                await curl(*through(recorder), *arguments)

    asyncio.run(asyncio.wait_for(scenario(), 60))
    return got


@pytest.mark.parametrize(
    ("name", "scheme"),
    [*(("squid", scheme) for scheme in OVERHEAD), ("apache", "digest"), ("apache", "negotiate")],
)
def test_every_scheme(
    name: str, scheme: str, apache: Peer, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """Both kinds of requests, and an upload: the proxy is told once, or for each connection, and
    nothing of that is recorded."""
    peer: Peer = request.getfixturevalue(name)
    upload = tmp_path / "upload"
    upload.write_bytes(b"much " * 60_000)
    page = "/open/page"
    mark = peer.log.mark()
    got = recorded(
        url_of(peer, scheme),
        ("-d", f"@{upload}", f"{apache.url('http')}/open/echo"),
        (f"{apache.url('http')}{page}", f"{apache.url('http')}{page}?2"),
        (f"{apache.url('https', 'https')}{page}",),
    )
    assert [(one.status, one.error) for one in got] == [(200, "")] * 4
    assert [one.response_body for one in got] == [upload.read_bytes(), *[PAGE.encode()] * 3]
    headers = [name for one in got for name, _ in (*one.request_headers, *one.response_headers)]
    assert not [one for one in headers if one.lower().startswith("proxy-auth")]
    asked = OVERHEAD[scheme] * (3 if scheme in BOUND else 1)
    log = peer.log.since(mark, asked + 4, scheme)
    assert Counter(one.status for one in log) == {200: 4, **({407: asked} if asked else {})}
    user = "" if scheme == "none" else f"{DOMAIN}\\{USER}" if scheme in BOUND else USER
    assert {one.user for one in log if one.status == 200} == {user}


def test_ntlm_at_a_server_behind_ntlm_at_the_proxy(apache: Peer, squid: Peer) -> None:
    """Each of the client's connections has one of its own, all the way."""
    who = ("--ntlm", "-u", f"{DOMAIN}\\{USER}:{PASSWORD}")
    with ntlm_server(apache.folder / "pages", apache.folder / "ntlm") as server:
        got = recorded(
            url_of(squid, "ntlm"),
            (*who, f"{server.origin}/open/page", f"{server.origin}/open/page?2"),
        )
    assert [one.status for one in got] == [401, 200, 200]
    assert len({number for number, *_ in server.requests}) == 1


def test_a_proxy_that_wants_tls(apache: Peer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its certificate is judged before anything is said to it."""
    urls = tuple(f"{apache.url(scheme, scheme)}/open/page" for scheme in ("http", "https"))
    proxy = url_of(apache, "secured", "https")
    mark = apache.log.mark()
    for one in recorded(proxy, urls):
        assert one.error.startswith(f"proxy {proxy.origin}: certificate not trusted")
    monkeypatch.setenv("SSL_CERT_FILE", f"{apache.folder}/ca.pem")
    assert [(one.status, one.error) for one in recorded(proxy, urls)] == [(200, "")] * 2
    log = apache.log.since(mark, 3, "secured")
    assert Counter(one.status for one in log) == {407: 1, 200: 2}


def test_nonces_that_are_used_up(apache: Peer) -> None:
    """squid takes each three times, and gives out the next one before: one challenge is enough, and
    the recording has nothing of it."""
    clients = [(f"{apache.url('http')}/open/page?{number}",) for number in range(6)]
    with serving_squid(nonce_uses=3) as peer:
        mark = peer.log.mark()
        got = recorded(url_of(peer, "digest"), *clients)
        log = peer.log.since(mark, 7, "digest")
    assert [one.status for one in got] == [200] * 6
    assert [one.status for one in log] == [407, *[200] * 6]
    told = [name for one in got for name, _ in one.response_headers if name.startswith("Proxy-")]
    assert not told


def test_an_upload_that_is_too_large_to_be_sent_twice(
    apache: Peer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is refused if the proxy asks only then, and passes if that knows who it is."""
    monkeypatch.setattr(module, "_MOST_KEPT", 100)
    upload = ("-d", "much " * 1000, f"{apache.url('http')}/open/echo")
    first, _, second = recorded(
        url_of(apache, "digest"), upload, (f"{apache.url('http')}/open/page",), upload
    )
    assert first.error.endswith("an upload, which is too large to be sent again")
    assert (second.status, second.response_body) == (200, b"much " * 1000)


def test_a_proxy_that_is_not_there(apache: Peer) -> None:
    """It is said whose fault it is."""
    proxy = ProxyUrl.parse("http://127.0.0.1:1")
    urls = tuple(f"{apache.url(scheme, scheme)}/open/page" for scheme in ("http", "https"))
    got = recorded(proxy, urls)
    assert [one.error for one in got] == [
        "proxy http://127.0.0.1:1: connection refused: is the server running?"
    ] * 2


@as_root
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells whose it is")
@pytest.mark.parametrize("url", ["http://shop.example/", "https://shop.example/"])
def test_another_users_program_is_nobody_to_the_proxy(url: str) -> None:
    """It would get through in the name of whose password is known here: it is hung up on, and the
    proxy hears nothing of it."""

    async def scenario(proxy: ProxyUrl) -> None:
        async with way_through(proxy) as way:
            assert way is not None
            asked = ("--max-time", "30", "--proxy", way.origin)
            assert await curl_of(NOBODY, *asked, url) in HUNG_UP
            assert server.requests == []
            assert (await curl(*asked, "http://shop.example/")).output == b"ok"

    with WireServer(answer(b"ok")) as server:
        proxy = ProxyUrl.parse(server.origin.replace("://", f"://{USER}:{PASSWORD}@"))
        asyncio.run(asyncio.wait_for(scenario(proxy), timeout=60))
        assert len(server.requests) == 1
