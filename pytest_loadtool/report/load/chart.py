"""How a load test went over its time: a sparkline for each of a few numbers.

It also has a row of numbers as a row of characters: how a value went over time, on one line of
text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_loadtool.load.formatting import percent, seconds
from pytest_loadtool.load.verdict.summary import Moment, Summary
from pytest_loadtool.report.columns import wrap
from pytest_loadtool.report.load.units import milliseconds, rate

BLOCKS = " ▁▂▃▄▅▆▇█"
ASCII = " .:-=+*#@"
"""For a stream that cannot carry `BLOCKS`."""


def glyphs_for(encoding: str | None) -> str:
    """Return the glyphs that a stream of this encoding can carry."""
    try:
        BLOCKS.encode(encoding or "ascii")
    except (LookupError, UnicodeEncodeError):
        return ASCII
    return BLOCKS


def sparkline(values: Sequence[float], glyphs: str = BLOCKS) -> str:
    """Return one character for each value, from none (a blank) to the greatest of them (the last
    glyph).

    Only zero is blank: whatever there is, however little, shows.
    """
    most = max(values, default=0.0)
    steps = len(glyphs) - 1
    return "".join(
        glyphs[max(1, round(value / most * steps))] if value > 0 else glyphs[0] for value in values
    )


def groups(count: int, columns: int) -> int:
    """Return how many of ``count`` values must share a column so that ``columns`` are enough."""
    return max(1, -(-count // columns))


_NAME = 16
_RANGE = 24  # room for the least and the most, right of the line


def over_the_run(summary: Summary, width: int, glyphs: str) -> Iterator[str]:
    """Yield a line each for throughput, errors, mean response time and users; nothing for a very
    short run. Where requests failed, the times are of good answers.

    The last second is left out if it was not whole.
    """
    moments = _whole(summary)
    if len(moments) < 2:
        return
    shared = groups(len(moments), max(8, width - _NAME - _RANGE))
    columns = [moments[at : at + shared] for at in range(0, len(moments), shared)]
    length = moments[0].length_s
    began, ended = moments[0].second, moments[-1].second + length
    step = f", {seconds(shared * length)} a column" if shared * length > 1 else ""
    yield f"{'over the run':<{_NAME}}second {began} to {ended}{step}"
    rows = [("requests/s", [_requests(column) for column in columns], rate)]
    if summary.totals.errors:
        rows.append(("errors/s", [_errors(column) for column in columns], rate))
    what = "good answers ms" if summary.totals.errors else "average ms"
    if any(one.good_mean for one in moments):
        rows.append((what, [_mean(column) for column in columns], milliseconds))
    rows.append(("users", [_users(column) for column in columns], _whole_number))
    for name, values, shown in rows:
        extent = f"{shown(min(values))} to {shown(max(values))}"
        yield f"{name:<{_NAME}}{sparkline(values, glyphs)}  {extent}"
    yield from _steady(summary, moments, width)


def _steady(summary: Summary, moments: Sequence[Moment], width: int) -> Iterator[str]:
    """Yield the same numbers without the ramp-up, which is in all others."""
    ramp = summary.configuration.ramped_up
    steady = [one for one in moments if one.second >= ramp]
    if not ramp or not steady or len(steady) == len(moments):
        return
    requests = sum(one.requests for one in steady)
    errors = percent(sum(one.errors for one in steady) / requests) if requests else "none"
    mean = f"{milliseconds(_mean(steady))} ms on average, " if _mean(steady) else ""
    text = f"{rate(_requests(steady))} requests/s, {mean}errors {errors}"
    yield from wrap(text, width, f"{'after ramp-up':<{_NAME}}", " " * _NAME)


def _whole(summary: Summary) -> Sequence[Moment]:
    """Return all moments from the first to the last, those in which nothing happened as well."""
    known = {moment.second: moment for moment in summary.timeline}
    if not known:
        return ()
    length = summary.timeline[0].length_s
    ended = int(summary.totals.duration_s)
    return [
        known.get(second) or Moment(second, length, 0, 0, 0.0)
        for second in range(min(known), max(known) + 1, length)
        if second + length <= ended
    ]


def _requests(column: Sequence[Moment]) -> float:
    return sum(one.requests for one in column) / sum(one.length_s for one in column)


def _mean(column: Sequence[Moment]) -> float:
    good = [(one.good_mean or 0.0, one.requests - one.errors) for one in column]
    count = sum(number for _, number in good)
    return sum(mean * number for mean, number in good) / count if count else 0.0


def _errors(column: Sequence[Moment]) -> float:
    return sum(one.errors for one in column) / sum(one.length_s for one in column)


def _users(column: Sequence[Moment]) -> float:
    return sum(one.users for one in column) / len(column)


def _whole_number(value: float) -> str:
    return f"{value:,.0f}"
