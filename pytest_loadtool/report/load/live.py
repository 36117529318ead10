"""A load test under way, drawn for a terminal. Only who draws on one imports this, and rich."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from pytest_loadtool.codec.printable import printable
from pytest_loadtool.load.formatting import count, seconds
from pytest_loadtool.load.progress import MOST_MOMENTS, Progress
from pytest_loadtool.load.verdict.threshold import ThresholdState, amount
from pytest_loadtool.model.load import LoadConfiguration
from pytest_loadtool.report.columns import cells, fit
from pytest_loadtool.report.load import status
from pytest_loadtool.report.load.chart import ASCII, BLOCKS, glyphs_for, groups, sparkline
from pytest_loadtool.report.load.custom import CUSTOM_HEADS, custom_rows
from pytest_loadtool.report.load.flows import FLOW_HEADS, flow_rows, marked
from pytest_loadtool.report.load.units import milliseconds, rate, status_counts

_FULL, _EMPTY = "━", "─"
_NAME = 15  # of a sparkline
_NUMBERS = 26  # what stands behind a sparkline: `12,345, at most 12,345`
_NARROWEST = 16  # of a name that is shortened
#: Lines from which on there is room for blank ones.
_AIRY = 20

#: What stands in place of characters that a terminal cannot show.
_PLAIN = str.maketrans(
    dict(zip(BLOCKS, ASCII, strict=True)) | {_FULL: "#", _EMPTY: ".", "…": "~", "–": "-"}
)

# The eight colours that every theme has chosen to be read on its background, dark or light.
_HEADING, _GOOD, _BAD = "bold", "green", "bold red"


@dataclass(frozen=True, slots=True)
class RunView:
    """The state of a run, in the width and height there is.

    Of the transactions there are as many as there is room for. The last line is blank. Where the
    encoding cannot carry its characters, all but names are in ASCII.
    """

    seen: Progress
    elapsed: float
    configuration: LoadConfiguration

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw it."""
        plain = glyphs_for(options.encoding) != BLOCKS
        room = options.size.height - 1
        parts = self._parts(options.max_width, room)
        lines = (line for part in parts for line in console.render_lines(part, options, pad=False))
        for line in islice(lines, room):
            for segment in line:
                text = segment.text.translate(_PLAIN) if plain else segment.text
                yield Segment(text, segment.style)
            yield Segment.line()
        # The cursor stands here, and the terminal writes ^C. Behind a full line that would go into
        # the next, and what is drawn over be one line higher than it was drawn.
        yield Segment.line()

    def _parts(self, width: int, height: int) -> Iterator[RenderableType]:
        seen = self.seen
        gap = [Text()] if height >= _AIRY else []
        head = [
            _title(self.elapsed, self.configuration, width),
            _line(f"{status.load(seen)}{status.times(seen)}"),
            _line(f"status codes   {status_counts(seen.statuses.items())}"),
            _errors(seen),
            *gap,
            *_curves(seen, width, most=4 if gap else 2),
        ]
        yield from head
        left = height - len(head)
        if seen.thresholds:
            most = max(2, left // 3)
            yield from gap
            yield _thresholds(seen.thresholds, most)
            left -= len(gap) + 1 + min(most, len(seen.thresholds))
        flows = [*flow_rows(seen.flows)][: max(0, left // 2 - len(gap) - 1)]
        if flows:
            yield from gap
            yield _named(FLOW_HEADS, flows)
            left -= len(gap) + 1 + len(flows)
        metrics = [*custom_rows(seen.custom)][: max(0, left // 2 - len(gap) - 1)]
        if metrics:
            yield from gap
            yield _named(CUSTOM_HEADS, metrics)
            left -= len(gap) + 1 + len(metrics)
        rows = seen.rows[: max(0, left - len(gap) - 1)]
        if rows:
            yield from gap
            yield _transactions(seen, len(rows))


class _Name:
    """A name that gives way to numbers. Its middle is left out: both ends of a path tell."""

    def __init__(self, text: str) -> None:
        self._text = printable(text)

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        longest = max(1, cells(self._text))
        return Measurement(min(_NARROWEST, longest), longest)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield _line(fit(self._text, options.max_width))


def _line(text: str, style: str = "") -> Text:
    return Text(text.rstrip(), style, no_wrap=True, overflow="ellipsis")


def _title(elapsed: float, configuration: LoadConfiguration, width: int) -> Text:
    clock, duration = status.clock(elapsed, configuration), configuration.end
    bar = 0 if duration is None else max(8, width // 3)
    full = int(bar * min(1.0, elapsed / duration)) if duration else bar
    name = fit(printable(configuration.name), max(8, width - cells(clock) - bar - 4))
    title = Text(no_wrap=True, overflow="ellipsis").append(name, _HEADING).append("  ")
    if bar:
        title.append(_FULL * full, _GOOD).append(_EMPTY * (bar - full)).append("  ")
    return title.append(clock)


def _errors(seen: Progress) -> Text:
    causes = sorted(seen.causes.items(), key=lambda item: -item[1])
    told = "   ".join(f"{printable(cause)}: {count(number)}" for cause, number in causes)
    return _line(f"{status.errors(seen)}   {told}", _BAD if seen.errors else "")


def _curves(seen: Progress, width: int, most: int) -> Iterator[Text]:
    """Yield how each went from the start to now."""
    columns = min(MOST_MOMENTS, max(4, width - _NAME - _NUMBERS))
    p95s = tuple(value / 1000 for value in seen.p95s)
    for name, values, style in (
        ("requests/s", seen.rates, _GOOD),
        ("p95 ms", p95s, _GOOD),
        ("errors/s", seen.error_rates, _BAD),
        ("users", seen.user_counts, _GOOD),
    )[:most]:
        if values:
            show = milliseconds if values is p95s else _number
            yield (
                Text(name.ljust(_NAME), no_wrap=True, overflow="ellipsis")
                .append(sparkline(_columns(values, columns)), style)
                .append(f"  {show(values[-1])}, at most {show(max(values))}")
            )


def _number(value: float) -> str:
    return count(int(value)) if value == int(value) else rate(value)


def _columns(values: Sequence[float], columns: int) -> list[float]:
    """Return as many means of neighbours as there are columns, or fewer. Their number does not
    jump."""
    shared = groups(len(values), columns)
    parts = [values[at : at + shared] for at in range(0, len(values), shared)]
    return [sum(part) / len(part) for part in parts]


def _thresholds(states: Sequence[ThresholdState], most: int) -> Table:
    """Return those that are broken first, at most so many."""
    shown = sorted(states, key=lambda state: state.broken is None)[:most]
    some = f" ({len(shown)} of {len(states)})" if len(shown) < len(states) else ""
    drawn = _table(f"threshold{some}", "now")
    drawn.add_column(no_wrap=True)
    for state in shown:
        value = amount(state.value, state.threshold.unit)
        drawn.add_row(_Name(state.threshold.text), value, _standing(state))
    return drawn


def _standing(state: ThresholdState) -> Text:
    if state.broken is None:
        return Text("" if state.value is None else "ok", _GOOD)
    during = state.threshold.during
    return Text(f"broken for {state.broken} s of {seconds(during)}" if during else "broken", _BAD)


def _transactions(seen: Progress, most: int) -> Table:
    drawn = _table("worst first", "requests", "errors", "median", "p95")
    for row in seen.rows[:most]:
        drawn.add_row(
            _Name(f"{marked(row.page, row.once)} / {row.name}"),
            count(row.requests),
            Text(count(row.errors), _BAD if row.errors else ""),
            milliseconds(row.median / 1000),
            milliseconds(row.p95 / 1000),
        )
    return drawn


def _named(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    drawn = _table(*heads)
    for name, *numbers in rows:
        drawn.add_row(_Name(name), *numbers)
    return drawn


def _table(name: str, *numbers: str) -> Table:
    """Return a table without lines, of a column of names and columns of numbers."""
    drawn = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style=_HEADING)
    drawn.add_column(name)
    for heading in numbers:
        drawn.add_column(heading, justify="right", no_wrap=True)
    return drawn
