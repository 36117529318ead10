"""Whether a field is one for the ids of a kind of resource."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_loadtool.codec.names import plain
from pytest_loadtool.correlation.classify import (
    AMOUNTS,
    collection_names,
    is_id_name,
    is_short_number,
    is_version_name,
    singular,
)
from pytest_loadtool.correlation.graphql import argument_of, declared_ids, operation
from pytest_loadtool.correlation.index.spelling import slug
from pytest_loadtool.correlation.kinds import (
    ARGUMENTS,
    KIND_WORDS,
    WRAPPERS,
    collection,
    compared,
    id_stem,
    is_called,
    resources_of,
    words_of,
    words_of_call,
)
from pytest_loadtool.correlation.producer import Producer
from pytest_loadtool.correlation.requests.parts import part_text
from pytest_loadtool.correlation.requests.positions import CALL, IN_NAME, WRITES
from pytest_loadtool.correlation.requests.slots import Masked, Slot
from pytest_loadtool.model.place import Place
from pytest_loadtool.model.rule import same_name

if TYPE_CHECKING:
    from pytest_loadtool.correlation.index.traffic import RecordedStep, Traffic

#: Names of fields and lists that say no more than that they hold ids; elements of a list without a
#: name, and arguments that have none.
_BARE = frozenset(
    {
        *("", "elements", "entries", "int", "item", "items", "key", "keys"),
        *("long", "nodes", "string", "value"),
        *("objects", "order", "records", "rows", "selected", "selection"),
        *ARGUMENTS,
        *WRITES,
    }
)
#: What any resource may be to another one.
ANYTHING = frozenset({"entity", "node", "object", "parent", "record", "related", "target"})
#: Likewise, in markup and in lists.
OF_ANY_KIND = ANYTHING | {"entry", "id", "item", "key", "line", "obj", "row", "thing"}
#: What fields are called that hold the id of such a resource, and do not say that it is one.
_REFERENCES = frozenset({"parent"})
#: Beside which of its neighbours a thing is to be moved: ``afterId``, ``before``.
BESIDE = frozenset(
    {*("above", "after", "before", "below", "next", "prev", "previous", "sibling", "successor")}
)
#: Words in the name of what is called behind which another resource is named: ``addItemToOrder``.
_LINKING = frozenset({"for", "from", "in", "of", "on", "to", "with"})
#: Fields of queries that say how much there is to see, and in which order.
SWITCHES = AMOUNTS | {"group", "level", "limit", "number", "offset", "order", "sort", "step"}
_BRACE = re.compile("[{}]")


def _declared(slot: Slot, traffic: Traffic) -> str | None:
    """Return what the slot is for the id of, if only a GraphQL document says so; None if none
    does."""
    exchange = traffic.steps[slot.transaction].exchange
    declared = exchange is not None and slot.name in declared_ids(exchange)
    return singular(slot.name) if declared else None


def _of_argument(slot: Slot, traffic: Traffic) -> str:
    """Return what a field for an id is for by its own name, or, of a variable of GraphQL that does
    not say it, by the argument."""
    stem, exchange = id_stem(slot.name), traffic.steps[slot.transaction].exchange
    if stem or exchange is None or slot.part != "body":
        return stem
    argument = argument_of(exchange, slot.name)
    return id_stem(argument) if is_id_name(argument) else ""


def is_index(slot: Slot, traffic: Traffic) -> bool:
    """Return whether a number in the name of a field counts such fields, from 0 on:
    ``date_1`` beside ``date_0``."""
    return slot.before == IN_NAME and any(
        one.before == IN_NAME and (one.name, one.value) == (slot.name, "0")
        for one in traffic.slots_of(slot.transaction)
    )


def is_for(slot: Slot, resources: frozenset[str], traffic: Traffic) -> bool:
    """Return whether the slot is for ids of these resources: behind them in a path, by its name, by
    a type beside it, or, if it is only called an id, in a request about them."""
    if is_index(slot, traffic):
        return False
    if slot.place is Place.PATH or (slot.place is Place.TEXT and slot.root is Place.PATH):
        if not resources and is_id_name(plain(slot.name)):
            return True  # POST /new, GET /id/1: neither says of what
        return bool(resources & _behind(slot, traffic))
    step = traffic.steps[slot.transaction]
    in_brackets = slot.place is Place.QUERY and slot.name.endswith("]")  # ``filter[project]=7``
    if in_brackets:
        slot = replace(slot, name=compared(slot.name))
    stem = _of_argument(slot, traffic) if is_id_name(slot.name) else _declared(slot, traffic)
    if stem is None and slot.place is Place.JSON and plain(slot.name) in _REFERENCES:
        stem = plain(slot.name)
    if stem:
        kinds = kinds_beside(slot, stem, traffic)
        if kinds:
            return any(f" {kind}".endswith(f" {one}") for kind in kinds for one in resources)
        moves = stem in BESIDE and step.changes_state
        return moves or stem in ANYTHING or any(is_called(stem, one) for one in resources)
    if stem is not None or plain(slot.name) in _BARE:
        kinds = kinds_beside(slot, "", traffic) & traffic.requests.resources
        if kinds:
            return any(resources & collection_names(one) for one in kinds)
        words = _around(slot, step, traffic)
        about = any(words.issuperset(one.split()) for one in resources)
        return about and not _is_of_another(slot, resources, traffic)
    named = any(resources & collection_names(one) for one in (slot.name, collection(slot.name)))
    if not is_short_number(slot.value):
        return named
    if in_brackets:
        return named
    # A person may mean another number.
    sent = slot.part == "body" and step.changes_state and slot.name not in traffic.responses.typed
    return named and (sent or _asks_for_made(slot, resources, traffic))


def _asks_for_made(slot: Slot, resources: frozenset[str], traffic: Traffic) -> bool:
    """Return whether all numbers that queries ask for by that name are those of such resources that
    changes before have made: ``?view=1`` after ``POST /views``."""
    if slot.place is not Place.QUERY or slot.depth or plain(slot.name) in SWITCHES:
        return False
    queried = traffic.requests.queried.get(slot.name, {})
    return all(_was_made(value, at, resources, traffic) for value, at in queried.items())


def _was_made(number: str, before: int, resources: frozenset[str], traffic: Traffic) -> bool:
    """Return whether a change before has been answered with the number of such a resource."""
    steps = traffic.steps
    return any(
        one.transaction < before
        and is_id_name(one.name)
        and steps[one.transaction].changes_state
        and resources & resources_of(one, steps[one.transaction].called)
        for one in traffic.producers_of(number)
    )


def _is_of_another(slot: Slot, resources: frozenset[str], traffic: Traffic) -> bool:
    """Return whether a field of GraphQL, or the path, ends in the word for another kind of
    resource, of which one has that number, too: ``updateProductVariant(id: 1)`` is about no
    product, ``PUT /books/7/topics [1]`` about no book."""
    step = traffic.steps[slot.transaction]
    asked = operation(step.exchange) if step.exchange is not None else None
    # Calls and objects say it in their own place: ``{"book": {"id": 7}}``.
    path = step.path if not step.calls and not slot.before else ""
    called = collection(asked.field if asked is not None else path).split()
    if not called or not is_short_number(slot.value) or _LINKING.intersection(called):
        return False
    if _heads(resources) & {singular(called[-1])}:
        return False
    return any(
        singular(called[-1]) in _heads(resources_of(one, traffic.steps[one.transaction].called))
        for one in traffic.producers_of(slot.value)
        if one.transaction < slot.transaction
    )


def _heads(resources: frozenset[str]) -> frozenset[str]:
    """Return the last words of what resources are called, which say what they are."""
    return frozenset(singular(one.split()[-1]) for one in resources if one)


def _behind(slot: Slot, traffic: Traffic) -> frozenset[str]:
    """Return the names of the resources whose id stands there in a path, or in a value like one:
    those of the segment before, or of the words before it in its own, ``edit_order_17``."""
    step = traffic.steps[slot.transaction]
    path = slot.before or step.path.partition(";")[0]
    found = collection_names(slot.name) | collection_names(collection(path))
    if path == "/" and slot.depth:  # of a document at the address of the request: ``/17/note``
        found |= collection_names(collection(step.called))
    outer, _, stem = path.rpartition("/")
    if stem and slug(stem) in traffic.requests.spelled:  # ``/orders/tea-house-17``
        found |= collection_names(collection(outer))
    last = plain(stem).split()
    return found | frozenset(" ".join(last[at:]) for at in range(1, len(last)))


def _around(slot: Slot, step: RecordedStep, traffic: Traffic) -> frozenset[str]:
    """Return the words of what is around the field: an object, an argument's field in GraphQL, or
    the request."""
    around = plain(slot.before)
    if around and (around not in WRAPPERS or around in traffic.requests.resources):
        return words_of(slot.before)
    asked = operation(step.exchange) if step.exchange is not None else None
    return asked.words if asked is not None else words_of(step.path) | words_of_call(step.called)


def kinds_beside(slot: Slot, stem: str, traffic: Traffic) -> set[str]:
    """Return what a field beside it says that it is the id of: ``object_type=item``; in the same
    object of JSON also ``{"type": "item", "id": 7}``."""
    names = {f"{stem} {one}".strip() for one in KIND_WORDS}
    return {
        plain(one.value)
        for one in traffic.requests.types.get(slot.transaction, ())
        if plain(compared(one.name)) in names
        and not one.value.isdigit()
        and (stem or _are_beside(one, slot, traffic))
    }


def _are_beside(one: Slot, other: Slot, traffic: Traffic) -> bool:
    """Return whether two fields are of one object, or of a query or form without any."""
    if (one.part, one.depth, one.before) != (other.part, other.depth, other.before):
        return False
    first, last = sorted((one, other), key=lambda slot: slot.start)
    masked = Masked.of(part_text(traffic.request(one.owner), one.part))
    inner = 0
    for brace in _BRACE.findall(masked.text, first.end, last.start) if masked is not None else ():
        inner += 1 if brace == "{" else -1
        if inner < 0:
            return False
    return not inner


def is_same(slot: Slot, producer: Producer, traffic: Traffic) -> bool:
    """Return whether what a response gives out is what its own request has said in the slot, and
    not the same small number of something else: ``{"quantity": 1}`` answered with ``{"id": 1}``."""
    if slot.before == CALL:
        return False
    if same_name(slot.name) == same_name(producer.name) and slot.before in ("", *producer.steps):
        return True
    if is_version_name(producer.name):  # 8 may be the id of a resource, and its version by chance
        return False
    called = traffic.steps[producer.transaction].called
    resources = resources_of(producer, producer.before or called)
    return id_stem(slot.name) not in ANYTHING and is_for(slot, resources, traffic)
