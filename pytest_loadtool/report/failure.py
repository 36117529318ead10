"""The text of a failed functional replay: the first failing transaction, in full, then the others.

What was sent and received is shown against what was recorded. Secrets are masked (`masking`), and
long bodies shortened around the place that matters.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from http import HTTPStatus
from urllib.parse import unquote

from pytest_loadtool.codec.excerpt import excerpt, is_binary
from pytest_loadtool.codec.media import decoded
from pytest_loadtool.codec.multipart import is_multipart, shown
from pytest_loadtool.codec.names import is_secret
from pytest_loadtool.codec.printable import clip, printable
from pytest_loadtool.codec.spellings import spellings
from pytest_loadtool.diagnosis.comparison import (
    Difference,
    body_differences,
    header_differences,
    title_of,
)
from pytest_loadtool.diagnosis.diagnose import diagnose
from pytest_loadtool.diagnosis.extractors import broken_extractors
from pytest_loadtool.diagnosis.finding import Diagnosis
from pytest_loadtool.diagnosis.outcome import Evidence, Received, StepOutcome, text_of
from pytest_loadtool.diagnosis.subject import Subject, indented, place_of
from pytest_loadtool.masking.carried import carried_by, recorded_in
from pytest_loadtool.masking.text import Mask
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.report.diagnosis import (
    checked,
    consequences,
    facts,
    fix_first,
    message,
    summary,
)

#: Where to look in an HTML page that there is nothing to compare with.
_HTML_START = re.compile(r"<title|<h1|<body", re.IGNORECASE)
#: Codes that frameworks answer with and no standard knows.
_UNREGISTERED = {
    419: "Page Expired (Laravel: the anti-forgery token is missing or stale)",
    440: "Login Time-out (IIS: the session has ended)",
}


@dataclass(frozen=True, slots=True)
class DiagnosedFailure:
    """A replay that failed, with its diagnosis and with what hides its secrets. ``outcomes`` are
    those of all transactions that were replayed, in the order of the test case."""

    case: TestCase
    path: str
    outcomes: tuple[StepOutcome, ...]
    evidence: Evidence
    mask: Mask
    diagnosis: Diagnosis


def diagnosed_failure(
    case: TestCase,
    outcomes: Iterable[StepOutcome],
    *,
    path: str,
    evidence: Evidence,
    secrets: Collection[str] = (),
    about: int | None = None,
) -> DiagnosedFailure:
    """Return why the replay of ``case``, read from ``path``, failed.

    ``outcomes`` are all transactions that were replayed, at least one of them failed. ``secrets``
    are values that are masked wherever they stand. It is about the first failure, or about that of
    the index ``about``.
    """
    by_index = tuple(sorted(outcomes, key=lambda one: one.index))
    mask = Mask([*secrets, *_carried(case, by_index, evidence)])
    found = diagnose(case, by_index, path=path, evidence=evidence, mask=mask, about=about)
    return DiagnosedFailure(case, path, by_index, evidence, mask, found)


def explain(
    case: TestCase,
    outcomes: Iterable[StepOutcome],
    *,
    path: str,
    evidence: Evidence,
    secrets: Collection[str] = (),
    about: int | None = None,
    brief: bool = False,
    whole: bool = True,
) -> str:
    """Look into a failure and return what `told` says of it."""
    failure = diagnosed_failure(
        case, outcomes, path=path, evidence=evidence, secrets=secrets, about=about
    )
    return told(failure, brief=brief, whole=whole)


def told_shortly(failure: DiagnosedFailure) -> str:
    """Return it in one line: for pytest's summary, and for JUnit."""
    return failure.mask.known(message(failure.diagnosis))


def told_facts(failure: DiagnosedFailure) -> list[tuple[str, str]]:
    """Return what reports of tests keep of it, by name (`report.diagnosis`)."""
    return [(name, failure.mask.known(one)) for name, one in facts(failure.diagnosis, failure.path)]


