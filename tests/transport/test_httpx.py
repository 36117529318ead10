"""What drivers need of an httpx session besides its exchanges, which tests/conformance has."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Generator
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter

import pytest

from pytest_loadtool.model.case import Page, Request, TestCase, Transaction
from pytest_loadtool.model.result import Failure
from pytest_loadtool.model.tls import TlsSettings
from pytest_loadtool.replay import Plan, compile_case
from pytest_loadtool.replay.user.exchange import Response, Send
from pytest_loadtool.replay.user.plan import Command, Over, Wait
from pytest_loadtool.transport.connections.network import new_event_loop
from pytest_loadtool.transport.connections.session import Done, Session
from pytest_loadtool.transport.httpx.network import HttpxNetwork, HttpxSession
from pytest_loadtool.transport.proxy.proxy_login import Introduce, nobody
from pytest_loadtool.transport.wire.failures import CLOSED_AS_SENT
from tests.conformance.answers import Answer, Wire, reply
from tests.conformance.server import http2_only, serving
from tests.plugin.loading import wait_until

Acts = Generator[Command, Response | None, None]


@dataclass
class Told:
    """An observer of the network that remembers."""

    connections: list[tuple[float, float | None]] = field(default_factory=list)
    retries: int = 0
    late: list[float] = field(default_factory=list)

    def woke_late(self, seconds: float) -> None:
        self.late.append(seconds)

    def opened(self, connecting: float, handshake: float | None) -> None:
        self.connections.append((connecting, handshake))

    def retried(self) -> None:
        self.retries += 1

    def challenged(self, seconds: float) -> None: ...


class Stopping(HttpxNetwork):
    """Stops its users at the end, as drivers do."""

    def __init__(self, observer: Told) -> None:
        super().__init__(asyncio.get_running_loop(), observer)
        self._users: list[Session] = []

    def session(self, done: Done, introduce: Introduce = nobody) -> HttpxSession:
        session = super().session(done, introduce)
        self._users.append(session)
        return session

    async def close(self) -> None:
        for one in self._users:
            one.stop()
        await super().close()


def drive(work: Callable[[HttpxNetwork], Awaitable[object]]) -> Told:
    """Do ``work`` with a network on an event loop of the kind that users have."""
    told = Told()

    async def main() -> None:
        network = Stopping(told)
        try:
            await asyncio.wait_for(work(network), 60)
        finally:
            await network.close()

    loop = new_event_loop()
    try:
        loop.run_until_complete(main())
    finally:
        loop.close()
    return told


async def act(network: HttpxNetwork, *iterations: Acts) -> Session:
    """One user acts the iterations out, and keeps its connections."""
    ended: asyncio.Future[BaseException | None]

    def done(error: BaseException | None, _failed: bool) -> None:
        ended.set_result(error)

    session = network.session(done)
    for one in iterations:
        ended = asyncio.get_running_loop().create_future()
        session.run(one)
        error = await ended
        if error is not None:
            raise error
    return session


def plan_for(url: str, count: int = 1, method: str = "GET") -> Plan:
    pages = (Page("p", tuple(Transaction(Request(method, f"/{n}")) for n in range(count))),)
    return compile_case(TestCase("c", pages, url, tls=TlsSettings(verify=False)))


def sends(plan: Plan) -> tuple[Send, ...]:
    """All requests of the plan, to go out at once."""
    now = perf_counter()
    return tuple(
        Send(step, step.position, b"GET /%d HTTP/1.1\r\nHost: h\r\n\r\n" % step.index, now)
        for step in plan.steps
    )


def one_by_one(plan: Plan) -> Acts:
    for send in sends(plan):
        response = yield (send,)
        assert response is not None
        assert response.failure is None, response.failure
    yield Over(False)


def at_once(plan: Plan) -> Acts:
    commands: tuple[Send, ...] = sends(plan)
    for _ in plan.steps:
        response = yield commands
        commands = ()
        assert response is not None
        assert response.failure is None, response.failure
    yield Over(False)


def test_connections_are_told() -> None:
    """One that is used again is told once; over TLS with its handshake."""
    with serving([reply("hi")]) as server:
        told = drive(lambda network: act(network, one_by_one(plan_for(server.url, 3))))
    [(connecting, handshake)] = told.connections
    assert connecting > 0
    assert handshake is None
    assert told.retries == 0


def test_handshakes_are_told() -> None:
    """And requests at once share the one connection of HTTP/2."""
    with serving([reply("hi")], tls=http2_only(), http2=True) as server:
        told = drive(lambda network: act(network, at_once(plan_for(server.url, 6))))
    [(connecting, handshake)] = told.connections
    assert connecting > 0
    assert handshake is not None
    assert handshake > 0


def test_retries_are_told() -> None:
    """A request that met a connection closed while idle."""
    script: list[Answer] = [reply("hi"), Wire(b"", "close"), reply("hi")]
    with serving(script) as server:
        told = drive(lambda network: act(network, one_by_one(plan_for(server.url, 2))))
    assert told.retries == 1
    assert len(told.connections) == 2


def test_what_would_do_it_twice_is_not_sent_again() -> None:
    """A POST that met such a connection is a failure: the server may have acted upon it."""
    script: list[Answer] = [reply("hi"), Wire(b"", "close"), reply("hi")]
    failures: list[Failure | None] = []

    def talk(plan: Plan) -> Acts:
        for send in sends(plan):
            response = yield (send,)
            assert response is not None
            failures.append(response.failure)
        yield Over(False)

    with serving(script) as server:
        told = drive(lambda network: act(network, talk(plan_for(server.url, 3, "POST"))))
    assert failures == [None, CLOSED_AS_SENT, None]
    assert told.retries == 0


def test_connections_last_until_they_are_closed() -> None:
    """From iteration to iteration, and no longer than the driver wants."""

    async def work(network: HttpxNetwork) -> None:
        plan = plan_for(server.url)
        session = await act(network, one_by_one(plan), one_by_one(plan))
        assert server.connections == 1
        session.close_connections()
        await act(network, one_by_one(plan))
        assert server.connections == 2

    with serving([reply("hi")]) as server:
        drive(work)


def test_each_user_has_connections_of_its_own() -> None:
    """What one has opened is of no use to another."""

    async def work(network: HttpxNetwork) -> None:
        await act(network, one_by_one(plan_for(server.url, 2)))
        await act(network, one_by_one(plan_for(server.url, 2)))

    with serving([reply("hi")]) as server:
        drive(work)
        assert server.connections == 2


def test_a_stop_cuts_what_is_under_way_and_counts_it() -> None:
    """Nothing is reported any more, neither then nor later."""
    heard: list[object] = []

    async def work(network: HttpxNetwork) -> None:
        session = network.session(lambda *end: heard.append(end))
        session.run(at_once(plan_for(server.url, 3)))
        await asyncio.to_thread(wait_until, lambda: len(server.seen) == 3)
        assert session.stop() == 3
        assert session.stop() == 0
        session.check_timeout(perf_counter() + 100, 1)

    with serving([Wire(b"", "wait")]) as server:
        drive(work)
    assert heard == []


def test_a_stop_ends_a_wait() -> None:
    """And cuts no request: none was under way."""
    heard: list[object] = []

    def waits() -> Acts:
        yield Wait(perf_counter() + 3600)
        yield Over(False)

    async def work(network: HttpxNetwork) -> None:
        session = network.session(lambda *end: heard.append(end))
        session.run(waits())
        assert session.stop() == 0

    told = drive(work)
    assert heard == []
    assert told.late == []


def test_waits_say_how_late_they_ended() -> None:
    """That is how a generator that cannot keep up is found out."""

    def waits() -> Acts:
        yield Wait(perf_counter() - 1.5)
        yield Over(False)

    told = drive(lambda network: act(network, waits()))
    assert told.late[0] >= 1.5


@pytest.mark.parametrize("name", ["HTTP_PROXY", "http_proxy", "ALL_PROXY"])
def test_the_environment_is_left_alone(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its proxies and its .netrc are for others: the request goes to the server, as rendered."""
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login ann password secret\n")
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
    monkeypatch.setenv(name, "http://127.0.0.1:9")
    for exception in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(exception, raising=False)
    with serving([reply("hi")]) as server:
        drive(lambda network: act(network, one_by_one(plan_for(server.url))))
        assert [one.data for one in server.seen] == [b"GET /0 HTTP/1.1\r\nHost: h\r\n\r\n"]


def test_a_mistake_of_our_own_is_not_swallowed() -> None:
    """An exception while a response is handled reaches the driver."""

    def mistaken() -> Acts:
        yield sends(plan_for(server.url))
        raise ZeroDivisionError

    with serving([reply("hi")]) as server, pytest.raises(ZeroDivisionError):
        drive(lambda network: act(network, mistaken()))
