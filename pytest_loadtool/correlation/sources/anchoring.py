"""Anchoring: from the candidate that a response gives a value out to what takes it from there."""

from __future__ import annotations

from collections.abc import Collection

from pytest_loadtool.codec.names import is_given_out
from pytest_loadtool.correlation.classify import is_version_name
from pytest_loadtool.correlation.index.traffic import Traffic
from pytest_loadtool.correlation.producer import Producer
from pytest_loadtool.correlation.proposals import Miss, ProducerCandidate, Proposal, fitting
from pytest_loadtool.correlation.requests.slots import Slot
from pytest_loadtool.correlation.responses.recorded import RecordedResponse
from pytest_loadtool.correlation.search_budget import EXTRACTOR, MOST_SEARCHED
from pytest_loadtool.correlation.sources.anchors import AnchorTexts, sent_anchors
from pytest_loadtool.correlation.sources.page_items import PageItems
from pytest_loadtool.correlation.sources.places import is_by_place
from pytest_loadtool.correlation.sources.synthesis import Reading, synthesise
from pytest_loadtool.model.extractor import Source
from pytest_loadtool.model.rule import ProducerKind

ENCODING = (
    "{producer} holds the value, but replay would write it in another encoding than recorded."
)
#: Kinds of what is found in the head of a response.
_IN_HEAD = frozenset({ProducerKind.COOKIE, ProducerKind.HEADER, ProducerKind.LOCATION})
_EXTRACTION = "{producer} holds the value, but no extractor takes it from there."
_SEARCHED = (
    "{producer} holds the value, but no extractor was looked for: before it, "
    f"{MOST_SEARCHED:,} characters of responses were looked through."
)


def _searched(producer: Producer, response: RecordedResponse) -> int:
    """Return how many characters there are to look for an extractor in."""
    if producer.box is not None:
        return len(producer.box.text) + _searched(producer.box.producer, response)
    if producer.kind in _IN_HEAD:
        return sum(len(value) for _, value in response.headers)
    return 0 if producer.kind is ProducerKind.JSON else len(response.text)


class Synthesis:
    """Turns candidates into proposals; a source that was found once is not looked for again."""

    def __init__(self, traffic: Traffic) -> None:
        self._traffic = traffic
        self._anchors = AnchorTexts(sent_anchors(traffic))
        self._readings: dict[int, tuple[RecordedResponse, Reading]] = {}
        self._found: dict[tuple[Producer, str, int], tuple[Source, int] | None] = {}

    def proposal(
        self, candidate: ProducerCandidate, known: Collection[str] = frozenset()
    ) -> Proposal | Miss:
        """Return the proposal, or why there can be none. ``known`` are values that are others on
        replay."""
        slot, rule, producer = candidate.slot, candidate.rule, candidate.producer
        fits = fitting(slot, producer)
        if fits is None:
            return Miss(slot, rule, ENCODING, producer.transaction)
        slot = fits
        key = (producer, slot.name, rule.matches)
        if key not in self._found:
            response, reading = self._read(producer.transaction)
            if not self._traffic.searches.allow(EXTRACTOR * _searched(producer, response)):
                return Miss(slot, rule, _SEARCHED, producer.transaction)
            self._found[key] = synthesise(
                producer, slot, reading, rule.matches, known
            ) or self._by_row(producer, slot, known)
        found = self._found[key]
        if found is None:
            return Miss(slot, rule, _EXTRACTION, producer.transaction)
        return Proposal(slot, producer, rule, *found)

    def _by_row(
        self, producer: Producer, slot: Slot, known: Collection[str]
    ) -> tuple[Source, int] | None:
        """Return what tells a link from those of other rows: a text of its own."""
        if producer.kind is not ProducerKind.LINK:
            return None
        at = producer.transaction
        page = PageItems(self.response(at), self._traffic.steps[at].address, self._anchors.by(at))
        row = page.link_row(producer, slot, known)
        return None if row is None else (row.literal, row.match)

    def is_by_place(self, one: Proposal) -> bool:
        """Return whether nothing but its place may tell it, so that it had better come from
        elsewhere. Of a version or token the nearest counts."""
        if is_version_name(one.slot.name) or is_given_out(one.slot.name):
            return False
        at = one.producer.transaction
        step = self._traffic.steps[at]
        return is_by_place(
            one.producer,
            one.source,
            one.match,
            self.response(at),
            own=False,
            change=step.exchange if step.changes_state else None,
        )

    def response(self, transaction: int) -> RecordedResponse:
        """Return the recorded response of a transaction, which has one."""
        return self._read(transaction)[0]

    def _read(self, transaction: int) -> tuple[RecordedResponse, Reading]:
        if transaction not in self._readings:
            response = self._traffic.response(transaction)
            self._readings[transaction] = response, Reading(response)
        return self._readings[transaction]
