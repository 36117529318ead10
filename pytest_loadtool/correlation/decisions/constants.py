"""Constants: what looks like an id and is sent as recorded, so that nothing stays unsaid."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from enum import Enum

from pytest_loadtool.codec.names import CREDENTIALS, is_secret
from pytest_loadtool.correlation.classify import (
    SWITCHES,
    is_chosen,
    is_id_name,
    looks_like_time,
    looks_random,
)
from pytest_loadtool.correlation.decisions.notes import Title, consumers
from pytest_loadtool.correlation.index.traffic import Traffic
from pytest_loadtool.correlation.producer import Producer
from pytest_loadtool.correlation.requests.edits import overlap
from pytest_loadtool.correlation.requests.slots import Part, Slot
from pytest_loadtool.correlation.responses.recorded import RecordedResponse
from pytest_loadtool.correlation.strategies.evidence import EVIDENCE, was_typed
from pytest_loadtool.correlation.strategies.typed import is_typed
from pytest_loadtool.model.decision import Decision
from pytest_loadtool.model.place import Place
from pytest_loadtool.model.rule import ProducerKind

#: A short code: letters and digits that change more than once.
_CODE = re.compile(r"(?=\w*\d)(?=\w*[A-Za-z])(?:\d+[A-Za-z]+\d|[A-Za-z]+\d+[A-Za-z])\w*", re.ASCII)
_SHORTEST_CODE = 6
#: A longer text in a field for ids is none.
_LONGEST_ID = 64
#: What is no id, in a field for one.
_NOTHING = frozenset({"0", "-1", "null", "none", "nil", "undefined", "nan"})
_YEAR = re.compile(r"(?:19|20)\d\d")
_NUMBER = re.compile(r"\d+", re.ASCII)
#: For how many fields all texts are searched.
_MOST_SOUGHT = 50
#: Fields that are named in the line on what a program chooses with.
_MOST_NAMED = 8


class _Why(Enum):
    """The reasons why a constant is one: sentences with ``{producer}`` to fill in."""

    GIVEN = (
        "{producer} gave the value out, and nothing but the value tells that it comes from there: "
        "`configure --replay` shows whether it does."
    )
    OWN = "A request had the value before any response did."
    TYPED = "A person wrote it into a form."
    UNKNOWN = "No response before has the value: it was typed, or is part of the program."
    UNSOUGHT = "Where it comes from was not looked for: too many fields are like it."


def constant_notes(traffic: Traffic, settled: Iterable[Slot], title: Title) -> Iterator[Decision]:
    """Yield one decision for each field that sends what looks like an id as it was recorded, and
    one for all that a program counts and chooses with. Of ``settled`` slots something was said."""
    known = set(map(_slot_key, settled))
    left: dict[tuple[str, _Why], tuple[int, list[Slot]]] = {}
    chosen: dict[str, list[Slot]] = {}
    reasons: dict[tuple[str, str], tuple[_Why, int]] = {}
    for slot in _unsettled(traffic, known):
        name = _label(slot)
        if _is_chosen(slot):
            chosen.setdefault(name, []).append(slot)
            continue
        key = name, slot.value
        if key not in reasons:
            reasons[key] = _why(traffic, slot)
        why, producer = reasons[key]
        left.setdefault((name, why), (producer, []))[1].append(slot)
    unknown = [slots[0] for (_, why), (_, slots) in left.items() if why is _Why.UNKNOWN]
    shown = _in_texts(traffic, unknown[:_MOST_SOUGHT])
    unsought = set(unknown[_MOST_SOUGHT:])
    for (name, why), (producer, slots) in left.items():
        first = slots[0]
        if first in shown:
            producer = shown[first]
            new = producer < traffic.requests.sent_as[first.value, first.name]
            why = _Why.GIVEN if new else _Why.OWN
        elif first in unsought:
            why = _Why.UNSOUGHT
        yield _note(name, why, "" if producer < 0 else title(producer), slots, title)
    if chosen:
        yield _chosen_note(chosen, title)


#: Where a slot is: of one that is claimed, the filters may be others.
_SlotKey = tuple[int, Part, int, int, int]


def _slot_key(slot: Slot) -> _SlotKey:
    return slot.owner, slot.part, slot.start, slot.end, slot.depth


def _unsettled(traffic: Traffic, known: Container[_SlotKey]) -> Iterator[Slot]:
    """Yield what looks like an id, nothing being known of what it is, stands in, or has in it."""
    group: list[Slot] = []  # a value, and those within it
    for slot in (*traffic.slots, None):
        if slot is not None and slot.depth:
            group.append(slot)
            continue
        said = [one for one in group if _slot_key(one) in known]
        for one in group:
            if _looks_like_id(one) and not any(overlap(one, other) for other in said):
                said.append(one)
                yield one
        group = [] if slot is None else [slot]


def _looks_like_id(slot: Slot) -> bool:
    value = slot.value
    if slot.in_cookie or is_typed(slot) or value.lower() in _NOTHING:
        return False
    if looks_random(value):
        return not looks_like_time(value) or is_id_name(slot.name)
    if slot.depth:
        return False
    if _NUMBER.fullmatch(value):
        counts = _is_chosen(slot) and value not in SWITCHES
        return counts or slot.place is Place.PATH or is_id_name(slot.name)
    if is_id_name(slot.name):
        return value not in SWITCHES and len(value) <= _LONGEST_ID and len(value.split()) == 1
    return len(value) >= _SHORTEST_CODE and _CODE.fullmatch(value) is not None


def _is_chosen(slot: Slot) -> bool:
    return (is_chosen(slot.name) and len(slot.value) <= len("2026")) or (
        slot.place is Place.PATH and _YEAR.fullmatch(slot.value) is not None
    )


def _label(slot: Slot) -> str:
    """Return the field as people know it; a number in a path by what leads to it."""
    if slot.place is Place.PATH:
        return f"/{slot.name}/…" if slot.name else "the path"
    return slot.name or "the query"


def _why(traffic: Traffic, slot: Slot) -> tuple[_Why, int]:
    """Return why nothing was found, and the transaction that gave the value out; -1: none did."""
    if was_typed(slot, traffic):
        return _Why.TYPED, -1
    gave = _before(traffic.producers_of(slot.value), slot)
    gave = gave or _before(traffic.packed_of(slot.value), slot)
    if gave is None:
        return _Why.UNKNOWN, -1
    if not EVIDENCE["new"](slot, gave, traffic):
        return _Why.OWN, -1
    return _Why.GIVEN, gave.transaction


def _in_texts(traffic: Traffic, slots: Sequence[Slot]) -> dict[Slot, int]:
    """Return by slot the first transaction before it whose response has the value as it is, and
    whose request has not. The traffic knows only what has a name there, or is random."""
    found: dict[Slot, int] = {}
    for step in traffic.steps:
        said = traffic.requests.echoes.get(step.index, ())
        if step.exchange is None or step.is_static:
            continue
        response = RecordedResponse(step.exchange)
        for slot in slots:
            later = step.index < slot.transaction and slot not in found
            if later and slot.value not in said and response.holds(slot.value):
                found[slot] = step.index
    return found


def _before(producers: Iterable[Producer], slot: Slot) -> Producer | None:
    """Return the first of them that is no choice, in a response before the slot's request."""
    return next(
        (
            one
            for one in producers
            if one.transaction < slot.transaction and one.kind is not ProducerKind.CHOICE
        ),
        None,
    )


