"""Beliefs: from which responses a slot may take its value, the most trusted first."""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from heapq import merge
from itertools import islice

from pytest_loadtool.codec.place import Place
from pytest_loadtool.correlation.evidence import EVIDENCE
from pytest_loadtool.correlation.looks import (
    is_secret_name,
    is_short_number,
    looks_random,
    names_somebody,
)
from pytest_loadtool.correlation.producer import Producer
from pytest_loadtool.correlation.producers import undo
from pytest_loadtool.correlation.slots import Slot, target_slots
from pytest_loadtool.correlation.traffic import MOST_PRODUCERS, ByKind, Traffic
from pytest_loadtool.extraction.pattern import Pattern
from pytest_loadtool.model.rule import Kind, Rule, same_name

_KINDS = tuple(Kind)
#: What both things and the fields are called in which people say who they are.
_ALSO_THINGS = frozenset({"account", "user"})


def beliefs(traffic: Traffic, slot: Slot, rules: Sequence[Rule]) -> Iterator[tuple[Rule, Producer]]:
    """Each rule with each producer for which all its evidence holds.

    In the order of the rules, and for one rule the nearest producer first; then likewise those that
    a client has to decode. A rule that leaves the slot alone ends them.
    """
    address = (
        traffic.steps[slot.transaction].address if slot.part == "target" and not slot.depth else ""
    )
    plain, packed = traffic.producers.get(slot.value, {}), traffic.packed.get(slot.value, {})
    if plain or address in traffic.links:
        yield from _believed(traffic, slot, rules, plain, address)
    if packed:
        yield from _believed(traffic, slot, rules, packed, "")


def _believed(
    traffic: Traffic, slot: Slot, rules: Sequence[Rule], producers: ByKind, address: str
) -> Iterator[tuple[Rule, Producer]]:
    for rule in rules:
        if not _takes(rule, slot):
            continue
        if rule.leave:
            return
        nearest = _nearest(traffic, slot, producers, rule.kinds, address)
        near = list(islice(nearest, MOST_PRODUCERS))
        for producer in _alone_first(near):
            if _gives(rule, producer) and all(
                EVIDENCE[one](slot, producer, traffic) for one in rule.evidence
            ):
                yield rule, producer


def is_typed(slot: Slot) -> bool:
    """Whether a person types such a field: a secret, or who they are (unless it is an id: random,
    or in JSON the number of a user)."""
    if slot.part != "body":
        return False
    in_json = slot.place in (Place.JSON, Place.JSON_STRING)
    number = in_json and is_short_number(slot.value) and same_name(slot.name) in _ALSO_THINGS
    return is_secret_name(slot.name) or (
        names_somebody(slot.name, slot.value) and not looks_random(slot.value) and not number
    )


def rule_by_name(slot: Slot, rules: Sequence[Rule]) -> Rule | None:
    """The rule that leaves the slot alone, or else knows it by name; nothing need produce it."""
    known = [rule for rule in rules if (rule.used_as or rule.leave) and _takes(rule, slot)]
    return next((rule for rule in known if rule.leave), known[0] if known else None)


def left_alone(slot: Slot, rules: Sequence[Rule]) -> bool:
    """Whether a rule says that such a value is sent as recorded."""
    return any(rule.leave and _takes(rule, slot) for rule in rules)


def _takes(rule: Rule, slot: Slot) -> bool:
    return (
        (not rule.places or slot.place in rule.places)
        and (not rule.used_as or slot.name in rule.used_as)
        and (not rule.value or Pattern(rule.value).fullmatch(slot.value) is not None)
    )


def _gives(rule: Rule, producer: Producer) -> bool:
    """Whether the value is named in the response as the rule wants it, or found by its pattern."""
    by_pattern = producer.kind is Kind.TEXT and producer.text
    return (not rule.produced_as or producer.name in rule.produced_as) and (
        not by_pattern or producer.text == rule.pattern
    )


def _nearest(
    traffic: Traffic, slot: Slot, producers: ByKind, kinds: Sequence[Kind], address: str
) -> Iterator[Producer]:
    """The producers before the slot, the nearest response first; within it, by kind, then place."""

    def rank(one: Producer) -> tuple[int, int]:
        return kinds.index(one.kind), -1 if one.box is None else _KINDS.index(one.box.producer.kind)

    same: deque[Producer] = deque()
    for producer in _backwards(traffic, slot, producers, kinds, address):
        if same and producer.transaction != same[0].transaction:
            yield from sorted(same, key=rank)
            same.clear()
        same.appendleft(producer)
    yield from sorted(same, key=rank)


def _alone_first(producers: list[Producer]) -> list[Producer]:
    """The same, but what no script can read last, and JSON values of a list after those that stand
    alone.

    What is the first of a list for one user is the third for another: of an id that one response
    has alone and a later one in a list, the former is this user's.
    """
    alone = any(one.kind is Kind.JSON and not one.in_list for one in producers)
    return sorted(producers, key=lambda one: (one.effort, alone and one.in_list))


def _backwards(
    traffic: Traffic, slot: Slot, producers: ByKind, kinds: Sequence[Kind], address: str
) -> Iterator[Producer]:
    started = _started(traffic, slot.transaction)
    if Kind.LINK in kinds:
        for producer in _before(traffic.links.get(address, ()), slot):
            if not _repeated(traffic, producer.transaction, slot):
                yield _linked(producer, slot)
    of_kinds = (_before(producers[kind], slot) for kind in kinds if kind in producers)
    for producer in merge(*of_kinds, key=lambda one: -one.transaction):
        if _started(traffic, producer.transaction) <= started:
            yield producer


def _repeated(traffic: Traffic, at: int, slot: Slot) -> bool:
    """Whether a page says what it was asked for: a short number where that had the same name, as
    ``/notes/3`` in ``/issues/3`` is another thing."""
    if not is_short_number(slot.value):
        return slot.value in traffic.echoes.get(at, ())
    asked = traffic.asked_for(slot)
    numbers = traffic.numbers.get((at, slot.value), ())
    return any(traffic.asked_for(one) == asked for one in numbers)


def _linked(producer: Producer, slot: Slot) -> Producer:
    """The producer of a slot's value in a link to the very address of its request."""
    producer = replace(producer, value=slot.value, name=slot.name, before=slot.before)
    if "%" not in producer.text:
        return producer
    spots = target_slots(producer.text, producer.transaction)
    for spot in spots:
        if spot.value == slot.value and (filters := undo(spot)) is not None:
            return replace(producer, encoded=spot.raw, filters=filters)
    return producer


def _before(producers: Sequence[Producer], slot: Slot) -> Iterator[Producer]:
    """Those in responses before the slot's request, from the last to the first."""
    end = bisect_left(producers, slot.transaction, key=lambda one: one.transaction)
    return (producers[position] for position in range(end - 1, -1, -1))


def _started(traffic: Traffic, transaction: int) -> float:
    exchange = traffic.steps[transaction].exchange
    return exchange.started if exchange is not None else 0.0
