"""What became of a transaction that was replayed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from pytest_loadtool.codec.printable import printable
from pytest_loadtool.model.case import Transaction
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.result import Failure

#: Between a page and its transaction.
SEPARATOR = " \N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK} "


class Received(Protocol):
    """The parts of a response that this room reads. ``status`` is 0 when none came."""

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
        """Return when the request was written, in seconds."""

    @property
    def finished(self) -> float:
        """Return when the last byte came, in seconds."""

    @property
    def request(self) -> bytes:
        """The request as sent."""

    @property
    def text(self) -> str:
        """The decoded body; raises ValueError if its content coding is broken."""


@dataclass(frozen=True, slots=True)
class StepOutcome:
    """A transaction that was replayed. ``index`` counts from 0 through the test case;
    ``not_as_recorded`` is how its response differs from the recorded one."""

    index: int
    page: str
    origin: str
    transaction: Transaction
    response: Received
    failures: tuple[Failure, ...]
    not_as_recorded: str = ""

    @property
    def title(self) -> str:
        """Page and transaction."""
        return f"{self.page}{SEPARATOR}{self.transaction.title}"

    @property
    def reasons(self) -> tuple[str, ...]:
        """Return why it failed, the status first: of an error's answer the rest follows."""
        ordered = sorted(self.failures, key=lambda one: one.cause != "status")
        return tuple(one.told for one in ordered)

    @property
    def milliseconds(self) -> float:
        """The service time: from the request's first byte to the response's last."""
        return (self.response.finished - self.response.sent) * 1000


@dataclass(frozen=True, slots=True)
class Evidence:
    """The recorded traffic of a test case; when there is none, ``note`` says why. ``rows`` are
    those that the replay had, by dataset and counted from 1, as far as they are known, ``columns``
    those of the datasets."""

    exchanges: Sequence[Exchange] = ()
    note: str = ""
    rows: Mapping[str, int] = field(default_factory=dict)
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def text_of(response: Received) -> tuple[str, str]:
    """Return the decoded body, or what is wrong with it."""
    try:
        return response.text, ""
    except ValueError as error:
        return "", str(error)


def difference(outcome: StepOutcome) -> str:
    """Return a transaction in one line that passed and did not come as recorded; empty for
    others."""
    if outcome.failures or not outcome.not_as_recorded:
        return ""
    return printable(f"{outcome.title}: {outcome.not_as_recorded}")
