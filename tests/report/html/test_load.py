"""The page of load tests: its numbers are those of the JSON, and it opens at once."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

from pytest_loadtool.load import Progress, Summary
from pytest_loadtool.load.metrics.histogram import Histogram
from pytest_loadtool.load.verdict.saved import ALL
from pytest_loadtool.load.verdict.summarise import MomentsSoFar
from pytest_loadtool.report.html.load import live_data, load_page, run_data
from pytest_loadtool.report.html.load_tables import BINS, log_bins
from pytest_loadtool.report.load.json import load_data
from tests.load.simulation import CONFIGURATION, progress_of, summary
from tests.load.simulation import ENVIRONMENT as SIMULATED
from tests.load.simulation import told as diagnosed
from tests.report.html.browsers import BROWSERS, opened

#: Moves the pointer over the first plot.
POINTER = (
    "const over = window.loadtoolPlots[0].u.over, box = over.getBoundingClientRect();"
    "const at = (kind, x, to) => to.dispatchEvent(new MouseEvent(kind,"
    " {clientX: box.left + x, clientY: box.top + 20, bubbles: true, button: 0}));"
)
ENVIRONMENT = [("Target", "http://127.0.0.1"), ("Python", "CPython")]


def write(path: Path, *runs: dict[str, Any]) -> Path:
    path.write_bytes(load_page(runs))
    return path


def time_of(group: str, name: str, moment: dict[str, Any]) -> Any:
    """One of the times that the JSON has of a moment."""
    return moment[group][name]


#: The rows of tables are made when the browser has nothing else to do.
ROWS_MADE = "return document.querySelector('.grid tr.row') !== null"


#: Draws plots anew, and notes what is written into them: where ramps end, and thresholds.
WRITTEN = """
const letters = CanvasRenderingContext2D.prototype, fill = letters.fillText;
window.written = [];
letters.fillText = function (text, ...at) {
  written.push(text);
  return fill.call(this, text, ...at);
};
window.loadtoolPlots.forEach((x) => x.u.redraw(false, false));
return 1;
"""


def told_of(run: Summary) -> list[str]:
    """The rows of the configuration on a page."""
    return [f"{name} {value}" for name, value in run_data(run)["configuration"]]


def plotted(group: str, series: int) -> str:
    """The values of a curve, as the plot has them."""
    return (
        f"return Array.from(window.loadtoolPlots.find(x => x.group === '{group}').u.data[{series}])"
    )


@pytest.mark.parametrize("browser", BROWSERS)
def test_plots_and_tables_are_the_json(browser: str, tmp_path: Path) -> None:
    """Each curve, and each number of the table, is what `--load-json` says; above them stands what
    to mend first, as in the text report."""
    run = summary(failing=50)
    found = diagnosed(run)
    told = load_data(run, SIMULATED)
    file = write(tmp_path / "page.html", run_data(run, ENVIRONMENT, found))
    with opened(browser, file) as page:
        moments = told["timeline"]
        assert page.run(plotted("requests", 0)) == [one["second"] for one in moments]
        curves: list[tuple[str, int, Callable[[Any], float]]] = [
            ("requests", 1, lambda one: one["requests"] / one["length_s"]),
            ("errors", 1, lambda one: one["errors"] / one["length_s"]),
            ("users", 1, lambda one: one["users"]),
            ("bytes", 1, lambda one: one["bytes_received"] / one["length_s"]),
            ("bytes", 2, lambda one: one["bytes_sent"] / one["length_s"]),
            ("connections", 1, lambda one: one["connections_opened"] / one["length_s"]),
            ("cpu", 1, lambda one: one["cpu"]),
        ]
        for group in ("response_time", "service_time", "lateness"):
            for series, name in enumerate(("p50", "p90", "p95", "p99", "max"), 1):
                curves.append((group, series, partial(time_of, f"{group}_ms", name)))
        for group, series, value in curves:
            assert page.run(plotted(group, series)) == [value(one) for one in moments], group
        page.until(ROWS_MADE)
        rows = page.run(
            "return [...document.querySelectorAll('.grid tr.row')]"
            ".map(x => [...x.cells].map(y => y.innerText))"
        )
        assert len(rows) == len(told["transactions"])
        for row, one in zip(rows, told["transactions"], strict=True):
            assert row[0].split("\n")[:2] == [one["name"], one["page"]]
            assert row[3:5] == [f"{one['requests']:,}", f"{one['errors']:,}"]
        page.run("document.querySelector('.tables').scrollIntoView(); return 1")
        page.until("return document.querySelectorAll('.spark').length > 3")
        figures = page.run(
            "return [...document.querySelectorAll('.figures dd:nth-child(2)')]"
            ".map(x => x.innerText)"
        )
        totals, times = told["totals"], told["totals"]["response_time_ms"]
        assert figures[0] == f"{totals['requests']:,}"
        assert figures[1] == f"{totals['throughput_rps']:.0f}"
        assert figures[3:5] == [f"{times['p50']:.1f}", f"{times['p95']:.0f}"]
        assert page.run("return document.querySelectorAll('.whole .bar-now').length") > 20
        said = page.run("return document.querySelector('header').innerText")
        assert run.verdict.outcome.upper() in said
        fix = " ".join(page.run("return document.querySelector('.fix').innerText").split())
        first, *others = found.diagnosis.findings
        assert f"{first.path}:{first.line} {first.cause.text}" in fix
        assert f"--replay-har {found.files[first.groups[0].key]}" in fix
        assert all(one.cause.text in fix for one in others)
        every = "".join(page.run("return document.body.textContent").split())
        rows = [*told_of(run), *(f"{name} {value}" for name, value in ENVIRONMENT)]
        rows += [f"{one['message']} {one['cause']}" for one in told["errors"]]
        rows += [f"first example {one['example']}" for one in told["errors"]]
        assert [one for one in rows if "".join(one.split()) not in every] == []
        page.run(WRITTEN)
        for one in ("ramp-up ends", "throughput > 400/s", "1 % allowed"):
            page.until(f"return written.includes('{one}')")
        page.picture(tmp_path / f"{browser}.png")


@pytest.mark.parametrize("browser", BROWSERS)
def test_a_moment_is_read_off_in_all_plots(browser: str, tmp_path: Path) -> None:
    """The pointer over one plot: all say what was then. Dragged: all show that stretch."""
    run = summary(failing=50)
    file = write(tmp_path / "page.html", run_data(run))
    with opened(browser, file) as page:
        page.run("window.loadtoolPlots.forEach(x => x.u); return 1")
        page.run(f"{POINTER} at('mousemove', 300, over); return 1")
        at = page.run("return window.loadtoolPlots.map(x => x.u.cursor.idx)")
        assert len({*at}) == 1
        assert at[0] is not None
        value = "x => x.u.root.querySelectorAll('.u-value')[1].innerText"
        legends = page.run(f"return window.loadtoolPlots.map({value})")
        assert "–" not in legends
        moment = page.run(
            "return window.loadtoolPlots[0].u.root.querySelector('.u-value').innerText"
        )
        second = int(moment.partition(" s, 05:06:")[0])
        assert moment == f"{second} s, 05:06:{7 + second:02}", "as the server's log has it"
        page.run("document.querySelector('.plots').scrollIntoView(); return 1")
        left, top = page.run(f"{POINTER} return [box.left, box.top]")
        page.drag((left + 200, top + 50), (left + 500, top + 60))
        page.until("return window.loadtoolPlots[0].u.scales.x.min > 0")
        ranges = page.run(
            "return window.loadtoolPlots.map(x => [x.u.scales.x.min, x.u.scales.x.max])"
        )
        assert len({tuple(one) for one in ranges}) == 1
        assert ranges[0][0] > 0


def long_run() -> dict[str, Any]:
    """What a page shows of 30 minutes of 700 transactions, each with its course and histogram."""
    random, seconds = Random(2), list(range(1800))
    run = run_data(summary(failing=50))

    def noise(least: float, most: float) -> list[float]:
        return [round(random.uniform(least, most), 2) for _ in seconds]

    def band() -> dict[str, list[float]]:
        names = ("p50", "p90", "p95", "p99", "max")
        return {name: noise(10 * at, 10 * at + 9) for at, name in enumerate(names, 1)}

    run["time"] = {
        "x": seconds,
        "groups": {
            "response_time": band(),
            "service_time": band(),
            "requests": {"requests": noise(90, 110)},
            "errors": {cause: noise(0, 2) for cause in ("status", "timeout", "reset")},
            "users": {"users": noise(19, 20)},
            "bytes": {"received": noise(1e6, 2e6), "sent": noise(1e4, 2e4)},
            "connections": {"opened": noise(0, 3)},
            "lateness": band(),
            "cpu": {"processor time": noise(0, 2)},
        },
    }
    some = [one for one in run["rows"] if one["kind"] == "transaction"]
    run["rows"] = [
        {
            **some[at % len(some)],
            "name": f"GET /resource/{at}",
            "p95": round(random.uniform(1, 900), 1),
            "course": {
                "from": 0,
                "length": 16,
                "requests": [random.randrange(50) for _ in range(113)],
                "p95": [round(random.uniform(1, 900), 1) for _ in range(113)],
                "errors": [0] * 113,
            },
            "histogram": [50, [random.randrange(2_000) for _ in range(60)]],
        }
        for at in range(700)
    ]
    return run


@pytest.mark.slow
@pytest.mark.parametrize("browser", BROWSERS)
def test_hundreds_of_rows_are_sorted_and_searched(browser: str, tmp_path: Path) -> None:
    """A click on a head sorts, another turns it round; a search leaves what has the word. A page
    of 30 minutes and 700 transactions is below 3 MB; all of its rows come without scrolling, and
    on a phone in the dark it is as wide as the phone, and dark."""
    file = write(tmp_path / "page.html", long_run())
    assert file.stat().st_size < 3_000_000
    rows = "document.querySelectorAll('.grid tr.row')"
    with opened(browser, file, 450, dark=True) as page:
        page.until(f"return {rows}.length == 700")
        p95 = (
            "const head = [...document.querySelectorAll('.grid th')];"
            "const at = head.findIndex(x => x.innerText.trim() === 'p95');"
            f"return [...{rows}].map(x => parseFloat(x.cells[at].innerText.replace(',', '')))"
        )
        click = (
            "[...document.querySelectorAll('.grid th button')]"
            ".find(x => x.innerText.trim() === 'p95').click(); return 1"
        )
        page.run(click)
        page.until(f"return {rows}.length == 700")
        assert (down := page.run(p95)) == sorted(down, reverse=True)
        page.run(click)
        page.until(f"return {rows}.length == 700")
        assert page.run(p95) == sorted(down)
        page.run(
            "const field = document.querySelector('.tools input'); field.value = 'RESOURCE/69';"
            "field.dispatchEvent(new Event('input')); return 1"
        )
        assert page.run(f"return {rows}.length") == 11  # 69 and 690 to 699
        page.run("document.querySelector('.row').click(); return 1")
        assert page.run("return document.querySelectorAll('.detail .bar-now').length") > 3
        assert page.run("return document.querySelectorAll('.detail .course canvas').length") == 2
        wide, seen = page.run(
            "const one = document.documentElement; return [one.scrollWidth, one.clientWidth]"
        )
        assert wide <= seen <= 500, "nothing but tables is wider than the screen"
        back = page.run("return getComputedStyle(document.body).backgroundColor")
        assert all(int(part) < 60 for part in re.findall(r"\d+", back)[:3]), back
        page.picture(tmp_path / f"{browser}.png")


@pytest.mark.slow
@pytest.mark.parametrize("browser", BROWSERS)
def test_all_plots_are_printed(browser: str, tmp_path: Path) -> None:
    """Also those that nobody has scrolled to, and light ones; Firefox prints pictures of them, none
    of which is blank."""
    file = write(tmp_path / "page.html", run_data(summary(failing=50)))
    with opened(browser, file, dark=True) as page:
        plots = page.run("return window.loadtoolPlots.length")
        assert page.run("return document.querySelectorAll('.plot canvas').length") < plots
        printed = page.printed()
        assert page.run("return document.querySelectorAll('.plot canvas').length") == plots
    if browser == "firefox":
        pictures = [*_pictures(printed)]
        assert len(pictures) == plots
        assert all(len({*one}) > 50 for one in pictures), "shades of curves and letters"


_PICTURE = re.compile(rb"<<([^<>]*/Subtype /Image[^<>]*/DeviceRGB[^<>]*)>>\s*stream\r?\n")


def _pictures(pdf: bytes) -> Iterator[bytes]:
    """The samples of each coloured picture of a PDF."""
    for found in _PICTURE.finditer(pdf):
        yield zlib.decompressobj().decompress(pdf[found.end() :])


def test_two_runs_are_drawn_over_each_other(tmp_path: Path) -> None:
    """With a comparison the earlier run's curves and histograms are there, too."""
    run = summary(failing=50, baseline=[summary().saved])
    file = write(tmp_path / "page.html", run_data(run))
    with opened("chromium", file) as page:
        compared = [
            [label for label in one if label.endswith(" before")]
            for one in page.run(
                "return window.loadtoolPlots.map(x => x.u.series.map(y => y.label))"
            )
        ]
        assert [one for one in compared if one] == [
            ["mean before"], ["requests before"], ["errors before"], ["users before"]
        ]  # fmt: skip
        page.until(ROWS_MADE)
        page.run("document.querySelector('.row').click(); return 1")
        assert page.run("return document.querySelectorAll('.detail .bar-before').length") > 0


