"""What the text of a failure is about: the first transaction that failed, and where."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pytest_loadtool.diagnosis.outcome import Evidence, Outcome
from pytest_loadtool.diagnosis.placeholders import sent_values
from pytest_loadtool.masking.text import Mask
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.exchange import Exchange


@dataclass(frozen=True, slots=True)
class Subject:
    """``first`` failed first, in the replay of ``case``, which was read from ``path``."""

    case: TestCase
    path: str
    first: Outcome
    mask: Mask
    evidence: Evidence

    @property
    def request_head(self) -> list[str]:
        """The request line and the headers, as they were sent."""
        head, _, _ = self.first.response.request.partition(b"\r\n\r\n")
        return head.decode("utf-8", "replace").split("\r\n")

    @property
    def request_body(self) -> str:
        """What was sent behind them."""
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
        """Where the response redirects to; empty if it does not."""
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


def place_of(path: str, outcome: Outcome) -> str:
    """The file, with the line if it is known."""
    line = outcome.transaction.line
    return f"{path}:{line}" if line else path


def indented(lines: Iterable[str]) -> Iterator[str]:
    """The lines two to the right, empty ones as they are."""
    return (f"  {line}" if line else "" for line in lines)
