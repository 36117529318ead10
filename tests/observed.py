"""A replay, and what its virtual user told; a load test, and what was counted."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pytest_loadtool.diagnosis.outcome import Evidence, StepOutcome
from pytest_loadtool.engine.functional import replay_once
from pytest_loadtool.engine.load import LoadRunner
from pytest_loadtool.engine.observers import metrics_for
from pytest_loadtool.load import LoadMetrics, Share
from pytest_loadtool.load.metrics.course import RunCourse
from pytest_loadtool.model.case import Page, Request, TestCase, Transaction
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.load import BODY_LIMIT, LoadConfiguration, ThinkTime
from pytest_loadtool.model.result import Failure
from pytest_loadtool.recording.filter.domains import with_recorded_hosts
from pytest_loadtool.replay import PagePlan, Plan, Response, Step, compile_case
from pytest_loadtool.report.failure import explain

__all__ = ["Observed", "explained", "measured", "replay", "run_load"]


@dataclass
class Observed:
    """An observer that keeps what became of each transaction, in the order they ended."""

    responses: list[Response] = field(default_factory=list)
    failures: list[tuple[Failure, ...]] = field(default_factory=list)
    outcomes: list[StepOutcome] = field(default_factory=list)
    challenges: list[Response] = field(default_factory=list)

    def transaction(self, step: Step, response: Response, failures: tuple[Failure, ...]) -> None:
        self.responses.append(response)
        self.failures.append(failures)
        self.outcomes.append(
            StepOutcome(
                step.index,
                step.page_title,
                str(step.origin),
                step.transaction,
                response,
                failures,
                response.not_as_recorded,
            )
        )

    def negotiation(self, step: Step, response: Response) -> None:
        self.challenges.append(response)

    def page(self, page: PagePlan, started: float, finished: float, failed: bool) -> None: ...

    def iteration(self, started: float, finished: float, failed: bool) -> None: ...


def replay(
    server: str,
    *transactions: Transaction | str,
    timeout: float = 60.0,
    body_limit: int = BODY_LIMIT,
    **settings: Any,
) -> Observed:
    """Replay one page once, by one user; a text is the target of a GET. ``settings`` are those of
    the test case."""
    observed = Observed()
    page = Page(
        "p",
        tuple(
            Transaction(Request("GET", one)) if isinstance(one, str) else one
            for one in transactions
        ),
    )
    case = with_recorded_hosts(TestCase("c", (page,), server, **settings))
    replay_once(compile_case(case), observer=observed, timeout=timeout, body_limit=body_limit)
    return observed


def explained(case: TestCase, exchanges: Sequence[Exchange], server: str) -> str:
    """Replay a test case once, without think times; the text of the failure, empty if it passes."""
    observed = Observed()
    plan = compile_case(case, server=server, think_time=ThinkTime(scale=0.0))
    replay_once(plan, observer=observed)
    if not any(observed.failures):
        return ""
    evidence = Evidence(exchanges)
    return explain(case, observed.outcomes, path="recorded.case.toml", evidence=evidence)


def run_load(
    plan: Plan,
    configuration: LoadConfiguration,
    share: Share | None = None,
    course: RunCourse | None = None,
) -> LoadMetrics:
    """Load-test one plan, or a share of that, from now on."""
    return measured([plan], configuration, share, course=course)


def measured(
    plans: Sequence[Plan],
    configuration: LoadConfiguration,
    share: Share | None = None,
    *hear: Any,
    course: RunCourse | None = None,
) -> LoadMetrics:
    """Return all that a share of these, from now on, has reported: it forgets that itself.
    ``course`` is told what was measured when."""
    runner = LoadRunner(plans, configuration, share or Share(), metrics_for(plans))
    runner.reporter.course = course or RunCourse()
    runner.run(time.time(), *hear)
    runner.report()
    return runner.reporter.reported