def told(failure: DiagnosedFailure, *, brief: bool = False, whole: bool = True) -> str:
    """Return why the replay failed, as text.

    If ``brief``, what was sent and received is left out, later failures are only numbers, and what
    to mend comes last: at a terminal that is what one sees. ``whole`` says that nobody stopped the
    replay.
    """
    case, path, by_index, found = failure.case, failure.path, failure.outcomes, failure.diagnosis
    first, failed = found.failed, sum(1 for one in by_index if one.failures)
    total = sum(1 for _ in case.transactions())
    earlier = next(one for one in by_index if one.failures)
    subject = Subject(case, path, first, failure.mask, failure.evidence)
    sections = (
        fix_first(found, path),
        _counts(case, len(by_index), failed, whole=whole),
        [f"The first failure is {summary(earlier, total)}"] if earlier is not first else [],
        _why(subject),
        checked(found),
        _extractors(subject, by_index),
        *([] if brief else _exchanged(subject)),
        consequences(found, path, brief=brief),
    )
    parts = [lines for lines in map(list, sections) if lines]
    text = "\n\n".join("\n".join(lines) for lines in (reversed(parts) if brief else parts))
    return printable(failure.mask.known(text))


def _extractors(subject: Subject, outcomes: Sequence[StepOutcome]) -> list[str]:
    """Return what extractors wanted that found nothing; of an error's answer nobody expects
    values."""
    first = subject.first
    if not 200 <= first.response.status <= 399:
        return []
    sent = _sent_before(subject, outcomes)
    short = _in_short(first.response)
    return broken_extractors(subject.case, first.index, first.failures, short, sent)


def _carried(case: TestCase, outcomes: Sequence[StepOutcome], evidence: Evidence) -> Iterator[str]:
    """Yield the secrets that were sent, or set, up to now and when it was recorded."""
    for one in outcomes:
        subject = Subject(case, "", one, Mask(), evidence)
        yield from carried_by(one.response)
        yield from (unquote(value) for name, value in subject.sent.items() if is_secret(name))
        if subject.exchange is not None:
            yield from recorded_in(subject.exchange)


def _exchanged(subject: Subject) -> Iterator[Iterable[str]]:
    """Yield what was sent, with which values, and what came, against what was recorded."""
    yield _sent(subject)
    yield _placeholders(subject)
    yield from _received_and_recorded(subject)


def _counts(case: TestCase, replayed: int, failed: int, *, whole: bool) -> list[str]:
    total = sum(1 for _ in case.transactions())
    lines = [f'"{case.name}": {failed} of {total} transactions failed.']
    if failed > 1:
        lines[0] += " Fix the first; the others may only follow from it."
    if replayed < total and not whole:
        lines.append(f"{total - replayed} had no answer yet when the replay was stopped.")
    elif replayed < total:
        lines.append(f"{total - replayed} were not sent, because their page did not come at all.")
    return lines


def _why(subject: Subject) -> Iterator[str]:
    first = subject.first
    yield (
        f"{place_of(subject.path, first)}: page {first.page!r}, "
        f"transaction {first.index + 1} {first.transaction.title!r}"
    )
    yield from indented(first.reasons)


def _in_short(response: Received) -> str:
    """Return the status, the type and the size of a response, and the title of a page."""
    text, problem = text_of(response)
    types = [value for name, value in response.headers if name.lower() == b"content-type"]
    title = f", titled {title_of(text)!r}" if title_of(text) else ""
    kind = f", {types[0].decode('latin-1')}" if types else ""
    size = f"({problem})" if problem else f"{len(text):,} characters"
    return f"{_status(response.status)}{kind}, {size}{title}"


def _sent(subject: Subject) -> Iterator[str]:
    line, *headers = subject.request_head
    yield f"sent to {subject.first.origin}:"
    yield from indented([subject.mask.text(line)])
    for header in headers:
        name, _, value = header.partition(": ")
        yield f"  {name}: {subject.mask.header(name, value)}"
    types = (one.partition(":")[2] for one in headers if one.lower().startswith("content-type:"))
    text = _sent_text(subject, next(types, ""))
    yield from indented(_body(subject.mask.text(text)))


