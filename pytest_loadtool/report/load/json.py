"""The results of a load test for programs: what becomes JSON, as docs/load.md documents it.

It also has where a load test was made: for the reader who compares it with another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from pytest_loadtool.load.pacing.schedule import describe, describe_schedule
from pytest_loadtool.load.verdict.comparison import Comparison
from pytest_loadtool.load.verdict.failing import FailingGroup
from pytest_loadtool.load.verdict.saved import Key
from pytest_loadtool.load.verdict.summary import (
    CaseSummary,
    ConnectionSummary,
    CustomSummary,
    Moment,
    MomentTimes,
    NotAsRecordedSummary,
    Numbers,
    PageSummary,
    Summary,
    TimeSummary,
    WorkerSummary,
)
from pytest_loadtool.load.verdict.threshold import ThresholdResult
from pytest_loadtool.model.load import LoadConfiguration, Population
from pytest_loadtool.model.threshold import Unit
from pytest_loadtool.report.load.firsts import Told


@dataclass(frozen=True, slots=True)
class RunEnvironment:
    """The environment that made the load, and its ``target``: a base URL, empty if the test cases
    name theirs.

    ``build`` says compiled or pure.
    """

    target: str
    version: str
    build: str
    python: str
    system: str
    machine: str
    processors: int | None
    made_by: str

    def facts(self) -> Iterator[tuple[str, str]]:
        """Yield what people are told, each with its name."""
        yield "Target", self.target or "as the test cases say"
        yield "pytest-loadtool", f"{self.version}, {self.build}"
        yield "Python", self.python
        yield "Machine", f"{self.system} {self.machine}, {self.processors} processors"
        yield "Made by", self.made_by

    def data(self) -> dict[str, Any]:
        """Return what the JSON has under ``environment``."""
        told = asdict(self)
        return {
            "tool": {"version": told.pop("version"), "build": told.pop("build")},
            **{key: value for key, value in told.items() if key != "target"},
        }


FORMAT = 2

#: How the values of a threshold are given, by its unit.
_UNITS: dict[Unit, tuple[str, int]] = {
    "time": ("ms", 1000),
    "share": ("share", 1),
    "rate": ("per second", 1),
    "count": ("count", 1),
    "number": ("number", 1),
}

#: Fields that are in the document as they are, in its order.
_UNCOUNTED = ("cut_requests", "cut_iterations", "dropped")
_ERROR = ("case", "page", "transaction", "cause", "message", "count", "first_s", "example")
_FIRST = (
    *("case", "page", "transaction", "status", "cause", "message"),
    *("iterations", "consequences", "first_s", "last_s", "other_rows"),
)
_FLOW = ("case", "name", "rule", "begun", "rounds", "limited")
_WORKER = ("name", "state", "text", "users", "requests", "errors", "duration_s")


def load_document(runs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the document of these runs: what `load_data` made of each, in the order they ran."""
    return {"format": FORMAT, "runs": [*runs]}


def load_data(
    summary: Summary, environment: RunEnvironment, told: Told | None = None
) -> dict[str, Any]:
    """Return the results as builtin types, in the shape that is documented. ``told`` says why
    iterations failed."""
    cases = summary.cases
    return {
        "name": summary.name,
        "started": summary.started,
        "verdict": summary.verdict.outcome,
        "reasons": list(summary.verdict.reasons),
        "target": environment.target or None,
        "environment": environment.data(),
        "configuration": _configuration(summary),
        "totals": _numbers(summary.totals) | _picked(summary, _UNCOUNTED),
        "connections": _connections(summary.connections),
        "hooks": {"calls": summary.hooks.calls, "time_ms": _times(summary.hooks.took)},
        "metrics": [_custom(one) for one in summary.custom],
        "other_metrics": summary.other_custom,
        "cases": [_case(case) for case in cases],
        "pages": [_page(case.name, page) for case in cases for page in case.pages],
        "transactions": [
            {"case": case.name, "page": page.name, "name": one.name}
            | _numbers(one.numbers)
            | {"slowest_trace": one.slowest_trace or None}
            for case in cases
            for page in case.pages
            for one in page.transactions
        ],
        "flows": [
            _picked(flow, _FLOW) | {"within": flow.within or None}
            for case in cases
            for flow in case.flows
        ],
        "thresholds": [_threshold(one) for one in summary.thresholds],
        "causes": _causes(told),
        "first_failures": [_group(one, told) for one in summary.failing.groups],
        "other_first_failures": summary.failing.other_iterations,
        "other_consequences": summary.failing.other_consequences,
        "errors": [_picked(error, _ERROR) for error in summary.errors],
        "other_errors": summary.other_errors,
        "not_as_recorded": [_difference(one) for one in summary.not_as_recorded],
        "workers": [_worker(worker) for worker in summary.workers],
        "comparison": _comparison(summary.comparison),
        "timeline": [_moment(one) for one in summary.timeline],
    }


