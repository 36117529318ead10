"""Names of hosts, and what they stand for."""

from __future__ import annotations

import asyncio
import socket
from time import perf_counter
from typing import Any

import pytest

from pytest_loadtool.engine.observers import Clock, metrics_for, observers_for
from pytest_loadtool.load.cluster.share import rows_of
from pytest_loadtool.load.metrics.metrics import LoadMetrics
from pytest_loadtool.model.case import Page, Request, TestCase, Transaction
from pytest_loadtool.replay import Plan, compile_case
from pytest_loadtool.replay.user.user import VirtualUser
from pytest_loadtool.transport.connections.network import Network
from pytest_loadtool.transport.connections.session import session_of
from tests.transport.peer import answering, peer

USERS = 5
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"


class Names:
    """A resolver that knows one host."""

    def __init__(self, *addresses: str) -> None:
        self.addresses = addresses
        self.asked = 0

    async def getaddrinfo(self, _host: str, port: int, **_: Any) -> list[tuple[Any, ...]]:
        self.asked += 1
        await asyncio.sleep(0.01)
        if not self.addresses:
            raise socket.gaierror(socket.EAI_NONAME, "nobody knows it")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (one, port)) for one in self.addresses]


def acted(names: Names, port: str, monkeypatch: pytest.MonkeyPatch, times: int = 1) -> LoadMetrics:
    """Several users ask at once, and ``times`` over."""
    plan = plan_for(f"http://shop.example:{port}")
    metrics = metrics_for([plan])

    async def main() -> None:
        loop = asyncio.get_running_loop()
        monkeypatch.setattr(loop, "getaddrinfo", names.getaddrinfo)
        network = Network(loop)
        ended: asyncio.Queue[BaseException | None] = asyncio.Queue()
        observer = observers_for([plan], metrics, Clock(metrics))[0].of_user()
        sessions = []
        for _ in range(times):
            for number in range(USERS):
                session = session_of(network, lambda error, _: ended.put_nowait(error))
                user = VirtualUser(plan, rows_of(number, USERS), observer)
                session.run(user.act(user.next_visit(), 0, perf_counter()))
                sessions.append(session)
            for _user in range(USERS):
                assert await asyncio.wait_for(ended.get(), 60) is None
        for session in sessions:
            session.stop()
        await network.close()
        await asyncio.sleep(0)  # asyncio closes sockets in the next turn

    asyncio.run(main())
    return metrics


def plan_for(url: str) -> Plan:
    return compile_case(TestCase("c", (Page("p", (Transaction(Request("GET", "/")),)),), url))


def test_a_name_is_looked_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many users ask for it at once, and later."""
    names = Names("127.0.0.1")
    with peer(answering(OK)) as server:
        metrics = acted(names, server.url.rpartition(":")[2], monkeypatch, times=2)
    assert metrics.requests == 2 * USERS
    assert metrics.failed_requests == 0
    assert names.asked == 1


def test_an_address_where_nobody_listens_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """As browsers do: many a server listens on one of the addresses of localhost only."""
    with peer(answering(OK)) as server:
        port = server.url.rpartition(":")[2]
        metrics = acted(Names("127.0.0.2", "127.0.0.1"), port, monkeypatch)
    assert metrics.failed_requests == 0
    assert server.connections == USERS


def test_a_failed_look_up_is_shared_and_then_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name server may be back the next time."""
    names = Names()
    metrics = acted(names, "80", monkeypatch, times=2)
    assert metrics.failed_requests == 2 * USERS
    assert names.asked == 2