def _sent_text(subject: Subject, content_type: str) -> str:
    """Return the request's body, with the size of each file in its place."""
    if not is_multipart(content_type):
        return subject.request_body
    _, _, body = subject.first.response.request.partition(b"\r\n\r\n")
    return shown(body, content_type) or subject.request_body


def _sent_before(subject: Subject, outcomes: Iterable[StepOutcome]) -> dict[str, str]:
    """Return the values of placeholders as they were sent last, up to the transaction that
    failed."""
    values: dict[str, str] = {}
    for one in outcomes:
        if one.index <= subject.first.index:
            values |= replace(subject, first=one).sent
    return {name: clip(subject.mask.value(name, value), 200) for name, value in values.items()}


def _placeholders(subject: Subject) -> list[str]:
    values = subject.sent.items()
    lines = [f"  ${{{name}}} = {_value(subject, name, value)}" for name, value in values]
    return ["placeholders:", *lines] if lines else []


def _value(subject: Subject, name: str, value: str) -> str:
    return clip(subject.mask.value(name, value), 200) + _as_recorded(subject, name, value)


def _as_recorded(subject: Subject, name: str, value: str) -> str:
    variable = subject.case.variables.get(name)
    recorded = variable.recorded if variable else None
    same = recorded is not None and value in spellings(recorded)
    return " (the recorded value)" if same else ""


def _received_and_recorded(subject: Subject) -> tuple[list[str], list[str]]:
    """Return two sections: how the body differs decides which part of it is shown."""
    text, problem = text_of(subject.first.response)
    masked = subject.mask.text(text)
    recorded, difference = _recorded(subject, masked)
    return _received(subject, masked, problem, difference), recorded


def _received(
    subject: Subject, text: str, problem: str, difference: Difference | None
) -> list[str]:
    response = subject.first.response
    if not response.status:
        return ["received: nothing"]
    lines = [
        f"received after {subject.first.milliseconds:.0f} ms:",
        f"  {_status(response.status)}",
    ]
    lines += [f"  {name}: {subject.mask.header(name, value)}" for name, value in subject.headers]
    if problem:
        kept = f"; {len(response.body):,} bytes as received" if response.body else ""
        return [*lines, "", f"  ({problem}{kept})"]
    start = _HTML_START.search(text)
    place = difference.place if difference else start.start() if start else 0
    return [*lines, *indented(_body(text, place))]


def _recorded(subject: Subject, text: str) -> tuple[list[str], Difference | None]:
    """Return what the recording had instead, and how the body differs from its."""
    recorded, response = subject.first.transaction.recorded, subject.first.response
    if recorded is None:
        return [], None
    exchange = subject.exchange
    if exchange is None:
        reason = subject.evidence.note or "the recorded traffic has no such entry"
        return [f"recorded: {_status(recorded.status)} ({reason})"], None
    was, now = _status(exchange.status), _status(response.status)
    if not response.status:
        return [f"recorded: {was}"], None
    lines = [f"recorded: {was}, {'as now' if was == now else f'now {now}'}"]
    mask = subject.mask
    before = [(name, mask.header(name, value)) for name, value in exchange.response_headers]
    after = [(name, mask.header(name, value)) for name, value in subject.headers]
    lines += indented(header_differences(before, after))
    old = mask.text(decoded(exchange.response_body, exchange.response_header("content-type") or ""))
    if is_binary(old) or is_binary(text):
        return lines, None
    if old and title_of(old) != title_of(text):
        lines.append(f"  title: {title_of(old)!r}, now {title_of(text)!r}")
    difference = body_differences(old, text)
    return [*lines, *indented(difference.lines)], difference


def _status(code: int) -> str:
    try:
        return f"{code} {HTTPStatus(code).phrase}"
    except ValueError:
        said = _UNREGISTERED.get(code)
        return f"{code} {said}" if said else str(code) if code else "no response"


def _body(text: str, place: int = 0) -> list[str]:
    """Return an empty line and the body, or nothing."""
    if not text:
        return []
    if is_binary(text):
        return ["", f"(binary, about {len(text):,} bytes)"]
    return ["", *excerpt(text.rstrip(), place)]
