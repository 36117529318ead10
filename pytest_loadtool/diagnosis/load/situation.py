"""What is known of a load test in which iterations failed, as its rules read it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean

from pytest_loadtool.diagnosis.diagnose import diagnose
from pytest_loadtool.diagnosis.finding import Diagnosis
from pytest_loadtool.diagnosis.kept import outcomes_of
from pytest_loadtool.diagnosis.outcome import Evidence
from pytest_loadtool.diagnosis.situation import Situation
from pytest_loadtool.diagnosis.subject import Subject
from pytest_loadtool.load.verdict.failing import FailingGroup
from pytest_loadtool.load.verdict.summary import Moment, Summary
from pytest_loadtool.masking.text import Mask
from pytest_loadtool.model.case import TestCase, Transaction

#: Of how many groups, those with the most iterations, the samples are looked at.
_MOST_EXAMINED = 20
#: Statuses that say that what is behind them is away or has too much to do.
AWAY = frozenset({502, 503, 504})


@dataclass(frozen=True, slots=True)
class KnownCase:
    """A test case of the load test, the path of its file, and its recorded traffic."""

    case: TestCase
    path: str
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Examined:
    """A failed exchange of a group, looked at as that of a test is."""

    situation: Situation
    diagnosis: Diagnosis


@dataclass(frozen=True, slots=True)
class Slowdown:
    """The slowing down of good answers: what they took with few users (or when recorded, with one)
    and with many, in milliseconds."""

    few: float
    few_ms: float
    many: float
    many_ms: float
    recorded: bool = False

    @property
    def factor(self) -> float:
        """Return by how much."""
        return self.many_ms / self.few_ms if self.few_ms else 1.0


@dataclass(frozen=True)
class LoadSituation:
    """A run with its test cases, in the order of the load configuration, and the path of that."""

    summary: Summary
    cases: Sequence[KnownCase]
    path: str

    @property
    def groups(self) -> tuple[FailingGroup, ...]:
        """Return all groups of first failures."""
        return self.summary.failing.groups

    @cached_property
    def examined(self) -> Mapping[object, Examined]:
        """The groups of which a sample was kept, by their keys, looked at."""
        found = ((one.key, self._examine(one)) for one in self.groups[:_MOST_EXAMINED])
        return {key: examined for key, examined in found if examined is not None}

    def _examine(self, group: FailingGroup) -> Examined | None:
        known = self.cases[group.case_number]
        for sample in group.samples:
            outcomes = tuple(outcomes_of(known.case, sample))
            failed = next((one for one in outcomes if one.failures), None)
            if failed is None:
                continue
            subject = Subject(known.case, known.path, failed, Mask(), known.evidence)
            diagnosis = diagnose(
                known.case, outcomes, path=known.path, evidence=known.evidence, mask=Mask()
            )
            return Examined(Situation(subject, outcomes), diagnosis)
        return None

    def transaction(self, group: FailingGroup) -> Transaction:
        """Return the transaction of a group."""
        return list(self.cases[group.case_number].case.transactions())[group.index]

    def path_of(self, group: FailingGroup) -> str:
        """Return the path of its test case."""
        return self.cases[group.case_number].path

    # Over time.

    @property
    def moments(self) -> Sequence[Moment]:
        """Return what happened in each second, or each few of a long run."""
        return self.summary.timeline

    def good_within(self, first: int, last: int) -> int:
        """Return how many good answers came from one second to another, both whole."""
        within = (one for one in self.moments if first <= one.second <= last)
        return sum(one.requests - one.errors for one in within)

    def failing_share(self, first: int, last: int) -> float:
        """Return the greatest share of requests that failed in a second of these."""
        within = [one for one in self.moments if first <= one.second <= last and one.requests]
        return max((one.errors / one.requests for one in within), default=0.0)

    def mixed(self, group: FailingGroup) -> bool:
        """Return whether good answers came all the while that iterations of the group failed."""
        good = {one.second for one in self.moments if one.requests > one.errors}
        seconds = [second for second, _ in group.course]
        return sum(one in good for one in seconds) > len(seconds) * 0.7

    @cached_property
    def slowdown(self) -> Slowdown | None:
        """Return how good answers slowed down with more users, as far as users became more."""
        known = [one for one in self.moments if one.good_mean is not None and one.users]
        most = max((one.users for one in known), default=0.0)
        few = [one for one in known if one.users <= most / 4]
        few = few or [one for one in known if one.users <= most / 2]
        many = [one for one in known if one.users >= most * 0.8]
        if not few or not many:
            return None
        return Slowdown(
            fmean(one.users for one in few),
            _mean(few),
            fmean(one.users for one in many),
            _mean(many),
        )

    def slower_than_recorded(self, group: FailingGroup) -> Slowdown | None:
        """Return how much longer good answers to its transaction took than when it was recorded."""
        recorded, median = self.transaction(group).recorded, group.good_ms
        took = recorded.took if recorded is not None else 0.0
        if not took or median is None:
            return None
        users = max((one.users for one in self.moments), default=0.0)
        return Slowdown(1, took * 1000, users, median, recorded=True)


def _mean(moments: Iterable[Moment]) -> float:
    """Return the mean of good answers, in milliseconds."""
    pairs = [(one.good_mean or 0.0, one.requests - one.errors) for one in moments]
    count = sum(number for _, number in pairs)
    return sum(mean * number for mean, number in pairs) / count if count else 0.0
