"""The rules: names that are known, and what holds between a value and where it stands."""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from heapq import merge
from itertools import islice

from pytest_loadtool.codec.media import media_type
from pytest_loadtool.codec.names import is_given_out
from pytest_loadtool.correlation.classify import (
    is_id_name,
    is_moment,
    is_short_number,
    is_version_name,
)
from pytest_loadtool.correlation.index.indexing import MOST_PRODUCERS
from pytest_loadtool.correlation.index.meaning import is_for
from pytest_loadtool.correlation.index.traffic import ByKind, Traffic
from pytest_loadtool.correlation.kinds import resources_of
from pytest_loadtool.correlation.producer import DOCUMENTS, Producer
from pytest_loadtool.correlation.proposals import Issue, Miss, ProducerCandidate
from pytest_loadtool.correlation.requests.slots import Slot, target_slots
from pytest_loadtool.correlation.responses.producers import undo
from pytest_loadtool.correlation.strategies.evidence import holds
from pytest_loadtool.correlation.strategies.states import of_the_resource_first, unlike
from pytest_loadtool.correlation.strategies.strategy import Settled, Turn
from pytest_loadtool.extraction.json_steps import format_path
from pytest_loadtool.extraction.pattern import Pattern
from pytest_loadtool.model.extractor import JsonPath
from pytest_loadtool.model.place import Place
from pytest_loadtool.model.rule import ProducerKind, Rule

_KINDS = tuple(ProducerKind)
#: Of how many more producers those are looked at that answer a change, and how many of these count.
_MOST_BEYOND, _MOST_MADE = 100, 4


class Rules:
    """The rules, the most trusted first."""

    name = "rules"
    why = "A rule knows the field's name, or what tells a dynamic value."
    source = "rules.toml, and the files of a test case and a project"
    turns = frozenset({Turn.IN_ORDER})

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.rules = rules
        self._by_name = lru_cache(1 << 10)(partial(_called, rules))

    def propose(
        self, slots: Sequence[Slot], traffic: Traffic, known: Settled
    ) -> Iterator[ProducerCandidate | Miss]:
        """Yield each rule with each producer for which all its evidence holds, in the order of the
        rules, and for one rule the nearest producer first; then likewise those that a client has to
        decode. If there is none, that the rule which knows the field leaves it as it is."""
        for slot in slots:
            nothing, rules = True, self._by_name(slot.name, slot.place)
            for rule, producer in _candidates(traffic, slot, rules, known):
                nothing = False
                yield ProducerCandidate(slot, rule, producer)
            if nothing and (rule_known := rule_by_name(slot, rules)) is not None:
                if rule_known.leave:
                    yield Miss(slot, rule_known, rule_known.reason)
                elif not slot.depth and rule_known.unfound:
                    yield Miss(slot, rule_known, rule_known.unfound)


def _candidates(
    traffic: Traffic, slot: Slot, rules: Sequence[Rule], known: Settled
) -> Iterator[tuple[Rule, Producer]]:
    responses = traffic.responses
    address = (
        traffic.linked_as(slot.transaction) if slot.part == "target" and not slot.depth else ""
    )
    if slot.place is Place.QUERY and "?" not in address:
        address = ""  # the link has not what its router adds
    plain = responses.producers.get(slot.value, {})
    if plain or address in responses.links:
        yield from _believed(traffic, slot, rules, plain, address, known)
    if packed := responses.packed.get(slot.value):
        yield from _believed(traffic, slot, rules, packed, "", known)


def _believed(
    traffic: Traffic,
    slot: Slot,
    rules: Sequence[Rule],
    producers: ByKind,
    address: str,
    known: Settled,
) -> Iterator[tuple[Rule, Producer]]:
    first: dict[Sequence[ProducerKind], Sequence[Producer]] = {(): ()}
    there = {*producers, *((ProducerKind.LINK,) if address in traffic.responses.links else ())}
    for rule in rules:
        if not _takes(rule, slot):
            continue
        if rule.leave:
            return
        kinds = tuple(filter(there.__contains__, rule.kinds))
        if kinds not in first:
            nearest = _called_so_first(_nearest(traffic, slot, producers, kinds, address), slot)
            some = [*islice(nearest, MOST_PRODUCERS), *_made_before(nearest, slot, traffic)]
            alone = _alone_first(some, slot, traffic)
            first[kinds] = of_the_resource_first(alone, slot, traffic)
        for producer in first[kinds]:
            if _gives(rule, producer) and all(
                holds(one, slot, producer, traffic, known.own) for one in rule.evidence
            ):
                yield rule, producer


def _made_before(further: Iterator[Producer], slot: Slot, traffic: Traffic) -> Iterator[Producer]:
    """Return, of some that are further away, the nearest ids in answers to changes of such a thing:
    many things have a small number, and the one that was made has it first."""
    is_of_it: dict[tuple[str, tuple[str | int, ...]], bool] = {}

    def was_made(one: Producer) -> bool:
        step = traffic.steps[one.transaction]
        if not step.changes_state or not is_id_name(one.name):
            return False
        key = step.called, one.steps
        if key not in is_of_it:
            is_of_it[key] = is_for(slot, resources_of(one, step.called), traffic)
        return is_of_it[key]

    some = islice(further, _MOST_BEYOND if is_short_number(slot.value) else 0)
    return islice(filter(was_made, some), _MOST_MADE)


def rule_by_name(slot: Slot, rules: Sequence[Rule]) -> Rule | None:
    """Return the rule that leaves the slot alone, or else knows it by name; nothing need produce
    it."""
    named = (rule for rule in _called(rules, slot.name, slot.place) if rule.used_as or rule.leave)
    known = [rule for rule in named if _takes(rule, slot)]
    return next((rule for rule in known if rule.leave), known[0] if known else None)


