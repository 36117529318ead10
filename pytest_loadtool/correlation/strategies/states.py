"""States: which version is that of the very resource that a request is about.

Two resources may have version 7 at once, so the number alone does not tell whose it is.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import chain
from typing import Any

from pytest_loadtool.codec.flattened import expanded
from pytest_loadtool.codec.names import plain
from pytest_loadtool.correlation.classify import (
    id_before_ending,
    is_id_name,
    is_moment,
    is_path_id,
    is_version_name,
    looks_random,
)
from pytest_loadtool.correlation.graphql import operation
from pytest_loadtool.correlation.index.traffic import Traffic
from pytest_loadtool.correlation.kinds import ARGUMENTS, id_stem
from pytest_loadtool.correlation.producer import DOCUMENTS, Producer
from pytest_loadtool.correlation.requests.slots import Slot
from pytest_loadtool.correlation.responses.objects import inner
from pytest_loadtool.correlation.responses.xml_document import xml_document
from pytest_loadtool.model.place import Place
from pytest_loadtool.model.rule import ProducerKind, same_name

#: Words in the names of what becomes another with each change.
_OF_CHANGES = frozenset(
    {"changed", "change", "last", "modification", "modified", "mtime", "update", "updated"}
)
#: A longer request is not taken apart.
_LONGEST_BODY = 50_000


def of_the_resource_first(
    producers: Sequence[Producer], slot: Slot, traffic: Traffic
) -> Sequence[Producer]:
    """Return the producers of a version or a moment, those first that stand beside an id or address
    which the slot's own request has, and of one response those that are called as the slot; without
    those that stand beside the id of another resource than the slot does. All others as they
    are."""
    if not producers or not (is_version_name(slot.name) or is_moment(slot.value)):
        return producers
    own = _named(_holder(slot, traffic))
    known = [one for one in producers if not _is_of_another(one, own, traffic)]
    path = _path(slot.transaction, traffic)
    ids = {path} | _ids(slot, traffic)
    order: dict[tuple[int, bool], int] = {}
    for at, one in enumerate(known):
        order.setdefault((one.transaction, one.in_list), at)

    def rank(one: Producer) -> tuple[bool, int, int, int]:
        nearest = order[one.transaction, one.in_list]
        return not _is_of(one, path, ids, traffic), nearest, unlike(one, slot), len(one.steps)

    return sorted(known, key=rank)


def unlike(one: Producer, slot: Slot) -> int:
    """Return how little a producer is called as the slot: 0, as it is; 1, as what becomes another
    with each change; 2, otherwise."""
    if same_name(one.name) == same_name(slot.name):
        return 0
    return 2 if _OF_CHANGES.isdisjoint(plain(one.name).split()) else 1


def read_of_it(slot: Slot, producer: Producer, traffic: Traffic) -> bool:
    """Return whether what gives the value is the very resource that the slot's request is about."""
    ids = {_path(slot.transaction, traffic)} | _ids(slot, traffic)
    return _is_of(producer, _path(slot.transaction, traffic), ids, traffic)


def _is_of(one: Producer, path: str, ids: Set[str], traffic: Traffic) -> bool:
    """Return whether what has the version is at that path, unless all calls go there; or has one of
    the ids as its own, or, if it has none, beside it."""
    step = traffic.steps[one.transaction]
    if step.exchange is None:
        return False
    beside = _beside(one, traffic)
    own = [str(value) for name, value in beside.items() if _is_own(name)]
    if own:
        return not ids.isdisjoint(own)
    is_call = step.called != step.path or operation(step.exchange) is not None
    if not is_call and _path(one.transaction, traffic) == path:
        parts = path.split("/")
        known = {path, *parts, *map(id_before_ending, parts)}
        return any(map(is_path_id, parts)) or ids <= known
    return any(str(value) in ids for name, value in beside.items() if _tells(name, "href"))


def _is_own(name: str) -> bool:
    return is_id_name(name) and not id_stem(name) and not is_version_name(name)


def _is_of_another(one: Producer, own: Mapping[str, str], traffic: Traffic) -> bool:
    """Return whether what has the version is called by other ids than those of the same names that
    stand beside the slot."""
    beside = _named(_beside(one, traffic)) if own else {}
    both = own.keys() & beside.keys()
    return bool(both) and all(own[name] != beside[name] for name in both)


def has_its_ids(one: Producer, slot: Slot, traffic: Traffic) -> bool:
    """Return whether another id, which no two things have, stands beside the slot and beside what
    has the value: ``{"id": 1, "documentId": "fyb73rc1ayr4uh3y460ewa6p"}``."""
    if slot.place not in (Place.JSON, Place.JSON_STRING) or not is_id_name(slot.name):
        return False
    own = {name: value for name, value in _ids_beside(slot, traffic).items() if looks_random(value)}
    beside = _named(_beside(one, traffic)) if own else {}
    return any(beside.get(name) == value for name, value in own.items())


