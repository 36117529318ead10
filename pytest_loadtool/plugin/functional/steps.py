"""The transactions of a test case as steps of its test: collected, and with ``-v`` shown.

They are no reports of their own: other plugins, JUnit and the counts see one test. In process a
step is shown as it finishes. A worker of pytest-xdist has no terminal; its steps travel with the
test's report and are shown with it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, TypedDict

import pytest

from pytest_loadtool.codec.printable import clip, printable
from pytest_loadtool.diagnosis.outcome import SEPARATOR, StepOutcome
from pytest_loadtool.plugin.private import leave_line_open, uncaptured

if TYPE_CHECKING:
    from pytest_loadtool.model.result import Failure
    from pytest_loadtool.replay import PagePlan, Response, Step

#: The most that is said of why a step failed; the test's own failure says the rest.
_LONGEST_REASON = 200


class StepResult(TypedDict):
    """A transaction as it travels with the report: of types that pytest-xdist can send."""

    page: str
    title: str
    status: int
    milliseconds: float
    failure: str
    negotiations: int
    index: int
    at: float
    waited: float
    not_as_recorded: str


def step_result(
    outcome: StepOutcome, negotiations: int, *, began: float, first_byte: float
) -> StepResult:
    """Return what is shown of ``outcome``; ``failure`` is empty if it passed.

    ``negotiations`` requests were answered by a challenge before. ``at`` is in milliseconds after
    ``began``, ``waited`` those up to ``first_byte``, when the response began.
    """
    sent = outcome.response.sent
    messages = "; ".join(one.told for one in outcome.failures)
    return StepResult(
        page=printable(outcome.page),
        title=printable(outcome.transaction.title),
        status=outcome.response.status,
        milliseconds=round(outcome.milliseconds, 3),
        failure=clip(printable(messages), _LONGEST_REASON),
        negotiations=negotiations,
        index=outcome.index,
        at=round((sent - began) * 1000, 3),
        waited=round(max(0.0, first_byte - sent) * 1000, 3),
        not_as_recorded=clip(printable(outcome.not_as_recorded), _LONGEST_REASON),
    )


class StepLines:
    """Writes steps below the line of their test, if pytest is verbose and there is a terminal."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        verbose = config.get_verbosity(pytest.Config.VERBOSITY_TEST_CASES) > 0
        self._reporter: pytest.TerminalReporter | None = (
            config.pluginmanager.get_plugin("terminalreporter") if verbose else None
        )

    def write_all(self, steps: Iterable[StepResult]) -> None:
        """Write each of ``steps``."""
        for step in steps:
            self.write(step)

    def write(self, step: StepResult) -> None:
        """Write one transaction."""
        failure = step["failure"]
        after = f" (after {count} of negotiation)" if (count := _requests(step)) else ""
        what = f"{step['page']}{SEPARATOR}{step['title']}{after}{failure and f': {failure}'}"
        before = f"{step['status'] or '---'}  {step['milliseconds']:7.0f} ms  "
        self.write_line(before, what, failed=bool(failure))

    def write_line(self, before: str, what: str, *, failed: bool) -> None:
        """Write one line; the next writer has to begin a new one."""
        reporter = self._reporter
        if reporter is None:
            return
        with uncaptured(self._config):
            reporter.ensure_newline()
            reporter.write(f"    {before}")
            if failed:
                reporter.write("failed", red=True)
            else:
                reporter.write("passed", green=True)
            reporter.write(f"  {what}")
            leave_line_open(reporter)
            reporter.flush()


def _requests(step: StepResult) -> str:
    number = step["negotiations"]
    return f"{number} request{'s' if number > 1 else ''}" if number else ""


class StepReporter:
    """Observes a replay: keeps each outcome and passes it on as a step."""

    def __init__(self, lines: StepLines) -> None:
        self.outcomes: list[StepOutcome] = []
        self.steps: list[StepResult] = []
        self.duration = 0.0
        """Seconds that the whole iteration took, 0 until it has ended."""
        self._lines = lines
        self._negotiations: Counter[int] = Counter()

    def negotiation(self, step: Step, response: Response) -> None:  # noqa: ARG002  as observers are told
        """A request was answered by a challenge, before its transaction."""
        self._negotiations[step.index] += 1

    def challenged(self, step: Step, seconds: float) -> None:  # noqa: ARG002 - only how many
        """A proxy wanted to know who asks for the tunnel that the transaction goes through."""
        self._negotiations[step.index] += 1

    def transaction(self, step: Step, response: Response, failures: tuple[Failure, ...]) -> None:
        """A transaction finished."""
        outcome = StepOutcome(
            step.index,
            step.page_title,
            str(step.origin),
            step.transaction,
            response,
            failures,
            response.not_as_recorded,
        )
        began = self.outcomes[0].response.sent if self.outcomes else response.sent
        result = step_result(
            outcome,
            self._negotiations[step.index],
            began=began,
            first_byte=response.first_byte,
        )
        self.outcomes.append(outcome)
        self.steps.append(result)
        self._lines.write(result)

    def page(self, page: PagePlan, started: float, finished: float, failed: bool) -> None:
        """A page finished: of no interest here."""

    def iteration(self, started: float, finished: float, failed: bool) -> None:  # noqa: ARG002  likewise
        """The test case finished."""
        self.duration = finished - started
