"""A test case as a test of pytest: replayed once, by one virtual user."""

from __future__ import annotations

import shlex
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_loadtool.casefile.toml.diagnostics import key_error
from pytest_loadtool.diagnosis.outcome import Evidence, difference
from pytest_loadtool.errors import FileError, LoadToolError
from pytest_loadtool.masking.text import Mask, secrets_of
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.plugin.evidence import evidence_of
from pytest_loadtool.plugin.file_item import FileItem
from pytest_loadtool.plugin.functional.case_data import CaseData, case_data
from pytest_loadtool.plugin.functional.notices import (
    NOT_AS_RECORDED,
    NOT_KEPT,
    TRACE,
    in_doubt,
    not_as_recorded,
    unverified,
)
from pytest_loadtool.plugin.functional.steps import StepLines, StepReporter, StepResult
from pytest_loadtool.plugin.option_table import KEEPING, TRACING
from pytest_loadtool.plugin.options import server_of, trust_of
from pytest_loadtool.plugin.overrides import on_its_way
from pytest_loadtool.plugin.paths import shown_error, shown_path
from pytest_loadtool.plugin.proxy import proxy_secrets
from pytest_loadtool.plugin.quantities import body_limit_of, think_time_of, timeout_of
from pytest_loadtool.plugin.replay_hooks import hooks_for
from pytest_loadtool.plugin.run_in_thread import run_apart
from pytest_loadtool.plugin.server import server_from_fixture
from pytest_loadtool.report.diagnosis import FACTS
from pytest_loadtool.report.failure import (
    DiagnosedFailure,
    diagnosed_failure,
    told,
    told_facts,
    told_shortly,
)

if TYPE_CHECKING:
    from pytest_loadtool.casefile.toml.positions import KeyPath
    from pytest_loadtool.engine.functional import Began
    from pytest_loadtool.replay import Plan
    from pytest_loadtool.workflow.keeping import Keeper


