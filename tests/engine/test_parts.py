"""Pages that a virtual user does once: its start before the first iteration, its end after the
last."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from pytest_loadtool.load.metrics.metrics import LoadMetrics
from pytest_loadtool.model.case import Once, Page, Request, TestCase, Transaction, Variable
from pytest_loadtool.model.dataset import Dataset, DatasetUse
from pytest_loadtool.model.generator import Uuid
from pytest_loadtool.model.load import LoadConfiguration
from pytest_loadtool.replay import Plan, compile_case
from tests.engine.test_load import configuration
from tests.observed import run_load
from tests.transport.peer import Peer, Script, peer, read_request

LOGIN = b"HTTP/1.1 200 OK\r\nSet-Cookie: session=%d\r\nContent-Length: 2\r\n\r\nhi"
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
DOWN = b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n"


def page(target: str, once: Once | None = None) -> Page:
    return Page(target, (Transaction(Request("GET", target)),), once=once)


def plan_for(server: Peer, *pages: Page, **more: object) -> Plan:
    datasets = more.pop("rows", {})
    case = TestCase("case", pages, server.url, **more)  # type: ignore[arg-type]  # passed on
    return compile_case(case, datasets=datasets)  # type: ignore[arg-type]  # as is


class Log:
    """A server with sessions, and what was asked of it: target and session, in order."""

    def __init__(self, refused: int = 0) -> None:
        self.asked: list[tuple[str, str]] = []
        self._refused = refused
        self._logins = 0

    def script(self, connection) -> None:  # type: ignore[no-untyped-def]  # a Script
        while request := read_request(connection):
            target = request.split(b" ")[1].decode()
            cookie = request.partition(b"Cookie: session=")[2].partition(b"\r\n")[0].decode()
            self.asked.append((target, cookie))
            answer = OK
            if target.startswith("/login"):
                self._logins += 1
                answer = DOWN if self._logins <= self._refused else LOGIN % self._logins
            connection.sendall(answer)

    @property
    def counts(self) -> Counter[str]:
        return Counter(target for target, _ in self.asked)


def run(log: Log, setting: LoadConfiguration, *pages: Page, **more: object) -> LoadMetrics:
    script: Script = log.script
    with peer(script) as server:
        return run_load(plan_for(server, *pages, **more), setting)


LIFE = (page("/login", "start"), page("/work"), page("/logout", "end"))
ITERATIONS = configuration(iterations=3, duration=None)


@pytest.mark.parametrize("keep_state", [False, True])
def test_once_for_each_user(keep_state: bool) -> None:
    """A user logs in once, works in one session, and logs out of it."""
    log = Log()
    metrics = run(log, replace(ITERATIONS, keep_state=keep_state), *LIFE)
    assert log.counts == {"/login": 4, "/work": 12, "/logout": 4}
    assert Counter(session for _, session in log.asked if session) == {
        str(user): 4 for user in range(1, 5)
    }
    assert metrics.cases[0].durations.count == 12
    assert metrics.cut_iterations == 0


def test_time_is_up() -> None:
    """Who has no more time for an iteration still logs out."""
    log = Log()
    run(log, configuration(users=2, duration=0.3), *LIFE)
    assert log.counts["/login"] == log.counts["/logout"] == 2
    assert log.asked[-1][0] == "/logout"


def test_users_of_arrivals() -> None:
    """Where iterations arrive, users that had one log out when the last has gone. There is a user
    for each arrival, so that none is left out where the machine is slow."""
    log = Log()
    run(log, configuration(users=10, rate=20.0, duration=0.5), *LIFE)
    counts = log.counts
    assert counts["/work"] == 10
    assert 1 <= counts["/login"] == counts["/logout"] <= 10


def test_a_start_that_fails() -> None:
    """It is tried again with the next iteration; without it nothing is done."""
    log = Log(refused=2)
    stopping = configuration(users=1, iterations=4, duration=None, on_error="stop iteration")
    metrics = run(log, stopping, *LIFE)
    assert log.counts == {"/login": 3, "/work": 2, "/logout": 1}
    assert metrics.cases[0].failed == 2


def test_who_could_not_start_does_not_end() -> None:
    """There is nothing to log out of."""
    log = Log(refused=9)
    run(log, configuration(users=2, iterations=5, duration=None, on_error="stop user"), *LIFE)
    assert log.counts == {"/login": 2}


def test_only_an_end() -> None:
    """Without a start each iteration begins with fresh cookies, and the last one is ended."""
    log = Log()
    run(log, ITERATIONS, page("/login"), page("/logout", "end"))
    assert log.counts == {"/login": 12, "/logout": 4}
    assert all(session for target, session in log.asked if target == "/logout")


def test_rows_and_values_of_the_start_last() -> None:
    """Who a user is lasts as long as it does; what only its iterations use is new in each."""
    log = Log()
    rows = {
        "users": Dataset(("name",), (("ann",), ("bo",), ("cy",), ("di",))),
        "goods": Dataset(("name",), tuple((str(one),) for one in range(12))),
    }
    run(
        log,
        replace(ITERATIONS, iterations=3),
        page("/login?${users.name}&${device}", "start"),
        page("/work?${users.name}&${device}&${goods.name}&${once}"),
        rows=rows,
        datasets=tuple(DatasetUse(one, f"{one}.csv", lifespan="test case") for one in rows),
        variables={one: Variable(one, generate=Uuid()) for one in ("device", "once")},
    )
    work = [target.partition("?")[2].split("&") for target, _ in log.asked if "work" in target]
    assert len({tuple(one[:2]) for one in work}) == 4  # a name and a device for each user
    assert len({one[2] for one in work}) == len({one[3] for one in work}) == 12
