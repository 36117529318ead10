"""The load models over real sockets: what the server saw is what was asked for, to the request."""

from __future__ import annotations

import socket
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from threading import Event
from typing import Any

import pytest

from pytest_loadtool.engine.load import LoadRunner, ensure_open_files
from pytest_loadtool.engine.observers import metrics_for
from pytest_loadtool.load.cluster.share import Share
from pytest_loadtool.load.metrics import reports
from pytest_loadtool.load.metrics.course import RunCourse
from pytest_loadtool.load.metrics.merged import MergedMetrics
from pytest_loadtool.load.metrics.metrics import LoadMetrics
from pytest_loadtool.model.bandwidth import Bandwidth
from pytest_loadtool.model.case import Page, Request, TestCase, Transaction
from pytest_loadtool.model.dataset import Dataset, DatasetUse
from pytest_loadtool.model.load import (
    CaseShare,
    Distribution,
    LoadConfiguration,
    Schedule,
    Stage,
    ThinkTime,
)
from pytest_loadtool.replay import Plan, compile_case
from tests.observed import measured
from tests.replay.playbook import with_pages
from tests.transport.peer import Peer, Script, peer, read_request

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
OOPS = b"HTTP/1.1 500 Oops\r\nContent-Length: 4\r\n\r\nboom"
HOUR = 3600.0
PACED = Distribution("constant", (0.2,))

pytestmark = pytest.mark.slow


def noting(requests: list[str], answer: Callable[[str], bytes | None] = lambda _: OK) -> Script:
    """Note each request's head and answer it; with None, say nothing until the client goes."""

    def script(connection) -> None:  # type: ignore[no-untyped-def]  # a Script
        while request := read_request(connection).decode():
            requests.append(request)
            said = answer(request)
            if said is None:
                connection.recv(1)
                return
            connection.sendall(said)

    return script


def targets(requests: Sequence[str]) -> Counter[str]:
    """How often each was asked for."""
    return Counter(request.split()[1] for request in requests)


def plan_for(server: Peer, *paths: str) -> Plan:
    transactions = tuple(Transaction(Request("GET", path)) for path in paths or ("/",))
    return compile_case(TestCase("case", (Page("page", transactions),), server.url))


def plan_with_rows(server: Peer, rows: int) -> Plan:
    """Each user asks for its own row."""
    case = TestCase(
        "case",
        (Page("page", (Transaction(Request("GET", "/${rows.name}")),)),),
        server.url,
        datasets=(DatasetUse("rows", "rows.csv", "virtual user", sharable=False),),
    )
    data = Dataset(("name",), tuple((f"user{number}",) for number in range(rows)))
    return compile_case(case, datasets={"rows": data})


def configuration(*stages: Stage, **changes: Any) -> LoadConfiguration:
    defaults: dict[str, Any] = {
        "name": "load",
        "cases": (CaseShare("case.case.toml"),),
        "users": max((stage.users or 0 for stage in stages), default=0) or 4,
        "duration": sum(stage.duration for stage in stages) or 0.5,
        "stages": stages,
    }
    return LoadConfiguration(**(defaults | changes))


def run(
    plans: Plan | Sequence[Plan],
    config: LoadConfiguration,
    share: Share | None = None,
    on_tick: Callable[[LoadMetrics], None] = lambda _: None,
) -> LoadMetrics:
    """Run a share; ``on_tick`` gets what the reports so far add up to."""
    all_plans = [plans] if isinstance(plans, Plan) else plans
    metrics = metrics_for(all_plans)
    heard = MergedMetrics.for_reports_of(metrics)

    def hear(report: bytes) -> None:
        heard.add_wire(reports.read(report))
        on_tick(heard)

    return measured(all_plans, config, share, hear, 0.1)


# The open model.


