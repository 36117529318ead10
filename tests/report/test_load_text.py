"""The report of a load test as text: everything that was promised, in the columns there are."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pytest_loadtool.load import LoadMetrics, PageKey, Summary, TransactionKey, Verdict, summarise
from pytest_loadtool.load.metrics.course import RunCourse
from pytest_loadtool.load.metrics.reports import Reporter
from pytest_loadtool.model.load import LoadConfiguration
from pytest_loadtool.model.result import Failure
from pytest_loadtool.report.columns import cells
from pytest_loadtool.report.load.chart import ASCII
from pytest_loadtool.report.load.json import load_data
from pytest_loadtool.report.load.text import load_text
from tests.load.simulation import ENVIRONMENT, STEPS, earlier, summary, told
from tests.report.documented import block

DASH = "\N{EN DASH}"
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
        service, response, first_byte = ms * 1000, (ms + 1) * 1000, ms * 500
        metrics.record(0, status, service, response, first_byte, 1_500_000, 500, failures, example)
        if failures:
            metrics.firsts.failed(0, 0, service, response)
            metrics.firsts.group(0, status, failures, 0).add(0, 0, ())
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
    found = summary(failing=20)
    assert "\n".join(load_text(found, 80, told=told(found))) == block("report")


def test_the_report_of_a_log() -> None:
    """Without a terminal there are 120 columns; tests/report/load-120.txt has the same run."""
    found = summary(failing=20)
    golden = Path(__file__).with_name("load-120.txt").read_text(encoding="utf-8")
    assert "\n".join([*load_text(found, 120, told=told(found)), ""]) == golden


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
    start = next(n for n, line in enumerate(lines) if line.startswith("good answers, ms"))
    rows = [line.split() for line in lines[start + 1 : start + 4]]
    assert rows[0] == ["Case", "4", "1", "3,025", "3,040", "3,040", "3,040"]
    assert rows[1] == ["Page", "4", "1", "25.0", DASH, DASH, "40.0"]
    assert rows[2] == ["GET", "/", "4", "1", "21.0", "31.0", "31.0", "31.0"]
    everything = "\n".join(load_text(summary(), 120))
    for case, page, name, *_ in STEPS:
        assert case in everything
        assert page in everything
        assert name in everything


@pytest.mark.promise(126)
@pytest.mark.parametrize("detailed", [True, False])
def test_percentiles_of_pages_only_if_asked_for(detailed: bool) -> None:
    """With "Record Detailed Page Durations" a page's row has its percentiles, and without it a line
    says how to get them; also when they were recorded for a threshold."""
    keys = [TransactionKey("c", "Page", "t")], [PageKey("c", "Page")], ["c"]
    metrics = LoadMetrics(*keys, detailed_pages=True)
    for ms in range(1, 101):
        metrics.record_page(0, ms * 1000, False)
    plan = replace(PLAN, detailed_pages=detailed)
    started = datetime(2026, 1, 2, tzinfo=UTC)
    found = summarise(metrics, plan, (), Verdict("passed"), started=started)
    lines = load_text(found, 120)
    row = line_with(lines, "Page ").split()
    if detailed:
        assert row == ["Page", "100", "0", "50.5", "50.0", "95.0", "99.0", "100"]
    else:
        assert row == ["Page", "100", "0", "50.5", DASH, DASH, DASH, "100"]
    assert any("detailed_pages = true" in line for line in lines) is not detailed
    data = load_data(found, ENVIRONMENT)
    assert data["configuration"]["detailed_pages"] is detailed
    times = data["pages"][0]["duration_ms"]
    assert (times["mean"], times["min"], times["max"]) == (50.5, 1.0, 100.0)
    found_times = (times["p50"], times["p95"], times["p99"])
    wanted = pytest.approx((50, 95, 99), rel=0.001) if detailed else (None, None, None)
    assert found_times == wanted


def test_what_there_was_of_connections() -> None:
    """Connections, TLS, requests sent again and dropped arrivals have a line if there were any."""
    metrics = LoadMetrics([TransactionKey("c", "p", "t")], [PageKey("c", "p")], ["c"])
    started = datetime(2026, 1, 2, tzinfo=UTC)

    def text() -> str:
        return "\n".join(
            load_text(summarise(metrics, PLAN, (), Verdict("passed"), started=started))
        )

    absent = ("first byte", "connecting", "TLS", "opened", "sent again", "dropped", "negotiat")
    for word in absent:
        assert word not in text()
    metrics.record(0, 200, 2_000, 3_000, 1_000, 1, 1)
    metrics.record_connection(500, None)
    assert "connections     1 opened\n" in text()
    assert line_with(text().splitlines(), "first byte") == "first byte 1.00 1.00 1.00 1.00 1.00"
    assert line_with(text().splitlines(), "connecting") == "connecting 0.50 0.50 0.50 0.50 0.50"
    assert "TLS" not in text()
    metrics.record_connection(500, 4_000)
    metrics.retried, metrics.dropped = 1, 7
    lines = text().splitlines()
    assert line_with(lines, "TLS handshake") == "TLS handshake 4.00 4.00 4.00 4.00 4.00"
    assert line_with(lines, "connections") == (
        "connections 2 opened, 1 request sent again because an idle one had been"
    )
    assert line_with(lines, "dropped") == "dropped 7 arrivals could not start: all users were busy"
    metrics.record_negotiation(6_000)
    lines = text().splitlines()
    assert line_with(lines, "negotiation") == "negotiation 6.00 6.00 6.00 6.00 6.00"
    assert line_with(lines, "authentication") == (
        "authentication 1 request to negotiate it, in no other number"
    )
    assert "(1 request in " in line_with(lines, "throughput")
    assert "renewals" not in "\n".join(lines)
    metrics.renewals = 1
    assert line_with(text().splitlines(), "renewals") == "renewals 1 of these to refresh a token"


def test_over_the_run() -> None:
    """Throughput, average response time and users by second, the last one only if it was whole."""
    metrics = LoadMetrics([TransactionKey("c", "p", "t")], [PageKey("c", "p")], ["c"])
    course = RunCourse()
    reporter = Reporter(metrics, course)
    for second, requests in enumerate((1, 2, 8, 0, 4)):
        metrics.begin_second(second)
        metrics.set_users(second + 1)
        for _ in range(requests):
            metrics.record(0, 200, 1_000, 10_000 * (second + 1), 1_000, 1, 1)
    metrics.elapsed_us = 4_300_000
    list(reporter.report())
    started = datetime(2026, 1, 2, tzinfo=UTC)
    found = summarise(metrics, PLAN, (), Verdict("passed"), started=started, course=course)
    lines = load_text(found, 80)
    start = lines.index("over the run    second 0 to 4")
    assert lines[start + 1 : start + 4] == [
        "requests/s      ▁▂█   0.00 to 8.00",
        "average ms      ▃▅█   0.00 to 30.0",
        "users           ▂▄▆█  1 to 4",
    ]
    plain = load_text(found, 80, ASCII)
    assert plain[start + 1] == "requests/s      .:@   0.00 to 8.00"


@pytest.mark.parametrize("width", [40, 80, 120])
def test_a_long_run_fits(width: int) -> None:
    """Columns stand for several seconds where there are more than the terminal has."""
    metrics = LoadMetrics([TransactionKey("c", "p", "t")], [PageKey("c", "p")], ["c"])
    course = RunCourse()
    reporter = Reporter(metrics, course)
    for second in range(1000):
        metrics.begin_second(second)
        metrics.set_users(1)
        metrics.record(0, 200, 1_000, 1_000, 1_000, 1, 1)
    metrics.elapsed_us = 1_000_000_000
    list(reporter.report())
    started = datetime(2026, 1, 2, tzinfo=UTC)
    found = summarise(metrics, PLAN, (), Verdict("passed"), started=started, course=course)
    lines = load_text(found, width)
    line = next(line for line in lines if line.startswith("requests/s"))
    assert cells(line) <= width
    assert "1.00 to 1.00" in line


def test_the_documented_comparison() -> None:
    """The comparison that docs/load.md shows is the real output."""
    lines = load_text(summary(failing=20, baseline=[earlier()]), 80)
    start = next(n for n, line in enumerate(lines) if line.startswith("compared with"))
    end = lines.index("", start)
    assert "\n".join(lines[start:end]) == block("comparison")


def test_first_failures_with_count_and_example() -> None:
    """Each way in which iterations failed first is listed with how often it came, and an
    example."""
    lines = load_text(small(example="<h1>Oops</h1>\nsecond line"))
    start = lines.index("first failures of 1 iteration, and what followed in them")
    assert [" ".join(line.split()) for line in lines[start + 1 : start + 6]] == [
        "iterations then failed from s users over the run",
        "500 GET / 1 0 0 0 █ |",
        "500 Page \N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK} GET /: search text not found",
        "<h1>Oops</h1>",
        "second line",
    ]


def test_without_errors_there_is_no_such_section() -> None:
    """A clean run has no heading over nothing, and no word of cut requests."""
    text = "\n".join(load_text(summary()))
    assert "first failures" not in text
    assert "FIX FIRST" not in text
    assert "cut" not in text


@pytest.mark.parametrize("width", [70, 80, 100, 120, 200])
def test_it_fits(width: int) -> None:
    """No line is wider than the terminal or 120 columns, whatever the names and texts."""
    for one in (
        summary(failing=90, lose=True),
        small("GET /" + "a" * 300, "m " * 300, "e" * 5000),
        summary(failing=90, baseline=[earlier()]),
        small("GET /検索/" + "結果" * 60, "見つかりません" * 30),
    ):
        lines = load_text(one, width)
        assert max(map(cells, lines)) <= min(width, 120)
        assert all(line == line.rstrip() for line in lines)


def test_wide_terminals_show_more() -> None:
    """With room for it there are median and average and the rate of each transaction; the 99th
    percentile is there in any case."""
    narrow, wide = ("\n".join(load_text(summary(), width)) for width in (80, 120))
    assert narrow.count("p99") == wide.count("p99") > 2
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
        "cut at the end 3 requests and 1 iteration, in no other number of requests"
    )


def test_too_many_kinds_of_errors() -> None:
    """Errors that were not kept apart are counted, not forgotten."""
    found = small()
    failing = replace(found.failing, other_iterations=1234)
    text = "\n".join(load_text(replace(found, failing=failing)))
    assert "1,234 more iterations failed first in other ways" in text


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
