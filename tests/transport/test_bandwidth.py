"""Connections over a slow line, against nginx and against peers that end them."""

from __future__ import annotations

import asyncio
import socket
import ssl
import time
from collections.abc import Callable, Coroutine, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar, cast

import pytest
import trustme
from hypothesis import given
from hypothesis import strategies as st

from pytest_loadtool.model.bandwidth import PROFILES, Bandwidth
from pytest_loadtool.transport.connections.network import new_event_loop
from pytest_loadtool.transport.wire.bandwidth import (
    Direction,
    Throttle,
    Throttled,
    connect_slowly,
    receive_buffer,
)
from pytest_loadtool.transport.wire.tls_layer import TlsLayer
from tests.nginx import Nginx, serving
from tests.plugin.loading import wait_until
from tests.transport.peer import peer, read_request, resetting

T = TypeVar("T")

#: 3G without its latency: 200 bytes in a millisecond.
SLOW = Bandwidth(1_600_000, 768_000)
FAST = Bandwidth(10**9, 10**9)
SIZE = 200_000

SITE = """
  log_format sizes '$request_method $uri $status $body_bytes_sent $request_length';
  access_log access.log sizes;
  default_type text/plain;
  client_max_body_size 1m;
  server {
    listen 127.0.0.1:<plain>;
    listen 127.0.0.1:<tls> ssl;
    ssl_protocols TLSv1.2 TLSv1.3;
    ssl_certificate cert.pem;
    ssl_certificate_key cert.pem;
    root files;
    location /upload { client_body_buffer_size 1m; proxy_pass http://127.0.0.1:<plain>/done; }
    location /done { return 200 "done"; }
  }
"""


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Nginx]:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "big").write_bytes(bytes(range(250)) * (SIZE // 250))
    (tmp_path / "files" / "small").write_bytes(b"small")
    trustme.CA().issue_cert("127.0.0.1").private_key_and_cert_chain_pem.write_to_path(
        tmp_path / "cert.pem"
    )
    with serving(tmp_path, SITE, "plain", "tls") as nginx:
        yield nginx


def port_of(site: Nginx, over_tls: bool) -> int:
    return site.ports["tls" if over_tls else "plain"]


@pytest.fixture(params=["asyncio", "uvloop"])
def loop(request: pytest.FixtureRequest) -> Iterator[asyncio.AbstractEventLoop]:
    """Both kinds of event loop."""
    found = asyncio.new_event_loop() if request.param == "asyncio" else new_event_loop()
    yield found
    found.close()


class Client(asyncio.Protocol):
    """Sends a request, keeps what comes and when, until the server closes."""

    def __init__(self, request: bytes) -> None:
        self.request = request
        self.transport: asyncio.Transport
        self.pieces: list[tuple[float, bytes]] = []
        self.events: list[str] = []
        self.opened = 0.0
        self.began = 0.0
        self.ended = 0.0
        self.first: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.over: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    @property
    def received(self) -> bytes:
        return b"".join(piece for _, piece in self.pieces)

    @property
    def body(self) -> bytes:
        return self.received.partition(b"\r\n\r\n")[2]

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)
        self.began = time.perf_counter()
        self.transport.write(self.request)

    def data_received(self, data: bytes) -> None:
        self.pieces.append((time.perf_counter(), data))
        if not self.first.done():
            self.first.set_result(None)

    def eof_received(self) -> None:
        self.events.append("eof")

    def connection_lost(self, error: Exception | None) -> None:
        self.events.append(f"lost: {type(error).__name__}")
        self.ended = time.perf_counter()
        self.over.set_result(None)


def get(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode()


async def connect(
    port: int, line: Throttle, request: bytes, tls: ssl.SSLContext | None = None
) -> Client:
    """A client that sends ``request`` over ``line``."""
    loop = asyncio.get_running_loop()
    client = Client(request)
    secured: asyncio.Future[None] = loop.create_future()
    inner: Any = client if tls is None else TlsLayer(client, tls, "127.0.0.1", secured)
    client.opened = time.perf_counter() + line.latency
    await connect_slowly(inner, line, ("127.0.0.1", port))
    if tls is not None:
        await secured
    return client


def unverified(over_tls: bool) -> ssl.SSLContext | None:
    return ssl._create_unverified_context() if over_tls else None


def run(loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, T]) -> T:
    return loop.run_until_complete(asyncio.wait_for(work, 180))


@pytest.mark.parametrize("over_tls", [False, True])
def test_a_response_takes_its_time_on_the_line(
    site: Nginx, loop: asyncio.AbstractEventLoop, over_tls: bool
) -> None:
    """200,000 bytes at 1.6 Mbit/s: a second or more, and every byte arrives, with TLS, too."""

    async def work() -> Client:
        port = port_of(site, over_tls)
        client = await connect(port, Throttle(SLOW), get("/big"), unverified(over_tls))
        await client.over
        return client

    client = run(loop, work())
    assert client.body == (site.folder / "files" / "big").read_bytes()
    assert client.ended - client.began >= 1.0
    assert client.events == (["lost: NoneType"] if over_tls else ["eof", "lost: NoneType"])
    assert site.log(1) == [f"GET /big 200 {SIZE} {len(client.request)}"]
    # Not all at the end, but as the line brings it: never more than it has carried by then.
    total = 0
    for when, piece in client.pieces:
        total += len(piece)
        assert total <= (when - client.began + 0.002) * SLOW.down / 8
    if not over_tls:
        assert len(client.pieces[0][1]) == 1460


def test_connections_of_a_user_share_the_line(site: Nginx, loop: asyncio.AbstractEventLoop) -> None:
    """Two responses at once take as long as both together, and none waits for another's end."""

    async def work() -> tuple[Client, Client, Client]:
        line = Throttle(SLOW)
        both = [await connect(site.ports["plain"], line, get("/big")) for _ in range(2)]
        small = await connect(site.ports["plain"], line, get("/small"))
        await asyncio.gather(*(one.over for one in (*both, small)))
        return both[0], both[1], small

    first, second, small = run(loop, work())
    assert first.body == second.body
    assert max(first.ended, second.ended) - first.began >= 2.0
    assert second.pieces[0][0] < first.ended
    assert small.body == b"small"
    assert small.ended < min(first.ended, second.ended)
    assert sorted(site.log(3)) == sorted(
        [f"GET /big 200 {SIZE} {len(first.request)}"] * 2
        + [f"GET /small 200 5 {len(small.request)}"]
    )


def test_users_do_not_share_a_line(site: Nginx, loop: asyncio.AbstractEventLoop) -> None:
    """Two lines bring in a second what one brings in two."""

    async def work() -> list[Client]:
        clients = [
            await connect(site.ports["plain"], Throttle(SLOW), get("/big")) for _ in range(2)
        ]
        await asyncio.gather(*(one.over for one in clients))
        return clients

    first, second = run(loop, work())
    sent = sum(len(piece) for when, piece in second.pieces if when <= first.ended)
    assert sent > SIZE / 2  # not after one another


@pytest.mark.parametrize("over_tls", [False, True])
def test_a_request_takes_its_time_too(
    site: Nginx, loop: asyncio.AbstractEventLoop, over_tls: bool
) -> None:
    """100,000 bytes up at 768 kbit/s, a second or more; the server has received them all."""
    body = b"x" * 100_000
    request = (
        b"POST /upload HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%b"
        % (len(body), body)
    )

    async def work() -> Client:
        client = await connect(
            port_of(site, over_tls), Throttle(SLOW), request, unverified(over_tls)
        )
        await client.over
        return client

    client = run(loop, work())
    assert client.body == b"done"
    assert client.pieces[0][0] - client.began >= 1.0
    assert f"POST /upload 200 4 {len(request)}" in site.log(2)


def test_latency(site: Nginx, loop: asyncio.AbstractEventLoop) -> None:
    """A round trip more until the first byte of the response; not one for every piece of it."""
    far = Bandwidth(SLOW.down, SLOW.up, latency=0.4)

    async def work() -> Client:
        client = await connect(site.ports["plain"], Throttle(far), get("/big"))
        await client.over
        return client

    client = run(loop, work())
    assert client.pieces[0][0] - client.began >= 0.399
    assert len(client.pieces) > 20
    times = [at for at, _ in client.pieces]
    assert min(after - before for before, after in pairwise(times)) < 0.4
    assert len(client.body) == SIZE


def test_handshakes_go_over_the_line(site: Nginx, loop: asyncio.AbstractEventLoop) -> None:
    """TLS 1.3 takes a round trip, TLS 1.2 two, and then the request takes one."""
    for version, trips in ((ssl.TLSVersion.TLSv1_3, 1), (ssl.TLSVersion.TLSv1_2, 2)):
        tls = ssl._create_unverified_context()
        tls.minimum_version = tls.maximum_version = version
        far = Bandwidth(FAST.down, FAST.up, latency=0.2)

        async def work(far: Bandwidth = far, tls: ssl.SSLContext = tls) -> Client:
            client = await connect(site.ports["tls"], Throttle(far), get("/small"), tls)
            await client.over
            return client

        client = run(loop, work())
        assert client.body == b"small"
        assert client.began - client.opened >= 0.2 * trips - 0.002
        assert client.pieces[0][0] - client.began >= 0.198


def test_a_handshake_that_fails(site: Nginx, loop: asyncio.AbstractEventLoop) -> None:
    """It is told to who connects, and the connection hears nothing."""

    async def work() -> None:
        await connect(
            site.ports["tls"], Throttle(FAST), get("/small"), ssl.create_default_context()
        )

    with pytest.raises(ssl.SSLCertVerificationError):
        run(loop, work())

    async def hung_up(url: str) -> None:
        await connect(
            int(url.rpartition(":")[2]), Throttle(FAST), get("/"), ssl.create_default_context()
        )

    with peer(lambda connection: None) as server, pytest.raises(ConnectionResetError):
        run(loop, hung_up(server.url))


def test_a_server_that_refuses_after_the_handshake(
    site: Nginx, loop: asyncio.AbstractEventLoop
) -> None:
    """In TLS 1.3 a missing client certificate shows only then: the connection ends with that error,
    and not in silence."""
    strict = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    strict.load_cert_chain(site.folder / "cert.pem")
    strict.verify_mode = ssl.CERT_REQUIRED

    def script(connection: socket.socket) -> None:
        with pytest.raises(ssl.SSLError), strict.wrap_socket(connection, server_side=True):
            pass

    async def work(url: str) -> Client:
        port = int(url.rpartition(":")[2])
        client = await connect(port, Throttle(FAST), get("/"), unverified(True))
        await client.over
        return client

    with peer(script) as server:
        client = run(loop, work(server.url))
    assert client.events == ["lost: SSLError"]


def test_the_server_meets_a_slow_client(loop: asyncio.AbstractEventLoop) -> None:
    """It cannot get rid of a long response at once: that is what real users do to it."""
    size, sent = 3_000_000, []

    def script(connection: socket.socket) -> None:
        read_request(connection)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 16_384)
        began = time.perf_counter()
        connection.sendall(b"x" * size)
        sent.append(time.perf_counter() - began)

    quick = Bandwidth(16_000_000, 1_000_000)

    async def work(url: str) -> Client:
        client = await connect(int(url.rpartition(":")[2]), Throttle(quick), get("/"))
        await client.over
        return client

    with peer(script) as server:
        client = run(loop, work(server.url))
    assert len(client.received) == size
    assert sent[0] > 1.0  # of 1.5 seconds on the line