def issued(traffic: Traffic, rules: Sequence[Rule]) -> Iterator[Issue]:
    """Yield the tokens to extract, used or not, each with the rule that knows its name."""
    for producer in traffic.responses.tokens:
        rule = next((one for one in rules if producer.name in one.produced_as), None)
        if rule is not None:
            yield Issue(producer, rule, JsonPath(format_path(producer.steps)))


def _called(rules: Sequence[Rule], name: str, place: Place) -> tuple[Rule, ...]:
    """Return the rules for a field of that name in that place, whatever its value."""
    return tuple(
        rule
        for rule in rules
        if (not rule.places or place in rule.places) and (not rule.used_as or name in rule.used_as)
    )


def _takes(rule: Rule, slot: Slot) -> bool:
    return not rule.value or _fits(rule.value, slot.value)


@lru_cache(1 << 10)
def _fits(pattern: str, value: str) -> bool:
    return Pattern(pattern).fullmatch(value) is not None


def _gives(rule: Rule, producer: Producer) -> bool:
    """Return whether the value is named in the response as the rule wants it, or found by its
    pattern."""
    by_pattern = producer.kind is ProducerKind.TEXT and producer.text
    return (not rule.produced_as or producer.name in rule.produced_as) and (
        not by_pattern or producer.text == rule.pattern
    )


def _nearest(
    traffic: Traffic, slot: Slot, producers: ByKind, kinds: Sequence[ProducerKind], address: str
) -> Iterator[Producer]:
    """Yield the producers before the slot, the nearest response first; within it, by kind, then
    place."""

    def rank(one: Producer) -> tuple[int, int]:
        return kinds.index(one.kind), -1 if one.box is None else _KINDS.index(one.box.producer.kind)

    same: deque[Producer] = deque()
    for producer in _backwards(traffic, slot, producers, kinds, address):
        if same and producer.transaction != same[0].transaction:
            yield from sorted(same, key=rank)
            same.clear()
        same.appendleft(producer)
    yield from sorted(same, key=rank)


def _called_so_first(nearest: Iterator[Producer], slot: Slot) -> Iterator[Producer]:
    """Yield the same, but of a moment those first that are called as the slot, then those of a
    change: much may have been made in one second."""
    if not is_moment(slot.value):
        return nearest
    return iter(sorted(nearest, key=lambda one: unlike(one, slot)))


def _alone_first(producers: list[Producer], slot: Slot, traffic: Traffic) -> list[Producer]:
    """Return the same, but what no script can read last, what a long poll has brought after what
    was asked for, and values of a list after those that stand alone, in JSON and XML.

    What is the first of a list for one user is the third for another: of an id that one response
    has alone and a later one in a list, the former is this user's. Of a version, a moment or a
    token the latest counts.
    """
    latest = is_version_name(slot.name) or is_given_out(slot.name) or is_moment(slot.value)
    alone = not latest and any(one.kind in DOCUMENTS and not one.of_many for one in producers)
    waited = traffic.responses.waited
    return sorted(
        producers,
        key=lambda one: (one.effort, one.transaction in waited, alone and one.of_many),
    )


def _backwards(
    traffic: Traffic, slot: Slot, producers: ByKind, kinds: Sequence[ProducerKind], address: str
) -> Iterator[Producer]:
    started = _started(traffic, slot.transaction)
    if ProducerKind.LINK in kinds:
        for producer in _before(traffic.responses.links.get(address, ()), slot):
            if not _repeated(traffic, producer.transaction, slot):
                yield _linked(producer, slot)
    of_kinds = (_before(producers[kind], slot) for kind in kinds if kind in producers)
    for producer in merge(*of_kinds, key=lambda one: -one.transaction):
        if _known_at(traffic, producer) <= started:
            yield producer


def _repeated(traffic: Traffic, at: int, slot: Slot) -> bool:
    """Return whether a page says what it was asked for: a short number where that had the same
    name, as ``/notes/3`` in ``/issues/3`` is another resource."""
    if not is_short_number(slot.value):
        return slot.value in traffic.requests.echoes.get(at, ())
    asked = traffic.asked_for(slot)
    numbers = traffic.requests.numbers.get((at, slot.value), ())
    return any(traffic.asked_for(one) == asked for one in numbers)


def _linked(producer: Producer, slot: Slot) -> Producer:
    """Return the producer of a slot's value in a link to the very address of its request."""
    producer = replace(producer, value=slot.value, name=slot.name, before=slot.before)
    if "%" not in producer.text:
        return producer
    spans = target_slots(producer.text, producer.transaction)
    for span in spans:
        if span.value == slot.value and (filters := undo(span)) is not None:
            return replace(producer, encoded=span.raw, filters=filters)
    return producer


def _before(producers: Sequence[Producer], slot: Slot) -> Iterator[Producer]:
    """Return those in responses before the slot's request, from the last to the first."""
    end = bisect_left(producers, slot.transaction, key=lambda one: one.transaction)
    return (producers[position] for position in range(end - 1, -1, -1))


def _known_at(traffic: Traffic, producer: Producer) -> float:
    """Return when a script may have had the value first: a document is read when all of it has
    come, be it after a long wait; a page while it comes."""
    exchange = traffic.steps[producer.transaction].exchange
    if exchange is None or producer.kind not in DOCUMENTS:
        return _started(traffic, producer.transaction)
    streamed = media_type(exchange.response_header("content-type")) == "text/event-stream"
    return exchange.started if streamed else exchange.started + exchange.took


def _started(traffic: Traffic, transaction: int) -> float:
    exchange = traffic.steps[transaction].exchange
    return exchange.started if exchange is not None else 0.0
