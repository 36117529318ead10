"""The loop: configure, replay, compare, propose, replay again; until green, or what is missing.

It replays nothing itself: it is a generator that yields what to replay, is told what came of it,
and returns its conclusion. Whoever stops it half-way has the test case of the last attempt.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pytest_loadtool.correlation.beliefs import is_typed
from pytest_loadtool.correlation.compare import (
    Origin,
    Proposal,
    Replayed,
    proposals,
)
from pytest_loadtool.correlation.configuration import Configuration, configure
from pytest_loadtool.correlation.ignoring import ignored, set_aside
from pytest_loadtool.correlation.kept import REPLAY_COMPARE
from pytest_loadtool.correlation.looks import looks_random
from pytest_loadtool.correlation.recorded import RecordedResponse, is_noise
from pytest_loadtool.correlation.revert import names_in_use, revert
from pytest_loadtool.correlation.rewrite import rewrite
from pytest_loadtool.correlation.rows import by_rows
from pytest_loadtool.correlation.slots import Slot
from pytest_loadtool.correlation.traffic import Traffic, read_traffic, steps_of
from pytest_loadtool.correlation.variables import variables_for
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.editing import without
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.progress import Told, silent
from pytest_loadtool.model.rule import Rule

__all__ = ["REPLAYS", "Attempt", "Conclusion", "Missing", "improve"]

#: How many replays a loop makes unless it is told otherwise.
REPLAYS = 10


@dataclass(frozen=True, slots=True)
class Attempt:
    """What to replay: ``case`` without the transactions that are held back.

    ``indexes`` are those of its transactions in the whole test case; ``found`` are the variables
    that are new since the last attempt.
    """

    number: int
    case: TestCase
    indexes: tuple[int, ...]
    configuration: Configuration
    found: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Missing:
    """A transaction that failed on the last replay: its index, and reasons as sentences."""

    index: int
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Conclusion:
    """How the loop ended.

    ``missing`` is empty when the last replay was green. ``held`` are the transactions that were not
    sent, each with the reason. ``untried`` are variables found after the last replay.
    """

    configuration: Configuration
    replays: int
    missing: tuple[Missing, ...]
    held: Mapping[int, str]
    untried: tuple[str, ...]


def improve(
    case: TestCase,
    exchanges: Sequence[Exchange],
    *,
    rules: Sequence[Rule],
    most: int = REPLAYS,
    told: Told = silent,
) -> Generator[Attempt, Replayed, Conclusion]:
    """Configure the case by its rules, then by what ``most`` replays show.

    Yields attempts, and wants sent what became of each: a `Replayed` by the attempt's own indexes.
    Transactions that are dangerous, and those that need what these give out, are in no attempt.
    ``told`` is told how far each configuring has got.
    """
    state = _State(exchanges, rules, configure(case, exchanges, rules=rules, told=told), told)
    found: tuple[str, ...] = ()
    replayed = Replayed()
    held: Mapping[int, str] = {}
    number = 0
    while number < most:
        number += 1
        held = dict(_held(state.case))
        indexes = tuple(
            index for index in range(len(tuple(state.case.transactions()))) if index not in held
        )
        sent = without(state.case, held)
        replayed = _by_index(
            indexes, (yield Attempt(number, sent, indexes, state.configuration, found))
        )
        state.judge(replayed, number)
        found = state.propose(replayed, before=min(held, default=len(indexes)), last=number == most)
        if not found:
            break
    missing = tuple(state.missing(replayed, held)) if not found or number == most else ()
    return Conclusion(state.configuration, number, missing, held, found)


@dataclass(slots=True)
class _State:
    """What the loop knows between two replays."""

    exchanges: Sequence[Exchange]
    rules: Sequence[Rule]
    configuration: Configuration
    told: Told
    trials: dict[str, Sequence[Proposal]] = field(default_factory=dict)
    """By variable: what the last replay was to confirm."""
    refused: set[Origin] = field(default_factory=set)
    """What was tried and did not help."""
    passed: dict[int, int] = field(default_factory=dict)
    """By transaction: the last replay on which it passed."""

    @property
    def ranked(self) -> tuple[Rule, ...]:
        """All rules, the most trusted first."""
        return (*ignored(self.case), *self.rules, REPLAY_COMPARE)

    @property
    def case(self) -> TestCase:
        """The test case as it is now."""
        return self.configuration.case

    def judge(self, replayed: Replayed, number: int) -> None:
        """Take back the trials of the last round that mended nothing."""
        self.passed |= dict.fromkeys(replayed.exchanges, number)
        useless = {
            name
            for name, made in self.trials.items()
            if all(index in replayed.failures for one in made for index in one.failed)
        }
        self.refused |= {one.origin for name in useless for one in self.trials[name]}
        self.trials = {}
        if useless:
            steps = steps_of(self.case, self.exchanges)
            self._configure(revert(self.case, steps, only=useless))

    def propose(self, replayed: Replayed, *, before: int, last: bool) -> tuple[str, ...]:
        """Adopt what the replay suggests; the names of the new variables.

        Trials need a replay after them, and failures that nothing held back may have caused: of
        transactions ``before`` the first of these.
        """
        traffic = self._traffic()
        made = proposals(traffic, replayed, self.ranked, refused=self.refused)
        made = _chosen(made, 0 if last else before)
        claims = [one.claim for one in made]
        found = variables_for(claims, (), self.ranked, taken=names_in_use(self.case))
        found = by_rows(found, traffic, self.case.variables)
        if not found:
            return ()
        by_slot = {id(one.claim.slot): one for one in made if one.trial}
        for one in found:
            tried = [by_slot[id(slot)] for slot in one.slots if id(slot) in by_slot]
            if tried:
                self.trials[one.name] = tried
        self._configure(rewrite(self.case, traffic.steps, found, ()))
        return tuple(one.name for one in found)

    def missing(self, replayed: Replayed, held: Mapping[int, str]) -> Iterator[Missing]:
        """Why the transactions failed, in their order; of the first also what it may want."""
        first_held = min(held, default=None)
        for index, messages in sorted(replayed.failures.items()):
            reasons = list(messages)
            if index == min(replayed.failures):
                reasons += self._as_recorded(index, replayed)
            if index in self.passed:
                reasons.append(
                    f"it passed on replay {self.passed[index]}: a server may take what it sends "
                    "only once, such as the name of something new"
                )
            if first_held is not None and first_held < index:
                reasons.append(f"{held[first_held]}; that may be why")
            yield Missing(index, tuple(reasons))

    def _as_recorded(self, index: int, replayed: Replayed) -> Iterator[str]:
        """The fields of a transaction that look dynamic and are sent as recorded."""
        for slot in self._traffic().slots:
            if index not in (slot.users or (slot.transaction,)) or is_typed(slot):
                continue
            if not slot.value.isdigit() and not looks_random(slot.value):
                continue
            source = self._source(slot, index, replayed)
            if source:
                name = slot.name or "the path"
                yield f"{name} is sent as recorded, {_shown(slot.value)}: {source}"

    def _source(self, slot: Slot, index: int, replayed: Replayed) -> str:
        """Where the value came from; empty if it still comes from there, so that it is right."""
        steps = steps_of(self.case, self.exchanges)
        for step in reversed(steps[:index]):
            if step.exchange is None or not _holds(step.exchange, slot.value):
                continue
            now = replayed.exchanges.get(step.index)
            if now is not None and _holds(now, slot.value):
                return ""
            return f"transaction {step.index + 1} gave it out, and now something else or nothing"
        return "no response before holds it"

    def _traffic(self) -> Traffic:
        traffic = read_traffic(self.case, steps_of(self.case, self.exchanges), self.rules)
        set_aside(traffic, self.case)
        return traffic

    def _configure(self, case: TestCase) -> None:
        self.configuration = configure(case, self.exchanges, rules=self.rules, told=self.told)


def _shown(value: str) -> str:
    return value if len(value) <= 12 else f"{value[:11]}…"


def _holds(exchange: Exchange, value: str) -> bool:
    """Whether the value stands by itself somewhere in the response."""
    response = RecordedResponse(exchange)
    texts = [text for name, text in response.headers if not is_noise(name)]
    if response.has_text:
        texts.append(response.text)
    word = re.compile(rf"(?<![\w-]){re.escape(value)}(?![\w-])")
    return any(word.search(text) for text in texts)


def _chosen(made: Sequence[Proposal], before: int) -> tuple[Proposal, ...]:
    """What is certain, and trials for the first failed transaction that there are any for.

    What fails after it may only follow. So a trial waits, too, while something certain may mend a
    transaction before; and what it takes from where is tried wherever it is used.
    """
    certain = tuple(one for one in made if not one.trial)
    before = min((before, *(index for one in certain for index in one.failed)))
    settled = {one.origin for one in certain}
    trials = [one for one in made if one.trial and one.origin not in settled]
    failed = (min(one.failed) for one in trials if one.failed)
    first = min((index for index in failed if index < before), default=None)
    origins = {one.origin for one in trials if first in one.failed}
    return (*certain, *(one for one in trials if one.origin in origins))


def _held(case: TestCase) -> Iterator[tuple[int, str]]:
    """The transactions that are not sent, with the reason: dangerous, or in need of one that is."""
    lost: dict[str, int] = {}
    for index, one in enumerate(case.transactions()):
        needed = sorted(case.needed_by(one) & lost.keys())
        if one.dangerous or needed:
            why = "is marked as dangerous" if one.dangerous else f"needs {needed[0]}"
            source = index if one.dangerous else lost[needed[0]]
            by = "" if one.dangerous else f", which transaction {source + 1} gives out"
            yield index, f"transaction {index + 1} {why}{by} and was not sent"
        for extractor in one.extractors:
            if one.dangerous or needed:
                lost[extractor.variable] = index
            else:
                lost.pop(extractor.variable, None)


def _by_index(indexes: Sequence[int], replayed: Replayed) -> Replayed:
    """By the indexes of the whole test case."""
    return Replayed(
        {indexes[at]: one for at, one in replayed.exchanges.items()},
        {indexes[at]: one for at, one in replayed.failures.items()},
    )