def test_what_came_before_a_reset_arrives_first(loop: asyncio.AbstractEventLoop) -> None:
    """The end of a connection does not overtake what is on the line."""
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n" + b"x" * 1000

    async def work(url: str) -> Client:
        slow = Bandwidth(80_000, 80_000)
        client = await connect(int(url.rpartition(":")[2]), Throttle(slow), get("/"))
        await client.over
        return client

    with peer(resetting(answer)) as server:
        client = run(loop, work(server.url))
    assert client.received == answer
    assert client.events == ["lost: ConnectionResetError"]
    assert client.ended >= client.pieces[-1][0]


@pytest.mark.parametrize("over_tls", [False, True])
def test_an_abort_is_the_end(site: Nginx, loop: asyncio.AbstractEventLoop, over_tls: bool) -> None:
    """Nothing is delivered any more, and the end is told once."""

    async def work() -> tuple[Client, int]:
        port = port_of(site, over_tls)
        client = await connect(port, Throttle(SLOW), get("/big"), unverified(over_tls))
        await client.first
        client.transport.abort()
        assert client.transport.is_closing()
        client.transport.write(b"more")
        count = len(client.pieces)
        await client.over
        await asyncio.sleep(0.1)
        return client, count

    client, count = run(loop, work())
    assert len(client.pieces) == count
    assert client.events == ["lost: NoneType"]


