"""What only a replay shows: values that the server gives out anew, and wants back.

What stands at a place of a recorded response, and is something else at the same place on replay,
comes from the server. A later request that sends it as recorded gets a proposal on it, although no
rule knows the value. The place is what an extractor reads: a JSON path, a field or a header by
its name, what stands between two texts. So a proposal is one that has worked on two responses.

Three grades of proof: the field is called like the place; or the request was refused, and it is a
trial: the next replay shows whether that was the reason; or the request passed with the recorded
value, which the response that gave it out has no more. That is a trial if more than the value
speaks for it, and otherwise only said.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pytest_loadtool.codec.filters import filtered
from pytest_loadtool.correlation.classify import is_id_name, looks_like_time, looks_random, singular
from pytest_loadtool.correlation.index.traffic import Traffic
from pytest_loadtool.correlation.producer import Producer
from pytest_loadtool.correlation.proposals import REPLAY_COMPARE, ProducerCandidate, Proposal
from pytest_loadtool.correlation.requests.positions import HOLE
from pytest_loadtool.correlation.requests.slots import Slot
from pytest_loadtool.correlation.responses.recorded import RecordedResponse
from pytest_loadtool.correlation.responses.xml_document import xml_document
from pytest_loadtool.correlation.sources.anchoring import Synthesis
from pytest_loadtool.correlation.strategies.evidence import EVIDENCE
from pytest_loadtool.correlation.strategies.replay_compare import (
    Replayed,
    in_any_place,
    places_again,
    said,
)
from pytest_loadtool.correlation.strategies.rules import rule_by_name
from pytest_loadtool.correlation.strategies.strategy import Settled, Turn
from pytest_loadtool.extraction.extract import PlainText, Readable, compile_source
from pytest_loadtool.model.extractor import Boundary, Decoded, JsonPath, Source, XmlPath
from pytest_loadtool.model.place import Place
from pytest_loadtool.model.rule import ProducerKind, Rule, same_name

#: What takes a value from where: a transaction, the source in its response, and which match of it.
Origin = tuple[int, Source, int]

#: How many places of one value are tried for one field.
_MOST_PLACES = 8
_WORDS = frozenset({"true", "false", "null", "none", "on", "off", "yes", "no"})
_BREAKS = re.compile(r"""[\s<>"']""")
#: What counts, or numbers, many resources by chance.
_TINY = re.compile(r"\d{1,2}", re.ASCII)
_DIGIT = re.compile(r"\d")
#: A request may repeat these of its own; a form is filled anew.
_NO_ECHO = frozenset({ProducerKind.CONTROL, ProducerKind.META})


@dataclass(frozen=True, slots=True)
class Suggestion(Proposal):
    """A proposal that a replay suggests. A ``trial`` has to be confirmed by another replay.

    ``failed`` are the transactions with the slot that failed. ``now`` is what the place gave out on
    the replay, and ``gone`` says that the response that first had the recorded value has it no
    more. With ``chance``, nothing but the value speaks for it: of a request that failed two replays
    have to confirm it, of one that passed none can.
    """

    trial: bool = True
    failed: frozenset[int] = frozenset()
    now: str = ""
    gone: bool = False
    chance: bool = False

    @property
    def origin(self) -> Origin:
        """Return where the value would be taken from."""
        return self.producer.transaction, self.source, self.match


def _is_open(slot: Slot, rules: Sequence[Rule]) -> bool:
    """Return whether it may be of the server; within another value, only what looks random or is an
    argument in GraphQL; in a query, no text of several words, such as the message that a redirect
    has for the next page."""
    words = 1 if looks_like_time(slot.value) else len(slot.value.split())
    if slot.value.lower() in _WORDS or not words:
        return False
    argument = slot.before and slot.place in (Place.JSON, Place.JSON_STRING)
    if slot.depth and not argument and not looks_random(slot.value):
        return False
    if slot.place is Place.QUERY and words > 1:
        return False
    rule = rule_by_name(slot, rules)
    return rule is None or not rule.leave


