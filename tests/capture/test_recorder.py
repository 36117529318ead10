"""The recording proxy between real clients and real servers."""

from __future__ import annotations

import asyncio
import gzip
import os
import ssl
import stat
import subprocess
import sys
import threading
import zlib
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

import brotli
import pytest
import zstandard

from pytest_loadtool.capture import Recorder
from pytest_loadtool.errors import RecordingError
from pytest_loadtool.model.exchange import UNENDED, Exchange
from pytest_loadtool.recording import build_case
from tests.capture.clients import curl, raw, through
from tests.capture.servers import (
    Connection,
    SecureSite,
    WireServer,
    accept_websocket,
    answer,
    secure_site,
    upgrade,
)
from tests.observed import replay
from tests.ports import free_port

T = TypeVar("T")


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run it in a loop of its own."""
    return asyncio.run(asyncio.wait_for(coroutine, timeout=60))


def head_lines(request: bytes) -> list[tuple[str, str]]:
    """The header lines of a raw request."""
    lines = request.partition(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")[1:]
    return [(name, value) for name, _, value in (line.partition(": ") for line in lines)]


@pytest.mark.promise(21)
def test_what_the_server_receives_is_what_curl_sends_without_a_recorder() -> None:
    """Not a byte of a request differs, and every part of it and of its response is recorded."""
    got: list[Exchange] = []

    async def scenario(server: WireServer) -> None:
        request = ("-H", "x-Odd-CASE: 1", "-H", "A: 2", "-d", "a=1&b=%20", f"{server.origin}/p?q=1")
        await curl(*request)
        async with Recorder(got.append) as recorder:
            result = await curl(*through(recorder), *request)
        assert result.output == b"made"

    with WireServer(answer(b"made", "X-Reply: yes", status="201 Made")) as server:
        run(scenario(server))
        direct, recorded = server.requests
    assert recorded == direct
    (exchange,) = got
    assert (exchange.method, exchange.url) == ("POST", f"{server.origin}/p?q=1")
    assert list(exchange.request_headers) == head_lines(direct)
    assert exchange.request_body == b"a=1&b=%20"
    assert (exchange.http_version, exchange.status, exchange.reason) == ("HTTP/1.1", 201, "Made")
    assert exchange.response_headers == (("X-Reply", "yes"), ("Content-Length", "4"))
    assert exchange.response_body == b"made"
    assert (exchange.error, exchange.note) == ("", "")
    assert exchange.started > 1_600_000_000
    assert 0 <= exchange.took < 60


def test_header_order_case_repeats_and_bytes_survive() -> None:
    """Headers reach the server and the record as they were sent, and the response's likewise."""
    got: list[Exchange] = []
    sent = b"b: 2\r\nA: 1\r\nb: \xc3\xa9\r\nHost: %s\r\nA: 3\r\nConnection: close\r\n\r\n"

    async def scenario(server: WireServer) -> bytes:
        async with Recorder(got.append) as recorder:
            host = f"127.0.0.1:{server.port}".encode()
            return await raw(recorder.port, b"GET http://%s/x HTTP/1.1\r\n" % host + sent % host)

    with WireServer(answer(b"ok", "Set-Cookie: a=1", "x: 0", "Set-Cookie: b=\xe9")) as server:
        response = run(scenario(server))
    host = f"127.0.0.1:{server.port}"
    assert server.requests == [b"GET /x HTTP/1.1\r\n" + sent % host.encode()]
    assert got[0].request_headers == (
        ("b", "2"), ("A", "1"), ("b", "Ã©"), ("Host", host), ("A", "3"), ("Connection", "close"),
    )  # fmt: skip
    assert response.startswith(b"HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nx: 0\r\nSet-Cookie: b=")
    assert [name for name, _ in got[0].response_headers] == [
        "Set-Cookie", "x", "Set-Cookie", "Content-Length",
    ]  # fmt: skip


