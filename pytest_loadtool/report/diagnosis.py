"""The diagnosis of a failed replay as text: what to mend first, why, and with which command.

No line is wider than 78 columns, so that a CI log at 80 does not break one.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from shlex import quote

from pytest_loadtool.codec.printable import clip, printable
from pytest_loadtool.diagnosis.finding import Cause, Diagnosis, Remedy, Sure
from pytest_loadtool.diagnosis.outcome import SEPARATOR, StepOutcome

WIDTH = 78
#: What the block of what is to be mended begins with.
FIX_FIRST = "FIX FIRST"
_INDENT = 11
_SHORTEST_PAGE = 6
#: The names of `facts`.
FACTS = ("fix first", "cause", "remedy")
#: How many consequences are listed, and how many facts of each cause.
_MOST_LATER, _MOST_EVIDENCE = 20, 4


def summary(failed: StepOutcome, total: int) -> str:
    """Return a failure in one line, what tells most first: for pytest's summary, which is cut, and
    for JUnit. ``total`` are the transactions of the test case."""
    where = f"{failed.title} ({failed.index + 1} of {total})"
    said = "; ".join(failed.reasons)
    return printable(f"{failed.response.status or 'no response'} at {where}: {said}")


def message(diagnosis: Diagnosis) -> str:
    """Return the `summary` of a failure, and behind it what to mend first and why."""
    mend, total = diagnosis.mend, diagnosis.total
    told = [f"{FIX_FIRST} {mend.index + 1} of {total} {mend.transaction.title}"]
    told += [one.text for one in diagnosis.causes[:1]]
    return printable(f"{summary(diagnosis.failed, total)}. {': '.join(told)}")


def facts(diagnosis: Diagnosis, path: str) -> Iterator[tuple[str, str]]:
    """Yield what reports of tests keep of a failure, by name."""
    mend = diagnosis.mend
    number = f"{mend.index + 1} of {diagnosis.total}"
    yield "fix first", printable(f"{number} {mend.title} ({_place(path, mend)})")
    for cause in diagnosis.causes[:1]:
        yield "cause", printable(cause.text)
        for one in cause.remedies[:1]:
            lines = (*one.line.splitlines(), one.command, *one.commands)
            yield "remedy", printable("; ".join(filter(None, (one.text, *lines))))


def fix_first(diagnosis: Diagnosis, path: str) -> list[str]:
    """Return the block at the top of a failure: the transaction to mend, the cause with its
    evidence, a command that confirms it, and what mends it."""
    mend, failed = diagnosis.mend, diagnosis.failed
    lines = list(_of(FIX_FIRST, mend, diagnosis.total, path))
    if mend.index != failed.index:
        lines += _of("  broke", failed, diagnosis.total, path)
    first, *others = diagnosis.causes or (None,)
    if first is not None:
        lines += cause_lines(first, path)
        lines += _check(first, path)
        for one in others:
            lines += row("  or", one.text)
        if first.sure <= Sure.WEAK:
            lines += _rows("  may be", diagnosis.possible)
    else:
        meaning = diagnosis.meaning or "; ".join(failed.reasons)
        lines += row("  cause", f"Not found. {failed.response.status or ''} {meaning}".strip())
        lines += _rows("  may be", diagnosis.possible)
        for remedy in diagnosis.advice:
            lines += _remedy(remedy, path)
    lines += _rows("  not", diagnosis.ruled_out)
    return lines


def checked(diagnosis: Diagnosis) -> list[str]:
    """Return what was looked at, and what was found there."""
    if not diagnosis.steps:
        return []
    head = f"looked at, for a {diagnosis.failed.response.status} ({diagnosis.meaning}):"
    lines = [
        line
        for number, (name, told) in enumerate(diagnosis.steps, 1)
        for line in _wrapped(f"  {number}. {name}: ", told, 5)
    ]
    usual = "; ".join(diagnosis.possible)
    return [head, *lines, *(_wrapped("  usual causes: ", usual, 5) if usual else ())]


def consequences(diagnosis: Diagnosis, path: str, *, brief: bool = False) -> list[str]:
    """Return the later failures, each with what it lacks of the one to mend; if ``brief``, only
    their numbers: each was told as it came."""
    later = diagnosis.later
    if not later:
        return []
    if brief:
        numbers = ", ".join(str(one.index + 1) for one, _ in later[:_MOST_LATER])
        more = f" and {len(later) - _MOST_LATER} more" if len(later) > _MOST_LATER else ""
        return [f"later failures, possible consequences of the first: {numbers}{more}"]
    lines: list[str] = []
    for one, names in later[:_MOST_LATER]:
        needs = f"; needs ${{{'}, ${'.join(names)}}}, which was not set" if names else ""
        said = "; ".join(one.reasons)
        lines.append(f"  {_place(path, one)}: {one.title}: {said}{needs}")
    if len(later) > _MOST_LATER:
        lines.append(f"  and {len(later) - _MOST_LATER} more")
    return ["later failures, possible consequences of the first:", *lines]


def _of(label: str, outcome: StepOutcome, total: int, path: str) -> Iterator[str]:
    """Yield a transaction: its number, its title, what came of it, and its place on a line of its
    own."""
    number = f"{outcome.index + 1} of {total}"
    result = result_of(outcome)
    space = WIDTH - _INDENT - len(number) - 2 - len(result) - 2
    title = _fitting(outcome, max(space, 20))
    yield f"{label:<{_INDENT}}{number}  {title}  {result}"
    yield f"{'':{_INDENT}}{_place(path, outcome)}"


def result_of(outcome: StepOutcome) -> str:
    """Return what came, and whether that was what failed: ``401, expected 200-399``."""
    status = outcome.response.status
    if not status:
        return "no response"
    if not outcome.failures:
        return f"{status}, passed"
    if any(one.cause == "status" for one in outcome.failures):
        return f"{status}, expected {outcome.transaction.status}"
    return f"{status}"


def _place(path: str, outcome: StepOutcome) -> str:
    line = outcome.transaction.line
    return f"{path}:{line}" if line else path


def _fitting(outcome: StepOutcome, width: int) -> str:
    """Return page and transaction; where they do not fit, the page's name is shortened first."""
    name = outcome.transaction.title
    room = width - len(name) - len(SEPARATOR)
    if room < _SHORTEST_PAGE:
        return middle(name, width)
    return f"{middle(outcome.page, room)}{SEPARATOR}{name}"


