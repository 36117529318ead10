"""The text of a failed functional replay: the first failing transaction, in full, then the others.

What was sent and received is shown against what was recorded. Secrets are masked (`masking`), and
long bodies shortened around the place that matters.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Protocol

from pytest_loadtool.model.case import TestCase, Transaction
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.result import Failure
from pytest_loadtool.report.challenges import challenge_remedy
from pytest_loadtool.report.comparison import (
    Difference,
    body_differences,
    header_differences,
    title_of,
)
from pytest_loadtool.report.complaints import complaints
from pytest_loadtool.report.elsewhere import led_elsewhere, remedies, was_refused, what_it_means
from pytest_loadtool.report.excerpt import clip, excerpt, is_binary, printable
from pytest_loadtool.report.extractors import broken_extractors
from pytest_loadtool.report.masking import Mask, spellings
from pytest_loadtool.report.placeholders import sent_values
from pytest_loadtool.report.suspects import Suspects, may_be_stale

__all__ = ["SEPARATOR", "Evidence", "Outcome", "Received", "explain", "headline", "otherwise"]

#: Between a page and its transaction.
SEPARATOR = " \N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK} "

#: How many later failures are listed, and of those that passed before the first.
_MOST_LATER, _MOST_BEFORE = 20, 5

#: Where to look in an HTML page that there is nothing to compare with.
_HTML_START = re.compile(r"<title|<h1|<body", re.IGNORECASE)
#: Codes that frameworks answer with and no standard knows.
_UNREGISTERED = {
    419: "Page Expired (Laravel: the anti-forgery token is missing or stale)",
    440: "Login Time-out (IIS: the session has ended)",
}
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([A-Za-z0-9_.:-]+)", re.IGNORECASE)


class Received(Protocol):
    """What this room reads of a response. ``status`` is 0 when none came."""

    @property
    def status(self) -> int:
        """The status code."""

    @property
    def headers(self) -> Sequence[tuple[bytes, bytes]]:
        """Header lines as received."""

    @property
    def body(self) -> bytes:
        """The body as received, still with its content coding."""

    @property
    def sent(self) -> float:
        """When the request was written, in seconds."""

    @property
    def finished(self) -> float:
        """When the last byte came, in seconds."""

    @property
    def request(self) -> bytes:
        """The request as sent."""

    @property
    def text(self) -> str:
        """The decoded body; raises ValueError if its content coding is broken."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A transaction that was replayed. ``index`` counts from 0 through the test case."""

    index: int
    page: str
    origin: str
    transaction: Transaction
    response: Received
    failures: tuple[Failure, ...]

    @property
    def title(self) -> str:
        """Page and transaction."""
        return f"{self.page}{SEPARATOR}{self.transaction.title}"

    @property
    def milliseconds(self) -> float:
        """The service time: from the request's first byte to the response's last."""
        return (self.response.finished - self.response.sent) * 1000


@dataclass(frozen=True, slots=True)
class Evidence:
    """The recorded traffic of a test case; when there is none, ``note`` says why."""

    exchanges: Sequence[Exchange] = ()
    note: str = ""


def headline(outcome: Outcome) -> str:
    """A failed transaction in one line."""
    return printable(f"{outcome.title}: {'; '.join(one.message for one in outcome.failures)}")


def otherwise(outcome: Outcome) -> str:
    """A transaction in one line that passed with a page where a redirect was recorded, or the other
    way round; empty for others."""
    recorded, status = outcome.transaction.recorded, outcome.response.status
    if outcome.failures or recorded is None or not led_elsewhere(recorded.status, status):
        return ""
    return printable(f"{outcome.title}: {status} where {recorded.status} was recorded")


def explain(
    case: TestCase,
    outcomes: Iterable[Outcome],
    *,
    path: str,
    evidence: Evidence,
    secrets: Collection[str] = (),
) -> str:
    """Why the replay of ``case``, read from ``path``, failed.

    ``outcomes`` are all transactions that were replayed, at least one of them failed. ``secrets``
    are values that are masked wherever they stand.
    """
    by_index = sorted(outcomes, key=lambda one: one.index)
    first, *later = [one for one in by_index if one.failures]
    subject = _Subject(case, path, first, Mask(secrets), evidence)
    sections = (
        [headline(first)],
        _counts(case, len(by_index), 1 + len(later)),
        [*_why(subject), *_elsewhere(subject, by_index)],
        _before(subject, by_index),
        _tokens(subject),
        broken_extractors(
            case,
            first.index,
            first.failures,
            _in_short(first.response),
            _sent_before(subject, by_index),
        ),
        _sent(subject),
        _placeholders(subject),
        *_received_and_recorded(subject),
        _later(path, later),
    )
    text = "\n\n".join("\n".join(lines) for lines in map(list, sections) if lines)
    return printable(text)