@pytest.mark.parametrize("workers", [1, 3])
def test_as_many_iterations_as_the_rate_says(workers: int) -> None:
    """50 per second for 2 s are 100, however many workers there are."""
    seen: list[str] = []
    shares = [Share(index, workers) for index in range(workers)]
    with peer(noting(seen)) as server:
        plan = plan_for(server)
        config = configuration(rate=50.0, duration=2.0, users=99)
        parts = [run(plan, config, share) for share in shares]
    whole = MergedMetrics.of(parts)
    assert len(seen) == whole.requests == whole.cases[0].durations.count == 100
    assert whole.dropped == whole.cut == whole.failed_requests == 0
    assert max(part.requests for part in parts) - min(part.requests for part in parts) <= 1


def test_arrivals_without_a_free_user_are_dropped() -> None:
    """With a server that never answers each user has one; what the server saw and what was dropped
    are all arrivals."""
    seen: list[str] = []
    with peer(noting(seen, lambda _: None)) as server:
        config = configuration(rate=20.0, duration=1.0, users=3, grace=0.0)
        metrics = run(plan_for(server), config)
    assert len(seen) == metrics.cut == metrics.cut_iterations == metrics.peak_users == 3
    assert metrics.dropped == 17
    assert metrics.requests == 0


def test_a_rate_that_rises_and_falls() -> None:
    """As many as the integral: here a trapeze of 20 and a triangle of 10."""
    seen: list[str] = []
    with peer(noting(seen)) as server:
        config = configuration(Stage(0.75, 0.5, rate=40.0), Stage(0.5, 0.5, rate=0.0), users=50)
        metrics = run(plan_for(server), config)
    assert len(seen) == metrics.requests == 30
    assert metrics.dropped == 0


def test_waiting_for_a_user_is_in_the_response_time() -> None:
    """With patience, arrivals wait for the only user while the server is stuck. They count from
    when they were due, although the server then answered each at once."""
    seen: list[str] = []
    stuck = Event()

    def answer(_request: str) -> bytes:
        if len(seen) == 1:
            stuck.wait(30)
        return OK

    def look(_now: LoadMetrics) -> None:
        ticks.append(None)
        if len(ticks) == 4:  # all have arrived by now: after 0.4 s at least
            stuck.set()

    ticks: list[None] = []
    with peer(noting(seen, answer)) as server:
        config = configuration(rate=50.0, duration=0.2, users=1, patience=HOUR)
        metrics = run(plan_for(server), config, on_tick=look)
    assert len(seen) == metrics.requests == 10
    assert metrics.dropped == 0
    times = metrics.transactions[0]
    assert times.response.min >= 200_000 - 2_000  # the last was due at 0.18 s, and waited
    assert times.service.percentile(50) < times.response.percentile(50)
    assert times.service.total < times.response.total


def test_patience_ends() -> None:
    """An arrival that has waited for too long is dropped, and one that is left at the end."""
    seen: list[str] = []
    with peer(noting(seen, lambda _: None)) as server:
        config = configuration(rate=50.0, duration=0.4, users=1, patience=0.1, grace=0.0)
        metrics = run(plan_for(server), config)
    assert (len(seen), metrics.dropped) == (1, 19)


def test_arrivals_are_dealt_to_cases_by_weight() -> None:
    """Exactly, in each share together; and no case has users of its own that others lack."""
    seen: list[str] = []
    with peer(noting(seen)) as server:
        plans = [plan_for(server, "/a"), plan_for(server, "/b")]
        cases = (CaseShare("a", 3), CaseShare("b", 1))
        config = configuration(rate=80.0, duration=0.5, users=50, cases=cases)
        parts = [run(plans, config, Share(index, 2)) for index in (0, 1)]
    assert targets(seen) == {"/a": 30, "/b": 10}
    assert MergedMetrics.of(parts).dropped == 0


