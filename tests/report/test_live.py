"""Live lines: how far a run is, in the width and height there is."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO, TextIOWrapper
from typing import Literal

import pytest
from rich.console import Console
from rich.live_render import LiveRender

from pytest_loadtool.load import Progress
from pytest_loadtool.load.metrics.custom import CustomMetrics
from pytest_loadtool.load.verdict.custom import custom_of
from pytest_loadtool.model.load import LoadConfiguration
from pytest_loadtool.report.columns import cells
from pytest_loadtool.report.load.live import RunView
from pytest_loadtool.report.load.status import status_line
from tests.load.simulation import CONFIGURATION, progress_of
from tests.report.documented import block


def seen() -> Progress:
    """The progress of a run over two workers with some errors."""
    return progress_of(failing=90)


def drawn(
    progress: Progress,
    elapsed: float,
    configuration: LoadConfiguration,
    width: int = 80,
    height: int = 25,
    *,
    encoding: str = "utf-8",
    colour: Literal["standard"] | None = None,
) -> list[str]:
    """The lines of a view as a terminal of that size shows them."""
    file = TextIOWrapper(BytesIO(), encoding=encoding, errors="replace")
    console = Console(
        file=file, force_terminal=True, color_system=colour, width=width, height=height
    )
    view = RunView(progress, elapsed, configuration)
    console.print(LiveRender(view, vertical_overflow="crop"), end="")
    file.seek(0)
    *lines, last = [line.rstrip() for line in file.read().split("\n")]
    assert last == ""
    return lines


def test_the_documented_view() -> None:
    """The live view and the status line that docs/load.md shows are the real ones."""
    assert "\n".join(drawn(seen(), 4.2, CONFIGURATION, 80)) == block("live")
    assert status_line(seen(), 4.2, CONFIGURATION) == block("status")


def test_what_a_view_says() -> None:
    """Users, rate, requests, times, status codes, errors by cause, their course, thresholds with
    their state, and the transactions."""
    text = "\n".join(drawn(seen(), 4.2, CONFIGURATION))
    for part in (
        "Admin and API  ━━",
        "20 users",
        "500: ",
        "no response: ",
        "timeout: ",
        "requests/s     █",
        "p95 ms         ",
        "errors/s       ",
        "users          █",
        "throughput > 400/s",
        "Site administration | Django site admin / log in",
    ):
        assert part in text


def test_what_a_status_line_says() -> None:
    """Time, users, rate, requests, errors, median and 95th percentile."""
    line = status_line(seen(), 4.2, CONFIGURATION)
    for part in (
        "4 s of 10 s",
        "20 users",
        "requests/s",
        "1,944 requests",
        "errors",
        "median",
        "p95",
    ):
        assert part in line
    assert "broken" not in line


def test_whether_errors_go_on() -> None:
    """Those of the last second stand beside all; without any there is nothing to go on."""
    for last, now in ((7, "25 errors (1.29 %, now 7/s)"), (0, "25 errors (1.29 %, now 0/s)")):
        progress = replace(seen(), errors_per_second=last)
        assert any(line.startswith(now) for line in drawn(progress, 4.2, CONFIGURATION))
        assert f", {now}, median" in status_line(progress, 4.2, CONFIGURATION)
    assert "0 errors, " in status_line(replace(seen(), errors=0), 4.2, CONFIGURATION)


def test_broken_thresholds() -> None:
    """For how long, and of how long; on one line only how many."""
    progress = seen()
    states = [replace(state, broken=3) for state in progress.thresholds]
    progress = replace(progress, thresholds=tuple(states))
    lines = drawn(progress, 4.2, CONFIGURATION)
    until, stop = [line for line in lines if "broken" in line][1:]
    assert until.endswith("/s  broken")
    assert stop.endswith("ms  broken for 3 s of 5 s")
    assert status_line(progress, 4.2, CONFIGURATION).endswith(", 3 of 3 thresholds broken")


def test_metrics_of_functions() -> None:
    """A counter has its sum, a rate its share, a trend its percentiles."""
    custom = CustomMetrics()
    for value in range(1, 101):
        custom.record("counter", "orders", 3)
        custom.record("rate", "found", value > 10)
        custom.record("trend", "queue", value)
    progress = replace(seen(), custom=tuple(custom_of(custom)))
    lines = [line.split() for line in drawn(progress, 4.2, CONFIGURATION, height=40)]
    assert ["orders", "300"] in lines
    assert ["found", "90", "%", "of", "100"] in lines
    assert ["queue", "100", "values", "50.5", "50.0", "95.0", "99.0", "100"] in lines


def test_before_the_first_request() -> None:
    """Without a request there is no median and no rate of errors, and no error either."""
    line = status_line(Progress(), 0.0, CONFIGURATION)
    assert line == "0 s of 10 s: 0 users, 0 requests/s, 0 requests, 0 errors"


def test_after_the_duration() -> None:
    """While users finish their iterations, that is what it says."""
    assert "finishing" in status_line(seen(), 11.0, CONFIGURATION)
    assert "finishing" in drawn(seen(), 11.0, CONFIGURATION)[0]


def test_without_an_end() -> None:
    """A run of so many iterations has no bar."""
    endless = replace(CONFIGURATION, duration=None, iterations=5)
    assert drawn(seen(), 11.0, endless)[0] == "Admin and API  11 s"


def test_arrivals_that_were_dropped() -> None:
    """They are named as soon as there are any."""
    assert "dropped" not in status_line(seen(), 1.0, CONFIGURATION)
    assert ", 7 dropped" in status_line(replace(seen(), dropped=7), 1.0, CONFIGURATION)


@pytest.mark.parametrize("width", [40, 80, 120])
@pytest.mark.parametrize("height", [1, 6, 12, 24, 100])
def test_the_view_keeps_within_the_terminal(width: int, height: int) -> None:
    """No line is wider, no view is higher: it is drawn over each time. What there is room for, is
    shown: all transactions in a high one, none in a low one."""
    long = replace(CONFIGURATION, name="A configuration with a long name 負荷 " * 5)
    for progress in (Progress(), seen()):
        for elapsed in (0.0, 5.0, 10.0, 25.0):
            lines = drawn(progress, elapsed, long, width, height)
            assert len(lines) <= height
            assert max(map(cells, lines), default=0) <= width
    rows = [line for line in drawn(seen(), 1.0, long, 120, height) if " / " in line]
    assert len(rows) == {1: 0, 6: 0, 12: 1, 24: 7, 100: 10}[height]


def test_without_unicode() -> None:
    """A terminal that knows ASCII alone gets the same picture in it."""
    named = replace(CONFIGURATION, name="Größer 負荷")
    lines = drawn(seen(), 4.2, named, 60, 30, encoding="ascii")
    assert all(line.isascii() for line in lines)
    assert lines[0].startswith("Gr??er ??  ########....")
    assert "@@@" in lines[5]
    assert "~" in "".join(lines)


def test_names_in_any_script() -> None:
    """Their width is what a terminal makes of it, and the numbers stand below each other."""
    progress = seen()
    wide = replace(progress.rows[1], page="負荷テスト" * 9, name="GET /größe")
    lines = drawn(replace(progress, rows=(progress.rows[0], wide)), 4.2, CONFIGURATION)
    one, other = lines[-2:]
    assert other.startswith("負荷テスト負荷")
    assert "…" in other
    assert cells(one) == cells(other) <= 80


def test_worst_first() -> None:
    """Thresholds that are broken stand above those that hold, of which some may find no room."""
    progress = seen()
    first, *rest = progress.thresholds
    states = (*[first] * 9, replace(rest[0], broken=1))
    lines = drawn(replace(progress, thresholds=states), 4.2, CONFIGURATION)
    (heading,) = (number for number, line in enumerate(lines) if line.startswith("threshold ("))
    assert "threshold (5 of 10)" in lines[heading]
    assert lines[heading + 1].endswith("broken")
    assert [line.endswith("ok") for line in lines[heading + 2 : heading + 6]] == [True] * 4
    assert any(line.startswith("worst first") for line in lines)


def test_colours() -> None:
    """What is wrong is red, in the colours that a terminal's theme has for its background."""
    text = "\n".join(drawn(seen(), 4.2, CONFIGURATION, colour="standard"))
    assert "\x1b[1;31m25 errors" in text
    assert "\x1b[32mok" in text
    assert "\x1b[1;31m25 errors" not in "\n".join(
        drawn(replace(seen(), errors=0), 4.2, CONFIGURATION, colour="standard")
    )
    assert "\x1b" not in "\n".join(drawn(seen(), 4.2, CONFIGURATION))
