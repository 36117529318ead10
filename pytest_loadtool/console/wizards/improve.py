"""Configuring by replays: drives the loop of `autocorrelate`, and tells how it gets on."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pytest_loadtool.console.errors import CommandError, NotGreenError
from pytest_loadtool.console.session import Console
from pytest_loadtool.console.views import case as views
from pytest_loadtool.console.wizards.consent import planned
from pytest_loadtool.console.wizards.reset_server import reset_by
from pytest_loadtool.correlation.autocorrelate import Conclusion, Missing, improve
from pytest_loadtool.correlation.strategies.replay_compare import Replayed
from pytest_loadtool.diagnosis.kept import KeptResponse
from pytest_loadtool.diagnosis.outcome import StepOutcome
from pytest_loadtool.diagnosis.redirect_mismatch import led_elsewhere
from pytest_loadtool.masking.text import secrets_of
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.progress import Told, silent
from pytest_loadtool.model.result import Failure
from pytest_loadtool.replay.exchange import exchange_of
from pytest_loadtool.report.failure import explain
from pytest_loadtool.workflow.configuring import rules_of
from pytest_loadtool.workflow.document import Document
from pytest_loadtool.workflow.replaying import replay
from pytest_loadtool.workflow.replays import evidence_of
from pytest_loadtool.workflow.telling import counted

if TYPE_CHECKING:
    from pytest_loadtool.replay import PagePlan, Plan, Response, Step

#: Bytes of a replayed body that are compared, and of all bodies of a replay together.
_LONGEST_BODY, _MOST_BYTES = 4 << 20, 100 << 20
#: Failed transactions that are listed at the end, and values that were left.
_MOST_MISSING = 5


async def improve_by_replays(session: Console, *, server: str, most: int, reset: str) -> None:
    """Replay the open test case, learn from what differs, replay again; ``most`` times at most.

    Each round that came to its end is kept; one that is interrupted changes nothing. ``reset`` is a
    command that brings the server back; empty if there is none.

    Raises:
        NotGreenError: the last replay was not green, and nothing more could be found; or the
            server could not be brought back.
        CommandError: it cannot be replayed.
    """
    document = session.opened()
    before = frozenset(document.case.variables)
    rules = rules_of(session.settings, session.case_path, document.case)
    told: Told = silent
    loop = improve(
        document.case,
        document.exchanges,
        rules=rules,
        most=most,
        resets=bool(reset),
        told=lambda *far: told(*far),
    )
    try:
        with session.frontend.progress() as told:
            attempt = next(loop)
        while True:
            trial = replace(document, case=attempt.case)
            plan = planned(session, trial, server=server, fast=True)
            kept = _Kept()
            if reset and attempt.fresh:
                await reset_by(reset, session.settings.directory)
            await replay(plan, kept)
            session.say(
                f"Replay {attempt.number} of at most {most}: "
                f"{counted(len(plan.steps), 'transaction')}, {len(kept.failures)} failed"
                + ("" if attempt.fresh else ", on the same server")
                + (f"; tried {', '.join(attempt.found)}" if attempt.found else "")
            )
            with session.frontend.progress() as told:
                attempt = loop.send(Replayed(kept.exchanges, kept.failures))
            session.document = replace(
                document, case=attempt.proven, configuration=attempt.configuration
            )
    except StopIteration as end:
        conclusion: Conclusion = end.value
    made = conclusion.configuration
    session.document = replace(document, case=made.case, configuration=made)
    new = [one for one in made.decisions if one.variable not in before]
    session.tell(views.decisions(one for one in new if one.variable))
    session.tell((*views.in_doubt(made.case), *_concluded(conclusion)))
    if conclusion.missing:
        session.tell(_diagnosed(session, trial, kept, plan))
        raise NotGreenError(
            f"not green after {counted(conclusion.replays, 'replay')}: "
            f"{counted(len(conclusion.missing), 'transaction')} failed, and nothing more was found"
        )
    session.say(f"Green after {counted(conclusion.replays, 'replay')}.")
    if not conclusion.twice:
        session.say("It was not replayed a second time on the same server: --replays is too small.")


def _diagnosed(session: Console, document: Document, kept: _Kept, plan: Plan) -> list[str]:
    """Return why the last replay failed, as `play` says it."""
    if not any(one.failures for one in kept.outcomes):
        return []
    text = explain(
        document.case,
        kept.outcomes,
        path=session.shown(session.case_path),
        evidence=evidence_of(document, session.settings, session.case_path),
        secrets=tuple(secrets_of(document.case, plan.values)),
        brief=True,
    )
    return ["", text, ""]


def _concluded(conclusion: Conclusion) -> Iterator[str]:
    titles = [one.title for one in conclusion.configuration.case.transactions()]
    for index, reason in conclusion.held.items():
        yield f"  not tried: {index + 1} {titles[index]}: {reason}"
    if conclusion.untried:
        yield f"  found after the last replay, so not tried: {', '.join(conclusion.untried)}"
    for line in conclusion.left[:_MOST_MISSING]:
        yield f"  left: {line}"
    if len(conclusion.left) > _MOST_MISSING:
        yield f"  and {len(conclusion.left) - _MOST_MISSING} more such values"
    yield from _listed("missing", conclusion.missing, titles)
    yield from _listed("failed on the same server", conclusion.again, titles)


def _listed(what: str, failed: Sequence[Missing], titles: Sequence[str]) -> Iterator[str]:
    for one in failed[:_MOST_MISSING]:
        yield f"  {what}: {one.index + 1} {titles[one.index]}"
        yield from (f"      {reason}" for reason in one.reasons)
    if len(failed) > _MOST_MISSING:
        yield f"  and {len(failed) - _MOST_MISSING} more, which may only follow"


@dataclass(slots=True)
class _Kept:
    """Keeps what a replay showed: of what passed the response, of what failed the reasons; and
    ``outcomes`` for the diagnosis, but for those that are too large."""

    exchanges: dict[int, Exchange] = field(default_factory=dict)
    failures: dict[int, tuple[str, ...]] = field(default_factory=dict)
    outcomes: list[StepOutcome] = field(default_factory=list)
    stopped: threading.Event = field(default_factory=threading.Event)
    room: int = _MOST_BYTES

    def transaction(self, step: Step, response: Response, failures: tuple[Failure, ...]) -> None:
        if self.stopped.is_set():
            raise CommandError("stopped")
        recorded = step.transaction.recorded
        if recorded is not None and not failures:
            failures = _led_elsewhere(recorded.status, response.status)
        if failures:
            self.failures[step.index] = tuple(failure.message for failure in failures)
        exchange, undecoded = exchange_of(response)
        size = exchange.response_size
        if undecoded or size > min(_LONGEST_BODY, self.room):
            return
        self.room -= size
        if recorded is not None and not failures:
            self.exchanges[step.index] = exchange
        kept, origin = KeptResponse(exchange), str(step.origin)
        self.outcomes.append(
            StepOutcome(step.index, step.page_title, origin, step.transaction, kept, failures)
        )

    def negotiation(self, step: Step, response: Response) -> None:
        pass

    def challenged(self, step: Step, seconds: float) -> None:
        pass

    def page(self, page: PagePlan, started: float, finished: float, failed: bool) -> None:
        pass

    def iteration(self, started: float, finished: float, failed: bool) -> None:
        pass


def _led_elsewhere(recorded: int, status: int) -> tuple[Failure, ...]:
    """Return a page instead of a redirect, or the other way round: to a login, for instance."""
    if not led_elsewhere(recorded, status):
        return ()
    return (Failure("status", f"status {status} instead of {recorded} as recorded"),)