def test_the_user_that_was_free_longest_is_next() -> None:
    """All take part, not only the first few."""
    seen: list[str] = []
    with peer(noting(seen)) as server:
        config = configuration(rate=40.0, duration=0.4, users=8, patience=HOUR)
        run(plan_with_rows(server, 8), config)
    assert len(seen) == 16
    assert set(targets(seen)) == {f"/user{number}" for number in range(8)}


# The closed model.


@pytest.mark.parametrize("duration", [None, HOUR])
def test_iterations_end_the_run(duration: float | None) -> None:
    """Each user has so many, and nobody waits for the duration to be over."""
    seen: list[str] = []
    with peer(noting(seen)) as server:
        config = configuration(users=5, iterations=4, duration=duration)
        parts = [run(plan_with_rows(server, 5), config, Share(index, 2)) for index in (0, 1)]
    assert targets(seen) == {f"/user{number}": 4 for number in range(5)}
    assert [part.requests for part in parts] == [12, 8]
    assert sum(part.cut_iterations for part in parts) == 0


def test_the_duration_ends_iterations() -> None:
    """Where both are given, whatever comes first."""
    with peer(noting([])) as server:
        config = configuration(users=1, iterations=10**9, duration=0.2)
        assert 0 < run(plan_for(server), config).requests < 10**9


def test_a_schedule_that_ends_early_is_cut_then() -> None:
    """Its users have the grace period after its own end, and no longer; those of another go on."""
    seen: list[str] = []
    slow = CaseShare("slow.case.toml", schedule=Schedule(2, 0.2))
    quick = CaseShare("quick.case.toml", schedule=Schedule(1, 1.0, pacing=PACED, start=0.4))
    with peer(noting(seen, lambda head: None if "/slow" in head else OK)) as server:
        plans = [plan_for(server, "/slow"), plan_for(server, "/quick")]
        config = LoadConfiguration("load", (slow, quick), 0, None, grace=0.1)
        users: list[int] = []
        metrics = run(plans, config, on_tick=lambda now: users.append(now.users))
    assert targets(seen) == {"/slow": 2, "/quick": 5}
    assert [one.cut for one in metrics.cases] == [2, 0]
    assert metrics.cut == 2
    assert users[-1] <= 1


def test_stages() -> None:
    """Users come and go: the first ones stay, those of the highest numbers go first."""
    seen: list[str] = []
    users: list[int] = []
    with peer(noting(seen)) as server:
        config = configuration(
            Stage(0.2, users=2), Stage(0.6, 0.3, users=6), Stage(1.6, 0.1, users=1)
        )
        plan = plan_with_rows(server, 6)
        metrics = run(plan, config, on_tick=lambda now: users.append(now.users))
    assert set(targets(seen)) == {f"/user{number}" for number in range(6)}
    assert metrics.peak_users == 6
    assert metrics.users == 0
    assert users.index(max(users)) < len(users) - 1 - users[::-1].index(1)  # one after the most
    last = [request.split()[1] for request in seen][-1]
    assert last == "/user0"


def test_a_user_that_has_stopped_starts_again() -> None:
    """A second wave consists of the users of the first; each has one iteration in each here."""
    seen: list[str] = []
    with peer(noting(seen)) as server:
        config = configuration(
            Stage(0.3, users=3), Stage(0.7, users=0), Stage(0.3, users=3), pacing=_constant(HOUR)
        )
        metrics = run(plan_with_rows(server, 3), config)
    assert targets(seen) == {f"/user{number}": 2 for number in range(3)}
    assert metrics.cut_iterations == 0


def _constant(seconds: float) -> Distribution:
    return Distribution("constant", (seconds,))


def test_pacing() -> None:
    """An iteration every so often: no more of them than fit, while without there are many."""
    with peer(noting([])) as server:
        paced = run(plan_for(server), configuration(users=2, duration=1.0, pacing=_constant(0.2)))
        unpaced = run(plan_for(server), configuration(users=2, duration=1.0))
    assert 2 < paced.requests <= 10 < unpaced.requests


