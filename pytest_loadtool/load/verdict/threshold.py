"""Thresholds on what was measured: over the whole run, and second by second while it lasts.

All numbers of a worker are cumulative, so what happened in a second is the difference between two
looks at them. No clock is read here: how far a run is, the numbers say themselves.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil

from pytest_loadtool.load.formatting import count, digits, percent, plural
from pytest_loadtool.load.metrics.histogram import Histogram
from pytest_loadtool.load.metrics.measures import TransactionMetrics
from pytest_loadtool.load.metrics.metrics import LoadMetrics
from pytest_loadtool.load.verdict.threshold_state import (
    Tallies,
    Tally,
    tally_of,
    time_of,
    transactions_of,
)
from pytest_loadtool.model.threshold import Threshold, Unit

_HOLDS: Mapping[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}

_AMOUNTS: Mapping[Unit, Callable[[float], str]] = {
    "time": lambda seconds: f"{digits(seconds * 1000)} ms",
    "share": percent,
    "rate": lambda per_second: f"{digits(per_second)}/s",
    "count": count,
    "number": digits,
}


def amount(value: float | None, unit: Unit) -> str:
    """Return a measured value with its unit: ``432 ms``, ``0.5 %``, ``477/s``, ``12``."""
    return "nothing" if value is None else _AMOUNTS[unit](value)


#: What is counted of each transaction, for the metrics of which one may have the most.
_COUNTED: Mapping[str, Callable[[TransactionMetrics], int]] = {
    "errors": lambda one: one.errors,
    "error rate": lambda one: one.errors,
    "not as recorded": lambda one: one.not_as_recorded,
}


@dataclass(frozen=True, slots=True)
class ThresholdResult:
    """The result of a threshold; ``why`` is a sentence when it is not passed.

    ``measured`` is in the unit of the threshold's limit: the whole run's value, or where seconds
    count the worst of them. None: nothing was measured that it is about.
    """

    threshold: Threshold
    passed: bool
    measured: float | None
    why: str = ""


@dataclass(frozen=True, slots=True)
class ThresholdState:
    """The state of a threshold while the run lasts: its value now, and for how long it is broken.

    ``broken`` is None while it is not.
    """

    threshold: Threshold
    value: float | None
    broken: int | None


class ThresholdWatch:
    """Looks at a run while it lasts, and judges it at its end.

    Only seconds within ``duration`` count: afterwards users finish, and less and less is asked of
    the server. (None: there is no such end.)
    """

    def __init__(self, thresholds: Sequence[Threshold], duration: float | None = None) -> None:
        self._judges = [_ThresholdJudge(threshold) for threshold in thresholds]
        self._duration = duration
        self._second = 0
        self._parts: Sequence[LoadMetrics] = ()
        self.stopped_by: Threshold | None = None
        """The condition that ended the run."""
        self.stopped_after = 0
        """The second of the run in which that was."""

    @property
    def wanted(self) -> bool:
        """Return whether there is anything to look for."""
        return bool(self._judges)

    def update(self, parts: Sequence[LoadMetrics]) -> bool:
        """Look at what each worker has measured so far, and return whether the run is to stop now.

        To be called each second or more often. Looks within the same second of the run do nothing.
        """
        seconds = max((part.elapsed_us for part in parts), default=0) / 1e6
        second = int(seconds)
        if second == self._second or (self._duration is not None and second > self._duration):
            return False
        self._parts = parts
        tallies = Tallies(parts)
        for judge in self._judges:
            if judge.lasts:
                judge.update(tallies, self._second, second)
        self._second = second
        if self.stopped_by is None:
            self.stopped_by = next((one.threshold for one in self._judges if one.stops), None)
            self.stopped_after = second
            return self.stopped_by is not None
        return False

    def states(self) -> tuple[ThresholdState, ...]:
        """Return how the thresholds stand at the last look."""
        tallies = Tallies(self._parts)
        for judge in self._judges:
            if not judge.lasts:  # nobody but a spectator wants to know before the end
                judge.update(tallies, self._second, self._second)
        return tuple(judge.state(self._second) for judge in self._judges)

    def results(self, metrics: LoadMetrics) -> tuple[ThresholdResult, ...]:
        """Return what came of each threshold, by the merged numbers of the whole run.

        The last second may be in nobody's report: the run was over before it was made.
        """
        stopped_by = self.stopped_by
        if stopped_by is None:
            self.update([metrics])
        return tuple(
            judge.result(metrics, stopped=judge.threshold is stopped_by) for judge in self._judges
        )


class _ThresholdJudge:
    """One threshold during a run. Seconds are numbered from 0; a streak is of broken ones."""

    def __init__(self, threshold: Threshold) -> None:
        self.threshold = threshold
        self._before: Tally | None = None
        self._value: float | None = None
        self._since: int | None = None
        self._longest = (0, 0)
        self._worst: float | None = None

    @property
    def stops(self) -> bool:
        """Return whether the run has to end."""
        return self.threshold.stop and self._is_broken_for_long

    @property
    def _is_broken_for_long(self) -> bool:
        begin, end = self._longest
        return end - begin >= max(1, ceil(self.threshold.during))

    @property
    def lasts(self) -> bool:
        """Return whether it has to be looked at while the run lasts."""
        return self.threshold.stop or bool(self.threshold.during)

    def update(self, tallies: Tallies, begin: int, end: int) -> None:
        """Note what the time from second ``begin`` to ``end`` has brought."""
        tally = tallies.of(self.threshold)
        if self.threshold.during:
            of_second = tally.since(self._before or Tally(Histogram()))
            self._before = tally
            value = of_second.value(self.threshold)
        else:
            value = tally.value(self.threshold)
        self._value = value
        # In a second in which nothing was finished, what held before goes on to hold.
        if value is not None:
            self._note(value)
            if not self._breaks(value):
                self._since = None
            elif self._since is None:
                self._since = begin
        if self._since is not None:
            streak = (self._since, end)
            self._longest = max(self._longest, streak, key=lambda one: one[1] - one[0])

    def state(self, now: int) -> ThresholdState:
        """Return how it stands at the last look."""
        broken = None if self._since is None else now - self._since
        return ThresholdState(self.threshold, self._value, broken)

    def result(self, metrics: LoadMetrics, *, stopped: bool) -> ThresholdResult:
        """Return what came of it; ``stopped``: the run was ended by it."""
        wanted = self.threshold
        if wanted.during or wanted.stop:
            value = self._worst
            passed = not self._is_broken_for_long
        else:
            value = tally_of(wanted, [metrics]).value(wanted)
            passed = value is not None and not self._breaks(value)
        why = "" if passed else self._why(value, metrics, stopped)
        return ThresholdResult(wanted, passed, value, why)

    def _breaks(self, value: float) -> bool:
        """Return whether ``value`` is one that must not be."""
        wanted = self.threshold
        return _HOLDS[wanted.comparison](value, wanted.limit) == wanted.stop

    def _note(self, value: float) -> None:
        """Keep the worst: the greatest where less is wanted."""
        worse = max if (">" in self.threshold.comparison) == self.threshold.stop else min
        self._worst = value if self._worst is None else worse(value, self._worst)

    def _why(self, value: float | None, metrics: LoadMetrics, stopped: bool) -> str:
        wanted = self.threshold
        if value is None:
            return f"threshold {wanted.text} is not met: nothing was measured that it is about"
        measured = amount(value, wanted.unit)
        begin, end = self._longest
        if wanted.during:
            measured = f"at worst {measured}, from {begin} s to {end} s"
        came_true = "stopped the run" if stopped else "came true"
        sense = came_true if wanted.stop else "is not met"
        return f"threshold {wanted.text} {sense}: {measured}{self._contributor(metrics)}"

    def _contributor(self, metrics: LoadMetrics) -> str:
        """Return, for a number over several transactions, the one that has the most to do with
        it."""
        indices = list(transactions_of(self.threshold, metrics))
        if len(indices) < 2:
            return ""
        if self.threshold.unit == "time":
            values = {
                index: value
                for index in indices
                if (value := time_of(self.threshold, metrics, index)) is not None
            }
            if not values:
                return ""
            slowest = max(values, key=values.__getitem__)
            return f"; slowest: {_name(metrics, slowest)} ({amount(values[slowest], 'time')})"
        counted = _COUNTED.get(self.threshold.metric)
        if counted is None:
            return ""
        worst = max(indices, key=lambda index: counted(metrics.transactions[index]))
        one = metrics.transactions[worst]
        of = plural(one.requests, "request")
        return f"; most of them: {_name(metrics, worst)} ({count(counted(one))} of {of})"


def _name(metrics: LoadMetrics, index: int) -> str:
    key = metrics.transaction_keys[index]
    return f'"{key.name}" of page "{key.page}"'