class ReplayDiff:
    """A strategy by what places of recorded responses have on replay, and what requests want from
    there."""

    name = "replay-diff"
    why = "A place in a response has another value on replay, and a later request wants it."
    source = "LoadRunner: Correlation Studio compares a replay with the recording"
    turns = frozenset({Turn.IN_ORDER})

    def __init__(
        self,
        traffic: Traffic,
        replayed: Replayed,
        rules: Sequence[Rule],
        refused: Collection[Origin] = (),
    ) -> None:
        self._traffic = traffic
        self._replayed = replayed
        self._rules = rules
        self._refused = refused
        wanted = frozenset(one.value for one in traffic.slots if _is_open(one, rules))
        self._places = places_again(traffic, replayed, wanted)
        self._synthesis = Synthesis(traffic)
        self._now: dict[int, RecordedResponse] = {}
        self._said: dict[int, tuple[frozenset[str], frozenset[str]]] = {}

    def propose(self, slots: Sequence[Slot], _: Traffic, __: Settled) -> Iterator[Suggestion]:
        """Yield for each slot the proposal with the better proof, of equals the nearest."""
        for slot in slots:
            if slot.value in self._places and _is_open(slot, self._rules):
                best = self._best(slot)
                if best is not None:
                    yield best

    def _best(self, slot: Slot) -> Suggestion | None:
        failed = frozenset(slot.senders).intersection(self._replayed.failures)
        places = self._places[slot.value]
        before = [one for one in places if one.transaction < slot.transaction]
        trial: Suggestion | None = None
        gave: list[tuple[Producer, str]] = []
        for producer in sorted(before, key=self._preference)[:_MOST_PLACES]:
            proposal = self._synthesis.proposal(ProducerCandidate(slot, REPLAY_COMPARE, producer))
            now = self._moved(proposal) if isinstance(proposal, Proposal) else ""
            if not now:
                continue
            assert isinstance(proposal, Proposal)
            one = Suggestion(
                proposal.slot, producer, REPLAY_COMPARE, proposal.source, proposal.match,
                failed=failed, now=now,
            )  # fmt: skip
            open_ = one.origin not in self._refused
            if _is_called_alike(proposal, self._traffic) and (failed or open_):
                return replace(one, trial=False)
            gave.append((producer, now))
            if trial is None and open_:
                trial = one
        if trial is None:
            return None
        alike = [one for one, now in gave if now == trial.now]
        chance = _TINY.fullmatch(slot.value) is not None and not _witnessed(slot, alike)
        if failed:
            return replace(trial, chance=chance)
        chance = chance or not _is_for_ids(slot, alike)
        return replace(trial, gone=self._is_gone(trial), chance=chance)

    def _is_gone(self, proposal: Proposal) -> bool:
        """Return whether the response that gave the value out first gives it out no more, and may
        be where requests have it from."""
        slot, producer = proposal.slot, proposal.producer
        counted = _TINY.fullmatch(slot.value) is not None and not _is_field_for_ids(slot)
        if counted or not (_DIGIT.search(slot.value) or looks_random(slot.value)):
            return False
        if producer.in_list or not EVIDENCE["new"](slot, producer, self._traffic):
            return False
        known = self._traffic.producers_of(slot.value)
        structured = (one.transaction for one in known if one.kind is not ProducerKind.TEXT)
        first = next(structured, producer.transaction)
        if first not in self._replayed.exchanges:
            return False
        still = in_any_place(
            self._response(first), first, frozenset({slot.value}), self._traffic.searches, body=True
        )
        return all(one.kind is ProducerKind.TEXT and one.value.isdigit() for one in still)

    def _moved(self, proposal: Proposal) -> str:
        """Return another value of the kind that the extractor takes from the replayed response;
        empty if it takes none, or one that the request of that response had."""
        producer, was = proposal.producer, proposal.producer.extracted
        now = compile_source(proposal.source, proposal.match)(self._response(producer.transaction))
        if not now or now == was or not self._is_same_place(proposal):
            return ""
        if was.isdigit() and not now.isdigit():
            return ""
        value = filtered(now, producer.filters)
        if self._repeats(producer, value):
            return ""
        fits = EVIDENCE["not typed"](proposal.slot, producer, self._traffic) and (
            producer.kind not in (ProducerKind.TEXT, ProducerKind.LINK)
            or _BREAKS.search(now) is None
        )
        return now if fits else ""

    def _preference(self, producer: Producer) -> tuple[bool, tuple[int, bool, int, int]]:
        return self._repeats(producer, producer.value), _preference(producer)

    def _repeats(self, producer: Producer, now: str) -> bool:
        """Return whether the recorded request had what came back, and the replayed one ``now``."""
        at = producer.transaction
        was = self._traffic.steps[at].exchange
        if producer.kind in _NO_ECHO or was is None:
            return False
        if at not in self._said:
            self._said[at] = said(was), said(self._replayed.exchanges[at])
        then, lately = self._said[at]
        return producer.value in then and now in lately

    def _is_same_place(self, proposal: Proposal) -> bool:
        """Return whether lists on the way to a JSON value are as long as they were: else all may
        move."""
        one = proposal.producer
        was = _document(proposal, self._synthesis.response(one.transaction))
        now = _document(proposal, self._response(one.transaction))
        for step in one.steps:
            if isinstance(step, int) and (type(was) is not type(now) or len(was) != len(now)):
                return False  # in XML, one that is alone may be no list
            was, now = was[step], now[step]
        return True

    def _response(self, index: int) -> RecordedResponse:
        if index not in self._now:
            self._now[index] = RecordedResponse(self._replayed.exchanges[index])
        return self._now[index]


