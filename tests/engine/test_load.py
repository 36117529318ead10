"""A share of a load test over real sockets."""

from __future__ import annotations

import socket
import threading
import time
from base64 import b64decode
from collections.abc import Sequence
from dataclasses import replace

import pytest

from pytest_loadtool.engine.load import LoadRunner
from pytest_loadtool.engine.observers import metrics_for
from pytest_loadtool.errors import ReplayError
from pytest_loadtool.load.cluster.share import Share
from pytest_loadtool.load.metrics.course import RunCourse
from pytest_loadtool.model.case import Page, Request, TestCase, Transaction, Variable
from pytest_loadtool.model.dataset import Dataset, DatasetUse
from pytest_loadtool.model.generator import Uuid
from pytest_loadtool.model.load import CaseShare, LoadConfiguration
from pytest_loadtool.replay import Plan, compile_case
from pytest_loadtool.replay.user.cookies import CookieJar
from tests.observed import run_load
from tests.replay.playbook import with_pages
from tests.transport.peer import Peer, Script, answering, peer, read_request, resetting, silent

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"


def counting(requests: list[bytes], answer: bytes = OK) -> Script:
    """Answer until the client goes, and note each request's line."""

    def script(connection) -> None:  # type: ignore[no-untyped-def]  # a Script
        while request := read_request(connection):
            requests.append(request.split(b"\r\n")[0])
            connection.sendall(answer)

    return script


def plan_for(server: Peer, *targets: str) -> Plan:
    transactions = tuple(Transaction(Request("GET", one)) for one in targets or ("/",))
    return compile_case(TestCase("case", (Page("page", transactions),), server.url))


def configuration(**changes: object) -> LoadConfiguration:
    defaults: dict[str, object] = {
        "name": "load",
        "cases": (CaseShare("case.case.toml"),),
        "users": 4,
        "duration": 0.5,
    }
    return LoadConfiguration(**{**defaults, **changes})  # type: ignore[arg-type]  # by name


def test_every_request_is_counted_once() -> None:
    """The metrics have exactly the requests that the server saw."""
    seen: list[bytes] = []
    with peer(counting(seen)) as server:
        once, course = configuration(iterations=3, duration=None), RunCourse()
        metrics = run_load(plan_for(server, "/a", "/b"), once, course=course)
    assert metrics.requests == len(seen) == 4 * 3 * 2
    assert metrics.failed_requests == 0
    a, b = metrics.transactions
    assert a.requests == seen.count(b"GET /a HTTP/1.1")
    assert b.requests == seen.count(b"GET /b HTTP/1.1")
    assert a.requests == b.requests  # every iteration was finished
    assert metrics.cut == 0
    assert sum(interval.requests for interval in course.stretches()) == metrics.requests


def test_each_iteration_has_connections_of_its_own() -> None:
    """Unless the configuration keeps them."""
    seen: list[bytes] = []
    with peer(counting(seen)) as server:
        metrics = run_load(plan_for(server), configuration(users=1))
        assert server.connections == metrics.requests
    with peer(counting(seen)) as server:
        run_load(plan_for(server), configuration(users=3, keep_connections=True))
        assert server.connections == 3


def test_a_share_runs_its_own_users() -> None:
    """Two shares together are the whole test."""
    with peer(counting([])) as server:
        plan = plan_for(server)
        parts = [run_load(plan, configuration(users=5, duration=0.2), Share(i, 2)) for i in (0, 1)]
    assert [one.peak_users for one in parts] == [3, 2]


def test_an_empty_share_is_done_at_once() -> None:
    """With more workers than users there is nothing to wait for."""
    with peer(counting([])) as server:
        metrics = run_load(plan_for(server), configuration(users=1, duration=3600.0), Share(1, 2))
    assert metrics.requests == 0


def test_ramp_up() -> None:
    """The last of four users starts when three quarters of the ramp are over, not before."""
    connected: list[float] = []
    answer = counting([])

    def script(connection) -> None:  # type: ignore[no-untyped-def]  # a Script
        connected.append(time.perf_counter())
        answer(connection)

    with peer(script) as server:
        ramp = configuration(iterations=1, duration=None, ramp_up=0.8)
        before = time.perf_counter()
        run_load(plan_for(server), ramp)
    assert len(connected) == 4
    assert max(connected) - before >= 0.6


def test_failures_do_not_stop_a_user() -> None:
    """Each is counted, with one entry for all that are equal and the first example."""
    with peer(
        answering(b"HTTP/1.1 500 Oops\r\nContent-Length: 4\r\nConnection: close\r\n\r\nboom")
    ) as server:
        metrics = run_load(plan_for(server), configuration(users=2))
    assert metrics.failed_requests == metrics.requests > 2
    [error] = metrics.errors
    assert error.message == "Status Code is 500, expected 200-399"
    assert error.example == "GET /: status 500, boom"
    assert error.count == metrics.requests


def test_network_failures_are_counted() -> None:
    """As requests with status 0 and their cause."""
    with peer(resetting()) as server:
        metrics = run_load(plan_for(server), configuration(users=1, duration=0.2))
    assert metrics.transactions[0].statuses[0] == metrics.requests > 0
    assert [one.cause for one in metrics.errors] == ["reset"]


