"""A load test under way, in words. Who shows them, and how often, is not decided here."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_loadtool.load.formatting import count, percent, plural, seconds
from pytest_loadtool.load.progress import Progress
from pytest_loadtool.model.load import LoadConfiguration
from pytest_loadtool.report.load.units import milliseconds


def status_line(seen: Progress, elapsed: float, configuration: LoadConfiguration) -> str:
    """Return one line, for where there is no terminal to draw on."""
    broken = sum(1 for state in seen.thresholds if state.broken is not None)
    thresholds = f", {broken} of {plural(len(seen.thresholds), 'threshold')} broken"
    return (
        f"{clock(elapsed, configuration)}: {load(seen)}, {errors(seen)}{times(seen)}"
        f"{thresholds if broken else ''}"
    )


def clock(elapsed: float, configuration: LoadConfiguration) -> str:
    """Return ``4 s of 10 s``."""
    end = configuration.end
    if end is None:
        return f"{elapsed:.0f} s"
    if elapsed > end:
        return f"{elapsed:.0f} s, finishing iterations"
    return f"{elapsed:.0f} s of {seconds(end)}"


def waiting(waits: Sequence[float], elapsed: float, configuration: LoadConfiguration) -> str:
    """Return what a run waits for after its time, and when it no longer does; ``waits`` are the
    seconds that users in think times have left."""
    end = configuration.end
    if end is None or elapsed <= end:
        return ""
    left = max(0.0, end + configuration.grace - elapsed)
    cut = f"cut in {left:.0f} s"
    if not waits:
        return cut
    are = "user is" if len(waits) == 1 else "users are"
    longest = f", longest {max(waits):.0f} s more" if round(max(waits)) else ""
    return f"{count(len(waits))} {are} in think time{longest}; {cut}"


def load(seen: Progress) -> str:
    """Return users, requests per second and requests."""
    dropped = f", {count(seen.dropped)} dropped" if seen.dropped else ""
    return (
        f"{plural(seen.users, 'user')}, {count(seen.requests_per_second)} requests/s, "
        f"{plural(seen.requests, 'request')}{dropped}"
    )


def errors(seen: Progress) -> str:
    """Return how many there are, their share of all requests, and those of the last second."""
    text = plural(seen.errors, "error")
    if not seen.errors:
        return text
    return f"{text} ({percent(seen.errors / seen.requests)}, now {count(seen.errors_per_second)}/s)"


def times(seen: Progress) -> str:
    """Return median and 95th percentile, to be appended; nothing before the first request."""
    if not seen.requests:
        return ""
    median, p95 = (milliseconds(seen.response.percentile(p) / 1000) for p in (50, 95))
    return f", median {median} ms, p95 {p95} ms"
