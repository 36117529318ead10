"""Changes: the requests that do something, what they say of a thing, and which thing that is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_loadtool.correlation.computed import Computed
from pytest_loadtool.correlation.graphql import operation
from pytest_loadtool.correlation.jsonpath import json_text
from pytest_loadtool.correlation.looks import (
    is_id_name,
    is_secret_name,
    looks_random,
    plain,
    singular,
)
from pytest_loadtool.correlation.marks import Mark, sent_marks
from pytest_loadtool.correlation.slots import Slot
from pytest_loadtool.correlation.traffic import Step, Traffic
from pytest_loadtool.correlation.variables import Found
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.place import Place
from pytest_loadtool.model.template import escape

__all__ = ["Change", "Said", "Thing", "changes_of", "walk"]

#: The first words of operations that only read, although they are sent by POST.
_READING = frozenset(
    {
        *("browse", "check", "count", "describe", "exists", "fetch", "filter", "find", "get"),
        *("has", "list", "load", "lookup", "peek", "ping", "preview", "query", "read", "search"),
        *("select", "show", "stats", "suggest", "validate", "view"),
    }
)
_NUMBER = re.compile(r"-?\d{1,12}(?:\.\d{1,6})?")
_ID = re.compile(r"\d+|[0-9a-fA-F]{8}-[0-9a-fA-F-]{27}")
#: How many values of a JSON document are looked at, and how deep.
_MOST_NODES, _DEEPEST = 20_000, 12


@dataclass(frozen=True, slots=True)
class Said:
    """A value that a change sends: the field's name, the value as text as it was recorded, and what
    stands for it in the test case, a template."""

    field: str
    value: str
    template: str

    @property
    def is_text(self) -> bool:
        """Whether it has letters, so that it may tell one thing from another."""
        return any(map(str.isalpha, self.value)) and self.value not in ("true", "false")


@dataclass(frozen=True, slots=True)
class Thing:
    """The id of what a change is about: recorded, as a template, and what such a thing is called.

    ``given`` says that the answer to the change gave it out.
    """

    id: str
    template: str
    noun: str
    given: bool = False


@dataclass(frozen=True, slots=True)
class Change:
    """A transaction that does something, with what it says and of which things."""

    step: Step
    said: tuple[Said, ...]
    things: tuple[Thing, ...]


def changes_of(
    traffic: Traffic, found: Sequence[Found], computed: Sequence[Computed]
) -> Iterator[Change]:
    """The changes of a session that went well, in their order."""
    made: list[Found | Computed] = [*found, *computed]
    names = {slot: one for one in made for slot in one.slots}
    texts: dict[int, list[Mark]] = {}
    for mark in sent_marks(traffic, made):
        texts.setdefault(mark.at, []).append(mark)
    given: dict[int, list[Found]] = {}
    for one in found:
        given.setdefault(one.producer.transaction, []).append(one)
    for step in traffic.steps:
        if step.exchange is None or not step.changes_things or reads(step, step.exchange):
            continue
        if 200 <= step.exchange.status < 400:
            at = step.index
            slots = list(traffic.slots_of(at))
            said = [Said(one.field, one.recorded, one.template) for one in texts.get(at, ())]
            said += _others(slots, names, step)
            things = [*_given(given.get(at, ())), *_about(slots, names)]
            yield Change(step, tuple(dict.fromkeys(said)), tuple(_each_once(things)))


def reads(step: Step, exchange: Exchange) -> bool:
    """Whether a request that is sent by a method for changes asks for something alone."""
    asked = operation(exchange)
    if asked is not None:
        return not asked.changes
    called = step.path.rstrip("/").rpartition("/")[2]
    document = _json(exchange.request_body) if step.transaction.request.body else None
    if isinstance(document, dict) and isinstance(document.get("method"), str):
        called = re.split(r"[./:]", document["method"])[-1]
    elif action := exchange.request_header("soapaction"):
        called = re.split(r"[/#:]", action.strip('"'))[-1]
    return plain(called).split()[:1] != [] and plain(called).split()[0] in _READING


def walk(document: Any) -> Iterator[tuple[tuple[str | int, ...], dict[str, Any]]]:
    """Each object in a JSON document with the keys and indexes that lead to it."""
    waiting: list[tuple[tuple[str | int, ...], Any]] = [((), document)]
    seen = 0
    while waiting and seen < _MOST_NODES:
        steps, value = waiting.pop()
        seen += 1
        if isinstance(value, dict):
            yield steps, value
        if len(steps) < _DEEPEST:
            inner: Iterable[tuple[str | int, Any]] = ()
            if isinstance(value, dict):
                inner = value.items()
            elif isinstance(value, list):
                inner = enumerate(value)
            waiting += [((*steps, key), one) for key, one in inner if isinstance(one, dict | list)]


def _given(found: Iterable[Found]) -> Iterator[Thing]:
    for one in found:
        where = next((slot for slot in one.slots if _names_a_thing(slot)), None)
        if where is not None and not one.producer.filters:
            yield Thing(one.recorded, f"${{{one.name}}}", _noun(where), given=True)


def _about(slots: Iterable[Slot], names: Mapping[Slot, Found | Computed]) -> Iterator[Thing]:
    for slot in slots:
        if not _names_a_thing(slot):
            continue
        one = names.get(slot)
        if one is not None:
            if one.recorded == slot.value:
                yield Thing(slot.value, f"${{{one.name}}}", _noun(slot))
        elif _ID.fullmatch(slot.value) or looks_random(slot.value):
            yield Thing(slot.value, escape(slot.value), _noun(slot))


def _names_a_thing(slot: Slot) -> bool:
    if is_secret_name(slot.name) or slot.users:
        return False
    return slot.place is Place.PATH or is_id_name(slot.name)


def _noun(slot: Slot) -> str:
    """``order`` of the id in ``/orders/17`` and in ``order_id=17``."""
    words = singular(slot.name).split()
    if words and is_id_name(words[-1]) and slot.place is not Place.PATH:
        words = words[:-1]
    return " ".join(words) or "thing"


def _each_once(things: Iterable[Thing]) -> Iterable[Thing]:
    known: dict[str, Thing] = {}
    for one in things:
        known.setdefault(one.id, one)
    return known.values()


def _others(
    slots: Iterable[Slot], names: Mapping[Slot, Found | Computed], step: Step
) -> Iterator[Said]:
    """The numbers, and the booleans of JSON."""
    for slot in slots:
        if slot.part == "body" and slot not in names and _NUMBER.fullmatch(slot.value):
            yield Said(slot.name, slot.value, slot.value)
    assert step.exchange is not None, "changes have one"
    for _, one in walk(_json(step.exchange.request_body)):
        for key, value in one.items():
            if isinstance(value, bool):
                text = json_text(value) or ""
                yield Said(key, text, text)


def _json(body: bytes) -> Any:
    if body.lstrip()[:1] not in (b"{", b"["):
        return None
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None