def test_what_is_meant_for_the_proxy_stays_there() -> None:
    """Proxy headers and an upgrade to cleartext HTTP/2 reach neither the server nor the record."""
    got: list[Exchange] = []

    async def scenario(server: WireServer) -> None:
        async with Recorder(got.append) as recorder:
            credentials = ("--proxy-user", "u:p", "--http2")
            await curl(*through(recorder), *credentials, server.origin)

    with WireServer(answer(b"")) as server:
        run(scenario(server))
    names = {name.lower() for name, _ in got[0].request_headers}
    assert names == {"host", "user-agent", "accept"}
    assert list(got[0].request_headers) == head_lines(server.requests[0])


async def upload(port: int, server: asyncio.Server, body: bytes, start: asyncio.Event) -> bytes:
    """Begin to send a body of 3 MB, and go on with it once ``start`` is set; the status line."""
    url = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    head = f"PUT http://{url}/ HTTP/1.1\r\nHost: {url}\r\nContent-Length: 3000000\r\n\r\n"
    writer.write(head.encode() + body[:9])
    await start.wait()
    writer.write(body[9:])
    status = await reader.readline()
    writer.close()
    await writer.wait_closed()
    return status


def test_a_large_upload_is_not_held_back() -> None:
    """The server sees its beginning before the client has sent the rest; all of it is recorded."""
    got: list[Exchange] = []
    body = os.urandom(3_000_000)
    received = bytearray()

    async def scenario() -> None:
        begun = asyncio.Event()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            begun.set()
            received.extend(await reader.readexactly(len(body)))
            writer.write(b"HTTP/1.1 204 No Content\r\n\r\n")
            await reader.read()
            writer.close()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        async with server, Recorder(got.append) as recorder:
            assert b" 204 " in await upload(recorder.port, server, body, begun)

    run(scenario())
    assert received == body
    assert [(one.request_body, one.status, one.error) for one in got] == [(body, 204, "")]


def test_a_large_upload_that_is_answered_early() -> None:
    """The client hears of it before it has sent the rest, which the recording says to lack."""
    got: list[Exchange] = []

    async def scenario() -> None:
        begun = asyncio.Event()
        begun.set()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\nbeginning")
            writer.write(b"HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n")
            await reader.read()
            writer.close()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        async with server, Recorder(got.append) as recorder:
            assert b" 413 " in await upload(recorder.port, server, b"beginning", begun)

    run(scenario())
    assert [(one.request_body, one.status, one.error) for one in got] == [
        (b"beginning", 413, "answered after 9 of 3000000 bytes of the request body")
    ]


def test_a_chunked_upload_is_recorded_without_its_chunks() -> None:
    """The body is what was uploaded; how it was cut up stays between the client and the server."""
    got: list[Exchange] = []
    upload = os.urandom(200_000)

    async def scenario(server: WireServer) -> None:
        async with Recorder(got.append) as recorder:
            await curl(*through(recorder), "-T", "-", f"{server.origin}/up", data=upload)

    with WireServer(answer(b"")) as server:
        run(scenario(server))
    assert (got[0].method, got[0].request_body) == ("PUT", upload)
    assert b"Transfer-Encoding: chunked" in server.requests[0]


def test_fields_behind_a_body() -> None:
    """The client has all of the body, and asks for more on the same connection."""
    got: list[Exchange] = []
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: ETag\r\n\r\n"

    async def scenario() -> None:
        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            for _ in range(2):
                await reader.readuntil(b"\r\n\r\n")
                writer.write(head + b'5\r\nhello\r\n0\r\nETag: "5d41"\r\n\r\n')
            await reader.read()
            writer.close()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        async with server, Recorder(got.append) as recorder:
            done = await curl(*through(recorder), f"{url}/one", f"{url}/two")
        assert done.output == b"hellohello"

    run(scenario())
    assert [(one.status, one.response_body, one.error) for one in got] == [(200, b"hello", "")] * 2


