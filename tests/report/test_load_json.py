"""The report of a load test as JSON: the documented shape, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import jsonschema
import pytest

from pytest_loadtool.load import MergedMetrics, Verdict, summarise
from pytest_loadtool.load.verdict.flows import FlowSummary
from pytest_loadtool.load.verdict.summary import (
    CustomMoment,
    CustomSummary,
    MomentTimes,
    TimeSummary,
)
from pytest_loadtool.model.load import Override
from pytest_loadtool.model.result import Cause
from pytest_loadtool.report.load.json import load_data, load_document
from tests.load.simulation import (
    ADMIN,
    CONFIGURATION,
    ENVIRONMENT,
    STARTED,
    earlier,
    empty,
    summary,
    told,
)
from tests.report.documented import fields

DOCS = Path(__file__).parents[2] / "docs"
COUNTED = ("status", "causes")


def paths(value: Any, place: str = "") -> Iterator[str]:
    """The paths of all leaves of a JSON value, as docs/load.md writes them."""
    if isinstance(value, dict):
        for key, inner in value.items():
            name = "*" if place.endswith(COUNTED) else key
            if place.endswith(("_ms", "].values")) and key.startswith("p"):
                name = "pN"
            yield from paths(inner, f"{place}.{name}".lstrip("."))
    elif isinstance(value, list):
        for inner in value:
            yield from paths(inner, f"{place}[]")
    else:
        yield place


ASKED = tuple((f"p{p}", 2.0) for p in (50, 90, 95, 99))
#: Metrics that functions have recorded.
CUSTOM = (
    CustomSummary("found", "rate", 20, 0.9, TimeSummary(None, None, None, None, None)),
    CustomSummary("queue", "trend", 20, None, TimeSummary(1.0, 2.0, 3.0, 4.0, 5.0, ASKED)),
)
MOMENT = (CustomMoment("queue", "trend", 20, None, MomentTimes(1.0, ASKED, 5.0)),)


def test_documented_fields_are_the_real_ones() -> None:
    """Every field in the output is documented, and every documented field is there."""
    documented = fields()
    assert len(documented) == len(set(documented))
    found = summary(failing=90, lose=True, baseline=[earlier()])
    said = (Override("users", "20", "--users 20"),)
    flow = FlowSummary(ADMIN, "busy", "repeat", "", 3, 7, 0)
    cases = tuple(replace(one, flows=(flow,)) for one in found.cases)
    found = replace(found, cases=cases, configuration=replace(found.configuration, overrides=said))
    moments = (replace(found.timeline[0], custom=MOMENT), *found.timeline[1:])
    found = replace(found, custom=CUSTOM, timeline=moments)
    data = load_data(found, ENVIRONMENT, told(found))
    assert set(documented) == set(paths(data))


SCHEMA = json.loads((DOCS / "load-report.schema.json").read_text(encoding="utf-8"))


def test_the_schema_is_of_what_is_written() -> None:
    """Runs with all that there can be, and with nothing, are as the published schema says; it names
    no field that is not there, and lets no other in."""
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    found = replace(summary(failing=90, lose=True, baseline=[earlier()]), custom=CUSTOM)
    nothing = summarise(empty(), CONFIGURATION, (), Verdict("failed"), started=STARTED)
    runs = [load_data(one, ENVIRONMENT, told(one)) for one in (found, nothing)]
    jsonschema.validate(load_document(runs), SCHEMA)
    for broken in ({}, {"verdict": "green"}, {"surplus": 1}, {"timeline": [{"second": 0}]}):
        run = runs[0] | broken if broken else {"name": "little"}
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(load_document([run]), SCHEMA)


@pytest.mark.promise(4)
@pytest.mark.promise(127)
@pytest.mark.promise(128)
@pytest.mark.promise(129)
@pytest.mark.promise(130)
def test_the_main_numbers() -> None:
    """Throughput, times, errors and status codes stand where programs look for them."""
    found, data = summary(failing=90), load_data(summary(failing=90), ENVIRONMENT)
    totals = data["totals"]
    assert data["verdict"] == "failed"
    assert totals["requests"] == found.totals.requests
    assert totals["throughput_rps"] == pytest.approx(
        totals["requests"] / totals["duration_s"], 1e-4
    )
    assert totals["error_rate"] == totals["errors"] / totals["requests"]
    assert sum(totals["status"].values()) == totals["requests"]
    assert set(totals["status"]) == {"0", "200", "302", "500"}
    for times in (totals["service_time_ms"], totals["response_time_ms"]):
        assert list(times) == ["mean", "p50", "p90", "p95", "p99", "max"]
        assert 0 < times["p50"] <= times["p95"] <= times["p99"] <= times["max"]
        assert times["mean"] <= times["max"]
    assert sum(one["requests"] for one in data["transactions"]) == totals["requests"]


def test_transactions_have_what_totals_have() -> None:
    """The numbers of a transaction have the same names and units as those of the totals."""
    data = load_data(summary(), ENVIRONMENT)
    cut = {"cut_requests", "cut_iterations", "dropped"}
    for transaction in data["transactions"]:
        assert (
            set(transaction) - {"case", "page", "name", "slowest_trace"}
            == set(data["totals"]) - cut
        )


def test_errors_with_count_and_example() -> None:
    """Each distinct error comes with its cause, how often, and its first example."""
    errors = load_data(summary(failing=90), ENVIRONMENT)["errors"]
    assert errors[0]["count"] == max(error["count"] for error in errors)
    assert {error["cause"] for error in errors} <= set(get_args(Cause))
    assert all(error["example"] for error in errors)


def test_it_is_json() -> None:
    """Standard JSON, builtin types only: written and read back it is the same."""
    data = load_data(summary(failing=90), ENVIRONMENT)
    assert json.loads(json.dumps(data, allow_nan=False)) == data


def test_nothing_measured_is_null() -> None:
    """A run without requests has null for times, and no number that JSON does not know."""
    for metrics in (empty(), MergedMetrics.of([])):
        found = summarise(metrics, CONFIGURATION, (), Verdict("failed"), started=STARTED)
        data = json.loads(json.dumps(load_data(found, ENVIRONMENT), allow_nan=False))
        assert set(data["totals"]["response_time_ms"].values()) == {None}
        assert data["totals"]["throughput_rps"] == 0
