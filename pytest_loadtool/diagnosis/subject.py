"""What a failure is about: the first transaction that failed, where, and with which values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pytest_loadtool.codec.cookie import sent_cookies
from pytest_loadtool.codec.template import BUILTIN_NAMES, Reference, Template
from pytest_loadtool.diagnosis.outcome import Evidence, StepOutcome
from pytest_loadtool.masking.text import Mask
from pytest_loadtool.model.case import Header, Request, TestCase
from pytest_loadtool.model.exchange import Exchange


@dataclass(frozen=True, slots=True)
class Subject:
    """``first`` failed first, in the replay of ``case``, which was read from ``path``."""

    case: TestCase
    path: str
    first: StepOutcome
    mask: Mask
    evidence: Evidence

    @property
    def request_head(self) -> list[str]:
        """The request line and the headers, as they were sent."""
        head, _, _ = self.first.response.request.partition(b"\r\n\r\n")
        return head.decode("utf-8", "replace").split("\r\n")

    @property
    def request_body(self) -> str:
        """Return what was sent behind them."""
        _, _, body = self.first.response.request.partition(b"\r\n\r\n")
        return body.decode(self.first.transaction.request.charset or "utf-8", "replace")

    @property
    def headers(self) -> list[tuple[str, str]]:
        """The received ones."""
        return [
            (name.decode("latin-1"), value.decode("latin-1"))
            for name, value in self.first.response.headers
        ]

    @property
    def location(self) -> str:
        """Return where the response redirects to; empty if it does not."""
        return next((value for name, value in self.headers if name.lower() == "location"), "")

    @property
    def exchange(self) -> Exchange | None:
        """The recorded one, if it is at hand."""
        recorded = self.first.transaction.recorded
        if recorded is None or recorded.entry is None:
            return None
        if recorded.entry >= len(self.evidence.exchanges):
            return None
        return self.evidence.exchanges[recorded.entry]

    @property
    def sent(self) -> dict[str, str]:
        """The values of the placeholders, as they were sent."""
        request = self.first.transaction.request
        headers = self.case.wire_headers(request)
        return sent_values(request, headers, self.request_head, self.request_body)


def place_of(path: str, outcome: StepOutcome) -> str:
    """Return the file, with the line if it is known."""
    line = outcome.transaction.line
    return f"{path}:{line}" if line else path


def indented(lines: Iterable[str]) -> Iterator[str]:
    """Return the lines two to the right, empty ones as they are."""
    return (f"  {line}" if line else "" for line in lines)


_ORIGIN = re.compile(r"https?://[^/?#]*", re.IGNORECASE)


def sent_values(
    request: Request, headers: tuple[Header, ...], head: list[str], body: str
) -> dict[str, str]:
    """Return values by placeholder, encoded as they were sent, in the order of the request.

    ``headers`` are all that the request sends (`TestCase.wire_headers`), ``head`` is the request
    line and the header lines. What cannot be told apart (two placeholders side by side) is left
    out.
    """
    found: dict[str, str] = {}
    for template, text in _pairs(request, headers, head, body):
        for name, value in _values(template, text):
            if name not in BUILTIN_NAMES and Reference(name).file is None:
                found.setdefault(name, value)
    return found


def _pairs(
    request: Request, headers: tuple[Header, ...], head: list[str], body: str
) -> Iterator[tuple[Template, str]]:
    """Yield each template of the request with its text as sent."""
    target = head[0].split(" ")[1] if head[0].count(" ") == 2 else ""
    yield Template(_without_origin(Template.parse(request.target).parts)), target
    lines = [line.partition(": ") for line in head[1:]]
    for header in headers:
        if header.value is None:
            continue
        template = Template.parse(header.value)
        for name, _, value in lines:
            if template.references and name.lower() == header.name.lower():
                yield template, value
    sent = list(sent_cookies((name, line) for name, _, line in lines))
    for cookie in request.cookies:
        template = Template.parse(cookie.partition(";")[0])
        name = cookie.partition("=")[0]
        yield from ((template, f"{one}={value}") for one, value in sent if one == name)
    if isinstance(request.body, str):
        yield Template.parse(request.body), body


def _without_origin(parts: tuple[str | Reference, ...]) -> tuple[str | Reference, ...]:
    """Return a target without its scheme and host."""
    match parts:
        case (str(first), *rest):
            return (_ORIGIN.sub("", first, count=1), *rest)
        case (Reference(name), *rest) if name in BUILTIN_NAMES:
            return tuple(rest)
    return parts


def _values(template: Template, text: str) -> Iterator[tuple[str, str]]:
    position = 0
    open_name = ""
    for part in template.parts:
        if isinstance(part, Reference):
            if open_name:
                return
            open_name = part.name
            continue
        at = text.find(part, position)
        if at < 0:
            return
        if open_name:
            yield open_name, text[position:at]
        position, open_name = at + len(part), ""
    if open_name:
        yield open_name, text[position:]