@pytest.mark.promise(136)
@pytest.mark.parametrize(
    ("coding", "encode"),
    [
        ("gzip", gzip.compress),
        ("deflate", zlib.compress),
        ("br", brotli.compress),
        ("zstd", zstandard.ZstdCompressor().compress),
        ("GZIP, br", lambda body: brotli.compress(gzip.compress(body))),
        ("identity", bytes),
    ],
)
def test_encoded_content_is_recorded_decoded(coding: str, encode: Any, tmp_path: Path) -> None:
    """The record is readable text, of the request too; what travels is untouched."""
    got: list[Exchange] = []
    text = "Größe: 42\n".encode() * 500
    encoded = encode(text)
    (tmp_path / "body").write_bytes(encoded)
    sent = ("--header", f"Content-Encoding: {coding}", "--data-binary", f"@{tmp_path / 'body'}")

    async def scenario(server: WireServer) -> bytes:
        async with Recorder(got.append) as recorder:
            return (await curl(*through(recorder), "--raw", *sent, server.origin)).output

    with WireServer(answer(encoded, f"Content-Encoding: {coding}")) as server:
        assert run(scenario(server)) == encoded
    assert got[0].response_body == got[0].request_body == text
    assert got[0].response_header("content-encoding") == coding


def test_content_that_cannot_be_decoded_is_recorded_as_it_is() -> None:
    """A broken body or an unknown coding loses nothing."""
    got: list[Exchange] = []

    async def scenario(broken: WireServer, unknown: WireServer) -> None:
        async with Recorder(got.append) as recorder:
            await curl(*through(recorder), broken.origin)
            await curl(*through(recorder), unknown.origin)

    with (
        WireServer(answer(b"no gzip", "Content-Encoding: gzip")) as broken,
        WireServer(answer(b"uryyb", "Content-Encoding: rot13")) as unknown,
    ):
        run(scenario(broken, unknown))
    assert [exchange.response_body for exchange in got] == [b"no gzip", b"uryyb"]


@pytest.mark.promise(135)
@pytest.mark.parametrize(
    ("option", "version", "seen"),
    [("--http1.1", "HTTP/1.1", "HTTP/1.1"), ("--http2", "HTTP/2", "HTTP/2.0")],
)
def test_https_is_recorded_in_the_protocol_that_the_client_chose(
    tmp_path: Path, option: str, version: str, seen: str
) -> None:
    """A self-signed server is no obstacle, is named, and is spoken to as the client speaks."""
    got: list[Exchange] = []

    async def scenario(nginx: SecureSite) -> dict[str, str]:
        async with Recorder(got.append) as recorder:
            result = await curl(
                *through(recorder), option, "-H", "X-One: 1", "-b", "a=1; b=2",
                f"{nginx.origin}/headers?x=1",
            )  # fmt: skip
            protocol, one, agent, cookie = result.output.decode().split("|")
            assert (protocol, one, cookie) == (seen, "1", "a=1; b=2")
            assert agent.startswith("curl/")
            return dict(recorder.unverified)

    with secure_site(tmp_path) as nginx:
        unverified = run(scenario(nginx))
    assert unverified == {"127.0.0.1": "self-signed certificate"}
    (exchange,) = got
    assert (exchange.http_version, exchange.status) == (version, 200)
    assert exchange.url == f"{nginx.origin}/headers?x=1"
    assert exchange.request_headers[0] == ("Host", f"127.0.0.1:{nginx.port}")
    assert not [name for name, _ in exchange.request_headers if name.startswith(":")]
    assert exchange.request_header("X-One") == "1"


@pytest.mark.promise(136)
def test_compressed_http2_is_recorded_decoded(tmp_path: Path) -> None:
    """nginx compresses on the fly; the record shows the text."""
    got: list[Exchange] = []

    async def scenario(nginx: SecureSite) -> bytes:
        async with Recorder(got.append) as recorder:
            return (
                await curl(*through(recorder), "--compressed", "--http2", f"{nginx.origin}/gzip")
            ).output

    with secure_site(tmp_path) as nginx:
        assert run(scenario(nginx)).decode() == nginx.text
    assert got[0].response_header("content-encoding") == "gzip"
    assert got[0].response_body.decode() == nginx.text


def test_a_server_that_refuses_connections_is_an_error_and_not_a_response() -> None:
    """The recorder's own error page is not recorded as if the server had sent it."""
    got: list[Exchange] = []

    async def scenario() -> None:
        async with Recorder(got.append) as recorder:
            port = free_port()
            await curl(*through(recorder), f"http://127.0.0.1:{port}/x")
            await curl(*through(recorder), f"https://127.0.0.1:{port}/x")

    run(scenario())
    plain, tunnel = got
    assert (plain.method, plain.status, plain.note) == ("GET", 0, "")
    assert plain.error.startswith("Connect call failed")
    assert plain.response_body == b""
    assert (tunnel.method, tunnel.status, tunnel.note) == ("CONNECT", 0, "connection failed")
    assert tunnel.error.startswith("Connect call failed")


