"""What became of the transactions of a kept replay, as diagnosis reads it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from pytest_loadtool.codec.media import decoded
from pytest_loadtool.diagnosis.outcome import StepOutcome
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.kept_replay import KeptReplay, KeptTransaction, TransactionId


@dataclass(frozen=True, slots=True)
class KeptResponse:
    """A response as it was kept; see `outcome.Received`."""

    exchange: Exchange
    undecoded: str = ""

    @property
    def status(self) -> int:
        """The status code; 0 when none came."""
        return self.exchange.status

    @property
    def headers(self) -> list[tuple[bytes, bytes]]:
        """Header lines as received."""
        return [
            (name.encode("latin-1", "replace"), value.encode("latin-1", "replace"))
            for name, value in self.exchange.response_headers
        ]

    @property
    def body(self) -> bytes:
        """The body, without its content coding if that could be removed."""
        return self.exchange.response_body

    @property
    def sent(self) -> float:
        """Return when the request was written, in seconds since the epoch."""
        return self.exchange.started

    @property
    def finished(self) -> float:
        """Return when the last byte came."""
        return self.exchange.started + self.exchange.took

    @property
    def request(self) -> bytes:
        """The request as sent, to a server: the target is a path."""
        one = self.exchange
        lines = [f"{one.method} {target_of(one)} HTTP/1.1"]
        lines += [f"{name}: {value}" for name, value in one.request_headers]
        return "\r\n".join([*lines, "", ""]).encode("latin-1", "replace") + one.request_body

    @property
    def text(self) -> str:
        """The decoded body.

        Raises:
            ValueError: its content coding is broken.
        """
        if self.undecoded:
            raise ValueError(self.undecoded)
        media = self.exchange.response_header("content-type") or ""
        return decoded(self.exchange.response_body, media)


def target_of(exchange: Exchange) -> str:
    """Return the path and query that an exchange asked for, as they were sent."""
    _, slash, path = exchange.url.partition("://")[2].partition("/")
    return slash + path if slash else "/"


def outcomes_of(case: TestCase, replay: KeptReplay) -> Iterator[StepOutcome]:
    """Yield the outcomes of a kept replay, as far as the test case still has its transactions."""
    found = matched(case, replay)
    index = 0
    for page in case.pages:
        for transaction in page.transactions:
            kept = found.get(index)
            if kept is not None and kept.exchange is not None:
                parts = urlsplit(kept.exchange.url)
                yield StepOutcome(
                    index,
                    page.name,
                    f"{parts.scheme}://{parts.netloc}",
                    transaction,
                    KeptResponse(kept.exchange, kept.undecoded),
                    kept.failures,
                    kept.not_as_recorded,
                )
            index += 1


def matched(case: TestCase, replay: KeptReplay) -> Mapping[int, KeptTransaction]:
    """Return what was kept of the transactions of a test case, by their index in it.

    It may have been edited since: a transaction is known again by the exchange that it was recorded
    in, one that was made by hand by its method and target.
    """
    waiting: dict[object, list[KeptTransaction]] = {}
    for kept in replay.transactions:
        waiting.setdefault(_key(kept.id), []).append(kept)
    found: dict[int, KeptTransaction] = {}
    for index, one in enumerate(identities_of(case)):
        if alike := waiting.get(_key(one)):
            found[index] = alike.pop(0)
    return found


def identities_of(case: TestCase) -> Iterator[TransactionId]:
    """Yield what tells the transactions of a test case apart, in its order."""
    for page in case.pages:
        for one in page.transactions:
            entry = one.recorded.entry if one.recorded is not None else None
            request = one.request
            yield TransactionId(
                one.title, page.name, request.method, request.target, entry, one.line
            )


def _key(one: TransactionId) -> object:
    return one.method, one.target if one.entry is None else one.entry
