"""Programs of other users of the machine at the recorder's port."""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_loadtool.capture import Recorder
from pytest_loadtool.capture.proxy import neighbours
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.recording import build_case
from tests.capture.clients import NOBODY, as_root, curl, curl_of, through
from tests.capture.servers import WireServer, answer

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells whose it is")


def recording(
    client: Callable[[Recorder, str], object], *, any_user: bool = False, most: int = 1
) -> tuple[list[Exchange], list[bytes]]:
    """What is recorded of a client, once there is ``most``, and what the server was asked."""
    got: list[Exchange] = []

    async def scenario(url: str) -> None:
        async with Recorder(got.append, any_user=any_user) as recorder:
            await client(recorder, url)  # type: ignore[misc]
            while len(got) < most:  # noqa: ASYNC110  what was refused is known a moment later
                await asyncio.sleep(0.01)

    with WireServer(answer(b"ok")) as server:
        asyncio.run(asyncio.wait_for(scenario(f"{server.origin}/a"), timeout=60))
        return got, server.requests


@as_root
def test_another_users_program_is_refused_and_named() -> None:
    """It gets no answer, nothing is sent for it, and the recording says so, once."""

    async def twice(recorder: Recorder, url: str) -> None:
        for _ in range(2):
            assert await curl_of(NOBODY, "--proxy", f"http://127.0.0.1:{recorder.port}", url) != 0
        assert (await curl(*through(recorder), url)).output == b"ok"

    got, requests = recording(twice)
    assert len(requests) == 1
    refused, own = got
    assert refused.error == (
        f"a process of user {neighbours.name_of(NOBODY)} tried to use the proxy: refused"
    )
    assert own.response_body == b"ok"
    (note,) = (one for one in build_case(got, name="x").notes if one.kind == "recording error")
    assert note.message == refused.error


@as_root
def test_another_users_program_may_be_let_in() -> None:
    """If that was said."""

    async def once(recorder: Recorder, url: str) -> None:
        assert await curl_of(NOBODY, "--proxy", f"http://127.0.0.1:{recorder.port}", url) == 0

    got, requests = recording(once, any_user=True)
    assert [one.status for one in got] == [200]
    assert len(requests) == 1


@pytest.mark.parametrize(
    ("family", "address"), [(socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::ffff:127.0.0.1")]
)
def test_ones_own_program_is_taken(family: socket.AddressFamily, address: str) -> None:
    """Over sockets of either family."""

    async def once(recorder: Recorder, url: str) -> None:
        with socket.socket(family) as client:
            client.setblocking(False)
            loop = asyncio.get_running_loop()
            await loop.sock_connect(client, (address, recorder.port))
            await loop.sock_sendall(client, f"GET {url} HTTP/1.1\r\nHost: h\r\n\r\n".encode())
            assert b"200" in await loop.sock_recv(client, 100)

    got, _ = recording(once)
    assert [one.status for one in got] == [200]


@pytest.mark.parametrize(
    ("request_line", "said"),
    [("", []), ("GET {} HTTP/1.1\r\n\r\n", ["a client hung up before it was known whose it is"])],
)
def test_who_has_hung_up_is_nobodys(request_line: str, said: list[str]) -> None:
    """What it asked for could be another user's, so it is not sent; a look at the port is fine."""

    async def gone(recorder: Recorder, url: str) -> None:
        with socket.create_connection(("127.0.0.1", recorder.port)) as client:
            client.sendall(request_line.format(url).encode())
        assert (await curl(*through(recorder), url)).output == b"ok"

    got, requests = recording(gone, most=1 + len(said))
    assert [one.error for one in got if one.error] == said
    assert len(requests) == 1


def test_a_doorkeeper_knows_its_own() -> None:
    """By where it has connected from; who has not is nobody's."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        here = listening.getsockname()
        is_ours = neighbours.doorkeeper(here)
        with socket.create_connection(here) as client:
            assert is_ours(client.getsockname())
        assert not is_ours(("127.0.0.1", 1))


def test_where_the_system_does_not_tell_all_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other systems have no such tables, or none with this process's sockets in them."""
    monkeypatch.setattr(neighbours, "_TABLES", (Path("/nowhere"),) * 2)
    assert neighbours.doorkeeper(("127.0.0.1", 1))(("127.0.0.1", 2))

    async def once(recorder: Recorder, url: str) -> None:
        assert (await curl(*through(recorder), url)).output == b"ok"

    got, _ = recording(once)
    assert [one.status for one in got] == [200]