def _difference(one: NotAsRecordedSummary) -> dict[str, Any]:
    return {
        "case": one.case,
        "page": one.page,
        "transaction": one.transaction,
        "way": one.difference,
        "count": one.count,
    }


def _causes(told: Told | None) -> list[dict[str, Any]]:
    """Return what made iterations fail, what to mend first comes first."""
    return [
        {
            "cause": one.cause.text,
            "evidence": list(one.cause.evidence),
            "iterations": one.iterations,
            "consequences": one.consequences,
            "file": one.path,
            "line": one.line,
            "remedies": [remedy.text for remedy in one.cause.remedies],
        }
        for one in (told.diagnosis.findings if told is not None else ())
    ]


def _group(group: FailingGroup, told: Told | None) -> dict[str, Any]:
    return _picked(group, _FIRST) | {
        "users": round(group.users, 3),
        "rows": [
            {"dataset": name, "row": row + 1, "count": count} for (name, row), count in group.rows
        ],
        "seconds": [{"second": second, "count": count} for second, count in group.course],
        "session_age_s": {"least": round(group.youngest_s, 3), "most": round(group.oldest_s, 3)},
        "good_answers": group.good.total,
        "sample": told.files.get(group.key) if told is not None else None,
    }


def _picked(source: object, names: Iterable[str]) -> dict[str, Any]:
    """Return what is called the same in the document, as it is."""
    return {name: getattr(source, name) for name in names}


def _configuration(summary: Summary) -> dict[str, Any]:
    plan = summary.configuration
    return {
        "load": describe(plan),
        "users": plan.all_users,
        "duration_s": plan.end,
        "ramp_up_s": plan.ramped_up,
        "schedules": [_schedule(plan, one) for one in plan.populations],
        "max_error_rate": plan.max_error_rate,
        "percentiles": [*plan.percentiles],
        "detailed_pages": summary.detailed_pages,
        "overrides": [_picked(one, ("key", "text", "said")) for one in plan.overrides],
    }


def _schedule(plan: LoadConfiguration, population: Population) -> dict[str, Any]:
    schedule = population.schedule
    return {
        "cases": [plan.cases[at].file for at in population.cases],
        "load": describe_schedule(schedule),
        "start_s": schedule.start,
        "users": schedule.users,
        "duration_s": schedule.duration,
    }


def _connections(connections: ConnectionSummary) -> dict[str, Any]:
    return {
        "opened": connections.opened,
        "retried": connections.retried,
        "backed_off_s": round(connections.backed_off_s, 3),
        "negotiations": connections.negotiated,
        "renewals": connections.renewals,
        "connect_ms": _times(connections.connect),
        "tls_ms": _times(connections.tls),
        "negotiation_ms": _times(connections.negotiation),
    }


def _worker(worker: WorkerSummary) -> dict[str, Any]:
    return _picked(worker, _WORKER) | {
        "cpu": round(worker.cpu, 4),
        "lag_p95_ms": worker.lag_p95,
        "lateness_p95_ms": worker.lateness_p95,
        "lateness_p99_ms": worker.lateness_p99,
        "start_late_ms": _round(_milliseconds(worker.start_late_s)),
        "clock_ahead_ms": _round(_milliseconds(worker.clock_ahead_s)),
        "start_exact_to_ms": _round(_milliseconds(worker.start_exact_to_s)),
    }


