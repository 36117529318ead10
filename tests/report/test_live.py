"""Live lines: how far a run is, in the width there is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_loadtool.load import Glimpse, glimpse
from pytest_loadtool.report.columns import cells
from pytest_loadtool.report.live import live_view, status_line
from tests.load.simulation import CONFIGURATION, one_worker
from tests.report.documented import block


def seen() -> Glimpse:
    """A glimpse of a run over two workers with some errors."""
    workers = [one_worker(1, failing=90), one_worker(2, failing=90)]
    for worker in workers:
        worker.set_users(10)
    return glimpse([(worker.snapshot(), True) for worker in workers])


def test_the_documented_view() -> None:
    """The live view and the status line that docs/load.md shows are the real ones."""
    assert "\n".join(live_view(seen(), 4.2, CONFIGURATION, 80)) == block("live")
    assert status_line(seen(), 4.2, CONFIGURATION) == block("status")


def test_what_a_status_line_says() -> None:
    """Time, users, rate, requests, errors, median and 95th percentile."""
    line = status_line(seen(), 4.2, CONFIGURATION)
    for part in (
        "4 s of 10 s",
        "20 users",
        "requests/s",
        "4,860 requests",
        "errors",
        "median",
        "p95",
    ):
        assert part in line


def test_before_the_first_request() -> None:
    """Without a request there is no median and no rate of errors, and no error either."""
    line = status_line(Glimpse(), 0.0, CONFIGURATION)
    assert line == "0 s of 10 s: 0 users, 0 requests/s, 0 requests, 0 errors"


def test_after_the_duration() -> None:
    """While users finish their iterations, that is what it says."""
    assert "finishing" in status_line(seen(), 11.0, CONFIGURATION)
    assert "finishing" in live_view(seen(), 11.0, CONFIGURATION)[0]


@pytest.mark.parametrize("width", [40, 80, 120])
def test_the_view_keeps_its_size(width: int) -> None:
    """Always the same number of lines, none wider than the terminal: it is drawn over each time."""
    long = replace(CONFIGURATION, name="A configuration with a long name " * 5)
    for glimpsed in (Glimpse(), seen()):
        for elapsed in (0.0, 5.0, 10.0, 25.0):
            lines = live_view(glimpsed, elapsed, long, width)
            assert len(lines) == 4
            assert max(map(cells, lines)) <= width
