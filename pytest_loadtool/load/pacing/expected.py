"""What a load will come to, as far as that is known before it runs: with a server that answers as
quickly as it did when it was recorded, and without errors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, inf
from statistics import fmean

from pytest_loadtool.load.cluster.share import Share, case_of
from pytest_loadtool.load.pacing.schedule import spans, stages_of
from pytest_loadtool.model.length import Length
from pytest_loadtool.model.load import Distribution, LoadConfiguration, Population, Schedule

#: A rounding error is no iteration more.
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class CaseExpectation:
    """The expectation of one test case: its users at the most, iterations that begin and those that
    also finish; None where nothing but the server says how many that are. ``each`` is the most that
    one user begins."""

    users: int
    begun: int | None
    finished: int | None
    each: int | None
    per_minute: float | None
    """Iterations per minute with all users at work, or at the highest rate."""


def level_at(schedule: Schedule, second: float) -> float:
    """Return how many users, or arrivals per second, there are to be at a time of the run."""
    begin = before = 0.0
    for stage in stages_of(schedule):
        if second < begin + stage.ramp:
            return before + (stage.level - before) * (second - begin) / stage.ramp
        if second < begin + stage.duration:
            return stage.level
        begin, before = begin + stage.duration, stage.level
    return 0.0


def expected(
    configuration: LoadConfiguration, lengths: Sequence[Length]
) -> tuple[CaseExpectation, ...]:
    """Return what is to be expected of each test case; ``lengths`` are of its iterations."""
    found: dict[int, CaseExpectation] = {}
    for population in configuration.populations:
        own = [lengths[at] for at in population.cases]
        of_model = _open if population.schedule.open else _closed
        found |= zip(population.cases, of_model(population, configuration.grace, own), strict=True)
    return tuple(found[at] for at in range(len(lengths)))


def users_needed(population: Population, lengths: Sequence[Length]) -> int:
    """Return how many users are at work at once at the highest rate of an open load (Little's law:
    arrivals per second times the seconds that each stays); ``lengths`` are of all test cases."""
    rate = max(stage.level for stage in stages_of(population.schedule))
    weights = population.weights
    own = [lengths[at] for at in population.cases]
    stay = sum(one.total * weight for one, weight in zip(own, weights, strict=True))
    return ceil(rate * stay / sum(weights) - _ROUNDING)


def _closed(
    population: Population, grace: float, lengths: Sequence[Length]
) -> tuple[CaseExpectation, ...]:
    schedule, weights = population.schedule, population.weights
    users = Counter(case_of(user, weights) for user in range(schedule.users))
    every = [max(one.total, _mean(schedule.pacing)) for one in lengths]
    end = inf if schedule.end is None else schedule.end + grace
    most = inf if schedule.iterations is None else schedule.iterations
    begun, finished, each = Counter[int](), Counter[int](), Counter[int]()
    known = [bool(one) or most < inf for one in every]
    for span in spans(schedule, Share()):
        case = case_of(span.user, weights)
        if not known[case]:
            continue
        begins, first = most, span.start + lengths[case].start
        if every[case] and span.stop < inf:
            # The first begins with the start, whose time is no part of it.
            later = ceil((span.stop - first) / every[case] - _ROUNDING)
            begins = min(most, max(1, later))
        last = first + (begins - 1) * every[case] + lengths[case].total
        late = ceil((last - end) / every[case] - _ROUNDING) if every[case] and last > end else 0
        begun[case] += int(begins)
        finished[case] += int(begins) - min(late, int(begins))
        each[case] = max(each[case], int(begins))
    return tuple(
        CaseExpectation(
            users[case],
            begun[case] if known[case] else None,
            finished[case] if known[case] else None,
            each[case] if known[case] else None,
            60 * users[case] / every[case] if every[case] else None,
        )
        for case in range(len(weights))
    )


def _open(
    population: Population, grace: float, lengths: Sequence[Length]
) -> tuple[CaseExpectation, ...]:
    schedule, weights = population.schedule, population.weights
    total = sum(weights)
    stages = stages_of(schedule)
    rate = max(stage.level for stage in stages)
    end = sum(stage.duration for stage in stages)
    found = []
    for weight, length in zip(weights, lengths, strict=True):
        part = weight / total
        begun = _arrivals(schedule, end) * part
        in_time = _arrivals(schedule, end + grace - length.total) * part
        users = max(1, round(schedule.users * part))
        per_minute = 60 * rate * part
        found.append(CaseExpectation(users, round(begun), round(in_time), None, per_minute))
    return tuple(found)


def _arrivals(schedule: Schedule, until: float) -> float:
    """Return how many arrivals there are up to a time: the area below the line."""
    begin = before = area = 0.0
    for stage in stages_of(schedule):
        for length, low in ((stage.ramp, before), (stage.duration - stage.ramp, stage.level)):
            part = min(length, max(0.0, until - begin))
            if part:
                area += part * (low + low + (stage.level - low) * part / length) / 2
            begin += length
        before = stage.level
    return area


def _mean(pacing: Distribution | None) -> float:
    """Return the mean time after one iteration at which the next begins."""
    if pacing is None:
        return 0.0
    if pacing.kind == "uniform":
        return fmean(pacing.parameters)
    return pacing.parameters[0]