def test_a_close_lets_go_what_was_written(loop: asyncio.AbstractEventLoop) -> None:
    """Closed right after the request, it still goes out."""
    requests: list[bytes] = []

    def script(connection: socket.socket) -> None:
        requests.append(read_request(connection))

    async def work(url: str) -> Client:
        far = Bandwidth(80_000, 80_000, 0.05)
        client = await connect(int(url.rpartition(":")[2]), Throttle(far), get("/"))
        client.transport.close()
        await client.over
        return client

    with peer(script) as server:
        client = run(loop, work(server.url))
        wait_until(lambda: requests)
    assert requests == [client.request]
    assert client.events == ["lost: NoneType"]


class LateLoop:
    """A clock and its timers, which all go off late."""

    def __init__(self, late: float) -> None:
        self.now = 100.0
        self.late = late
        self.timers: list[tuple[float, Callable[[], None]]] = []

    def time(self) -> float:
        return self.now

    def call_at(self, when: float, callback: Callable[[], None]) -> None:
        self.timers.append((when, callback))

    call_soon = staticmethod(lambda callback: callback())

    def run(self) -> None:
        while self.timers:
            when, callback = min(self.timers)
            self.timers.remove((when, callback))
            self.now = max(self.now, when + self.late)
            callback()


class Source(asyncio.Transport):
    """A transport with so many pieces of 30,000 bytes left, one whenever it is read."""

    def __init__(self, loop: LateLoop, pieces: int) -> None:
        super().__init__()
        self.loop = loop
        self.pieces = pieces
        self.protocol: asyncio.Protocol

    def give(self) -> None:
        self.pieces -= 1
        self.protocol.data_received(bytes(30_000))

    def is_closing(self) -> bool:
        return False

    def pause_reading(self) -> None:
        pass

    def resume_reading(self) -> None:
        if self.pieces:
            self.loop.call_at(self.loop.now, self.give)