def test_the_trend_of_several_runs(tmp_path: Path) -> None:
    """Each earlier run and this one is a point of the plots of times, throughput and errors."""
    earlier = summary().saved
    run = summary(failing=50, baseline=[earlier, earlier])
    file = write(tmp_path / "page.html", run_data(run))
    with opened("chromium", file) as page:
        found = page.run(
            "return Object.fromEntries(window.loadtoolPlots.filter(x => x.u.root.closest('.trend'))"
            ".map(x => [x.group, Array.from(x.u.data[1])]))"
        )
    whole = [one.requests[ALL] for one in (earlier, earlier, run.saved)]
    assert found["response_time"] == [one.response.percentile(50) / 1000 for one in whole]
    assert [*found] == ["response_time", "requests", "error_rate"]
    assert found["error_rate"][:2] == [0, 0] != found["error_rate"][2:]


def test_a_run_under_way(tmp_path: Path) -> None:
    """The page loads itself anew, and has what there is to see so far."""
    seen = progress_of(failing=50)
    file = tmp_path / "page.html"
    moments = MomentsSoFar(CONFIGURATION.percentiles).update(seen.course)
    data = live_data(seen, moments, CONFIGURATION, "2026-03-04T05:06:07+00:00", 4.0, ENVIRONMENT)
    file.write_bytes(load_page([data], refresh=5))
    with opened("chromium", file) as page:
        assert page.run("return document.querySelector('meta[http-equiv=refresh]').content") == "5"
        assert page.run(plotted("requests", 1)) == [one.requests for one in moments]
        medians = [dict(one.response.percentiles)["p50"] for one in moments]
        assert page.run(plotted("response_time", 1)) == medians
        page.until(ROWS_MADE)
        assert page.run("return document.querySelectorAll('.row').length") == len(seen.rows)
    nothing = live_data(Progress(), [], CONFIGURATION, "2026-03-04T05:06:07+00:00", 0.0)
    file.write_bytes(load_page([nothing], refresh=5))
    with opened("chromium", file) as page:
        assert page.run("return document.querySelector('.over-time').hidden") is True


