"""The results of load tests as Markdown: for the summary of a CI job, or a comment on a change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pytest_loadtool.codec.printable import printable
from pytest_loadtool.load.formatting import count, percent, seconds
from pytest_loadtool.load.pacing.schedule import describe
from pytest_loadtool.load.verdict.comparison import FIGURES, Comparison
from pytest_loadtool.load.verdict.saved import ALL, Key
from pytest_loadtool.load.verdict.summary import Numbers, Summary
from pytest_loadtool.load.verdict.threshold import amount
from pytest_loadtool.report.load.units import milliseconds, rate

#: The verdicts, as they are seen from afar.
_SIGNS = {"passed": "✅", "failed": "❌", "inconclusive": "⚠️"}

_MOST_ROWS = 10
_MOST_ERRORS = 5

#: What Markdown would take for its own:
#: https://spec.commonmark.org/0.31.2/#ascii-punctuation-character
_ESCAPES = str.maketrans({mark: f"\\{mark}" for mark in "\\`*_[]<>|#~&"} | {"\n": " "})


def load_markdown(summaries: Sequence[Summary], page: str = "") -> str:
    """Return the results of a session; ``page`` is where the whole report is, if it is kept."""
    if not summaries:
        return "No load test was run.\n"
    parts = [block for one in summaries for block in _blocks(one)]
    if page:
        parts.append(
            f"[The whole report]({page})" if "://" in page else f"The whole report: `{page}`"
        )
    return "\n\n".join(parts) + "\n"


def _blocks(summary: Summary) -> Iterator[str]:
    outcome = summary.verdict.outcome
    yield f"### {_SIGNS[outcome]} {_text(summary.name)}: {outcome}"
    yield f"{_text(describe(summary.configuration))}, started {summary.started}"
    if summary.verdict.reasons:
        yield "\n".join(f"- {_text(reason)}" for reason in summary.verdict.reasons)
    yield _table(("requests", "per second", "errors", *_TIMES), [_totals(summary)])
    if summary.thresholds:
        yield _table(
            ("threshold", "measured", ""),
            (
                (
                    _text(one.threshold.text),
                    amount(one.measured, one.threshold.unit),
                    "✅" if one.passed else "❌",
                )
                for one in summary.thresholds
            ),
        )
    if summary.comparison is not None:
        yield from _compared(summary.comparison)
    slowest = _slowest(summary)
    if slowest:
        yield _folded(f"The slowest {len(slowest)} transactions", _table(_COLUMNS, slowest))
    if summary.errors:
        yield _errors(summary)


_TIMES = ("median", "p95", "p99", "max")
_COLUMNS = ("transaction", "count", "errors", *_TIMES)


def _totals(summary: Summary) -> Sequence[str]:
    totals = summary.totals
    errors = f"{percent(totals.error_rate)} ({count(totals.errors)})"
    requests = f"{count(totals.requests)} in {seconds(totals.duration_s)}"
    return requests, rate(totals.throughput_rps), errors, *_times(totals)


def _times(numbers: Numbers) -> Sequence[str]:
    times = numbers.response_time
    return [
        f"{milliseconds(one)} ms" if one is not None else milliseconds(one)
        for one in (times.p50, times.p95, times.p99, times.max)
    ]


def _slowest(summary: Summary) -> list[Sequence[str]]:
    every = [
        (f"{page.name} / {one.name}", one.numbers)
        for case in summary.cases
        for page in case.pages
        for one in page.transactions
        if one.numbers.requests
    ]
    every.sort(key=lambda pair: -(pair[1].response_time.p95 or 0.0))
    return [
        (_text(name), count(numbers.requests), count(numbers.errors), *_times(numbers))
        for name, numbers in every[:_MOST_ROWS]
    ]


def _compared(comparison: Comparison) -> Iterator[str]:
    changes = {(one.key, one.figure.name): one for one in comparison.changes}
    worse = dict.fromkeys(one.key for one in (*comparison.regressions, *comparison.doubts))
    keys: list[Key] = [*dict.fromkeys((ALL, *worse))][: _MOST_ROWS + 1]

    def cell(key: Key, figure: str) -> str:
        one = changes.get((key, figure))
        if one is None:
            return milliseconds(None)
        if one.is_regression:
            return f"**{one.by()}** ❌"
        return f"{one.by()} ❔" if one.is_in_doubt else one.by()

    names = [one.name for one in FIGURES if any(figure == one.name for _, figure in changes)]
    rows = [
        (_text(" / ".join(filter(None, key[1:]))), *(cell(key, one) for one in names))
        for key in keys
    ]
    yield _table(("change since " + comparison.before.started, *names), rows)
    if loads := comparison.loads():
        yield _text(loads)


def _errors(summary: Summary) -> str:
    errors = sorted(summary.errors, key=lambda one: -one.count)
    lines = [
        f"- {count(one.count)} × {_text(f'{one.page} / {one.transaction}: {one.message}')}"
        for one in errors[:_MOST_ERRORS]
    ]
    if len(errors) > _MOST_ERRORS:
        lines.append(f"- and {len(errors) - _MOST_ERRORS} more")
    return _folded("Errors", "\n".join(lines))


def _folded(title: str, text: str) -> str:
    return f"<details><summary>{title}</summary>\n\n{text}\n\n</details>"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---", *["--:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _text(text: str) -> str:
    """Return text of servers and files, which must not be taken for Markdown or HTML."""
    return printable(text).translate(_ESCAPES)