def test_who_waits_for_its_pace_is_not_waited_for() -> None:
    """A user whose next iteration would begin after the end is done, and nothing of it is cut."""
    seen: list[str] = []
    with peer(noting(seen)) as server:
        config = configuration(users=3, duration=HOUR, pacing=_constant(2 * HOUR))
        metrics = run(plan_for(server), config)
    assert (len(seen), metrics.requests, metrics.cut_iterations) == (3, 3, 0)


def test_an_iteration_that_takes_longer_than_its_pace() -> None:
    """The next one begins at once, and its time counts from then."""
    with peer(noting([])) as server:
        config = configuration(users=1, duration=None, iterations=20, pacing=_constant(1e-6))
        metrics = run(plan_for(server), config)
    assert metrics.requests == 20


def test_a_pace_that_is_drawn() -> None:
    """Of a distribution, for each user and iteration anew."""
    with peer(noting([])) as server:
        pacing = Distribution("uniform", (0.001, 0.002))
        config = configuration(users=2, duration=None, iterations=10, pacing=pacing)
        assert run(plan_for(server), config).requests == 20


# Errors.


def failing_first(request: str) -> bytes:
    return OOPS if request.startswith("GET /first ") else OK


@pytest.mark.parametrize(
    ("on_error", "first", "second"),
    [("continue", 6, 6), ("stop iteration", 6, 0), ("stop user", 2, 0)],
)
def test_on_error(on_error: Any, first: int, second: int) -> None:
    """Go on with the next transaction; with the next iteration; or not at all."""
    seen: list[str] = []
    with peer(noting(seen, failing_first)) as server:
        plan = plan_for(server, "/first", "/second")
        config = configuration(users=2, iterations=3, duration=HOUR, on_error=on_error)
        metrics = run(plan, config)
    assert (targets(seen)["/first"], targets(seen)["/second"]) == (first, second)
    assert metrics.failed_requests == metrics.cases[0].failed == first
    assert metrics.cut_iterations == 0


def test_users_that_stopped_take_no_arrivals() -> None:
    """In the open model an error costs a user, and when none is left arrivals are dropped."""
    seen: list[str] = []
    with peer(noting(seen, lambda _: OOPS)) as server:
        config = configuration(users=2, rate=40.0, duration=0.5, on_error="stop user")
        metrics = run(plan_for(server), config)
    assert (len(seen), metrics.dropped) == (2, 18)


# The end, and what lasts from iteration to iteration.


@pytest.mark.parametrize("model", [{}, {"rate": 100.0}])
def test_without_grace_all_is_cut_at_once(model: dict[str, Any]) -> None:
    """What is under way when the time is up is in no number but its own."""
    with peer(noting([], lambda _: None)) as server:
        config = configuration(users=3, duration=0.2, grace=0.0, **model)
        metrics = run(plan_for(server), config)
    assert (metrics.requests, metrics.cut, metrics.cut_iterations) == (0, 3, 3)
    assert metrics.cases[0].durations.count == 0


@pytest.mark.parametrize("kept", [False, True])
def test_state_lasts_if_it_is_to(kept: bool) -> None:
    """The cookie of the first iteration is sent in the second one, or not."""
    seen: list[str] = []
    cookie = b"HTTP/1.1 200 OK\r\nSet-Cookie: id=7\r\nContent-Length: 0\r\n\r\n"
    with peer(noting(seen, lambda _: cookie)) as server:
        request = Request("GET", "/", headers=())
        case = TestCase("case", (Page("page", (Transaction(request),)),), server.url)
        run(compile_case(case), configuration(users=1, iterations=3, keep_state=kept))
    assert ["Cookie: id=7" in request for request in seen] == [False, kept, kept]