def test_bars_have_all_values() -> None:
    """A bar is a twentieth of a factor of ten wide, and none of the values is lost."""
    histogram, random = Histogram(), Random(1)
    values = [int(10 ** random.uniform(0, 7)) for _ in range(5_000)]
    for one in values:
        histogram.record(one)
    first, counts = log_bins(histogram)
    assert sum(counts) == 5_000
    edge = 10 ** ((first + 60) / BINS)
    below = sum(1 for one in values if one < edge)
    assert sum(counts[:60]) == pytest.approx(below, abs=25)


def test_a_long_run_of_a_large_case_is_drawn_as_it_comes_near(tmp_path: Path) -> None:
    """Of 30 minutes of 700 transactions the plots that are seen are drawn, and nothing of the rows
    further down; printing draws all. What opening takes: ``python -m tests.benchmarks.opening``."""
    file = write(tmp_path / "page.html", long_run())
    with opened("chromium", file) as page:
        page.until("return document.querySelectorAll('.plot canvas').length > 1")
        drawn, plots = page.run(
            "return [document.querySelectorAll('.plot canvas').length,"
            " document.querySelectorAll('.plot').length]"
        )
        assert 1 < drawn < plots
        page.run("dispatchEvent(new Event('beforeprint'))")
        page.until(
            "return [...document.querySelectorAll('.plot')]"
            ".every((one) => one.querySelector('canvas'))"
        )
