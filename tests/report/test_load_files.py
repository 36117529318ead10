"""Tables and logs of a load test: the numbers of the JSON, read by those who will."""

from __future__ import annotations

import csv
import io
from base64 import b64encode
from math import ceil
from pathlib import Path
from typing import Any

from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader

from pytest_loadtool.load import Histogram
from pytest_loadtool.load.metrics.sparse import SparseHistogram
from pytest_loadtool.report.load.csv import load_tables
from pytest_loadtool.report.load.hdr import compressed, load_logs
from pytest_loadtool.report.load.json import load_data
from tests.load.simulation import ENVIRONMENT, summary


def tables(*runs: dict[str, Any]) -> dict[str, list[dict[str, str]]]:
    """What a program that reads the tables has."""
    return {
        name: list(csv.DictReader(io.StringIO(content.decode())))
        for name, content in load_tables(runs)
    }


def number(cell: str) -> float | None:
    """What a cell says; nothing where nothing was measured."""
    return float(cell) if cell else None


def test_tables_are_the_json() -> None:
    """Each number of the JSON is in its column, to the last digit; nothing is empty."""
    run = load_data(summary(failing=90), ENVIRONMENT)
    found = tables(run, run | {"name": "again"})
    assert {name: len(rows) for name, rows in found.items()} == {
        "over-time.csv": 2 * len(run["timeline"]),
        "pages.csv": 2 * len(run["pages"]),
        "transactions.csv": 2 * len(run["transactions"]),
        "flows.csv": 2 * len(run["flows"]),
        "errors.csv": 2 * len(run["errors"]),
        "metrics.csv": 2 * len(run["metrics"]),
    }
    for row, one in zip(found["over-time.csv"], run["timeline"], strict=False):
        assert row["run"] == run["name"]
        assert number(row["response_time_p99_ms"]) == one["response_time_ms"]["p99"]
        assert number(row["lateness_max_ms"]) == one["lateness_ms"]["max"]
        assert int(row["requests"]) == one["requests"]
        assert int(row["causes_status"] or 0) == one["causes"].get("status", 0)
    for row, one in zip(found["transactions.csv"], run["transactions"], strict=False):
        assert (row["case"], row["page"], row["name"]) == (one["case"], one["page"], one["name"])
        assert float(row["service_time_p90_ms"]) == one["service_time_ms"]["p90"]
        assert int(row["status_200"] or 0) == one["status"].get("200", 0)
    for row, one in zip(found["errors.csv"], run["errors"], strict=False):
        assert (row["message"], int(row["count"])) == (one["message"], one["count"])
    assert tables()["over-time.csv"] == []


def test_what_looks_like_a_formula_is_text() -> None:
    """A name or a server's text that begins as a formula does stays text in a spreadsheet."""
    run = load_data(summary(failing=50), ENVIRONMENT)
    run["name"] = "=HYPERLINK(1)"
    run["errors"][0]["example"] = "@SUM(A1)"
    [error, *_] = tables(run)["errors.csv"]
    assert (error["run"], error["example"]) == ("'=HYPERLINK(1)", "'@SUM(A1)")


def test_logs_are_read_by_hdrhistogram(tmp_path: Path) -> None:
    """Its own reader finds each interval with its tag, and in it the same percentiles; all of a
    transaction together are its requests."""
    found = summary(failing=50)
    for name, content in load_logs(found):
        (tmp_path / name).write_bytes(content)
    reference = HdrHistogram(1, 1 << 40, 3)
    reader = HistogramLogReader(str(tmp_path / "response-times.hlog"), reference)
    counts: dict[str, int] = {}
    moments = {one.second: one for one in found.timeline}
    while (one := reader.get_next_interval_histogram()) is not None:
        tag = one.get_tag() or ""
        counts[tag] = counts.get(tag, 0) + one.get_total_count()
        if not tag:
            start = one.get_start_time_stamp() / 1000 - reader.base_time_sec
            moment = moments[round(start)]
            assert one.get_total_count() == moment.requests
            for label, value in moment.response.percentiles:
                assert value is not None
                rank = ceil(float(label[1:]) * moment.requests / 100)  # it rounds, we do not
                read = one.get_value_at_percentile(100 * rank / moment.requests) / 1000
                assert read == value or value == moment.response.max
    reader.input_file.close()
    assert counts[""] == found.totals.requests
    assert sorted(counts.values())[:-1] == sorted(
        one.numbers.requests
        for case in found.cases
        for page in case.pages
        for one in page.transactions
    )
    assert all("," not in tag and " " not in tag for tag in counts)


def test_any_value_is_read_again() -> None:
    """Short and long ones, rare and very frequent ones."""
    values = {0: 1, 5: 300, 1023: 2, 1024: 1, 2047: 7, 2048: 1, 1 << 20: 70_000, 3_600_000_000: 1}
    whole, sparse = Histogram(), SparseHistogram()
    for value, count in values.items():
        for _ in range(count):
            whole.record(value)
    sparse.add_wire(whole.to_wire())
    read = HdrHistogram.decode(b64encode(compressed(sparse)))
    assert read.get_total_count() == sum(values.values())
    for value, count in values.items():
        assert read.get_count_at_value(value) == count, value
