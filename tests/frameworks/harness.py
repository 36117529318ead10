"""Record a session, configure it, replay it against a server with fresh state and secrets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from pytest_loadtool.casefile import format_case, package_rules, parse_case
from pytest_loadtool.correlation import Configuration, configure
from pytest_loadtool.correlation.writing.revert import taken_back
from pytest_loadtool.engine.functional import replay_once
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.load import CaseShare, LoadConfiguration
from pytest_loadtool.recording import build_case
from pytest_loadtool.replay import compile_case
from tests.frameworks.browser import Browser
from tests.frameworks.site import serving
from tests.observed import Observed, explained, run_load

__all__ = ["Trial", "ten_at_once", "twice"]


@dataclass
class Trial:
    """A framework on trial: what makes its application anew, and what a person does with it."""

    make: Callable[[], Any]
    session: Callable[[Browser], None]

    @cached_property
    def exchanges(self) -> tuple[Exchange, ...]:
        """What was recorded."""
        with serving(self.make()) as url:
            browser = Browser(url)
            try:
                self.session(browser)
            finally:
                browser.close()
        return tuple(browser.exchanges)

    @cached_property
    def recorded(self) -> TestCase:
        """The test case as the recorder makes it."""
        return build_case(self.exchanges, name="recorded").case

    @cached_property
    def configured(self) -> Configuration:
        """The same, configured by the package's rules."""
        return configure(self.recorded, self.exchanges, rules=package_rules())

    def check(self, *expected: str) -> None:
        """It replays where it is configured and fails where it is not. ``expected`` are all the
        variables that there must be, without their numbers: "csrf_token by csrf-header"."""
        assert len(self.exchanges) >= 6
        case = self.configured.case
        again = configure(case, self.exchanges, rules=package_rules())
        assert again.case == case
        assert parse_case(format_case(case), "saved.case.toml") == case
        made = {
            f"{one.name.partition('[')[0]} by {one.rule}"
            for one in case.variables.values()
            if one.set_by == "asm"
        }
        assert made == set(expected), f"these differ: {sorted(made ^ set(expected))}"
        failures = self.replayed(case)
        assert not failures, "\n".join(failures)
        assert self.replayed(self.recorded), "the server does not insist"

    def refused(self, rule: str) -> str:
        """The text of the failure when the first variable of a rule has been taken back."""
        case = self.configured.case
        name = next(one.name for one in case.variables.values() if one.rule == rule)
        case = taken_back(case, self.exchanges, name)
        with serving(self.make()) as url:
            return explained(case, self.exchanges, url)

    def replayed(self, case: TestCase) -> list[str]:
        """What fails when a case is replayed once against a new server: title, status and why."""
        pages = tuple(replace(page, think_time=0.0) for page in case.pages)
        observed = Observed()
        with serving(self.make()) as url:
            plan = compile_case(replace(case, pages=pages), server=url)
            replay_once(plan, observer=observed)
        titles = [one.title for one in case.transactions()]
        return [
            f"{title}: {response.status} {failure}"
            for title, response, failures in zip(
                titles, observed.responses, observed.failures, strict=False
            )
            for failure in failures
        ]


def twice(case: TestCase, url: str) -> None:
    """One user after the other against one server."""
    for _ in range(2):
        observed = Observed()
        replay_once(compile_case(case, server=url), observer=observed)
        assert not any(observed.failures), observed.failures
        assert len(observed.responses) == len(list(case.transactions()))


def ten_at_once(case: TestCase, url: str) -> None:
    """Ten users, three times each: no request fails."""
    shares = (CaseShare("one.case.toml"),)
    configuration = LoadConfiguration("ten", shares, users=10, duration=None, iterations=3)
    metrics = run_load(compile_case(case, server=url), configuration)
    assert metrics.failed_requests == 0, [one.errors for one in metrics.transactions]
    assert metrics.requests == 30 * len(list(case.transactions()))
