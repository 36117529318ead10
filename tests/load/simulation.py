"""A load test that never ran: metrics such as two workers would bring home, the same each time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from itertools import islice
from random import Random
from typing import Any

from pytest_loadtool.casefile.load.thresholds import parse_threshold
from pytest_loadtool.diagnosis.load.diagnose import diagnose_load
from pytest_loadtool.diagnosis.load.situation import KnownCase, LoadSituation
from pytest_loadtool.diagnosis.outcome import Evidence
from pytest_loadtool.load import (
    LoadMetrics,
    Merger,
    PageKey,
    Progress,
    ProgressTracker,
    RunResult,
    Share,
    Summary,
    ThresholdWatch,
    TransactionKey,
    summarise,
    verdict,
)
from pytest_loadtool.load.metrics import reports
from pytest_loadtool.load.metrics.course import RunCourse
from pytest_loadtool.load.metrics.firsts import FailureGroup
from pytest_loadtool.load.pacing.schedule import describe
from pytest_loadtool.load.verdict.saved import ALL, SavedRun
from pytest_loadtool.model.case import Page, Request, TestCase, Transaction
from pytest_loadtool.model.load import CaseShare, LoadConfiguration
from pytest_loadtool.model.result import Failure
from pytest_loadtool.report.load.firsts import Told
from pytest_loadtool.report.load.json import RunEnvironment

ENVIRONMENT = RunEnvironment(
    target="http://127.0.0.1",
    version="1.2.3",
    build="compiled",
    python="CPython 3.11.7",
    system="Linux",
    machine="x86_64",
    processors=2,
    made_by="2 workers",
)
ADMIN, API = "Edit a user in the admin", "Orders API"
STARTED = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
CONFIGURATION = LoadConfiguration(
    name="Admin and API",
    cases=(CaseShare("admin.case.toml", 3), CaseShare("api.case.toml")),
    users=20,
    duration=10.0,
    ramp_up=2.0,
    max_error_rate=0.01,
    thresholds=tuple(
        map(
            parse_threshold,
            (
                'p95 of "GET /admin/auth/user/" < 100 ms',
                "throughput > 400/s",
                "p99 > 2 s for 5 s: stop",
            ),
        )
    ),
)

#: Case, page, transaction, usual status, typical milliseconds, bytes.
STEPS: Sequence[tuple[str, str, str, int, float, int]] = (
    (ADMIN, "Log in | Django site admin", "GET /admin/login/", 200, 6.2, 4_301),
    (ADMIN, "Log in | Django site admin", "GET /static/admin/css/base.css", 200, 1.1, 21_207),
    (ADMIN, "Site administration | Django site admin", "log in", 302, 148.0, 902),
    (ADMIN, "Site administration | Django site admin", "GET /admin/", 200, 9.7, 6_620),
    (ADMIN, "Change user | Django site admin", "GET /admin/auth/user/1/change/", 200, 31.0, 33_018),
    (ADMIN, "Select user to change", "POST /admin/auth/user/1/change/", 302, 24.5, 611),
    (ADMIN, "Select user to change", "GET /admin/auth/user/", 200, 17.3, 11_950),
    (API, "GET /api/orders", "get a token", 200, 88.0, 318),
    (API, "GET /api/orders", "GET /api/orders", 200, 4.0, 2_811),
    (API, "GET /api/orders", "GET /api/orders/${id}", 200, 2.6, 940),
)


#: Where requests fail, when they are to.
FRAGILE = {"POST /admin/auth/user/1/change/", "GET /api/orders/${id}"}


def empty() -> LoadMetrics:
    """Metrics for `STEPS` with nothing in them."""
    return LoadMetrics(
        [TransactionKey(case, page, name) for case, page, name, *_ in STEPS],
        list(dict.fromkeys(PageKey(case, page) for case, page, *_ in STEPS)),
        [ADMIN, API],
    )


def one_worker(seed: int, failing: int = 0) -> LoadMetrics:
    """What one of two workers measures in ten seconds.

    ``failing`` in a thousand of the `FRAGILE` requests fail; then some others are not as recorded.
    """
    *_, metrics = seconds_of(seed, failing)
    return metrics


def seconds_of(seed: int, failing: int = 0) -> Iterator[LoadMetrics]:
    """Likewise: the same metrics at the begin of each second, and last when all users are done."""
    metrics, random = empty(), Random(seed)
    for second in range(10):
        metrics.begin_second(second)
        metrics.elapsed_us = second * 1_000_000
        metrics.set_users(min(10, 5 * (second + 1)))
        yield metrics
        for _ in range(30):
            _iteration(metrics, random, ADMIN, failing)
        for _ in range(11):
            _iteration(metrics, random, API, failing)
        for number in range(41):
            metrics.record_connection(180 + 9 * number, None)
        for _ in range(40):
            metrics.record_lag(int(40 / (1 - random.random()) ** 0.5))
            metrics.record_lateness(int(90 / (1 - random.random()) ** 0.5))
    metrics.begin_second(10)
    metrics.set_users(0)
    metrics.elapsed_us, metrics.cpu_us = 10_180_000 + seed * 1000, 2_610_000
    yield metrics


def add_report(course: RunCourse, report: Mapping[str, Any]) -> None:
    """Add the report of a worker, as `reports.read` gives it and who merges does."""
    course.add_beats(report)
    for slices in report["slices"]:
        course.add_slices(slices.unpacked())


@cache
def progress_of(failing: int = 0, seconds: int = 4) -> Progress:
    """What is to be seen of two workers after so many seconds, when somebody looks each second."""
    watch, lookout, seen = ThresholdWatch(CONFIGURATION.thresholds), ProgressTracker(), Progress()
    # Two are looked at, and two the same report: what is reported is forgotten.
    workers = zip(*(seconds_of(seed, failing) for seed in (1, 2, 1, 2)), strict=True)
    reporters: list[reports.Reporter] = []
    course = RunCourse()
    for *parts, one, other in islice(workers, seconds + 1):
        reporters = reporters or [reports.Reporter(one), reports.Reporter(other)]
        for reporter in reporters:
            add_report(course, reports.read(b"".join(reporter.report())))
        watch.update(parts)
        seen = lookout.update([(part, True) for part in parts], watch.states(), course)
    return seen


def _iteration(metrics: LoadMetrics, random: Random, case: str, failing: int) -> None:
    pages: dict[PageKey, list[tuple[int, bool]]] = {}
    first: FailureGroup | None = None
    rows = [("users", metrics.requests % 7)]
    for index, (owner, page, name, status, typical, size) in enumerate(STEPS):
        if owner != case:
            continue
        service = int(typical * 700 / (1 - random.random()) ** 0.35)
        failures: tuple[Failure, ...] = ()
        if name in FRAGILE and random.randrange(1000) < failing:
            failures, status, size = _trouble(random)
        received = f"{status} {name}\n<h1>Server Error (500)</h1>" if status else "nothing"
        response = service + int(60 / (1 - random.random()) ** 0.5)
        metrics.record(
            index,
            status,
            service,
            response,
            int(service * 0.9) if status else -1,
            size,
            640,
            failures,
            received,
        )
        if failures:
            metrics.firsts.failed(index, metrics.second, service, response)
            if first is None:
                first = metrics.firsts.group(index, status, failures, metrics.second)
                first.add(metrics.second, 10 * service, rows)
            else:
                first.consequences += 1
        elif failing:
            metrics.firsts.passed(index, 5 * service, rows)
        if failing and name == "GET /api/orders" and not metrics.transactions[index].requests % 50:
            metrics.record_not_as_recorded(index, 'an empty list: "orders"')
        pages.setdefault(PageKey(case, page), []).append((service, bool(failures)))
    for key, parts in pages.items():
        duration, failed = sum(took for took, _ in parts), any(failed for _, failed in parts)
        metrics.record_page(metrics.page_keys.index(key), duration, failed)
    everything = [part for parts in pages.values() for part in parts]
    metrics.record_iteration(
        metrics.case_keys.index(case),
        sum(took for took, _ in everything) + 4_200_000,
        any(failed for _, failed in everything),
    )


def _trouble(random: Random) -> tuple[tuple[Failure, ...], int, int]:
    if random.random() < 0.2:
        return (Failure("timeout", "no answer within 60 s"),), 0, 0
    return (
        (
            Failure("status", "status 500, expected 200-399"),
            Failure("text", "search text 'Welcome' not found"),
        ),
        500,
        1_480,
    )


@cache
def two_workers(failing: int = 0, lose: bool = False) -> RunResult:
    """A run over two workers, the second of which is lost at the end if ``lose``."""
    merger = Merger(["gw0", "gw1"])
    for index, worker in enumerate(("gw0", "gw1")):
        merger.started(worker, Share(index, 2))
    _report(merger, "gw0", 1, failing)
    if lose:
        merger.lost("gw1")
    else:
        _report(merger, "gw1", 2, failing)
    return merger.result()


def _report(merger: Merger, worker: str, seed: int, failing: int) -> None:
    """Let a worker say each second what it measured, and all of it in the end."""
    reporter: reports.Reporter | None = None
    for metrics in seconds_of(seed, failing):
        reporter = reporter or reports.Reporter(metrics)
        merger.receive(worker, "snapshot", b"".join(reporter.report()))
    merger.receive(worker, "final")


def summary(failing: int = 0, lose: bool = False, baseline: Sequence[SavedRun] = ()) -> Summary:
    """The summary of `two_workers` under `CONFIGURATION`."""
    result = two_workers(failing, lose)
    thresholds = ThresholdWatch(CONFIGURATION.thresholds).results(result.metrics)
    found = verdict(result.metrics, CONFIGURATION, result.workers, thresholds=thresholds)
    return summarise(
        result.metrics,
        CONFIGURATION,
        result.workers,
        found,
        started=STARTED,
        course=result.course,
        thresholds=thresholds,
        baseline=baseline,
    )


def told(found: Summary) -> Told:
    """Why its iterations failed, with a file for each group."""
    cases = [KnownCase(_case(name), f"{file}.case.toml", Evidence()) for name, file in _FILES]
    diagnosis = diagnose_load(LoadSituation(found, cases, "rush.load.toml"))
    files: dict[object, str] = {
        one.key: f"rush.failures/{n}.har" for n, one in enumerate(found.failing.groups, 1)
    }
    return Told(diagnosis, files, [one.path for one in cases])


_FILES = ((ADMIN, "admin"), (API, "api"))


def _case(case: str) -> TestCase:
    """The test case, as far as the diagnosis reads it."""
    steps = [one for one in STEPS if one[0] == case]
    pages = [
        Page(
            title,
            tuple(
                Transaction(Request(*_request(one[2])), name=one[2], line=10 * number)
                for number, one in enumerate(steps, 1)
                if one[1] == title
            ),
        )
        for title in dict.fromkeys(one[1] for one in steps)
    ]
    return TestCase(case, pages=tuple(pages))


def _request(name: str) -> tuple[str, str]:
    method, _, target = name.partition(" ")
    return (method, target) if target.startswith("/") else ("POST", "/")


def earlier() -> SavedRun:
    """A run three days before, without errors; one transaction had another name."""
    load, started = describe(CONFIGURATION), "2026-03-01T05:06:07+00:00"
    before = two_workers()
    came = before.course.stretches()
    run = SavedRun.of("Admin and API", load, started, "passed", before.metrics, came)
    renamed = {key: one for key, one in run.requests.items() if key[2] != "log in"}
    renamed[ADMIN, "Site administration | Django site admin", "sign in"] = run.requests[ALL]
    return replace(run, requests=renamed)
