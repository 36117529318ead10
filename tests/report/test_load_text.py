"""The report of a load test as text: everything that was promised, in the columns there are."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from pytest_loadtool.load import LoadMetrics, PageKey, Summary, TransactionKey, Verdict, summarise
from pytest_loadtool.model.load import LoadConfiguration
from pytest_loadtool.model.result import Failure
from pytest_loadtool.report.columns import cells
from pytest_loadtool.report.load_text import load_text
from tests.load.simulation import STEPS, summary
from tests.report.documented import block

PLAN = LoadConfiguration("Plan", (), users=2, duration=2.0, max_error_rate=0.5)


def small(
    name: str = "GET /", message: str = "search text not found", example: str = ""
) -> Summary:
    """The summary of four requests, of which one failed, in two seconds."""
    metrics = LoadMetrics(
        [TransactionKey("Case", "Page", name)], [PageKey("Case", "Page")], ["Case"]
    )
    for ms, status in ((10, 200), (20, 200), (30, 304), (40, 500)):
        failures = (Failure("text", message),) if status == 500 else ()
        metrics.record(0, status, ms * 1000, (ms + 1) * 1000, ms * 500, 1_500_000, 500, failures, example)
        metrics.record_page(0, ms * 1000, bool(failures))
        metrics.record_iteration(0, ms * 1000 + 3_000_000, bool(failures))
    metrics.elapsed_us = 2_000_000
    started = datetime(2026, 1, 2, tzinfo=UTC)
    return summarise(metrics, PLAN, (), Verdict("passed"), started=started)


def line_with(lines: list[str], text: str) -> str:
    """The first line that begins with the text, its blanks reduced to one."""
    return next(" ".join(line.split()) for line in lines if line.strip().startswith(text))


@pytest.mark.promise(4)
def test_the_documented_report() -> None:
    """The report that docs/load.md shows is the real output for a run with errors."""
    assert "\n".join(load_text(summary(failing=20), 80)) == block("report")


@pytest.mark.promise(127)
def test_throughput_is_shown() -> None:
    """Requests per second, with what they are computed from."""
    assert line_with(load_text(small()), "throughput") == (
        "throughput 2.00 requests/s (4 requests in 2 s)"
    )


@pytest.mark.promise(128)
def test_times_are_shown() -> None:
    """Average, median, 95th and 99th percentile and maximum of both times, in milliseconds."""
    lines = load_text(small())
    heading = line_with(lines, "milliseconds")
    assert heading == "milliseconds average median p95 p99 max"
    assert line_with(lines, "response time") == "response time 26.0 21.0 41.0 41.0 41.0"
    assert line_with(lines, "service time") == "service time 25.0 20.0 40.0 40.0 40.0"


@pytest.mark.promise(129)
def test_error_rate_is_shown() -> None:
    """The rate, the numbers behind it, and what was allowed."""
    assert line_with(load_text(small()), "error rate") == (
        "error rate 25 % (1 of 4 requests, 50 % allowed)"
    )


@pytest.mark.promise(130)
def test_status_codes_are_shown() -> None:
    """How often each status code came."""
    assert line_with(load_text(small()), "status codes") == "status codes 200: 2 304: 1 500: 1"


def test_every_page_and_transaction_has_a_row() -> None:
    """Test cases, pages and transactions stand in order, pages without percentiles."""
    lines = load_text(small())
    start = next(n for n, line in enumerate(lines) if line.startswith("times in milliseconds"))
    rows = [line.split() for line in lines[start + 1 : start + 4]]
    assert rows[0] == ["Case", "4", "1", "3,025", "3,021", "3,040", "3,040"]
    assert rows[1] == ["Page", "4", "1", "25.0", "40.0"]
    assert rows[2] == ["GET", "/", "4", "1", "26.0", "21.0", "41.0", "41.0"]
    everything = "\n".join(load_text(summary(), 120))
    for case, page, name, *_ in STEPS:
        assert case in everything
        assert page in everything
        assert name in everything


def test_errors_with_count_and_example() -> None:
    """Each distinct error is listed with how often it came, where, and its first example."""
    lines = load_text(small(example="<h1>Oops</h1>\nsecond line"))
    start = lines.index("errors, each with its first example")
    assert [line.strip() for line in lines[start + 1 : start + 5]] == [
        "1 x  search text not found",
        "Page / GET /, first in second 0",
        "<h1>Oops</h1>",
        "second line",
    ]


def test_without_errors_there_is_no_such_section() -> None:
    """A clean run has no heading over nothing, and no word of cut requests."""
    text = "\n".join(load_text(summary()))
    assert "first example" not in text
    assert "cut" not in text


@pytest.mark.parametrize("width", [70, 80, 100, 120, 200])
def test_it_fits(width: int) -> None:
    """No line is wider than the terminal or 120 columns, whatever the names and texts."""
    for one in (
        summary(failing=90, lose=True),
        small("GET /" + "a" * 300, "m " * 300, "e" * 5000),
        small("GET /検索/" + "結果" * 60, "見つかりません" * 30),
    ):
        lines = load_text(one, width)
        assert max(map(cells, lines)) <= min(width, 120)
        assert all(line == line.rstrip() for line in lines)


def test_wide_terminals_show_more() -> None:
    """With room for it there are the 99th percentile and the rate of each transaction."""
    narrow, wide = ("\n".join(load_text(summary(), width)) for width in (80, 120))
    assert "per second" in wide
    assert "per second" not in narrow


def test_the_verdict_and_its_reasons_come_first() -> None:
    """Name and verdict in the first line, and the reasons before any number."""
    lines = load_text(summary(failing=90, lose=True))
    assert lines[0].split()[-1] == "FAILED"
    assert lines[2].startswith("  * error rate")
    assert any("worker gw1 was lost" in line for line in lines[:6])


def test_cut_work_is_reported() -> None:
    """What was cut off at the end is said, and that it is in no other number."""
    lines = load_text(replace(small(), cut_requests=3, cut_iterations=1))
    assert line_with(lines, "cut at the end") == (
        "cut at the end 3 requests and 1 iteration, in no other number"
    )


def test_too_many_kinds_of_errors() -> None:
    """Errors that were not kept apart are counted, not forgotten."""
    text = "\n".join(load_text(replace(small(), other_errors=1234)))
    assert "1,234 x  of other kinds" in text


def test_a_server_cannot_steer_the_terminal() -> None:
    """Control characters in names, messages and examples are shown, not sent."""
    text = "\n".join(load_text(small("GET /\x1b[2J", "bad\x07", "\x1b]0;owned\x07 \udc80")))
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "\\x1b" in text
    text.encode()


def test_nothing_measured_is_a_dash() -> None:
    """A run without requests shows dashes where there is no number."""
    metrics = LoadMetrics([TransactionKey("c", "p", "t")], [PageKey("c", "p")], ["c"])
    started = datetime(2026, 1, 2, tzinfo=UTC)
    found = summarise(metrics, PLAN, (), Verdict("failed", ("nothing",)), started=started)
    line = line_with(load_text(found), "response time")
    assert set(line.removeprefix("response time").split()) == {"\N{EN DASH}"}
