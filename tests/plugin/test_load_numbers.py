"""All that a load test writes says the same, to the last digit, and what the server has seen."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from pytest_loadtool.load.formatting import count
from pytest_loadtool.report.load.units import milliseconds, rate
from tests.plugin.loading import Project, load
from tests.plugin.serving import Server, case
from tests.plugin.test_html import data_of
from tests.telemetry.collecting import collecting, labels, told

RECORDS = """
def pytest_loadtool_response(response, user):
    user.count("bytes read", len(response.body))
    user.rate("well", response.status == 200)
    user.trend("size", len(response.body) / 8)
"""
DOCS = Path(__file__).parents[2] / "docs"


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_all_say_the_same(
    pytester: pytest.Pytester, server: Server, workers: tuple[str, ...]
) -> None:
    """Page, JSON, tables, metrics and terminal, of a run with errors, thresholds and a comparison,
    and of one without; and the JSON is as its schema says."""
    project = Project(pytester.path, pytester)
    few = "iterations = 9"
    limits = f'{few}\nthresholds = ["p95 < 1 ms", "throughput > 1/s"]'
    project.write(
        bad__case__toml=case(server.url, "GET /", "GET /two", "GET /status/500"),
        good__case__toml=case(server.url, "GET /good").replace("A visit", "A stay"),
        rush__load__toml=load("bad.case.toml", duration="30s", more=limits),
        quiet__load__toml=load("good.case.toml", duration="30s", name="Quiet hour", more=few),
        conftest__py=RECORDS,
    )
    project.run("--load", "--load-save", "base", *workers)
    server.requests.clear()
    with collecting() as (collector, came):
        done = project.run(
            *("--load", "--load-compare", "base", "--load-json", "out.json"),
            *("--load-html", "out.html", "--load-csv", "tables", "--load-hdr", "logs"),
            *("--load-otlp", collector, *workers),
        )
    assert "did not take" not in done.stdout
    document = json.loads((pytester.path / "out.json").read_text())
    schema = json.loads((DOCS / "load-report.schema.json").read_text())
    jsonschema.validate(document, schema)
    page, tables = data_of(pytester.path / "out.html"), pytester.path / "tables"
    seen = 0
    for run, shown in zip(document["runs"], page["runs"], strict=True):
        _is_the_same(run, shown, tables, done.stdout)
        _was_sent(run, [one for one in told(came) if _test_of(one) == run["name"]][-1])
        seen += run["totals"]["requests"]
        for one in run["transactions"]:
            assert one["requests"] == server.requests.count(one["name"])
    assert seen == len(server.requests) > 0
    assert {one.name for one in (pytester.path / "logs").iterdir()} == {
        f"{name}.{kind}-times.hlog"
        for name in ("Rush-hour", "Quiet-hour")
        for kind in ("response", "service")
    }


def _is_the_same(run: dict[str, Any], shown: dict[str, Any], tables: Path, text: str) -> None:
    totals = run["totals"]
    mine = [one for one in rows(tables / "transactions.csv") if one["run"] == run["name"]]
    transactions = [one for one in shown["rows"] if one["kind"] == "transaction"]
    for one, row, cells in zip(run["transactions"], transactions, mine, strict=True):
        assert one["requests"] == row["count"] == int(cells["requests"])
        assert one["requests"] == sum(row["course"]["requests"]) == sum(row["histogram"][1])
        assert one["errors"] == row["failed"] == sum(row["course"].get("errors", ()))
        for name in ("mean", "p50", "p95", "p99", "max"):
            value = one["response_time_ms"][name]
            assert value == row[name] == float(cells[f"response_time_{name}_ms"])
        shown_times = one["good_response_time_ms"]
        columns = [
            *(count(one["requests"]), count(one["errors"])),
            *(milliseconds(shown_times[name]) for name in ("mean", "p50", "p95", "p99", "max")),
            rate(one["throughput_rps"]),
        ]
        assert re.search(rf"^ *{re.escape(one['name'])} +{' +'.join(columns)}$", text, re.M), (
            columns
        )
    moments = [one for one in rows(tables / "over-time.csv") if one["run"] == run["name"]]
    groups = shown["time"]["groups"]
    for number, (one, cells) in enumerate(zip(run["timeline"], moments, strict=True)):
        assert one["requests"] == int(cells["requests"])
        assert one["requests"] / one["length_s"] == groups["requests"]["requests"][number]
        for kind in ("response_time", "service_time"):
            for name in ("p50", "p90", "p95", "p99", "max"):
                value = one[f"{kind}_ms"][name]
                assert value == groups[kind][name][number]
                assert value == (float(cells[f"{kind}_{name}_ms"] or "nan") if value else None)
    _metrics_are_the_same(run, shown, tables)
    sums = {name: sum(one[name] for one in run["timeline"]) for name in ("requests", "errors")}
    assert sums == {name: totals[name] for name in sums}
    for name in ("bytes_received", "bytes_sent"):
        assert sum(one[name] for one in run["timeline"]) == totals[name]
    opened = sum(one["connections_opened"] for one in run["timeline"])
    assert opened == run["connections"]["opened"]
    assert sum(sum(one["causes"].values()) for one in run["timeline"]) == totals["errors"]
    assert re.search(rf"throughput .*\({totals['requests']} requests in", text)


def _metrics_are_the_same(run: dict[str, Any], shown: dict[str, Any], tables: Path) -> None:
    """See that metrics of functions are: of the run, and over time."""
    mine = [one for one in rows(tables / "metrics.csv") if one["run"] == run["name"]]
    for one, cells in zip(run["metrics"], mine, strict=True):
        name, groups = one["name"], shown["time"]["groups"]
        parts = [
            found
            for moment in run["timeline"]
            for found in moment["metrics"]
            if found["name"] == name
        ]
        assert one["count"] == int(cells["count"]) == sum(found["count"] for found in parts)
        if one["kind"] == "trend":
            assert max(groups["trend size"]["max"]) == max(part["values"]["max"] for part in parts)
        else:
            assert len(groups[one["kind"]][name]) == len(run["timeline"])
    totals = {one["name"]: one for one in run["metrics"]}
    assert totals["well"]["count"] == run["totals"]["requests"] == totals["size"]["count"]
    assert totals["well"]["share"] == round(
        run["totals"]["status"].get("200", 0) / run["totals"]["requests"], 6
    )


def _test_of(metrics: dict[str, Any]) -> str:
    """Which load test metrics are of."""
    return labels(metrics["loadtool.users"].gauge.data_points[0])["test"]


def _was_sent(run: dict[str, Any], metrics: dict[str, Any]) -> None:
    """See that the last metrics are those of the JSON: numbers are exact, and sums of times as
    exact as averages of so many digits are."""

    def by_name(points: Any) -> dict[str, Any]:
        return {labels(one)["transaction"]: one for one in points}

    requests: dict[str, dict[str, int]] = {}
    for point in metrics["loadtool.requests"].sum.data_points:
        found = labels(point)
        requests.setdefault(found["transaction"], {})[found["status"]] = point.as_int
    every = {one["name"]: one for one in run["transactions"]}
    assert requests == {name: one["status"] for name, one in every.items()}
    for metric, field in (
        *(("errors", "errors"), ("received", "bytes_received"), ("sent", "bytes_sent")),
    ):
        sent = by_name(metrics[f"loadtool.{metric}"].sum.data_points)
        assert {name: one.as_int for name, one in sent.items()} == {
            name: one[field] for name, one in every.items()
        }
    for kind in ("response", "service"):
        times = by_name(metrics[f"loadtool.{kind}.time"].exponential_histogram.data_points)
        for name, one in every.items():
            wanted, came = one[f"{kind}_time_ms"], times[name]
            assert came.count == one["requests"]
            assert round(came.max * 1000, 3) == wanted["max"]
            assert round(round(came.sum * 1e6) / came.count / 1000, 3) == wanted["mean"]
    mine = {one["name"]: one for one in run["metrics"]}
    (counter,) = metrics["loadtool.counters"].sum.data_points
    assert (labels(counter)["metric"], counter.as_int) == (
        "bytes read",
        mine["bytes read"]["count"],
    )
    rates = {labels(one)["value"]: one.as_int for one in metrics["loadtool.rates"].sum.data_points}
    assert sum(rates.values()) == mine["well"]["count"]
    assert round(rates["true"] / sum(rates.values()), 6) == mine["well"]["share"]
    (trend,) = metrics["loadtool.trends"].exponential_histogram.data_points
    assert (trend.count, trend.max) == (mine["size"]["count"], mine["size"]["values"]["max"])
    (iterations,) = metrics["loadtool.iterations"].sum.data_points
    assert iterations.as_int == run["cases"][0]["iterations"]
