"""A load test under way, as text. Who shows it, and how often, is not decided here."""

from __future__ import annotations

from pytest_loadtool.load.glimpse import Glimpse
from pytest_loadtool.load.wording import count, percent, plural
from pytest_loadtool.model.load import LoadConfiguration
from pytest_loadtool.report.columns import cells, fit
from pytest_loadtool.report.excerpt import printable
from pytest_loadtool.report.units import milliseconds, seconds, status_counts

__all__ = ["live_view", "status_line"]

_BAR = 24
_FULL, _EMPTY = "█", "░"


def status_line(seen: Glimpse, elapsed: float, configuration: LoadConfiguration) -> str:
    """One line: for a terminal's last line, or one each interval where there is no terminal."""
    return (
        f"{_clock(elapsed, configuration)}: {plural(seen.users, 'user')}, "
        f"{count(seen.requests_per_second)} requests/s, {plural(seen.requests, 'request')}, "
        f"{_errors(seen)}{_times(seen)}"
    )


def live_view(
    seen: Glimpse, elapsed: float, configuration: LoadConfiguration, width: int = 80
) -> list[str]:
    """A few lines to be drawn over each time; always the same number of lines."""
    done = min(1.0, elapsed / configuration.duration) if configuration.duration else 0.0
    bar = (_FULL * int(done * _BAR)).ljust(_BAR, _EMPTY)
    title = f"{bar}  {_clock(elapsed, configuration)}"
    name = fit(printable(configuration.name), max(8, width - cells(title) - 2))
    causes = "   ".join(
        f"{cause}: {count(number)}"
        for cause, number in sorted(seen.causes.items(), key=lambda item: -item[1])
    )
    lines = (
        f"{name}  {title}",
        f"{plural(seen.users, 'user')}, {count(seen.requests_per_second)} requests/s, "
        f"{plural(seen.requests, 'request')}{_times(seen)}",
        f"status codes   {status_counts(seen.statuses.items())}",
        f"{_errors(seen)}   {causes}",
    )
    return [fit(line.rstrip(), width) for line in lines]


def _clock(elapsed: float, configuration: LoadConfiguration) -> str:
    if configuration.duration is None:  # it ends after so many iterations
        return f"{elapsed:.0f} s"
    if elapsed > configuration.duration:
        return f"{elapsed:.0f} s, finishing iterations"
    return f"{elapsed:.0f} s of {seconds(configuration.duration)}"


def _errors(seen: Glimpse) -> str:
    text = plural(seen.errors, "error")
    return f"{text} ({percent(seen.errors / seen.requests)})" if seen.errors else text


def _times(seen: Glimpse) -> str:
    if not seen.requests:
        return ""
    median, p95 = (milliseconds(seen.response.percentile(p) / 1000) for p in (50, 95))
    return f", median {median} ms, p95 {p95} ms"