def test_each_of_many_users_times_out() -> None:
    """They are looked at in slices, and none is left out. The server is a queue of connections
    that nobody accepts."""
    users = 900
    ensure_open_files(users)
    with socket.create_server(("127.0.0.1", 0), backlog=2 * users) as listener:
        server = Peer(f"http://127.0.0.1:{listener.getsockname()[1]}")
        config = configuration(users=users, iterations=1, duration=None, timeout=0.5)
        metrics = run(plan_for(server), config)
    assert metrics.failed_requests == metrics.requests == users
    # Without a response or, where the queue is shorter, without a connection.
    assert {error.cause for error in metrics.errors} == {"timeout"}
    assert metrics.transactions[0].response.min >= 500_000


def test_reports_add_up() -> None:
    """They are made in pieces while requests are recorded; with the last one, after the end, they
    have as many times as there were requests. The runner itself knows what it has reported."""
    with peer(noting([])) as server:
        plans = [plan_for(server, *(f"/{number}" for number in range(30)))]
        metrics = metrics_for(plans)
        runner = LoadRunner(plans, configuration(users=2, duration=0.5), Share(), metrics)
        runner.reporter.course = RunCourse()
        made: list[bytes] = []
        runner.run(time.time(), made.append, 0.1)
    made.append(runner.report())
    heard = MergedMetrics.for_reports_of(metrics)
    for report in made:
        heard.add_wire(reports.read(report))
    assert len([report for report in made if reports.read(report)["slices"]]) >= 2
    assert reports.to_wire(heard) == reports.to_wire(runner.reporter.reported)
    assert heard.total().service.count == heard.requests == metrics.requests


# Both.


@pytest.mark.parametrize("model", [{"iterations": 3}, {"rate": 10.0, "duration": 1.15}])
def test_think_times_do_not_depend_on_the_workers(model: dict[str, Any]) -> None:
    """Each user draws its own, in each of its iterations: with three workers as with one."""
    drawn = ThinkTime(drawn=Distribution("uniform", (0.0, 0.001)))
    pages = tuple(Page(name, (Transaction(Request("GET", "/")),)) for name in ("one", "two"))
    config = configuration(users=12, duration=30.0, think_time=drawn)
    config = replace(config, **model)

    def thought(url: str, workers: int) -> dict[tuple[int, int], float]:
        """What each user has thought in each iteration, in a run over so many workers."""
        plan = compile_case(TestCase("case", pages, url), think_time=drawn)
        pause, found = plan.pages[0].pause, {}
        assert pause is not None

        def noted(user: int, iteration: int) -> float:
            assert (user, iteration) not in found
            found[user, iteration] = seconds = pause(user, iteration)
            return seconds

        plan = with_pages(plan, replace(plan.pages[0], pause=noted), plan.pages[1])
        for index in range(workers):
            run(plan, config, Share(index, workers))
        return found

    with peer(noting([])) as server:
        alone, together = thought(server.url, 1), thought(server.url, 3)
    assert len(alone) == len(together) == (36 if "iterations" in model else 12)
    assert len(set(alone.values())) == len(alone)
    assert together == alone


@pytest.mark.parametrize("model", [{"iterations": 2}, {"rate": 2.0, "duration": 0.9}])
def test_each_user_has_its_line(model: dict[str, Any]) -> None:
    """50,000 bytes at 2 Mbit/s take 0.2 s, a new connection and a request 0.05 s each."""
    body = b"HTTP/1.1 200 OK\r\nContent-Length: 50000\r\n\r\n" + b"x" * 50_000
    line = Bandwidth(2_000_000, 1_000_000, 0.05)
    config = replace(configuration(users=2, duration=30.0, bandwidth=line), **model)
    with peer(noting([], lambda _: body)) as server:
        metrics = run(plan_for(server), config)
    assert metrics.requests == (4 if "iterations" in model else 2)
    assert metrics.failed_requests == 0
    assert metrics.connect.count == metrics.requests
    assert metrics.connect.min >= 45_000  # timers may go off somewhat early
    assert metrics.transactions[0].service.min >= 240_000
    assert metrics.transactions[0].response.min >= 285_000
