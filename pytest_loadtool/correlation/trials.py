"""Trials: what a replay suggests, and what the next one shows of it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from pytest_loadtool.correlation.classify import looks_random
from pytest_loadtool.correlation.index.traffic import Traffic
from pytest_loadtool.correlation.resolve import resolve
from pytest_loadtool.correlation.responses.recorded import RecordedResponse
from pytest_loadtool.correlation.strategies.replay_compare import Replayed
from pytest_loadtool.correlation.strategies.replay_diff import Origin, ReplayDiff, Suggestion
from pytest_loadtool.correlation.strategies.typed import TypedFields
from pytest_loadtool.extraction.extract import compile_source
from pytest_loadtool.model.rule import Rule


def suggestions(
    traffic: Traffic,
    replayed: Replayed,
    rules: Sequence[Rule],
    *,
    refused: Collection[Origin] = (),
    passed: bool = False,
) -> tuple[Suggestion, ...]:
    """Return what the slots of ``traffic``, which nothing has claimed yet, could take from where.

    ``refused`` are origins that were tried and did not help. With ``passed``, slots of requests
    that passed get trials, too.
    """
    table = TypedFields(), ReplayDiff(traffic, replayed, rules, refused)
    proposals = resolve(traffic, table).proposals
    return tuple(_alike([one for one in proposals if isinstance(one, Suggestion)], passed))


def _alike(found: Sequence[Suggestion], passed: bool) -> Iterator[Suggestion]:
    """Yield what is certain or may mend a failure; of a random value, all that takes it from there.
    And if it is wanted, what was taken although it is given out no more."""
    certain = {one.origin for one in found if not one.trial}
    hopeful = {one.origin for one in found if one.failed}
    for one in found:
        random = looks_random(one.slot.value)
        if random and one.origin in certain:
            yield replace(one, trial=False)
            continue
        hope = one.failed or (random and one.origin in hopeful)
        if not one.trial or hope or (passed and one.gone):
            yield one


@dataclass(frozen=True, slots=True)
class OnTrial:
    """The proposals for one variable that the next replay is to confirm."""

    proposals: Sequence[Suggestion]
    confirmed: int = 0
    """How many replays have."""

    @property
    def wanted(self) -> int:
        """Return how many have to."""
        return 2 if any(one.chance for one in self.proposals) else 1

    @property
    def sure(self) -> bool:
        """Return whether it is kept unless it is refuted."""
        return not any(one.trial for one in self.proposals)

    @property
    def passed(self) -> bool:
        """Return whether its requests passed with the recorded value, too."""
        return not any(one.failed for one in self.proposals)

    @property
    def users(self) -> frozenset[int]:
        """The transactions that show whether it holds."""
        slots = (one.slot for one in self.proposals)
        if self.passed:
            return frozenset(user for one in slots for user in one.users or (one.transaction,))
        return frozenset(index for one in self.proposals for index in one.failed)


class TrialVerdict(Enum):
    """The outcomes of a trial on replay."""

    HOLDS, REFUSED, UNDECIDED = range(3)


def verdict(trial: OnTrial, replayed: Replayed) -> TrialVerdict:
    """Return whether a replay has shown that the trial's value is the right one.

    A producer that failed or gave out the recorded value again shows nothing. What has failed has
    to pass; what has passed still has to, or it was the first to fail.
    """
    proposal = trial.proposals[0]
    given = replayed.exchanges.get(proposal.producer.transaction)
    if given is None:
        return TrialVerdict.UNDECIDED
    now = compile_source(proposal.source, proposal.match)(RecordedResponse(given))
    failed = trial.users & replayed.failures.keys()
    if trial.passed and failed:
        first = min(replayed.failures)
        return TrialVerdict.REFUSED if first in failed else TrialVerdict.UNDECIDED
    if not now or now == proposal.producer.extracted:
        return TrialVerdict.UNDECIDED
    return TrialVerdict.HOLDS if failed != trial.users or not trial.users else TrialVerdict.REFUSED


def chosen(
    made: Sequence[Suggestion], before: int, tries: bool
) -> tuple[tuple[Suggestion, ...], tuple[Suggestion, ...]]:
    """Return what is certain, and trials for the first failed transaction that there are any for;
    and what is only to be said.

    What fails after it may only follow. So a trial waits, too, while something certain may mend a
    transaction before; and what it takes from where is tried wherever it is used. Where nothing is
    to be mended, what has passed is tried.
    """
    certain = tuple(one for one in made if not one.trial)
    before = min((before, *(index for one in certain for index in one.failed)))
    settled = {one.origin for one in certain}
    trials = [one for one in made if one.trial and one.origin not in settled]
    failed = (min(one.failed) for one in trials if one.failed)
    first = min((index for index in failed if tries and index < before), default=None)
    origins = {one.origin for one in trials if first in one.failed}
    gone = [one for one in trials if one.gone and one.origin not in origins]
    passed = [one for one in gone if not one.chance] if tries and not origins else []
    taken = (*certain, *(one for one in trials if one.origin in origins), *passed)
    return taken, tuple(one for one in gone if one not in passed)


def may_be_wrong(one: Suggestion) -> bool:
    """Return whether a request that passed may want the recorded value, whatever the place is
    called."""
    return not one.failed and not looks_random(one.slot.value)
