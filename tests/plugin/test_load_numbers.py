"""All that a load test writes says the same, to the last digit, and what the server has seen."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.plugin.loading import Project, load
from tests.plugin.serving import Server, case
from tests.plugin.test_html import data_of

DOCS = Path(__file__).parents[2] / "docs"


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_all_say_the_same(
    pytester: pytest.Pytester, server: Server, workers: tuple[str, ...]
) -> None:
    """Page, JSON, tables and terminal, of a run with errors, thresholds and a comparison, and of
    one without; and the JSON is as its schema says."""
    project = Project(pytester.path, pytester)
    few = "iterations = 9"
    limits = f'{few}\nthresholds = ["p95 < 1 ms", "throughput > 1/s"]'
    project.write(
        bad__case__toml=case(server.url, "GET /", "GET /two", "GET /status/500"),
        good__case__toml=case(server.url, "GET /good").replace("A visit", "A stay"),
        rush__load__toml=load("bad.case.toml", duration="30s", more=limits),
        quiet__load__toml=load("good.case.toml", duration="30s", name="Quiet hour", more=few),
    )
    project.run("--load", "--load-save", "base", *workers)
    server.requests.clear()
    done = project.run(
        *("--load", "--load-compare", "base", "--load-json", "out.json", "--load-html", "out.html"),
        *("--load-csv", "tables", "--load-hdr", "logs", *workers),
    )
    document = json.loads((pytester.path / "out.json").read_text())
    schema = json.loads((DOCS / "load-report.schema.json").read_text())
    jsonschema.validate(document, schema)
    page, tables = data_of(pytester.path / "out.html"), pytester.path / "tables"
    seen = 0
    for run, shown in zip(document["runs"], page["runs"], strict=True):
        _is_the_same(run, shown, tables, done.stdout)
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
    sums = {name: sum(one[name] for one in run["timeline"]) for name in ("requests", "errors")}
    assert sums == {name: totals[name] for name in sums}
    for name in ("bytes_received", "bytes_sent"):
        assert sum(one[name] for one in run["timeline"]) == totals[name]
    opened = sum(one["connections_opened"] for one in run["timeline"])
    assert opened == run["connections"]["opened"]
    assert sum(sum(one["causes"].values()) for one in run["timeline"]) == totals["errors"]
    assert re.search(rf"throughput .*\({totals['requests']} requests in", text)