def test_handshakes_that_fail_are_kept_as_evidence(tmp_path: Path) -> None:
    """A client that does not trust the recorder and a server without TLS are named."""
    got: list[Exchange] = []

    async def scenario(nginx: SecureSite, plain: WireServer) -> None:
        async with Recorder(got.append) as recorder:
            proxy, url, ca, path = through(recorder)
            assert (await curl(proxy, url, f"{nginx.origin}/untrusting")).code == 60
            await curl(proxy, url, ca, path, f"https://127.0.0.1:{plain.port}/not-tls")

    with secure_site(tmp_path) as nginx, WireServer(answer(b"")) as plain:
        run(scenario(nginx, plain))
    untrusting, not_tls = got
    assert untrusting.method == "CONNECT"
    assert untrusting.url == f"{nginx.origin}/"
    assert untrusting.note == "TLS handshake with the client failed"
    assert "does not trust" in untrusting.error
    # The request could be read, so it is the request that failed.
    assert (not_tls.method, not_tls.status) == ("GET", 0)
    assert not_tls.url.endswith("/not-tls")
    assert "TLS" in not_tls.error


def test_a_response_that_breaks_off_is_an_error() -> None:
    """What came is kept, but does not pass for a response."""
    got: list[Exchange] = []

    def break_off(connection: Connection, _request: bytes) -> bool:
        connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this")
        return False

    async def scenario(server: WireServer) -> None:
        async with Recorder(got.append) as recorder:
            assert (await curl(*through(recorder), server.origin)).code != 0

    with WireServer(break_off) as server:
        run(scenario(server))
    (exchange,) = got
    assert exchange.status == 0
    assert "the response had begun with status 200" in exchange.error
    assert exchange.response_body == b"only this"


def test_the_recorder_does_not_serve_itself() -> None:
    """A request to the proxy's own port ends, with an error, instead of going round."""
    got: list[Exchange] = []

    async def scenario() -> None:
        async with Recorder(got.append) as recorder:
            await curl("--proxy", "", f"http://127.0.0.1:{recorder.port}/")
            await curl(*through(recorder), f"http://localhost:{recorder.port}/")

    run(scenario())
    assert [exchange.status for exchange in got] == [0, 0]
    assert all("the recorder itself" in exchange.error for exchange in got)