@dataclass(frozen=True, slots=True)
class _Subject:
    """What the sections are about."""

    case: TestCase
    path: str
    first: Outcome
    mask: Mask
    evidence: Evidence

    @property
    def request_head(self) -> list[str]:
        head, _, _ = self.first.response.request.partition(b"\r\n\r\n")
        return head.decode("utf-8", "replace").split("\r\n")

    @property
    def request_body(self) -> str:
        _, _, body = self.first.response.request.partition(b"\r\n\r\n")
        return body.decode("utf-8", "replace")

    @property
    def headers(self) -> list[tuple[str, str]]:
        """The received ones."""
        return [
            (name.decode("latin-1"), value.decode("latin-1"))
            for name, value in self.first.response.headers
        ]

    @property
    def exchange(self) -> Exchange | None:
        """The recorded one, if it is at hand."""
        recorded = self.first.transaction.recorded
        if recorded is None or recorded.entry is None:
            return None
        if recorded.entry >= len(self.evidence.exchanges):
            return None
        return self.evidence.exchanges[recorded.entry]


def _counts(case: TestCase, replayed: int, failed: int) -> list[str]:
    total = sum(1 for _ in case.transactions())
    lines = [f'"{case.name}": {failed} of {total} transactions failed.']
    if failed > 1:
        lines[0] += " Fix the first; the others may only follow from it."
    if replayed < total:
        lines.append(f"{total - replayed} were not sent, because their page did not come at all.")
    return lines


def _why(subject: _Subject) -> Iterator[str]:
    first = subject.first
    yield (
        f"{_place(subject.path, first)}: page {first.page!r}, "
        f"transaction {first.index + 1} {first.transaction.title!r}"
    )
    yield from _indented(one.message for one in first.failures)
    if not any(one.cause == "auth" for one in first.failures):  # or else that has said what to do
        response, has_identities = first.response, bool(subject.case.identities)
        remedy = challenge_remedy(response.status, response.headers, has_identities=has_identities)
        yield from _indented([remedy] if remedy else [])


def _elsewhere(subject: _Subject, outcomes: Iterable[Outcome]) -> Iterator[str]:
    """What it means that there is a page where a redirect was recorded, or the other way round."""
    first = subject.first
    recorded, response = first.transaction.recorded, first.response
    if recorded is None or not led_elsewhere(recorded.status, response.status):
        return
    method = first.transaction.request.method
    before = (_text(one.response)[0] for one in outcomes if one.index < first.index)
    said = [subject.mask.text(one) for one in complaints(_text(response)[0], before)]
    location = next((value for name, value in subject.headers if name.lower() == "location"), "")
    yield from _indented(what_it_means(method, recorded.status, response.status, location, said))
    if was_refused(method, recorded.status, response.status):
        yield from _indented(remedies(_suspects(subject).names()))


def _before(subject: _Subject, outcomes: Iterable[Outcome]) -> list[str]:
    """What passed before and may yet be the reason: a redirect to a login, for instance."""
    lines = [
        f"  {_place(subject.path, one)}: {otherwise(one)}"
        for one in outcomes
        if one.index < subject.first.index and otherwise(one)
    ]
    return ["passed before, but not as recorded:", *lines[:_MOST_BEFORE]] if lines else []


def _tokens(subject: _Subject) -> list[str]:
    """The tokens that were sent, where one of them may be why the request was refused."""
    transaction, status = subject.first.transaction, subject.first.response.status
    recorded = transaction.recorded.status if transaction.recorded else 0
    refused = was_refused(transaction.request.method, recorded, status)
    # The code that was recorded has been given for other reasons.
    stale = may_be_stale(status) and status != recorded
    return _suspects(subject).tokens(anew=stale) if refused or stale else []


def _suspects(subject: _Subject) -> Suspects:
    return Suspects(subject.case, subject.first.index, _sent_by(subject), subject.mask)


def _in_short(response: Received) -> str:
    """The status, the type and the size of a response, and the title of a page."""
    text, problem = _text(response)
    types = [value for name, value in response.headers if name.lower() == b"content-type"]
    title = f", titled {title_of(text)!r}" if title_of(text) else ""
    kind = f", {types[0].decode('latin-1')}" if types else ""
    size = f"({problem})" if problem else f"{len(text):,} characters"
    return f"{_status(response.status)}{kind}, {size}{title}"


