"""What is known of a replay that failed, as the checks of causes read it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from shlex import quote
from urllib.parse import unquote_plus

from pytest_loadtool.codec.cookie import sent_cookies, set_cookies
from pytest_loadtool.codec.media import decoded
from pytest_loadtool.codec.names import is_password
from pytest_loadtool.codec.printable import clip
from pytest_loadtool.correlation.requests.fields import Field, fields_of
from pytest_loadtool.diagnosis.outcome import StepOutcome, text_of
from pytest_loadtool.diagnosis.page_errors import LONGEST_SAID, field_names, visible_text
from pytest_loadtool.diagnosis.said import PlainAnswer, said_by
from pytest_loadtool.diagnosis.subject import Subject
from pytest_loadtool.masking.found_secrets import recorded_slots
from pytest_loadtool.model.exchange import Exchange

_WORD = re.compile(r"\w+")


def recorded_text(exchange: Exchange) -> str:
    """Return the recorded body, decoded."""
    return decoded(exchange.response_body, exchange.response_header("content-type") or "")


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text))


@dataclass(frozen=True)
class Situation:
    """A replay of which ``subject.first`` failed first. ``outcomes`` are all transactions that were
    replayed, in the order of the test case."""

    subject: Subject
    outcomes: tuple[StepOutcome, ...]

    @property
    def failed(self) -> StepOutcome:
        """The transaction that failed first."""
        return self.subject.first

    @property
    def status(self) -> int:
        """The status code that failed; 0 where no response came."""
        return self.failed.response.status

    @property
    def recorded_status(self) -> int:
        """The status code that was recorded; 0 if none was."""
        recorded = self.failed.transaction.recorded
        return recorded.status if recorded is not None else 0

    @cached_property
    def causes(self) -> frozenset[str]:
        """The kinds of what failed: of `Failure.cause`."""
        return frozenset(one.cause for one in self.failed.failures)

    def of(self, outcome: StepOutcome) -> Subject:
        """Return another transaction with its evidence."""
        return replace(self.subject, first=outcome)

    @cached_property
    def before(self) -> tuple[StepOutcome, ...]:
        """The transactions before the one that failed, in the order of the test case."""
        return tuple(one for one in self.outcomes if one.index < self.failed.index)

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """The fields of the request that failed, with what is within them."""
        return fields_of(self.subject.case, self.failed.index, within=True)

    @cached_property
    def recorded_values(self) -> Mapping[str, frozenset[str]]:
        """The values of the recorded request by the name of their field; empty without it."""
        return self.recorded_of(self.failed)

    def recorded_of(self, outcome: StepOutcome) -> Mapping[str, frozenset[str]]:
        """Return the values of a recorded request by the name of their field."""
        exchange = self.of(outcome).exchange
        found: dict[str, set[str]] = {}
        for one in recorded_slots(exchange) if exchange is not None else ():
            found.setdefault(one.name, set()).add(one.value)
        return {name: frozenset(values) for name, values in found.items()}

    @cached_property
    def login(self) -> StepOutcome | None:
        """The last transaction up to the one that failed that sends one password: who registers, or
        changes it, types it twice."""
        signing_in = (one for one in (*self.before, self.failed) if self._sends_password(one))
        return next(islice(reversed(list(signing_in)), 1), None)

    def _sends_password(self, outcome: StepOutcome) -> bool:
        fields = fields_of(self.subject.case, outcome.index)
        return sum(is_password(one.wire_name) for one in fields) == 1

    def header(self, name: str) -> list[str]:
        """Return the values of a header of the response that failed."""
        return [value for one, value in self.subject.headers if one.lower() == name]

    @cached_property
    def seen(self) -> str:
        """Return what a person sees of the page that failed."""
        return visible_text(text_of(self.failed.response)[0])

    @cached_property
    def complaints(self) -> tuple[str, ...]:
        """Return what the response that failed says is wrong, secrets cut."""
        return self.complaints_of(self.failed)

    def complaints_of(self, outcome: StepOutcome) -> tuple[str, ...]:
        """Return what a response says is wrong that the recorded one did not say, secrets cut."""
        before = (text_of(one.response)[0] for one in self.outcomes if one.index < outcome.index)
        subject = self.of(outcome)
        text = text_of(outcome.response)[0]
        found = said_by(PlainAnswer(outcome.response.status, tuple(subject.headers), text), before)
        exchange = subject.exchange if found else None
        if exchange is not None:
            then = PlainAnswer(exchange.status, exchange.response_headers, recorded_text(exchange))
            usual = said_by(then)
            found = [one for one in found if not self._is_usual(one, usual, outcome)]
        return tuple(self.subject.mask.text(one) for one in found)

    def _is_usual(self, said: str, usual: Sequence[str], outcome: StepOutcome) -> bool:
        """Return whether the recorded answer said the same, perhaps of what was sent then."""
        if said in usual:
            return True
        now, sent = _words(said), ""
        near = [each for one in usual if now & (each := _words(one))]
        if near:
            asked = (one.response.request for one in self.outcomes if one.index <= outcome.index)
            sent = unquote_plus(b"\n".join(asked).decode("utf-8", "replace"))
        return any(now - then <= _words(sent) for then in near)

    @cached_property
    def recorded_pages(self) -> tuple[str, ...]:
        """The recorded answers up to the one that failed, as text."""
        found = (self.of(one).exchange for one in (*self.before, self.failed))
        return tuple(recorded_text(one) for one in found if one is not None)

    def exchange_of(self, index: int) -> Exchange | None:
        """Return the recorded exchange of a transaction, counted from 0."""
        known = next((one for one in self.outcomes if one.index == index), None)
        return self.of(known).exchange if known is not None else None

    def begins(self, outcome: StepOutcome) -> tuple[str, ...]:
        """Return how the text of a response begins that does not say what is wrong, as evidence."""
        seen = clip(visible_text(text_of(outcome.response)[0]), LONGEST_SAID)
        if not seen or self.complaints_of(outcome):
            return ()
        return (f"it says: {self.subject.mask.text(seen)!r}",)

    def is_asked_again(self, outcome: StepOutcome) -> bool:
        """Return whether a response is a page with a form for what the request has sent: what was
        refused is to be filled in again."""
        fields = fields_of(self.subject.case, outcome.index)
        sent = {one.wire_name for one in fields if one.section == "POST content"}
        return bool(sent & field_names(text_of(outcome.response)[0]))

    @cached_property
    def cookies_sent(self) -> Mapping[str, str]:
        """The cookies that the request had which failed."""
        return self.cookies_of(self.failed)

    def cookies_of(self, outcome: StepOutcome) -> Mapping[str, str]:
        """Return the cookies that a request had."""
        lines = (line.partition(": ")[::2] for line in self.of(outcome).request_head[1:])
        return dict(sent_cookies(lines))

    @cached_property
    def cookies_recorded(self) -> Mapping[str, str]:
        """The cookies that it had when it was recorded."""
        exchange = self.subject.exchange
        return dict(sent_cookies(exchange.request_headers if exchange is not None else ()))

    def recorded_setter(self, cookie: str) -> StepOutcome | None:
        """Return the last transaction before that set the cookie when it was recorded."""
        return next((one for one in reversed(self.before) if cookie in self._set_then(one)), None)

    def sets(self, outcome: StepOutcome, cookie: str) -> bool:
        """Return whether a transaction set the cookie now."""
        return cookie in dict(set_cookies(self.of(outcome).headers))

    def _set_then(self, outcome: StepOutcome) -> Mapping[str, str]:
        exchange = self.of(outcome).exchange
        return dict(set_cookies(exchange.response_headers if exchange is not None else ()))

    def seconds_since(self, outcome: StepOutcome) -> tuple[float, float | None]:
        """Return how long before the failure a transaction was answered, in seconds, now and when
        it was recorded, if that is known."""
        now = self.failed.response.sent - outcome.response.finished
        was, then = self.of(outcome).exchange, self.subject.exchange
        if was is None or then is None:
            return max(now, 0.0), None
        return max(now, 0.0), max(then.started - was.started - was.took, 0.0)

    def name(self, outcome: StepOutcome) -> str:
        """Return what a transaction is called: its number, from 1, and its title."""
        return f"{outcome.index + 1} {outcome.transaction.title}"

    @property
    def replay_command(self) -> str:
        """The command for a shell that replays the test case."""
        return f"pytest {quote(self.subject.path)}"