def _note(name: str, why: _Why, producer: str, slots: list[Slot], title: Title) -> Decision:
    values = dict.fromkeys(slot.value for slot in slots)
    users = consumers(slots, title)
    times = f" and {len(users) - 1} more" if len(users) > 1 else ""
    others = f", with {len(values)} values" if len(values) > 1 else ""
    first = slots[0]
    return Decision(
        value=first.value,
        variable="",
        producer=producer,
        consumers=users,
        rule="left",
        reason=f'{name} is sent as recorded by "{users[0]}"{times}{others}. '
        + why.value.format(producer=f'"{producer}"'),
        confidence=0.5 if why is _Why.GIVEN else 0.8,
        secret=any(map(_is_secret, slots)),
    )


def _is_secret(slot: Slot) -> bool:
    secret = is_secret(slot.name) or slot.name.lower() in CREDENTIALS
    return secret or looks_random(slot.value)


def _chosen_note(chosen: dict[str, list[Slot]], title: Title) -> Decision:
    named = [f"{name} {slots[0].value}" for name, slots in chosen.items()]
    more = f" and {len(named) - _MOST_NAMED} more" if len(named) > _MOST_NAMED else ""
    return Decision(
        value=next(iter(chosen.values()))[0].value,
        variable="",
        producer="",
        consumers=consumers((slot for slots in chosen.values() for slot in slots), title),
        rule="left",
        reason="Page numbers, sizes, versions and languages are sent as recorded: "
        f"{', '.join(named[:_MOST_NAMED])}{more}.",
        confidence=0.9,
    )