def _moment(moment: Moment) -> dict[str, Any]:
    return _picked(moment, ("second", "length_s", "requests", "errors")) | {
        "users": round(moment.users, 3),
        "causes": dict(moment.causes),
        "bytes_received": moment.bytes_received,
        "bytes_sent": moment.bytes_sent,
        "connections_opened": moment.opened,
        "cpu": round(moment.cpu, 4),
        "response_time_ms": _moment_times(moment.response)
        | {"mean_of_good": _round(moment.good_mean)},
        "service_time_ms": _moment_times(moment.service),
        "lateness_ms": _moment_times(moment.lateness),
        "metrics": [
            _picked(one, ("name", "kind", "count"))
            | {"share": _share(one.share), "values": _moment_times(one.values)}
            for one in moment.custom
        ],
    }


def _moment_times(times: MomentTimes) -> dict[str, float | None]:
    return {"mean": _round(times.mean), **dict(times.percentiles), "max": times.max}


def _custom(one: CustomSummary) -> dict[str, Any]:
    return {
        "name": one.name,
        "kind": one.kind,
        "count": one.count,
        "share": _share(one.share),
        "values": _times(one.values),
    }


def _share(share: float | None) -> float | None:
    return None if share is None else round(share, 6)


def _threshold(result: ThresholdResult) -> dict[str, Any]:
    unit, factor = _UNITS[result.threshold.unit]
    measured = result.measured
    return {
        "threshold": result.threshold.text,
        "passed": result.passed,
        "measured": None if measured is None else round(measured * factor, 6),
        "limit": round(result.threshold.limit * factor, 6),
        "unit": unit,
    }


def _numbers(numbers: Numbers) -> dict[str, Any]:
    return {
        "requests": numbers.requests,
        "errors": numbers.errors,
        "error_rate": numbers.error_rate,
        "not_as_recorded": numbers.not_as_recorded,
        "bytes_received": numbers.bytes_received,
        "bytes_sent": numbers.bytes_sent,
        "duration_s": numbers.duration_s,
        "throughput_rps": round(numbers.throughput_rps, 3),
        "service_time_ms": _times(numbers.service_time),
        "response_time_ms": _times(numbers.response_time),
        "first_byte_ms": _times(numbers.first_byte),
        "good_response_time_ms": _times(numbers.good_time),
        "failed_response_time_ms": _times(numbers.failed_time),
        "status": {str(status): count for status, count in numbers.status},
    }


def _times(times: TimeSummary) -> dict[str, float | None]:
    always = {"p50": times.p50, "p95": times.p95, "p99": times.p99}
    percentiles = sorted((always | dict(times.asked)).items(), key=lambda one: float(one[0][1:]))
    return {"mean": _round(times.mean), **dict(percentiles), "max": times.max}


def _case(case: CaseSummary) -> dict[str, Any]:
    return {
        "name": case.name,
        "iterations": case.iterations,
        "failed": case.failed,
        "cut": case.cut,
        "think_share": round(case.think, 4),
        "duration_ms": _times(case.durations),
    }


def _page(case: str, page: PageSummary) -> dict[str, Any]:
    return {
        "case": case,
        "name": page.name,
        "once": page.once or None,
        "count": page.count,
        "failed": page.failed,
        "duration_ms": _times(page.durations) | {"min": page.min},
    }


def _comparison(comparison: Comparison | None) -> dict[str, Any] | None:
    if comparison is None:
        return None
    before = comparison.before
    return {
        "baseline": {
            "started": before.started,
            "verdict": before.outcome,
            "load": before.load,
            "runs": len(comparison.earlier),
        },
        "same_load": comparison.same_load,
        "tolerance": comparison.tolerance,
        "changes": [
            _key(change.key)
            | {
                "figure": change.figure.name,
                "before": change.before,
                "after": change.after,
                "regression": change.is_regression,
                "in_doubt": change.is_in_doubt,
            }
            for change in comparison.changes
        ],
        "new": [_key(key) for key in comparison.new],
        "gone": [_key(key) for key in comparison.gone],
    }


def _key(key: Key) -> dict[str, Any]:
    return dict(zip(("case", "page", "name"), key, strict=True))


def _milliseconds(seconds: float | None) -> float | None:
    return None if seconds is None else 1000 * seconds


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, 3)