def test_a_late_event_loop_does_not_slow_the_line_down() -> None:
    """Every timer goes off 10 ms late, and still the line brings what it can carry: each piece has
    its time from the one before it, and more is read before the line is out of work."""
    loop, received = LateLoop(late=0.01), bytearray()

    class Keep(asyncio.Protocol):
        def data_received(self, data: bytes) -> None:
            received.extend(data)

    source = Source(loop, pieces=8)
    source.protocol = Throttled(Keep(), Throttle(SLOW), cast("asyncio.AbstractEventLoop", loop))
    source.protocol.connection_made(source)
    source.give()
    loop.run()
    assert len(received) == 8 * 30_000
    assert loop.now - 100.0 == pytest.approx(len(received) * 8 / SLOW.down + loop.late)


def test_buffers_of_all_profiles() -> None:
    """A fraction of a second of each line, and never less than a few packets."""
    for line in PROFILES.values():
        size = receive_buffer(Throttle(line))
        assert max(4 * 1460, line.down / 8 / 20) <= size <= max(4 * 1460, line.down / 8)


_sizes = st.lists(st.integers(1, 100_000), min_size=1, max_size=30)
_rates = st.integers(1_000, 10**9)
_times = st.floats(0, 1e6)


@given(_rates, _times, _sizes)
def test_a_busy_line_carries_at_its_rate(rate: int, start: float, sizes: list[int]) -> None:
    """However it is cut into pieces, what waits takes its bits by the rate, from the first on."""
    direction = Direction(rate)
    for size in sizes:
        end = direction.carry(start, size)
    assert end - start == pytest.approx(sum(sizes) * 8 / rate, rel=1e-6, abs=1e-6)


@given(_rates, st.lists(st.tuples(st.floats(0, 100), st.integers(1, 100_000)), min_size=1))
def test_nothing_passes_faster_than_the_line(rate: int, given_: list[tuple[float, int]]) -> None:
    """In order, not before it was there, each after its own time on the line: so between any two
    moments no more gets through than the rate allows."""
    direction = Direction(rate)
    now = 0.0
    before = 0.0
    for wait, size in given_:
        now += wait
        end = direction.carry(now, size)
        took = size * 8 / rate
        assert end - took >= max(now, before) - 1e-6
        assert end == pytest.approx(max(now, before) + took)
        before = end


def test_time_that_nobody_used_is_lost() -> None:
    """A line that was silent is not faster afterwards."""
    direction = Direction(8_000)
    assert direction.carry(0.0, 1_000) == 1.0
    assert direction.carry(10.0, 1_000) == 11.0


def test_directions_do_not_disturb_each_other() -> None:
    """Up and down have a rate each; connections of one user share both."""
    line = Throttle(Bandwidth(8_000, 4_000, 0.1))
    assert [line.down.carry(0.0, 500), line.up.carry(0.0, 500)] == [0.5, 1.0]
    assert [line.down.carry(0.0, 500), line.up.carry(0.0, 500)] == [1.0, 2.0]


def test_profiles_are_lines() -> None:
    """Each has a speed both ways; from 3G to fiber the quicker ones are quicker."""
    assert all(one.down >= one.up > 0 and 0 < one.latency < 2 for one in PROFILES.values())
    ranking = [PROFILES[name] for name in ("2G", "3G", "cable", "fiber")]
    assert all(a.down < b.down and a.latency > b.latency for a, b in pairwise(ranking))