def _ids_beside(slot: Slot, traffic: Traffic) -> dict[str, str]:
    own = _named(_holder(slot, traffic))
    own.pop(same_name(slot.name), None)
    return own


def _named(fields: Mapping[str, Any]) -> dict[str, str]:
    """Return those of the fields that tell which resource it is."""
    return {
        same_name(name): str(value)
        for name, value in fields.items()
        if _tells(name) and not is_version_name(name) and isinstance(value, str | int)
    }


def _tells(name: str, *others: str) -> bool:
    return is_id_name(name) or same_name(name) == "key" or name in others


def _beside(one: Producer, traffic: Traffic) -> Mapping[str, Any]:
    """Return the object of a document that has the value, or the next around it that has an id; of
    XML, what leads to it is known in lists alone."""
    step = traffic.steps[one.transaction]
    if one.kind not in DOCUMENTS or one.box is not None or step.exchange is None:
        return {}
    response = traffic.response(one.transaction)
    document = response.json() if one.kind is ProducerKind.JSON else xml_document(response.text)
    if not one.steps:
        return _only(document, one.name, one.value)
    around = (inner(document, one.steps[:end]) for end in reversed(range(len(one.steps))))
    objects = [each for each in around if isinstance(each, dict)]
    named = (each for each in objects if _named(each))
    return next(named, objects[0] if objects else {})


def _sent_document(slot: Slot, traffic: Traffic) -> Any:
    """Return the document of the request's body, if the slot is in one."""
    exchange = traffic.steps[slot.transaction].exchange
    body = exchange.request_body if exchange is not None and slot.part == "body" else b""
    if body[:1] not in (b"{", b"[", b"<") or len(body) > _LONGEST_BODY:
        return None
    try:
        return xml_document(body.decode()) if body[:1] == b"<" else expanded(json.loads(body))
    except (ValueError, RecursionError):
        return None


def _only(document: Any, name: str, value: str) -> Mapping[str, Any]:
    """Return the only object of a document that has a value under a name."""
    found = _holding(document, name, value)
    return found[0] if len(found) == 1 else {}


def _holding(document: Any, name: str, value: str) -> list[dict[str, Any]]:
    return [one for one in _objects(document) if str(one.get(name)) == value]


def _objects(document: Any) -> Iterator[dict[str, Any]]:
    stack = [document]
    while stack:
        one = stack.pop()
        if isinstance(one, dict):
            yield one
            stack += reversed(one.values())
        elif isinstance(one, list):
            stack += reversed(one)


def _path(at: int, traffic: Traffic) -> str:
    return traffic.steps[at].address.partition("?")[0]


def _ids(slot: Slot, traffic: Traffic) -> set[str]:
    """Return what may be the id of the resource: what is called so, stands in the path, or is an
    argument of a call without a name; not that of what the object around the slot holds, and none
    of the body but its own, if it has one."""
    holder = _holder(slot, traffic)
    own = {str(value) for name, value in holder.items() if _tells(name)}
    held = {
        str(value)
        for below in holder.values()
        for one in _objects(below)
        for name, value in one.items()
        if _tells(name)
    }
    return own | {
        one.value
        for one in traffic.slots_of(slot.transaction)
        if one.place is Place.PATH
        or (not (own and one.part == "body") and one.value not in held and _names_it(one))
    }


def _names_it(slot: Slot) -> bool:
    return _tells(slot.name) or slot.name in ARGUMENTS


def _holder(slot: Slot, traffic: Traffic) -> Mapping[str, Any]:
    """Return the object of the request's document in which the slot stands; of several that are
    alike there, the one of its number."""
    found = _holding(_sent_document(slot, traffic), slot.name, slot.value)
    if len(found) < 2:
        return found[0] if found else {}
    alike = [
        one.start
        for one in traffic.slots_of(slot.transaction)
        if (one.name, one.value, one.part) == (slot.name, slot.value, slot.part)
    ]
    return found[alike.index(slot.start)] if len(alike) == len(found) else {}


def outlasts(slot: Slot, traffic: Traffic) -> bool:
    """Return whether one place has the version before such a change and after it: then it is that
    of a format, as ``"version": 37`` of a configuration is."""
    change = traffic.steps[slot.transaction]
    if change.called != change.path:
        return False
    reads: dict[object, list[int]] = {}
    for one in chain.from_iterable(traffic.responses.producers.get(slot.value, {}).values()):
        step = traffic.steps[one.transaction]
        if not step.changes_state and is_version_name(one.name) and not one.of_many:
            reads.setdefault((step.address, one.kind, one.steps), []).append(one.transaction)
    return any(
        there[0] < at < there[-1]
        for there in reads.values()
        for at in traffic.requests.changes
        if traffic.steps[at].path == change.path
        and _succeeded(at, traffic)
        and any(
            one.value == slot.value and is_version_name(one.name) for one in traffic.slots_of(at)
        )
    )


def _succeeded(at: int, traffic: Traffic) -> bool:
    exchange = traffic.steps[at].exchange
    return exchange is not None and 200 <= exchange.status < 400