def middle(text: str, width: int) -> str:
    """Return ``text`` with its middle left out where it is wider."""
    if len(text) <= width:
        return text
    keep = (width - 1) // 2
    return f"{text[: width - 1 - keep]}…{text[len(text) - keep :]}"


def cause_lines(cause: Cause, path: str) -> Iterator[str]:
    """Yield a cause with its evidence, a command that confirms it, and what mends it."""
    yield from row("  cause", cause.text)
    yield from _rows("  because", cause.evidence[:_MOST_EVIDENCE])
    if cause.confirm:
        yield from _command("  confirm", cause.confirm)
    if cause.confirm_in:
        for line in console_lines(cause.confirm_in, path):
            yield from _command("", line)
    for remedy in cause.remedies:
        yield from _remedy(remedy, path)


def _check(cause: Cause, path: str) -> Iterator[str]:
    """Yield what shows whether it is mended, unless the remedy is itself a replay."""
    if not any(one.command and not one.commands for one in cause.remedies[:1]):
        yield from _command("  check", f"pytest {quote(path)}")


def _remedy(remedy: Remedy, path: str) -> Iterator[str]:
    below = "below " if remedy.line and ":" in remedy.place else ""
    place = f" ({below}{remedy.place})" if remedy.place else ""
    colon = ":" if remedy.line or remedy.command or remedy.commands else ""
    yield from row("  then", f"{remedy.text}{place}{colon}")
    for line in remedy.line.splitlines():
        yield f"{'':{_INDENT - 2}}+ {line}"
    for command in commands_of(remedy, path):
        yield from _command("", command)


def commands_of(remedy: Remedy, path: str) -> Iterator[str]:
    """Yield the lines to type for a remedy: those of a shell, then those of the console."""
    if remedy.command:
        yield remedy.command
    if remedy.commands:
        yield from console_lines(remedy.commands, path)


def console_lines(commands: Iterable[str], path: str) -> Iterator[str]:
    """Yield what to type to run commands of the console, opened on the test case."""
    yield f"pytest --record {quote(path)}"
    yield from (f"loadtool> {clip(one, 200)}" for one in commands)


def _command(label: str, command: str) -> Iterator[str]:
    """Yield a command, which is never broken: it is there to be copied."""
    yield f"{label:<{_INDENT}}{command}"


def _rows(label: str, texts: Iterable[str]) -> Iterator[str]:
    for number, text in enumerate(texts):
        yield from row(label if not number else "", text)


def row(label: str, text: str) -> Iterator[str]:
    """Yield a text in lines, the first with a label."""
    return _wrapped(f"{label:<{_INDENT}}", text, _INDENT)


def _wrapped(first: str, text: str, indent: int) -> Iterator[str]:
    lines = textwrap.wrap(
        " ".join(text.split()),
        WIDTH,
        initial_indent=first,
        subsequent_indent=" " * indent,
        break_long_words=True,
        break_on_hyphens=False,
    )
    yield from lines or [first.rstrip()]
