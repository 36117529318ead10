"""The loop: configure, replay, compare, propose, replay again; until green, or what is missing.

A green replay is followed by a second on the same server: what passed the first time with a value
of the recording may not pass now, or have another value now, so that it is known for dynamic.

It replays nothing itself: it is a generator that yields what to replay, is told what came of it,
and returns its conclusion. Whoever stops it half-way has the test case of the last attempt.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Container, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pytest_loadtool.correlation.classify import looks_random
from pytest_loadtool.correlation.configuration import Configuration, configure
from pytest_loadtool.correlation.decisions.ignoring import ignored, set_aside
from pytest_loadtool.correlation.index.indexing import read_traffic
from pytest_loadtool.correlation.index.traffic import Traffic, steps_of
from pytest_loadtool.correlation.proposals import REPLAY_COMPARE
from pytest_loadtool.correlation.requests.slots import Slot
from pytest_loadtool.correlation.responses.recorded import RecordedResponse
from pytest_loadtool.correlation.sources.items import by_rows
from pytest_loadtool.correlation.sources.variables import variables_for
from pytest_loadtool.correlation.strategies.replay_compare import Replayed
from pytest_loadtool.correlation.strategies.replay_diff import Origin, Suggestion
from pytest_loadtool.correlation.strategies.typed import is_typed
from pytest_loadtool.correlation.trials import (
    OnTrial,
    TrialVerdict,
    chosen,
    may_be_wrong,
    suggestions,
    verdict,
)
from pytest_loadtool.correlation.writing.revert import names_in_use, revert
from pytest_loadtool.correlation.writing.rewrite import rewrite
from pytest_loadtool.model.case import Header, TestCase, Transaction
from pytest_loadtool.model.editing import without
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.progress import Told, silent
from pytest_loadtool.model.rule import Rule
from pytest_loadtool.structure.uses import needed_by

#: How many replays a loop makes unless it is told otherwise.
REPLAYS = 10
#: How many replays may leave open whether a trial helps, before it is taken back.
_MOST_UNDECIDED = 2
_CHANCE = "and nothing else tells that it is this"
_UNPROVED = "what made it pass was taken back: too few replays have shown it"
_UNDECIDED = "no replay could show whether that is the one to send"


@dataclass(frozen=True, slots=True)
class ReplayRound:
    """A replay that is due: ``case`` without the transactions that are held back.

    ``indexes`` are those of its transactions in the whole test case; ``found`` are the variables
    that are new since the last attempt, and ``proven`` is the whole test case without what is still
    to be confirmed. ``fresh`` says that the server is to be as it was before any replay, if it can
    be brought back; else it is to be as the last replay has left it.
    """

    number: int
    case: TestCase
    indexes: tuple[int, ...]
    configuration: Configuration
    proven: TestCase
    found: tuple[str, ...] = ()
    fresh: bool = True


@dataclass(frozen=True, slots=True)
class Missing:
    """A transaction that failed on the last replay: its index, and reasons as sentences."""

    index: int
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Conclusion:
    """The end of the loop.

    ``missing`` is empty when all passed as they are now; ``again`` are transactions that did so,
    and then failed on a server that a replay had used. ``held`` are the transactions that were not
    sent, each with the reason. ``untried`` are variables found after the last replay, and ``left``
    are sentences on values that are sent as recorded although the server gives out others.
    ``twice`` says that a second replay on the same server followed a green one.
    """

    configuration: Configuration
    replays: int
    missing: tuple[Missing, ...]
    held: Mapping[int, str]
    untried: tuple[str, ...]
    again: tuple[Missing, ...] = ()
    left: tuple[str, ...] = ()
    twice: bool = False


def improve(
    case: TestCase,
    exchanges: Sequence[Exchange],
    *,
    rules: Sequence[Rule],
    most: int = REPLAYS,
    resets: bool = False,
    told: Told = silent,
) -> Generator[ReplayRound, Replayed, Conclusion]:
    """Configure the case by its rules, then by what ``most`` replays show.

    Yields attempts, and wants sent what became of each: a `Replayed` by the attempt's own indexes.
    Transactions that are dangerous, and those that need what these give out, are in no attempt.
    ``resets`` says that the server can be brought back, so that a replay shows in the end whether
    what was found on a used server holds. ``told`` is told how far each configuring has got.
    """
    state = _State(exchanges, rules, configure(case, exchanges, rules=rules, told=told), told)
    found: tuple[str, ...] = ()
    replayed = Replayed()
    held: Mapping[int, str] = {}
    number = 0
    fresh = True
    again = disturbed = False
    proof = False  # of what was found on a used server
    while number < most:
        number += 1
        held = dict(_held(state.case))
        indexes = tuple(
            index for index in range(len(tuple(state.case.transactions()))) if index not in held
        )
        sent = without(state.case, held)
        again = state.green
        attempt = ReplayRound(
            number, sent, indexes, state.configuration, state.proven(), found, fresh
        )
        replayed = _by_index(indexes, (yield attempt))
        disturbed = state.judge(replayed, number, indexes)
        last = number == most
        first = min(held, default=len(indexes))
        found = (
            () if disturbed
            else state.propose(replayed, first, tries=not last, passed=again or last)
        )  # fmt: skip
        fresh = not state.green
        if found or state.trials or disturbed or (state.green and not again):
            continue
        if proof or not (resets and again) or state.is_green(held):
            break
        proof = fresh = True
    state.give_up()
    failed = tuple(state.missing(replayed, held))
    green = state.is_green(held) and not found
    unproved = () if found else state.unproved(held, replayed.failures)
    return Conclusion(
        state.configuration,
        number,
        () if green else (*failed, *unproved),
        held,
        found,
        failed if green and not disturbed else (),
        tuple(state.left()),
        again,
    )


#: What a transaction is: itself, and the headers that it shares.
_Form = tuple[Transaction, tuple[Header, ...]]


@dataclass(slots=True)
class _State:
    """The state of the loop between two replays."""

    exchanges: Sequence[Exchange]
    rules: Sequence[Rule]
    configuration: Configuration
    told: Told
    trials: dict[str, OnTrial] = field(default_factory=dict)
    """By variable: what the next replay is to confirm."""
    refused: dict[Origin, str] = field(default_factory=dict)
    """What was tried and did not help, or could not be tried, each with what is said of it: nothing
    of what may mend a failure."""
    undecided: Counter[Origin] = field(default_factory=Counter)
    """How many replays could not show whether it helps."""
    doubtful: Sequence[Suggestion] = ()
    """What the last replay suggests, and no further one can confirm."""
    passed: dict[int, int] = field(default_factory=dict)
    """By transaction: the last replay on which it passed."""
    forms: dict[int, list[_Form]] = field(default_factory=dict)
    """By transaction: as what it has passed."""
    green: bool = False
    """Whether a replay was."""

    @property
    def ranked(self) -> tuple[Rule, ...]:
        """Return all rules, the most trusted first."""
        return (*ignored(self.case), *self.rules, REPLAY_COMPARE)

    @property
    def case(self) -> TestCase:
        """The test case as it is now."""
        return self.configuration.case

    def judge(self, replayed: Replayed, number: int, indexes: Sequence[int]) -> bool:
        """Keep the trials that the replay confirms, and take back those that it refutes. Return
        whether one of them may have made a request fail that had passed."""
        self.passed |= dict.fromkeys(replayed.exchanges, number)
        self.green = self.green or not replayed.failures
        forms = self._forms()
        for index in indexes:
            if index not in replayed.failures:
                self.forms.setdefault(index, []).append(forms[index])
        trials = self.trials.values()
        disturbed = any(one.passed and one.users & replayed.failures.keys() for one in trials)
        waiting: dict[str, OnTrial] = {}
        useless: dict[str, OnTrial] = {}
        for name, trial in self.trials.items():
            match verdict(trial, replayed):
                case TrialVerdict.HOLDS:
                    more = replace(trial, confirmed=trial.confirmed + 1)
                    if more.confirmed < more.wanted:
                        waiting[name] = more
                case TrialVerdict.REFUSED:
                    useless[name] = trial
                    self._refuse(trial, "but with that the request fails")
                case TrialVerdict.UNDECIDED if not trial.sure:
                    origins = {one.origin for one in trial.proposals}
                    self.undecided.update(origins)
                    last = max(self.undecided[one] for one in origins) >= _MOST_UNDECIDED
                    (useless if last else waiting)[name] = trial
                    if last:
                        self._refuse(trial, _UNDECIDED)
        self.trials = waiting
        self._take_back(useless)
        return disturbed

    def propose(
        self, replayed: Replayed, before: int, *, tries: bool, passed: bool
    ) -> tuple[str, ...]:
        """Adopt what the replay suggests, and return the names of the new variables.

        Trials (``tries``) need a replay after them, and failures that nothing held back may have
        caused: of transactions ``before`` the first of these. With ``passed``, requests that passed
        get some, too.
        """
        traffic = self._traffic()
        made = suggestions(traffic, replayed, self.ranked, refused=self.refused, passed=passed)
        made, self.doubtful = chosen(made, before, tries)
        found = variables_for(made, (), self.ranked, taken=names_in_use(self.case))
        found = by_rows(found, traffic, self.case.variables)
        if not found:
            return ()
        by_slot = {id(one.slot): one for one in made if one.trial or may_be_wrong(one)}
        for one in found:
            tried = [by_slot[id(slot)] for slot in one.slots if id(slot) in by_slot]
            if tried:
                self.trials[one.name] = OnTrial(tried)
        self._configure(rewrite(self.case, traffic.steps, found, ()))
        return tuple(one.name for one in found)

    def proven(self) -> TestCase:
        """Return the test case without what is to be confirmed."""
        unsure = [name for name, trial in self.trials.items() if not trial.sure]
        steps = steps_of(self.case, self.exchanges)
        return revert(self.case, steps, only=unsure) if unsure else self.case

    def give_up(self) -> None:
        """Take back what no replay has confirmed."""
        unsure = {name: trial for name, trial in self.trials.items() if not trial.sure}
        for trial in unsure.values():
            self._refuse(trial, _UNDECIDED)
        self._take_back(unsure)

    def is_green(self, held: Container[int]) -> bool:
        """Return whether a replay was green, and all that was changed since has passed."""
        return self.green and all(
            index in held or form in self.forms.get(index, ())
            for index, form in enumerate(self._forms())
        )

    def unproved(self, held: Container[int], failed: Container[int]) -> Iterator[Missing]:
        """Yield the transactions that have not passed as they are, although the last replay was not
        to say so: what made them pass was taken back."""
        for index, form in enumerate(self._forms()):
            if index not in held and index not in failed and form not in self.forms.get(index, ()):
                yield Missing(index, (_UNPROVED,))

    def left(self) -> Iterator[str]:
        """Yield what is sent as recorded although the server gives out another value; each once."""
        fields = {(one.slot.name, one.slot.value): one for one in self.doubtful[::-1]}
        doubtful = (_about(one, _CHANCE) for one in reversed(fields.values()))
        yield from dict.fromkeys((*filter(None, self.refused.values()), *doubtful))

    def _forms(self) -> list[_Form]:
        return [(one, self.case.wire_headers(one.request)) for one in self.case.transactions()]

    def _refuse(self, trial: OnTrial, why: str) -> None:
        for one in trial.proposals:
            self.refused[one.origin] = _about(one, why) if trial.passed or why == _UNDECIDED else ""

    def _take_back(self, trials: Collection[str]) -> None:
        if trials:
            steps = steps_of(self.case, self.exchanges)
            self._configure(revert(self.case, steps, only=trials))

    def missing(self, replayed: Replayed, held: Mapping[int, str]) -> Iterator[Missing]:
        """Yield why the transactions failed, in their order; of the first also what it may want."""
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
        """Yield the fields of a transaction that look dynamic and are sent as recorded."""
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
        """Return where the value came from; empty if it still comes from there, so that it is
        right."""
        steps = steps_of(self.case, self.exchanges)
        for step in reversed(steps[:index]):
            if step.exchange is None or not RecordedResponse(step.exchange).holds(slot.value):
                continue
            now = replayed.exchanges.get(step.index)
            if now is not None and RecordedResponse(now).holds(slot.value):
                return ""
            return f"transaction {step.index + 1} gave it out, and now something else or nothing"
        return "no response before holds it"

    def _traffic(self) -> Traffic:
        traffic = read_traffic(self.case, steps_of(self.case, self.exchanges), self.rules)
        return set_aside(traffic, self.case)[0]

    def _configure(self, case: TestCase) -> None:
        self.configuration = configure(case, self.exchanges, rules=self.rules, told=self.told)


def _shown(value: str) -> str:
    return value if len(value) <= 12 else f"{value[:11]}…"


def _about(one: Suggestion, why: str) -> str:
    slot, at = one.slot, one.producer.transaction + 1
    name = slot.name or "the path"
    return (
        f"{name} is sent as recorded, {_shown(slot.value)}, by transaction {slot.transaction + 1}: "
        f"transaction {at} gave it out, and now {_shown(one.now)}; {why}"
    )


def _held(case: TestCase) -> Iterator[tuple[int, str]]:
    """Yield the transactions that are not sent, with the reason: dangerous, or in need of one that
    is."""
    lost: dict[str, int] = {}
    for index, one in enumerate(case.transactions()):
        needed = sorted(needed_by(case, one) & lost.keys())
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
    """Return the exchanges and failures by the indexes of the whole test case."""
    return Replayed(
        {indexes[at]: one for at, one in replayed.exchanges.items()},
        {indexes[at]: one for at, one in replayed.failures.items()},
    )
