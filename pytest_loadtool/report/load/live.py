"""A load test under way, as text. Who shows it, and how often, is not decided here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_loadtool.codec.excerpt import printable
from pytest_loadtool.load.formatting import count, percent, plural, seconds
from pytest_loadtool.load.progress import Glimpse
from pytest_loadtool.load.verdict.threshold import ThresholdState, amount
from pytest_loadtool.model.load import LoadConfiguration
from pytest_loadtool.report.columns import cells, fit, table
from pytest_loadtool.report.load.sparkline import BLOCKS, groups, sparkline
from pytest_loadtool.report.load.units import milliseconds, rate, status_counts

_BAR = 24
_FULL, _EMPTY = "█", "░"
_NAME = 15  # of a sparkline
_CURVE = 40  # columns of a sparkline at most

#: What stands in place of characters that a terminal cannot show.
_PLAIN = str.maketrans({_FULL: "#", _EMPTY: ".", "…": "~", "–": "-"})  # noqa: RUF001


def status_line(seen: Glimpse, elapsed: float, configuration: LoadConfiguration) -> str:
    """One line: for a terminal's last line, or one each interval where there is no terminal."""
    broken = sum(1 for state in seen.thresholds if state.broken is not None)
    thresholds = f", {broken} of {plural(len(seen.thresholds), 'threshold')} broken"
    return (
        f"{_clock(elapsed, configuration)}: {_load(seen)}, {_errors(seen)}{_times(seen)}"
        f"{thresholds if broken else ''}"
    )


def live_view(
    seen: Glimpse,
    elapsed: float,
    configuration: LoadConfiguration,
    width: int = 80,
    height: int = 24,
    glyphs: str = BLOCKS,
) -> list[str]:
    """At most ``height`` lines of at most ``width`` columns, to be drawn over each time.

    Of the transactions there are as many as there is room for. ``glyphs`` are those of
    `sparkline`; with others than `BLOCKS` no character of our own is beyond ASCII.
    """
    causes = "   ".join(
        f"{cause}: {count(number)}"
        for cause, number in sorted(seen.causes.items(), key=lambda item: -item[1])
    )
    lines = [
        _title(elapsed, configuration, width),
        f"{_load(seen)}{_times(seen)}",
        f"status codes   {status_counts(seen.statuses.items())}",
        f"{_errors(seen)}   {causes}",
        *_curves(seen, width, glyphs),
        *_thresholds(seen.thresholds, width),
    ]
    lines += _rows(seen, width, height - len(lines))
    fitted = [fit(line.rstrip(), width) for line in lines[: max(1, height)]]
    return fitted if glyphs == BLOCKS else [line.translate(_PLAIN) for line in fitted]


def _title(elapsed: float, configuration: LoadConfiguration, width: int) -> str:
    title = _clock(elapsed, configuration)
    if configuration.duration is not None:
        done = min(1.0, elapsed / configuration.duration) if configuration.duration else 1.0
        title = f"{(_FULL * int(done * _BAR)).ljust(_BAR, _EMPTY)}  {title}"
    name = fit(printable(configuration.name), max(8, width - cells(title) - 2))
    return f"{name}  {title}"


def _curves(seen: Glimpse, width: int, glyphs: str) -> Iterator[str]:
    """How throughput and the 95th percentile went from the start to now."""
    columns = min(_CURVE, width // 2)
    for name, values, show in (
        ("requests/s", seen.rates, rate),
        ("p95 ms", tuple(value / 1000 for value in seen.p95s), milliseconds),
    ):
        if values:
            curve = sparkline(_columns(values, columns), glyphs)
            yield f"{name:<{_NAME}}{curve}  {show(values[-1])}, at most {show(max(values))}"


def _columns(values: Sequence[float], columns: int) -> list[float]:
    """As many means of neighbours as there are columns, or fewer. Their number does not jump."""
    shared = groups(len(values), columns)
    parts = [values[at : at + shared] for at in range(0, len(values), shared)]
    return [sum(part) / len(part) for part in parts]


def _thresholds(states: Sequence[ThresholdState], width: int) -> list[str]:
    if not states:
        return []
    return table(
        ("threshold", "now", ""),
        [
            (
                printable(state.threshold.text),
                amount(state.value, state.threshold.unit),
                _standing(state),
            )
            for state in states
        ],
        width,
    )


def _standing(state: ThresholdState) -> str:
    if state.broken is None:
        return ""
    during = state.threshold.during
    return f"broken for {state.broken} s of {seconds(during)}" if during else "broken"


def _rows(seen: Glimpse, width: int, room: int) -> list[str]:
    """The transactions that take the most time, as many as there is room for below a heading."""
    if not seen.rows or room < 2:
        return []
    return table(
        ("most time", "requests", "errors", "median", "p95"),
        [
            (
                printable(f"{row.page} / {row.name}"),
                count(row.requests),
                count(row.errors),
                milliseconds(row.median / 1000),
                milliseconds(row.p95 / 1000),
            )
            for row in seen.rows[: room - 1]
        ],
        width,
    )


def _clock(elapsed: float, configuration: LoadConfiguration) -> str:
    duration = configuration.duration
    if duration is None:
        return f"{elapsed:.0f} s"
    if elapsed > duration:
        return f"{elapsed:.0f} s, finishing iterations"
    return f"{elapsed:.0f} s of {seconds(duration)}"


def _load(seen: Glimpse) -> str:
    dropped = f", {count(seen.dropped)} dropped" if seen.dropped else ""
    return (
        f"{plural(seen.users, 'user')}, {count(seen.requests_per_second)} requests/s, "
        f"{plural(seen.requests, 'request')}{dropped}"
    )


def _errors(seen: Glimpse) -> str:
    """How many, their share of all requests, and how many in the last second."""
    text = plural(seen.errors, "error")
    if not seen.errors:
        return text
    return f"{text} ({percent(seen.errors / seen.requests)}, now {count(seen.errors_per_second)}/s)"


def _times(seen: Glimpse) -> str:
    if not seen.requests:
        return ""
    median, p95 = (milliseconds(seen.response.percentile(p) / 1000) for p in (50, 95))
    return f", median {median} ms, p95 {p95} ms"
