"""Evidence: what must hold between a slot and a producer before a rule believes in it."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Mapping
from types import MappingProxyType
from urllib.parse import unquote, urlsplit

from pytest_loadtool.correlation.graphql import operation
from pytest_loadtool.correlation.looks import (
    collection_names,
    ends_in_id,
    is_id_name,
    is_secret_name,
    is_short_number,
    looks_like_time,
    looks_random,
    plain,
)
from pytest_loadtool.correlation.new_pages import is_id, linked_thing, new_data, new_link
from pytest_loadtool.correlation.producer import PARTIAL, Producer
from pytest_loadtool.correlation.slots import HOLE, Slot
from pytest_loadtool.correlation.spelling import spelled
from pytest_loadtool.correlation.traffic import Step, Traffic
from pytest_loadtool.model.place import Place

__all__ = ["EVIDENCE", "collection", "id_stem", "was_typed"]

Evidence = Callable[[Slot, Producer, Traffic], bool]

_ID_SHAPE = re.compile(r"\d+|[A-Za-z]{0,6}[-_]?\d{3,}")
_NUMBERED = re.compile(r"[A-Za-z]+[-_]?\d+")
#: Last segments of a path that say what is done, not what it is done to.
_VERBS = frozenset(
    {
        *("add", "change", "confirm", "create", "delete", "edit", "insert", "new", "save", "store"),
        *("submit", "update", "upsert", "bulk", "batch"),
    }
)
#: Keys around the thing itself in a JSON response.
_WRAPPERS = frozenset(
    {
        *("attributes", "body", "content", "created", "data", "entity", "item", "items", "node"),
        *("object", "payload", "record", "response", "result", "results", "value"),
    }
)


def _served(slot: Slot, producer: Producer, traffic: Traffic) -> bool:
    """The server sent the value before any request did."""
    first = traffic.served.get(slot.value, producer.transaction)
    return first < traffic.sent[slot.value]


def _new(slot: Slot, producer: Producer, traffic: Traffic) -> bool:
    """No request used the value in a field of that name before the response."""
    return producer.transaction < traffic.sent_as[slot.value, slot.name]


def _long(slot: Slot, _: Producer, __: Traffic) -> bool:
    """The value has at least 8 characters."""
    return len(slot.value) >= 8


def _random(slot: Slot, _: Producer, __: Traffic) -> bool:
    """No person and no program text writes such a value: a token, a UUID, a long number."""
    return looks_random(slot.value)


def _dynamic(slot: Slot, producer: Producer, _: Traffic) -> bool:
    """The value is random, a time, begins or ends so, or numbers something in a field for ids."""
    value = slot.value
    id_number = value.isdigit() and is_id_name(producer.name) and int(value) > 0
    parts = (value, *value.split(":"))  # WordPress locks a post with 1795349873:1
    return id_number or any(looks_random(one) or looks_like_time(one) for one in parts)


def _id_shaped(slot: Slot, producer: Producer, traffic: Traffic) -> bool:
    """The value is a number, perhaps behind some letters, or random.

    Of less than three digits, what was asked for has to stand before them (``POST /issue``,
    ``issue2``), or a link has to show them to people (``TEA-12``).
    """
    value = slot.value
    if _ID_SHAPE.fullmatch(value) is not None or looks_random(value):
        return True
    asked = traffic.steps[producer.transaction].path.rstrip("/").rpartition("/")[2]
    return _NUMBERED.fullmatch(value) is not None and (
        value.rstrip("0123456789") == asked or any(value in one for one in producer.labels)
    )


def _not_typed(slot: Slot, _: Producer, traffic: Traffic) -> bool:
    """The form that was submitted had no field in which a person wrote the value."""
    return not was_typed(slot, traffic)


def was_typed(slot: Slot, traffic: Traffic) -> bool:
    """Whether a page before had a field to write in of that name, with another value in it."""
    fields = traffic.typed.get(slot.name, [])
    position = bisect_left(fields, (slot.transaction, "")) - 1
    return slot.part == "body" and position >= 0 and fields[position][1] != slot.value


def _submitted_form(slot: Slot, producer: Producer, traffic: Traffic) -> bool:
    """The value is in a field of the name, in a form with half of its fields."""
    if producer.name != slot.name:
        return False
    if producer.form == PARTIAL:
        return True
    asked = producer.transaction, producer.form, slot.transaction
    if asked not in traffic.submitted:
        sent = traffic.fields[slot.transaction]
        traffic.submitted[asked] = 2 * len(traffic.forms[asked[:2]] & sent) >= len(sent)
    return traffic.submitted[asked]


def _hidden(_: Slot, producer: Producer, __: Traffic) -> bool:
    """The field is one that nobody sees."""
    return producer.control == "hidden"


def _filled_in(_: Slot, producer: Producer, __: Traffic) -> bool:
    """The field is one to write in, and the page came with the value in it."""
    return producer.control == "text"


def _created(_: Slot, producer: Producer, traffic: Traffic) -> bool:
    """The request that was answered may have created something, and it succeeded."""
    step = traffic.steps[producer.transaction]
    if step.exchange is None or not step.changes_things:
        return False
    asked = operation(step.exchange)
    return 200 <= step.exchange.status < 400 and (asked is None or asked.changes)


def _same_path(slot: Slot, producer: Producer, traffic: Traffic) -> bool:
    """The address leads where the slot stands: ``/users/2/…`` both times."""
    if slot.place is Place.PATH:
        same = slot.name == producer.name or HOLE in slot.before
        return same and traffic.before(slot) == producer.before
    return is_id_name(slot.name) and slot.name == producer.name


def _same_thing(slot: Slot, producer: Producer, traffic: Traffic) -> bool:
    """The key and the field are about the same kind of thing.

    Three cases: the id of an item, used in a path behind ``items``; used in a field ``item_id``; or
    a number of another name, used in the path behind the very path it was created with.
    """
    created_in = collection(traffic.steps[producer.transaction])
    if not is_id_name(producer.name):
        return (
            slot.place is Place.PATH
            and not is_short_number(slot.value)
            and slot.before.rstrip("/") == traffic.steps[producer.transaction].path.rstrip("/")
        )
    things = _things(producer, created_in)
    if slot.place is Place.PATH:
        return bool(things & collection_names(slot.name))
    if not is_id_name(slot.name):
        return False
    stem = id_stem(slot.name)
    if stem:
        return stem in things
    exchange = traffic.steps[slot.transaction].exchange
    asked = operation(exchange) if exchange is not None else None
    if slot.before or asked is not None:  # in GraphQL an argument has a field of its own
        words = frozenset(plain(slot.before).split()) or (asked.words if asked else frozenset())
        return any(words.issuperset(thing.split()) for thing in things)
    return bool(things & collection_names(collection(traffic.steps[slot.transaction])))


def _things(producer: Producer, created_in: str) -> frozenset[str]:
    """What the id under that key may be the id of."""
    stem = id_stem(producer.name)
    if stem:
        return frozenset({stem})
    around = [plain(step) for step in producer.steps[:-1] if isinstance(step, str)]
    inner = [name for name in around if name not in _WRAPPERS]
    words = (inner[-1] if inner else created_in).split()
    if len(words) > 1 and words[0] in _VERBS:  # GraphQL: {"createItem": {"id": …}}
        del words[0]
    return collection_names(" ".join(words))


def id_stem(name: str) -> str:
    """``item`` of ``item_id``, ``itemId`` and ``itemid``; empty for a bare ``id``."""
    if not is_id_name(name) or name.startswith("_selected"):
        return ""
    *words, last = plain(name.removeprefix("data-")).split()
    return " ".join((*words, last.removesuffix("id")) if ends_in_id(last) else words)


def collection(step: Step) -> str:
    """What a request path is about: ``items`` of ``/api/items``, ``/items/17/edit``."""
    segments = [
        segment
        for segment in step.path.split("/")
        if segment and HOLE not in segment and segment.lower() not in _VERBS
    ]
    names = [one for one in segments if not _ID_SHAPE.fullmatch(one) and not looks_random(one)]
    return names[-1] if names else ""


def _created_resource(slot: Slot, producer: Producer, traffic: Traffic) -> bool:
    """The request was answered with 201 (Created) and the address where the slot stands."""
    exchange = traffic.steps[producer.transaction].exchange
    if slot.place is not Place.PATH or exchange is None or exchange.status != 201:
        return False
    try:
        path = urlsplit(exchange.response_header("location") or "").path
    except ValueError:  # it is no URL
        return False
    folder, _, name = path.rstrip("/").rpartition("/")
    return f"{folder}/" == slot.before and unquote(name) == slot.value


def _named_link(slot: Slot, producer: Producer, traffic: Traffic) -> bool:
    """The text of the link is what a change before has sent: a name, or several of them."""
    at = producer.transaction
    return is_id(slot, traffic) and any(_sent(one, at, traffic) for one in producer.labels)


def _named_choice(_: Slot, producer: Producer, traffic: Traffic) -> bool:
    """The label of the choice is what a change has sent before any page had it: a name, or several
    of them; not that of who has signed in."""
    first = traffic.offered[producer.name, producer.value, producer.text]
    return any(_sent(one, first, traffic, by_login=False) for one in producer.labels)


def _sent(label: str, at: int, traffic: Traffic, *, by_login: bool = True) -> bool:
    """Whether a change has sent the label, or its words, before the transaction is answered."""

    def sent(text: str) -> bool:
        first = traffic.written.get(text, at + 1)
        telling = len(text) > 2 and not text.isdigit()
        return telling and first <= at and (by_login or not _signs_in(traffic, first))

    return sent(label) or (" " in label and all(map(sent, label.split())))


def _signs_in(traffic: Traffic, transaction: int) -> bool:
    """Whether people fill in no more than who they are and one password."""
    fields = traffic.fields.get(transaction, frozenset())
    filled = sum(name in traffic.typed for name in fields)
    return filled <= 2 and sum(map(is_secret_name, fields)) == 1


def _named_item(_: Slot, producer: Producer, traffic: Traffic) -> bool:
    """The item of a list is called what a change before has sent: the name of the thing."""
    at = producer.transaction
    return any(
        len(one) > 2 and not one.isdigit() and traffic.written.get(one, at) < at
        for one in producer.labels
    )


#: By the names that rules call them.
EVIDENCE: Mapping[str, Evidence] = MappingProxyType(
    {
        "served": _served,
        "new": _new,
        "long": _long,
        "random": _random,
        "dynamic": _dynamic,
        "id shaped": _id_shaped,
        "not typed": _not_typed,
        "submitted form": _submitted_form,
        "hidden": _hidden,
        "filled in": _filled_in,
        "created": _created,
        "created resource": _created_resource,
        "same path": _same_path,
        "same thing": _same_thing,
        "new link": new_link,
        "new data": new_data,
        "linked thing": linked_thing,
        "named link": _named_link,
        "named item": _named_item,
        "spelled": spelled,
        "named choice": _named_choice,
    }
)
