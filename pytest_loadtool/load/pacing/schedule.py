"""When what begins: the virtual users of a closed load model, the arrivals of an open one.

Both models are a line over time: so many users, or so many arrivals per second. It consists of
stages, each a ramp from the level before and then that level for the rest; a plain schedule is one
stage. Times are in seconds after the start of the run. Each share of a load test computes its
own part from its index and their number alone.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from math import ceil, inf, sqrt
from pathlib import PurePosixPath
from random import Random

from pytest_loadtool.codec.suffixes import case_name
from pytest_loadtool.load.cluster.share import Share
from pytest_loadtool.load.formatting import line, plural, seconds
from pytest_loadtool.model.load import LoadConfiguration, Population, Schedule, Stage

#: By how much a sum of arrivals may be off before it counts as one more: the rate "100/min" over
#: "1m" makes a hundred, although a hundred by sixty has no exact float.
_ROUNDING = 1e-6

_SEED = 0  # of Poisson arrivals: the same in all shares, and in every run


def stages_of(schedule: Schedule) -> tuple[Stage, ...]:
    """Return the stages of a schedule; the last may be without end. Nothing before its start is a
    stage, too."""
    length = inf if schedule.duration is None else schedule.duration
    users = schedule.users if schedule.rate is None else None
    plain = Stage(length, schedule.ramp_up, users, schedule.rate)
    stages = schedule.stages or (plain,)
    if not schedule.start:
        return stages
    nothing = Stage(schedule.start, rate=0.0) if schedule.open else Stage(schedule.start, users=0)
    return (nothing, *stages)


# The closed model.


@dataclass(frozen=True, slots=True)
class Span:
    """The time from ``start`` to ``stop`` in which a user begins iterations; `math.inf` when
    nothing stops it."""

    start: float
    stop: float
    user: int


def spans(schedule: Schedule, share: Share) -> Iterator[Span]:
    """Yield when the users of a share start, in that order. One that stopped may start again.

    On a ramp from ``a`` up to ``b`` users, user ``i`` starts when ``i - a`` of ``b - a`` parts of
    it are over. On a ramp down the one with the highest number stops first, and the last, user
    ``b``, at the end of the ramp.
    """
    stages = stages_of(schedule)
    begin, before = 0.0, 0
    for index, stage in enumerate(stages):
        level = int(stage.level)
        users = share.users(level)
        for user in users[bisect_left(users, before) :]:
            start = begin + stage.ramp * (user - before) / (level - before)
            stop = _stop(stages[index + 1 :], begin + stage.duration, level, user)
            if start < stop:
                yield Span(start, stop, user)
        begin, before = begin + stage.duration, level


def _stop(stages: Sequence[Stage], begin: float, before: int, user: int) -> float:
    """Return when a user stops in ``stages``, of which the first begins at ``begin``; before it
    there are ``before`` users."""
    for stage in stages:
        level = int(stage.level)
        if level <= user:
            return begin + stage.ramp * (before - user) / (before - level)
        begin, before = begin + stage.duration, level
    return begin


# The open model.


@dataclass(frozen=True, slots=True)
class _Slope:
    """A piece of the line: from ``begin`` on the rate goes evenly from ``low`` to ``high``.

    ``before`` is how many arrivals there are up to its begin, ``after`` up to its end.
    """

    begin: float
    length: float
    low: float
    high: float
    before: float
    after: float

    def time_of(self, reached: float) -> float:
        """Return when there have been so many arrivals: the inverse of the integral of the rate."""
        wanted = max(0.0, reached - self.before)
        if not wanted:
            return self.begin
        bend = (self.high - self.low) / self.length
        # The root of the quadratic in the form that does not subtract nearly equal numbers.
        root = sqrt(max(0.0, self.low * self.low + 2 * bend * wanted))
        return self.begin + min(self.length, 2 * wanted / (self.low + root))


def arrivals(schedule: Schedule, share: Share) -> Iterator[tuple[float, int]]:
    """Yield when the iterations of a share begin, in order: (time, number of the arrival).

    Arrivals are numbered from 0, and the shares take turns with them. Even arrivals: number ``k``
    comes when the integral of the rate reaches ``k``; so before any time there have been as many as
    the integral says, rounded up. With Poisson arrivals that number is random and the integral is
    its mean.
    """
    slopes = list(_slopes(stages_of(schedule)))
    total = slopes[-1].after if slopes else 0.0
    series = _even(total) if schedule.arrivals == "even" else _poisson(total)
    at = 0
    for number, reached in share.of(enumerate(series)):
        while reached >= slopes[at].after and at < len(slopes) - 1:
            at += 1
        yield slopes[at].time_of(reached), number


def _slopes(stages: Sequence[Stage]) -> Iterator[_Slope]:
    """Yield the pieces of the line that have arrivals."""
    begin = before = low = 0.0
    for stage in stages:
        high = stage.level
        for length, from_ in ((stage.ramp, low), (stage.duration - stage.ramp, high)):
            after = before + (from_ + high) / 2 * length
            if after > before:
                yield _Slope(begin, length, from_, high, before, after)
            begin, before = begin + length, after
        low = high


def _even(total: float) -> Iterable[float]:
    """Return what the integral of the rate has reached when each arrival comes."""
    return range(ceil(total - _ROUNDING))


def _poisson(total: float) -> Iterator[float]:
    """Yield the same, with random distances whose mean is 1."""
    random = Random(_SEED)  # noqa: S311  chance, not secrets
    reached = random.expovariate(1.0)
    while reached < total:
        yield reached
        reached += random.expovariate(1.0)


# In words.

_MOST_LEVELS = 5
_PER = ((1, "s"), (60, "min"), (3600, "h"))


def describe(configuration: LoadConfiguration) -> str:
    """Return the load in a sentence: ``50 → 200 arrivals/s over 2 min, at most 500 users``.

    Of several schedules each comes with its test cases: ``shop: 5 users for 10 s; api: 2 …``.
    """
    lines = "" if configuration.bandwidth is None else f", each on {line(configuration.bandwidth)}"
    populations = configuration.populations
    if len(populations) == 1:
        return describe_schedule(populations[0].schedule) + lines
    return (
        "; ".join(
            f"{population_name(configuration, one)}: {describe_schedule(one.schedule)}"
            for one in populations
        )
        + lines
    )


def population_name(configuration: LoadConfiguration, population: Population) -> str:
    """Return what a population is called: the names of its test cases' files."""
    files = (PurePosixPath(configuration.cases[at].file) for at in population.cases)
    return ", ".join(map(case_name, files))