_UPGRADE = (
    b"GET http://127.0.0.1:%d/ws HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\n"
    b"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)


def test_a_websocket_works_and_its_upgrade_is_evidence() -> None:
    """The upgrade is recorded and named; what follows passes through."""
    got: list[Exchange] = []

    async def scenario(server: WireServer) -> bytes:
        async with Recorder(got.append) as recorder:
            reader, writer = await asyncio.open_connection("127.0.0.1", recorder.port)
            writer.write(_UPGRADE % (server.port, server.port))
            await reader.readuntil(b"\r\n\r\n")
            frame = await reader.readexactly(7)
            writer.close()
            return frame

    with WireServer(accept_websocket) as server:
        assert run(scenario(server)) == b"\x81\x05hello"
    (exchange,) = got
    assert (exchange.status, exchange.note) == (101, "WebSocket upgrade")
    assert exchange.response_header("sec-websocket-accept") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="


def _endless(connection: Connection, _request: bytes) -> bool:
    connection.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n")
    connection.wait_closed()
    return False


@pytest.mark.parametrize("hang_up", [True, False], ids=["client hangs up", "recording stops"])
def test_server_sent_events_stream_and_are_evidence(hang_up: bool) -> None:
    """Events reach the client while they come; they are recorded when they end, or at last."""
    got: list[Exchange] = []

    async def scenario(server: WireServer) -> None:
        ended = asyncio.Event()

        def take(exchange: Exchange) -> None:
            got.append(exchange)
            ended.set()

        async with Recorder(take) as recorder:
            reader, writer = await asyncio.open_connection("127.0.0.1", recorder.port)
            host = f"127.0.0.1:{server.port}"
            writer.write(f"GET http://{host}/ HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
            await reader.readuntil(b"data: 1\n\n")
            assert got == []
            if hang_up:
                writer.close()
                await ended.wait()
        writer.close()

    with WireServer(_endless) as server:
        run(scenario(server))
    (exchange,) = got
    assert (exchange.status, exchange.note) == (200, UNENDED)
    assert exchange.response_body == b"data: 1\n\n"
    assert exchange.error == ("" if hang_up else "recording stopped before the response ended")


def _events(connection: Connection, _request: bytes) -> bool:
    """An event stream in chunks that ends, as servers of language models answer."""
    connection.send(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
        b"9\r\ndata: 1\n\n\r\n"
    )
    connection.send(b'f\r\ndata: {"n": 2}\n\r\n1\r\n\n\r\n0\r\n\r\n')
    return True


def test_an_event_stream_that_ends_is_recorded_and_replayed() -> None:
    """It is an answer like any other, with all its events."""
    got: list[Exchange] = []

    async def scenario(server: WireServer) -> None:
        async with Recorder(got.append) as recorder:
            await curl(*through(recorder), f"{server.origin}/chat")

    with WireServer(_events) as server:
        run(scenario(server))
        (exchange,) = got
        assert (exchange.status, exchange.note, exchange.error) == (200, "", "")
        assert exchange.response_body == b'data: 1\n\ndata: {"n": 2}\n\n'
        (transaction,) = build_case(got, name="chat").case.transactions()
        (response,) = replay(server.origin, transaction).responses
    assert response.text == 'data: 1\n\ndata: {"n": 2}\n\n'


def _frame(message: bytes) -> bytes:
    """A text message as a client sends it (RFC 6455 §5.2), with a mask of zeros."""
    return bytes((0x81, 0x80 | len(message), 0, 0, 0, 0)) + message


@pytest.mark.parametrize("closed", [True, False])
@pytest.mark.parametrize(
    ("sent", "events"), [((), 0), ((b"2", b""), 0), ((b"2", b'{"op": "buy"}', b"sell"), 2)]
)
def test_what_a_page_sends_over_a_websocket_is_counted(
    sent: tuple[bytes, ...], events: int, closed: bool
) -> None:
    """Whether the socket is closed or the recording ends before; what keeps it going is none."""
    got: list[Exchange] = []
    arrived = threading.Event()

    def accept(connection: Connection, request: bytes) -> bool:
        upgrade(connection, request)
        connection.wait_for(sum(6 + len(one) for one in sent))
        arrived.set()
        connection.wait_closed()
        return False

    async def scenario(server: WireServer) -> None:
        ended = asyncio.Event()

        def take(exchange: Exchange) -> None:
            got.append(exchange)
            ended.set()

        async with Recorder(take) as recorder:
            reader, writer = await asyncio.open_connection("127.0.0.1", recorder.port)
            writer.write(_UPGRADE % (server.port, server.port))
            await reader.readuntil(b"\r\n\r\n")
            assert (got, recorder.in_flight) == ([], 0)
            writer.write(b"".join(map(_frame, sent)))
            await asyncio.to_thread(arrived.wait, 60)
            if closed:
                writer.close()
                await ended.wait()
        writer.close()

    with WireServer(accept) as server:
        run(scenario(server))
    (exchange,) = got
    assert (exchange.note, exchange.events, exchange.error) == ("WebSocket upgrade", events, "")


def test_what_comes_after_the_cut_still_streams() -> None:
    """What was in flight at the end of one recording belongs to none, and reaches its client."""
    got: list[Exchange] = []
    go_on = threading.Event()

    async def scenario() -> None:
        loop, arrived = asyncio.get_running_loop(), asyncio.Event()

        def late(connection: Connection, request: bytes) -> bool:
            loop.call_soon_threadsafe(arrived.set)
            go_on.wait(60)
            return _endless(connection, request)

        with WireServer(late) as server:
            async with Recorder(got.append) as recorder:
                reader, writer = await asyncio.open_connection("127.0.0.1", recorder.port)
                host = f"127.0.0.1:{server.port}"
                writer.write(f"GET http://{host}/ HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
                await arrived.wait()
                recorder.cut()
                go_on.set()
                await reader.readuntil(b"data: 1\n\n")
                writer.close()

    run(scenario())
    (exchange,) = got
    assert (exchange.status, exchange.error) == (0, "recording stopped before the response ended")


def test_what_is_in_flight_when_recording_stops_is_recorded() -> None:
    """A request without its response yet is delivered, as an error that says so."""
    got: list[Exchange] = []

    async def scenario() -> None:
        loop, arrived = asyncio.get_running_loop(), asyncio.Event()

        def silence(connection: Connection, _request: bytes) -> bool:
            loop.call_soon_threadsafe(arrived.set)
            connection.wait_closed()
            return False

        with WireServer(silence) as server:
            async with Recorder(got.append) as recorder:
                client = asyncio.create_task(curl(*through(recorder), f"{server.origin}/slow"))
                await arrived.wait()
            assert (await client).code != 0

    run(scenario())
    (exchange,) = got
    assert exchange.url.endswith("/slow")
    assert (exchange.status, exchange.error) == (0, "recording stopped before the response ended")


def test_exchanges_come_in_the_order_in_which_they_end() -> None:
    """A slow response does not hold back a faster one."""
    got: list[Exchange] = []

    async def scenario() -> None:
        loop = asyncio.get_running_loop()
        fast_done, slow_came = asyncio.Event(), asyncio.Event()

        def wait_for_the_other(connection: Connection, _request: bytes) -> bool:
            loop.call_soon_threadsafe(slow_came.set)
            asyncio.run_coroutine_threadsafe(fast_done.wait(), loop).result()
            connection.send(b"HTTP/1.1 204 No Content\r\n\r\n")
            return True

        with WireServer(wait_for_the_other) as slow, WireServer(answer(b"")) as fast:
            async with Recorder(got.append) as recorder:
                first = asyncio.create_task(curl(*through(recorder), slow.origin))
                await slow_came.wait()
                await curl(*through(recorder), fast.origin)
                fast_done.set()
                await first

    run(scenario())
    assert [exchange.status for exchange in got] == [200, 204]
    assert got[0].started > got[1].started


def test_a_callback_that_fails_ends_the_recording_with_its_error() -> None:
    """The client is served on, but the recording does not pass for complete."""

    def disk_full(_exchange: Exchange) -> None:
        calls.append(1)
        raise OSError("no space left on device")

    async def scenario(server: WireServer) -> None:
        async with Recorder(disk_full) as recorder:
            assert (await curl(*through(recorder), server.origin)).output == b"ok"
            assert (await curl(*through(recorder), server.origin)).output == b"ok"

    calls: list[int] = []
    with WireServer(answer(b"ok")) as server, pytest.raises(OSError, match="no space left"):
        run(scenario(server))
    assert calls == [1]


def test_ports_are_free_ones_on_loopback_only() -> None:
    """Port 0 takes a free port; a taken one is refused with a word on what to do."""

    async def scenario() -> None:
        async with Recorder(lambda _: None) as recorder:
            assert recorder.port > 0
            taken = recorder.port
            with pytest.raises(RecordingError, match="already running"):
                async with Recorder(lambda _: None):
                    pass
            # A socket on all addresses would answer on this one too.
            with pytest.raises(ConnectionRefusedError):
                await asyncio.open_connection("127.0.0.2", taken)
        blocker = await asyncio.start_server(lambda _r, _w: None, "127.0.0.1", taken)
        async with blocker:
            with pytest.raises(RecordingError, match=f"cannot listen on 127.0.0.1:{taken}"):
                async with Recorder(lambda _: None, port=taken):
                    pass
        async with Recorder(lambda _: None, port=taken) as again:
            assert again.port == taken

    run(scenario())


def test_the_certificate_authority_is_private_and_short_lived() -> None:
    """Only its owner can read the key, it is new each time, and it is gone after recording."""

    async def scenario() -> tuple[Path, bytes]:
        async with Recorder(lambda _: None) as recorder:
            directory = recorder.ca_certificate.parent
            assert stat.S_IMODE(directory.stat().st_mode) == 0o700
            secret = [p for p in directory.iterdir() if b"PRIVATE KEY" in p.read_bytes()]
            assert [stat.S_IMODE(p.stat().st_mode) for p in secret] == [0o600]
            return directory, recorder.ca_certificate.read_bytes()

    first, second = run(scenario()), run(scenario())
    assert not first[0].exists()
    assert first[1] != second[1]


def test_nothing_reaches_the_terminal() -> None:
    """mitmproxy's warnings stay out of the user's sight, even where no logging is set up."""
    script = """
import asyncio
import sys
from pytest_loadtool.capture import Recorder
from tests.capture.clients import curl

async def main():
    async with Recorder(lambda exchange: None) as recorder:
        proxy = ("--proxy", f"http://127.0.0.1:{recorder.port}")
        assert (await curl(*proxy, sys.argv[1])).code == 60
        assert recorder.warnings

asyncio.run(main())
"""
    with WireServer(answer(b"")) as server:
        url = f"https://127.0.0.1:{server.port}/"
        result = subprocess.run(
            [sys.executable, "-W", "default", "-c", script, url], capture_output=True, timeout=60
        )
    assert (result.returncode, result.stdout, result.stderr) == (0, b"", b"")


def test_a_forward_is_whole_although_its_client_hangs_up_early() -> None:
    """Browsers need no more than the head of a forward: it is recorded all the same."""
    got: list[Exchange] = []

    async def hang_up_early(port: int, host: str) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(f"GET http://{host}/ HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
        await reader.readuntil(b"\r\n\r\n")
        writer.close()
        await writer.wait_closed()

    async def scenario() -> None:
        loop, asked, go_on = asyncio.get_running_loop(), asyncio.Event(), asyncio.Event()

        def forward_slowly(connection: Connection, _request: bytes) -> bool:
            connection.send(b"HTTP/1.0 302 Found\r\nLocation: /next\r\n\r\nmo")
            loop.call_soon_threadsafe(asked.set)
            asyncio.run_coroutine_threadsafe(go_on.wait(), loop).result()
            connection.send(b"ved")
            return False

        with WireServer(forward_slowly) as server:
            async with Recorder(got.append) as recorder:
                host = f"127.0.0.1:{server.port}"
                client = asyncio.create_task(hang_up_early(recorder.port, host))
                await asked.wait()
                # Were the head passed on by itself, the client would be gone after this.
                await asyncio.wait([client], timeout=0.3)
                go_on.set()
                await client

    run(scenario())
    (exchange,) = got
    assert (exchange.status, exchange.error) == (302, "")
    assert exchange.response_body == b"moved"


def test_a_server_on_ipv6_is_recorded_with_its_address_in_brackets() -> None:
    """As URLs have it (RFC 3986)."""
    got: list[Exchange] = []

    async def scenario() -> None:
        async with Recorder(got.append) as recorder:
            await curl(*through(recorder), "http://[::1]:1/x")

    run(scenario())
    assert got[0].url == "http://[::1]:1/x"


def test_a_handshake_that_is_broken_off_is_evidence_unless_another_succeeds(
    tmp_path: Path,
) -> None:
    """Browsers hang up on connections they need no more; only a server never reached is named."""
    got: list[Exchange] = []

    async def break_off(recorder: Recorder, port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", recorder.port)
        writer.write(f"CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\n".encode())
        await reader.readuntil(b"\r\n\r\n")
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        tls = ssl.create_default_context().wrap_bio(incoming, outgoing, server_hostname="127.0.0.1")
        with pytest.raises(ssl.SSLWantReadError):
            tls.do_handshake()
        writer.write(outgoing.read())
        await reader.readexactly(1)  # the recorder's answer begins
        writer.close()
        await writer.wait_closed()

    async def scenario(nginx: SecureSite, other: SecureSite) -> None:
        async with Recorder(got.append) as recorder:
            await break_off(recorder, nginx.port)
            await break_off(recorder, other.port)
            await curl(*through(recorder), f"{nginx.origin}/")

    (tmp_path / "other").mkdir()
    with secure_site(tmp_path) as nginx, secure_site(tmp_path / "other") as other:
        run(scenario(nginx, other))
    assert [(exchange.method, exchange.url) for exchange in got] == [
        ("GET", f"{nginx.origin}/"),
        ("CONNECT", f"{other.origin}/"),
    ]
    assert got[1].note == "TLS handshake with the client failed"
