"""The curves of the page of load tests: of a run over time, and of runs one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from math import isfinite
from typing import Any

from pytest_loadtool.load.formatting import percent
from pytest_loadtool.load.metrics.timeline import Interval
from pytest_loadtool.load.pacing.schedule import population_name, stages_of
from pytest_loadtool.load.verdict.comparison import Comparison
from pytest_loadtool.load.verdict.saved import ALL
from pytest_loadtool.load.verdict.summary import (
    CustomMoment,
    Moment,
    MomentTimes,
    Summary,
    percentile_name,
)
from pytest_loadtool.model.custom import MetricKind
from pytest_loadtool.model.load import LoadConfiguration, Schedule
from pytest_loadtool.report.load.units import rounded

#: What is plotted, in the order of the page: the group of series, its title, unit, and how it is
#: drawn: curves over each other ("band"), a filled one ("area"), or as they are ("line").
CHARTS: tuple[tuple[str, str, str, str], ...] = (
    ("response_time", "Response time", "ms", "band"),
    ("service_time", "Service time", "ms", "band"),
    ("requests", "Requests", "per second", "area"),
    ("errors", "Errors", "per second", "area"),
    ("error_rate", "Error rate", "%", "area"),
    ("users", "Users at work", "", "area"),
    ("bytes", "Bytes", "per second", "line"),
    ("connections", "Connections opened", "per second", "line"),
    ("counter", "Counters of functions", "per second", "line"),
    ("rate", "Rates of functions", "%", "line"),
    ("lateness", "The generator's own lateness", "ms", "band"),
    ("cpu", "The generator's processor time", "cores", "line"),
)


def time_series(moments: Sequence[Moment]) -> dict[str, Any]:
    """Return seconds of the run, and the series by their group; rates are per second."""
    causes = sorted({cause for one in moments for cause, _ in one.causes})
    return {
        "x": [one.second for one in moments],
        "groups": {
            "response_time": {
                **_band([one.response for one in moments]),
                "mean": [rounded(one.response.mean) for one in moments],
            },
            "service_time": _band([one.service for one in moments]),
            "requests": {"requests": _per_second(moments, lambda one: one.requests)},
            "errors": {"errors": _per_second(moments, lambda one: one.errors)}
            | {
                cause: [round(dict(one.causes).get(cause, 0) / one.length_s, 3) for one in moments]
                for cause in causes
                if len(causes) > 1
            },
            "error_rate": _error_rates(moments),
            "users": {"users": [round(one.users, 3) for one in moments]},
            "bytes": {
                "received": _per_second(moments, lambda one: one.bytes_received),
                "sent": _per_second(moments, lambda one: one.bytes_sent),
            },
            "connections": {"opened": _per_second(moments, lambda one: one.opened)},
            **_custom(moments),
            "lateness": _band([one.lateness for one in moments]),
            "cpu": {"processor time": [round(one.cpu, 4) for one in moments]},
        },
    }


#: Metrics of functions that are plotted of each kind: the first by name. All are in the tables.
_MOST_CUSTOM = 8


def trends(moments: Sequence[Moment]) -> list[tuple[str, str, str, str]]:
    """Return the plots of trends of functions, each of which has a unit of its own, as `CHARTS` has
    those of all runs."""
    return [(f"trend {name}", name, "", "band") for name in _names(moments, "trend")]


def _names(moments: Sequence[Moment], kind: MetricKind) -> list[str]:
    names = {one.name for moment in moments for one in moment.custom if one.kind == kind}
    return sorted(names)[:_MOST_CUSTOM]


def _custom(moments: Sequence[Moment]) -> dict[str, Any]:
    """Return the curves of metrics of functions."""
    known = [{(one.kind, one.name): one for one in moment.custom} for moment in moments]

    def of(kind: MetricKind, name: str) -> list[CustomMoment]:
        return [found.get((kind, name)) or CustomMoment(name, kind, 0) for found in known]

    return {
        "counter": {
            name: [
                round(one.count / moment.length_s, 3)
                for one, moment in zip(of("counter", name), moments, strict=True)
            ]
            for name in _names(moments, "counter")
        },
        "rate": {
            name: [
                None if one.share is None else rounded(one.share * 100) for one in of("rate", name)
            ]
            for name in _names(moments, "rate")
        },
        **{
            f"trend {name}": _band([one.values for one in of("trend", name)])
            for name in _names(moments, "trend")
        },
    }


def _error_rates(moments: Sequence[Moment]) -> dict[str, list[float | None]]:
    """Return the error rates in percent; nothing where there is nothing to see."""
    if not any(one.errors for one in moments):
        return {}
    rates = [one.errors / one.requests * 100 if one.requests else None for one in moments]
    return {"error rate": [rounded(one) for one in rates]}


def _per_second(moments: Sequence[Moment], of: Callable[[Moment], int]) -> list[float]:
    return [round(of(one) / one.length_s, 3) for one in moments]


def _band(times: Sequence[MomentTimes]) -> dict[str, list[float | None]]:
    """Return a curve for each percentile, and for the longest."""
    names = next((dict(one.percentiles) for one in times if one.percentiles), {})
    if all(one.max is None for one in times):
        return {}
    return {
        **{name: [dict(one.percentiles).get(name) for one in times] for name in names},
        "max": [one.max for one in times],
    }


def earlier_series(comparison: Comparison) -> dict[str, Any]:
    """Return the earlier run over time, as far as its file has it, to be drawn behind."""
    before = comparison.before
    moments: list[Interval] = list(before.timeline or ())
    return {
        "started": before.started,
        "time": {
            "x": [one.second for one in moments],
            "groups": {
                "response_time": {
                    "mean": [
                        rounded(one.response_us / one.requests / 1000) if one.requests else None
                        for one in moments
                    ]
                },
                "requests": {"requests": [rounded(one.requests / one.length) for one in moments]},
                "errors": {"errors": [rounded(one.errors / one.length) for one in moments]},
                "users": {"users": [round(one.user_seconds / one.length, 3) for one in moments]},
            },
        },
    }


def trend(summary: Summary) -> dict[str, Any] | None:
    """Return the numbers of the earlier runs and of this one, in order, if there are several
    earlier ones: of all requests of each run, as far as it had any."""
    comparison, asked = summary.comparison, list(summary.configuration.percentiles)
    if comparison is None or len(comparison.earlier) == 1:
        return None
    runs = (*comparison.earlier, summary.saved)
    whole = [one.requests[ALL] for one in runs]
    times = [one.response.percentiles(asked) if one.requests else None for one in whole]
    rates = [one.errors / one.requests * 100 if one.requests else None for one in whole]
    return {
        "x": [*range(1, len(runs) + 1)],
        "started": [one.started[:16].replace("T", " ") for one in runs],
        "groups": {
            "response_time": {
                percentile_name(p): [rounded(one[at] / 1000) if one else None for one in times]
                for at, p in enumerate(asked)
            },
            "requests": {
                "requests": [
                    rounded(one.requests / run.duration_s) if run.duration_s else None
                    for one, run in zip(whole, runs, strict=True)
                ]
            },
            "error_rate": {"error rate": [*map(rounded, rates)]},
        },
    }


def limits(plan: LoadConfiguration) -> Iterator[tuple[str, float, str]]:
    """Yield thresholds that a plot can show: its group, the value there, and what was written."""
    for one in plan.thresholds:
        if one.scope is not None:
            continue
        if one.unit == "time":
            group = "service_time" if one.time == "service time" else "response_time"
            yield group, one.limit * 1000, one.text
        elif one.metric == "throughput":
            yield "requests", one.limit, one.text
        elif one.metric == "error rate":
            yield "error_rate", one.limit * 100, one.text
    if plan.max_error_rate:
        yield "error_rate", plan.max_error_rate * 100, f"{percent(plan.max_error_rate)} allowed"


def marks(plan: LoadConfiguration) -> Iterator[tuple[float, str]]:
    """Yield the seconds at which ramps end and stages begin; of several schedules those too at
    which they do."""
    populations = plan.populations
    if len(populations) == 1:
        yield from _bends(populations[0].schedule)
        return
    for population in populations:
        name, schedule = population_name(plan, population), population.schedule
        if schedule.start:
            yield schedule.start, f"{name} begins"
        for second, what in _bends(replace(schedule, start=0.0)):
            yield schedule.start + second, f"{name}: {what}"


def _bends(schedule: Schedule) -> Iterator[tuple[float, str]]:
    stages = stages_of(schedule)
    begins = accumulate((one.duration for one in stages), initial=0.0)
    for number, (begin, stage) in enumerate(zip(begins, stages, strict=False), 1):
        if number > 1:
            yield begin, f"stage {number}"
        if stage.ramp and isfinite(begin):
            yield begin + stage.ramp, "ramp-up ends" if len(stages) == 1 else "ramp ends"