def describe_schedule(plan: Schedule) -> str:
    """Return a schedule in words."""
    begin = f", {seconds(plan.start)} after the start" if plan.start else ""
    return _load(plan) + begin


def _load(plan: Schedule) -> str:
    load = _rate(plan) if plan.open else _users(plan)
    most = f", at most {plural(plan.users, 'user')}" if plan.open else ""
    length = "" if plan.duration is None else seconds(plan.duration)
    if plan.stages:
        return f"{load} over {length}{most}"
    ramp = f" (ramp-up {seconds(plan.ramp_up)})" if plan.ramp_up else ""
    if plan.iterations is None:
        return f"{load} for {length}{ramp}{most}"
    limit = f" in at most {length}" if length else ""
    return f"{load}, {plural(plan.iterations, 'iteration')} each{limit}{ramp}"


def _users(plan: Schedule) -> str:
    levels = _levels(plan)
    unit = "user" if levels == [1.0] else "users"
    return f"{_arrows(levels)} {unit}"


def _rate(plan: Schedule) -> str:
    levels = _levels(plan)
    factor, unit = next((one for one in _PER if _is_round(levels, one[0])), _PER[0])
    kind = "Poisson arrivals" if plan.arrivals == "poisson" else "arrivals"
    return f"{_arrows([level * factor for level in levels])} {kind}/{unit}"


def _is_round(levels: Iterable[float], factor: int) -> bool:
    return all(abs(level * factor - round(level * factor, 1)) < _ROUNDING for level in levels)


def _levels(plan: Schedule) -> list[float]:
    """Return the levels that the run goes through; none at first, if several begin with a ramp."""
    stages = stages_of(replace(plan, start=0.0))
    from_none = [0.0] if plan.stages and stages[0].ramp else []
    return [level for level, _ in groupby(from_none + [stage.level for stage in stages])]


def _arrows(levels: Sequence[float]) -> str:
    words = [f"{level:,.2f}".rstrip("0").rstrip(".") for level in levels]
    if len(words) > _MOST_LEVELS:
        words[2:-2] = ["…"]
    return " → ".join(words)