def _document(proposal: Proposal, response: RecordedResponse) -> Any:
    """Return the JSON or XML in which the proposal's value is; None if it is in none."""
    source: Source | None = proposal.source
    match = proposal.match
    read: Readable = response
    while isinstance(source, Decoded):
        text = compile_source(replace(source, inner=None), match)(read) or ""
        read, match, source = PlainText(text), source.match, source.inner
    if isinstance(source, XmlPath):
        return xml_document(read.text)
    return read.json() if isinstance(source, JsonPath) else None


def _preference(producer: Producer) -> tuple[int, bool, int, int]:
    """Return what ranks a producer: nothing to decode; no element of a list; the nearest response;
    structure before text."""
    kind = _KINDS.index(producer.kind)
    return producer.effort, producer.in_list, -producer.transaction, kind


_KINDS = tuple(ProducerKind)


def _witnessed(slot: Slot, alike: Sequence[Producer]) -> bool:
    """Return whether two responses gave the value out as an id, and both give out the same one
    now."""
    ids = {one.transaction for one in alike if one.kind is not ProducerKind.TEXT and _is_id(one)}
    return len(ids) > 1 and _is_for_ids(slot, alike)


def _is_id(producer: Producer) -> bool:
    """Return whether the place is one for ids: in JSON and XML it has to be called so."""
    return producer.kind not in (ProducerKind.JSON, ProducerKind.XML) or is_id_name(producer.name)


def _is_for_ids(slot: Slot, alike: Sequence[Producer]) -> bool:
    """Return whether the value is random; or else a number that a structure gave out, in a path or
    in a field for ids."""
    if looks_random(slot.value):
        return True
    structured = any(one.kind is not ProducerKind.TEXT for one in alike)
    return structured and _is_field_for_ids(slot)


def _is_field_for_ids(slot: Slot) -> bool:
    return slot.place is Place.PATH or is_id_name(slot.name)


def _is_called_alike(proposal: Proposal, traffic: Traffic) -> bool:
    """Return whether the place in the response has the name of the field, or is the id of its
    resource.

    Which element of a list, or which link of a page, may be a person's choice. A word in a text is
    one of many.
    """
    slot, producer, source = proposal.slot, proposal.producer, proposal.source
    if producer.in_list or producer.kind is ProducerKind.LINK:
        return False
    if (
        producer.kind is ProducerKind.TEXT
        and not slot.value.isdigit()
        and not looks_random(slot.value)
    ):
        return False
    names = {same_name(name) for name in (slot.name, singular(slot.name)) if HOLE not in name}
    names = {name for name in names if len(name) > 1}
    if isinstance(source, Boundary):
        left = same_name(source.left)
        return any(name in left for name in names)
    resource = producer.kind is ProducerKind.JSON and EVIDENCE["same thing"](
        slot, producer, traffic
    )
    return resource or same_name(producer.name) in names