def _sent(subject: _Subject) -> Iterator[str]:
    line, *headers = subject.request_head
    yield f"sent to {subject.first.origin}:"
    yield from _indented([subject.mask.text(line)])
    for header in headers:
        name, _, value = header.partition(": ")
        yield f"  {name}: {subject.mask.header(name, value)}"
    yield from _indented(_body(subject.mask.text(subject.request_body)))


def _sent_before(subject: _Subject, outcomes: Iterable[Outcome]) -> dict[str, str]:
    """The values of placeholders as they were sent last, up to the transaction that failed."""
    values: dict[str, str] = {}
    for one in outcomes:
        if one.index <= subject.first.index:
            values |= _sent_by(replace(subject, first=one))
    return {name: clip(subject.mask.value(name, value), 200) for name, value in values.items()}


def _sent_by(subject: _Subject) -> dict[str, str]:
    request = subject.first.transaction.request
    headers = subject.case.wire_headers(request)
    return sent_values(request, headers, subject.request_head, subject.request_body)


def _placeholders(subject: _Subject) -> list[str]:
    values = _sent_by(subject).items()
    lines = [f"  ${{{name}}} = {_value(subject, name, value)}" for name, value in values]
    return ["placeholders:", *lines] if lines else []


def _value(subject: _Subject, name: str, value: str) -> str:
    return clip(subject.mask.value(name, value), 200) + _as_recorded(subject, name, value)


def _as_recorded(subject: _Subject, name: str, value: str) -> str:
    variable = subject.case.variables.get(name)
    recorded = variable.recorded if variable else None
    same = recorded is not None and value in spellings(recorded)
    return " (the recorded value)" if same else ""


def _received_and_recorded(subject: _Subject) -> tuple[list[str], list[str]]:
    """Two sections: how the body differs decides which part of it is shown."""
    text, problem = _text(subject.first.response)
    masked = subject.mask.text(text)
    recorded, difference = _recorded(subject, masked)
    return _received(subject, masked, problem, difference), recorded


def _received(
    subject: _Subject, text: str, problem: str, difference: Difference | None
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
        return [*lines, "", f"  ({problem}; {len(response.body):,} bytes as received)"]
    start = _HTML_START.search(text)
    place = difference.place if difference else start.start() if start else 0
    return [*lines, *_indented(_body(text, place))]


def _recorded(subject: _Subject, text: str) -> tuple[list[str], Difference | None]:
    """What the recording had instead, and how the body differs from its."""
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
    lines += _indented(header_differences(before, after))
    old = mask.text(_decoded(exchange))
    if is_binary(old) or is_binary(text):
        return lines, None
    if old and title_of(old) != title_of(text):
        lines.append(f"  title: {title_of(old)!r}, now {title_of(text)!r}")
    difference = body_differences(old, text)
    return [*lines, *_indented(difference.lines)], difference


def _later(path: str, later: Sequence[Outcome]) -> list[str]:
    if not later:
        return []
    lines = [f"  {_place(path, one)}: {headline(one)}" for one in later[:_MOST_LATER]]
    if len(later) > _MOST_LATER:
        lines.append(f"  and {len(later) - _MOST_LATER} more")
    return ["later failures, possible consequences of the first:", *lines]


def _place(path: str, outcome: Outcome) -> str:
    line = outcome.transaction.line
    return f"{path}:{line}" if line else path


def _status(code: int) -> str:
    try:
        return f"{code} {HTTPStatus(code).phrase}"
    except ValueError:
        said = _UNREGISTERED.get(code)
        return f"{code} {said}" if said else str(code) if code else "no response"


def _text(response: Received) -> tuple[str, str]:
    """The decoded body, or what is wrong with it."""
    try:
        return response.text, ""
    except ValueError as error:
        return "", str(error)


def _decoded(exchange: Exchange) -> str:
    match = _CHARSET.search(exchange.response_header("content-type") or "")
    try:
        return exchange.response_body.decode(match[1] if match else "utf-8", "replace")
    except LookupError:
        return exchange.response_body.decode("latin-1")


def _body(text: str, place: int = 0) -> list[str]:
    """An empty line and the body, or nothing."""
    if not text:
        return []
    if is_binary(text):
        return ["", f"(binary, about {len(text):,} bytes)"]
    return ["", *excerpt(text.rstrip(), place)]


def _indented(lines: Iterable[str]) -> Iterator[str]:
    return (f"  {line}" if line else "" for line in lines)