class CaseItem(FileItem):
    """One test case."""

    def __init__(
        self,
        name: str,
        parent: pytest.File,
        *,
        case: TestCase,
        marks: Sequence[pytest.MarkDecorator] = (),
        **others: Any,
    ) -> None:
        self.case = case = on_its_way(case, parent.config)
        self.server_fixture = "" if server_of(parent.config) else case.server_fixture
        """The fixture that gives the server, unless the command line names one."""
        self.loadtool_steps: list[StepResult] = []
        """The transactions of the last replay; they go along with the report."""
        self.loadtool_case: CaseData | None = None
        """What the page of ``--loadtool-html`` shows of the last replay; it goes along, too."""
        self._failure: tuple[str, str, int] | None = None
        self._kept: Path | None = None
        """The file that keeps the last replay."""
        self._trace: Path | None = None
        """The page of the last replay."""
        self._not_kept = ""
        """Why there is none, or not all of it; empty if that was not wanted."""
        self._secrets: list[str] = []
        named: dict[str, KeyPath] = {
            name: ("fixtures", number) for number, name in enumerate(case.fixtures)
        }
        if self.server_fixture:
            named[self.server_fixture] = ("server_fixture",)
        self.fixture_keys = {name: (parent.path, key) for name, key in named.items()}
        every = [*marks, *([pytest.mark.usefixtures(*named)] if named else [])]
        super().__init__(name, parent, callobj=_function(case, every), **others)
        self.user_properties += [*unverified([case]), *in_doubt([case])]
        self.extra_keyword_matches.update([case.name, *(page.name for page in case.pages)])

    def replay(self, request: pytest.FixtureRequest) -> None:
        """Replay the test case once; fails the test if a transaction fails."""
        watch = StepReporter(StepLines(self.config))
        self.loadtool_steps, self._failure, self._kept = watch.steps, None, None
        self._not_kept, self._trace, self._secrets = "", None, [*proxy_secrets(self.config)]
        problem: LoadToolError | None = None
        try:
            self._replay(request, watch)
        except LoadToolError as error:
            problem = error
        finally:
            self._add_properties(watch)
        failure = self._diagnosed(watch) if any(one.failures for one in watch.outcomes) else None
        passed, bug = failure is None and problem is None, ""
        try:
            self._add_pages(failure, passed=passed)
        except Exception:
            if passed:
                raise
            bug = self._of_bug(failure)
        if problem is not None:  # not in the handler: pytest would show its traceback, too
            text = shown_error(problem, self.config)
            self._fail(text + bug, text, getattr(problem, "line", 0) or 1)
        if failure is not None:
            self.user_properties += told_facts(failure)
            self._fail(
                told(failure) + self._where_kept() + bug,
                told_shortly(failure),
                failure.diagnosis.failed.transaction.line,
            )

    # As pytest's own override does, without a style.
    def repr_failure(  # type: ignore[override]
        self, excinfo: pytest.ExceptionInfo[BaseException]
    ) -> Any:
        """Return the failure text alone where the test case is at fault, else pytest's usual
        traceback."""
        representation = super().repr_failure(excinfo)
        crash = getattr(representation, "reprcrash", None)
        if crash is not None and self._failure and str(excinfo.value) == self._failure[0]:
            # What the summary, JUnit's message attribute and --tb=line show.
            crash.path = str(self.path)
            _, crash.message, crash.lineno = self._failure
        return representation

    def _replay(self, request: pytest.FixtureRequest, watch: StepReporter) -> None:
        from pytest_loadtool.engine.functional import TIMEOUT, replay_once

        plan = self._plan(request)
        limit = body_limit_of(self.config)
        with self._keeping(plan, watch) as (observer, began):
            values = run_apart(
                lambda: replay_once(
                    plan,
                    observer=observer,
                    timeout=timeout_of(self.config) or TIMEOUT,
                    body_limit=limit,
                    challenged=observer.challenged,
                    began=began,
                )
            )
        self._secrets += [*secrets_of(self.case, plan.values), *secrets_of(self.case, values)]

    @contextmanager
    def _keeping(
        self, plan: Plan, watch: StepReporter
    ) -> Iterator[tuple[Keeper | StepReporter, Began | None]]:
        """Yield what observes the replay: the reporter, or what keeps it besides, if it is
        wanted."""
        keep, trace = self._wanted("loadtool_keep_replay"), self._wanted("loadtool_trace")
        if (keep, trace) == ("no", "off"):
            yield watch, None
            return
        from pytest_loadtool.workflow.keeping import keeping

        with keeping(self.path, plan, watch) as keeper:
            self._kept = keeper.path
            yield keeper, keeper.began
            failed = any(one.failures for one in watch.outcomes)
            if not failed and keep != "all" and trace != "on":
                keeper.drop()
        self._kept, self._not_kept = keeper.path, keeper.problem

    def _wanted(self, option: str) -> str:
        """Return what ``--loadtool-keep-replay`` or ``--loadtool-trace`` says."""
        words = {"loadtool_keep_replay": KEEPING, "loadtool_trace": TRACING}[option]
        return self.config.getoption(option, default=None) or words[0]

    def _add_pages(self, failure: DiagnosedFailure | None, *, passed: bool) -> None:
        """Leave what is shown of the replay in a browser, as far as it is wanted."""
        self._add_trace(failure, passed=passed)
        if self.config.getoption("loadtool_html", default=None):
            self.loadtool_case = case_data(self.case, failure, self._trace)

    def _of_bug(self, failure: DiagnosedFailure | None) -> str:
        """Return the exception at hand, told below the failure, which it must not hide."""
        mask = failure.mask if failure is not None else Mask(self._secrets)
        told_as = "its page was not written, which is a bug of pytest-loadtool:"
        return f"\n\n{told_as}\n{mask.known(traceback.format_exc())}"

    def _add_trace(self, failure: DiagnosedFailure | None, *, passed: bool) -> None:
        """Leave the page of the replay, if it is wanted and the replay was kept."""
        wanted = self._wanted("loadtool_trace")
        if self._kept is None or wanted == "off" or (wanted == "retain-on-failure" and passed):
            return
        from pytest_loadtool.workflow.document import Document
        from pytest_loadtool.workflow.tracing import write_trace

        evidence = failure.evidence if failure is not None else self._evidence()
        try:
            self._trace = write_trace(
                Document(self.case, tuple(evidence.exchanges)),
                self._kept,
                path=shown_path(self.path, self.config),
                failure=failure,
                secrets=self._secrets,
            )
        except FileError as error:
            self.user_properties.append((NOT_KEPT, str(error)))
        else:
            self.user_properties.append((TRACE, shown_path(self._trace, self.config)))

    def _plan(self, request: pytest.FixtureRequest) -> Plan:
        from pytest_loadtool.engine.prepare.resources import check_plan, compile_from

        plan = compile_from(
            self.path,
            self.case,
            server=self._server(request),
            think_time=think_time_of(self.config),
            trust=trust_of(self.config),
            hooks=hooks_for(self.config, self.case, self.path),
        )
        check_plan(plan, self.path)
        return plan

    def _server(self, request: pytest.FixtureRequest) -> str:
        if not self.server_fixture:
            return server_of(self.config)
        try:
            return server_from_fixture(request, self.server_fixture)
        except ValueError as error:
            raise key_error(self.path, ("server_fixture",), str(error)) from None

    def _fail(self, text: str, message: str, line: int) -> None:
        self._failure = (text, message, line)
        pytest.fail(text, pytrace=False)

    def _evidence(self) -> Evidence:
        return evidence_of(self.path, self.case, trust_of(self.config))

    def _diagnosed(self, watch: StepReporter) -> DiagnosedFailure:
        return diagnosed_failure(
            self.case,
            watch.outcomes,
            path=shown_path(self.path, self.config),
            evidence=self._evidence(),
            secrets=self._secrets,
        )

    def _where_kept(self) -> str:
        if self._kept is None:
            return ""
        case, kept = (shlex.quote(shown_path(one, self.config)) for one in (self.path, self._kept))
        text = f"\n\nkept: {kept}\n  pytest --record {case} --replay-har {kept}"
        if self._trace is None:
            return text
        return f"{text}\ntrace, to be opened in a browser: {shown_path(self._trace, self.config)}"

    def _add_properties(self, watch: StepReporter) -> None:
        """Replace what an earlier attempt has left, when the test is rerun."""
        properties = {
            "transactions": len(watch.outcomes),
            "failed": sum(1 for one in watch.outcomes if one.failures),
            "duration": round(watch.duration, 3),
        }
        names = (*properties, NOT_AS_RECORDED, NOT_KEPT, TRACE, *FACTS)
        others = [one for one in self.user_properties if one[0] not in names]
        found = not_as_recorded(map(difference, watch.outcomes))
        if self._not_kept:
            found.append((NOT_KEPT, self._not_kept))
        self.user_properties[:] = [*others, *properties.items(), *found]


def _function(
    case: TestCase, marks: Sequence[pytest.MarkDecorator]
) -> Callable[[pytest.FixtureRequest], None]:
    """Return what pytest takes for the test function."""

    def replay(request: pytest.FixtureRequest) -> None:
        request.node.replay(request)

    replay.__doc__ = case.name
    replay.__dict__["pytestmark"] = list(marks)
    return replay