def test_requests_cut_at_the_end_are_counted_apart() -> None:
    """What is still under way when the grace period ends is in no other number."""
    with peer(silent) as server:
        metrics = run_load(plan_for(server), configuration(users=3, duration=0.2, grace=0.2))
    assert (metrics.requests, metrics.cut, metrics.cut_iterations) == (0, 3, 3)


def test_time_out() -> None:
    """A request without an answer fails after the configured time, and the user goes on."""
    with peer(silent) as server:
        metrics = run_load(plan_for(server), configuration(users=1, duration=0.4, timeout=0.1))
    assert metrics.requests >= 1
    assert [one.cause for one in metrics.errors] == ["timeout"]


def test_stop_from_another_thread() -> None:
    """A run of an hour ends when it is told to."""
    answered = threading.Event()

    def script(connection: socket.socket) -> None:
        while read_request(connection):
            connection.sendall(OK)
            answered.set()

    with peer(script) as server:
        plan = plan_for(server)
        metrics = metrics_for([plan])
        runner = LoadRunner([plan], configuration(duration=3600.0), Share(), metrics)

        def stop() -> None:
            answered.wait(60)
            runner.stop()

        stopper = threading.Thread(target=stop)
        stopper.start()
        runner.run(time.time())
        stopper.join()
    assert answered.is_set()
    assert metrics.requests + metrics.cut > 0


def test_stop_before_the_start() -> None:
    """A run that was stopped before it began sends nothing."""
    seen: list[bytes] = []
    with peer(counting(seen)) as server:
        plan = plan_for(server)
        runner = LoadRunner([plan], configuration(duration=3600.0), Share(), metrics_for([plan]))
        runner.stop()
        runner.run(time.time() + 60)
    assert seen == []


def test_a_dataset_that_runs_out_ends_the_run() -> None:
    """In words, not in errors of the server."""
    with peer(counting([])) as server:
        case = TestCase(
            "case",
            (Page("page", (Transaction(Request("GET", "/${users.name}")),)),),
            server.url,
            datasets=(DatasetUse("users", "users.csv", reusable=False),),
        )
        plan = compile_case(case, datasets={"users": Dataset(("name",), (("a",), ("b",)))})
        with pytest.raises(ReplayError, match="no row left"):
            run_load(plan, configuration(users=2))


def test_a_mistake_of_our_own_ends_the_run() -> None:
    """It is raised at once, not at the end of an hour."""

    def render(_values: Sequence[str], _jar: CookieJar) -> bytes:
        raise ZeroDivisionError

    with peer(counting([])) as server:
        plan = plan_for(server)
        page = plan.pages[0]
        broken = replace(page, steps=(replace(page.steps[0], render=render),))
        with pytest.raises(ZeroDivisionError):
            run_load(with_pages(plan, broken), configuration(duration=3600.0))


def test_each_user_has_its_row() -> None:
    """Users of all shares take different rows."""
    seen: list[bytes] = []
    rows = tuple((f"user{i}",) for i in range(6))
    with peer(counting(seen)) as server:
        case = TestCase(
            "case",
            (Page("page", (Transaction(Request("GET", "/${users.name}")),)),),
            server.url,
            datasets=(DatasetUse("users", "users.csv", "virtual user", sharable=False),),
        )
        plan = compile_case(case, datasets={"users": Dataset(("name",), rows)})
        for index in (0, 1):
            run_load(plan, configuration(users=6, duration=0.2), Share(index, 2))
    assert {line.split()[1] for line in seen} == {f"/user{i}".encode() for i in range(6)}


def test_each_iteration_of_each_user_makes_up_its_own() -> None:
    """Every UUID is in the two requests of one iteration, and in no other."""
    seen: list[bytes] = []
    with peer(counting(seen)) as server:
        case = TestCase(
            "case",
            (Page("page", (get("/a/${id}"), get("/b/${tag|base64url}"))),),
            server.url,
            variables={
                "id": Variable("id", generate=Uuid()),
                "tag": Variable("tag", template="tag ${id}"),
            },
        )
        metrics = run_load(compile_case(case), configuration(users=8))
    made = [line.split()[1].decode() for line in seen if line.startswith(b"GET /a/")]
    used = [line.split()[1].decode() for line in seen if line.startswith(b"GET /b/")]
    assert len(made) == len(set(made)) == metrics.transactions[0].requests > 8
    tags = [b64decode(one[3:] + "==", altchars=b"-_").decode() for one in used]
    assert sorted(tags) == sorted(f"tag {one[3:]}" for one in made)


def get(target: str) -> Transaction:
    return Transaction(Request("GET", target))


def test_cases_of_one_name_are_told_apart() -> None:
    """The same test case twice in a load configuration has numbers of its own for each."""
    with peer(counting([])) as server:
        plan = plan_for(server)
        metrics = metrics_for([plan, plan])
        twice = configuration(cases=(CaseShare("a"), CaseShare("a")), duration=0.2)
        LoadRunner([plan, plan], twice, Share(), metrics).run(time.time())
    assert [one.case for one in metrics.transaction_keys] == ["case", "case (2)"]
    assert all(one.requests for one in metrics.transactions)
