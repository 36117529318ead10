"""What a change was about, by what it has done: of a list that is seen before and after it, only
the items with the ids that were sent are others, or gone; or its items are in another order; or
something has these ids now, and had not before."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import lru_cache
from itertools import islice

from pytest_loadtool.codec.calls import is_same_call
from pytest_loadtool.codec.names import plain
from pytest_loadtool.correlation.classify import (
    AMOUNTS,
    collection_names,
    is_id_name,
    is_short_number,
    is_version_name,
    looks_like_time,
)
from pytest_loadtool.correlation.index.meaning import BESIDE
from pytest_loadtool.correlation.index.traffic import RecordedStep, Traffic
from pytest_loadtool.correlation.kinds import WRAPPERS, collection, id_stem, resources_of, words_of
from pytest_loadtool.correlation.producer import Producer
from pytest_loadtool.correlation.proposals import ProducerCandidate, Proposal
from pytest_loadtool.correlation.requests.positions import CALL
from pytest_loadtool.correlation.requests.slots import Slot
from pytest_loadtool.correlation.responses.markup_items import items_around
from pytest_loadtool.correlation.responses.objects import inner
from pytest_loadtool.correlation.responses.producers import json_leaves
from pytest_loadtool.correlation.responses.recorded import RecordedResponse
from pytest_loadtool.correlation.strategies.known_ids import claimed_as
from pytest_loadtool.correlation.strategies.strategy import Settled, Turn
from pytest_loadtool.correlation.strategies.typed import is_typed
from pytest_loadtool.extraction.json_steps import OwnKey
from pytest_loadtool.model.rule import ProducerKind, Rule

_RULE = Rule(
    "changed-item",
    "{producer} lists it, and of all that is listed there only this is another one, or gone, after"
    " the request.",
    confidence=0.85,
)
_MOVED = Rule(
    "moved-item",
    "{producer} lists it, and after the request the same list is in another order, as {field} says"
    " beside which item, or in which order.",
    confidence=0.85,
)
_LINKED = Rule(
    "linked-item",
    "{producer} has it as the id of such a thing, and after the request something has one more with"
    " this id that is called so.",
    confidence=0.8,
)
#: How far behind a change a list is looked for, in transactions, and how many lists before it.
_MOST_STEPS, _MOST_LISTS = 20, 2
#: What fields are called that say where a thing is moved to: the place of another one, perhaps.
_TO = frozenset({"over", "target", "to"})
#: How many ids at least are in an order.
_FEWEST = 2
#: How many rows of a page are compared.
_MOST_ROWS = 300
#: Keys that do not say what their value is, or the id of what.
_UNNAMED = WRAPPERS | {"id"}
_CODE = re.compile(r"(?=[^\d]*\d)(?=[^A-Za-z]*[A-Za-z])[\w.=-]{2,64}", re.ASCII)


class ChangedItems:
    """The numbers in changes, and codes with a number in them, whatever their fields are called."""

    name = "changed-items"
    why = (
        "Of a list, only the item with that id is another one, gone or moved, after the request; "
        "or something has it now."
    )
    source = "calls whose arguments have no names: Ext.Direct, server actions, commands"
    turns = frozenset({Turn.OPEN})

    def propose(
        self, slots: Sequence[Slot], traffic: Traffic, known: Settled
    ) -> Iterator[ProducerCandidate | Proposal]:
        """Yield the lists that have the number as an id, or what that is known as; a field for
        something else has it by chance, and so has one of two that have the same."""
        for slot in slots:
            if not (is_short_number(slot.value) or _is_code(slot.value)) or not _may_be_id(slot):
                continue
            if changed_alone(slot, traffic):
                for one in _lists(slot, traffic):
                    yield _known(one, slot, traffic, known) or ProducerCandidate(slot, _RULE, one)
            for one in _lists(slot, traffic):
                if _is_of_new_order(one, slot, traffic):
                    yield _known(one, slot, traffic, known) or ProducerCandidate(slot, _MOVED, one)
            if is_short_number(slot.value) and (kinds := _linked_as(slot, traffic)):
                for one in _of_kinds(kinds, slot, traffic):
                    yield ProducerCandidate(slot, _LINKED, one)


def _known(producer: Producer, slot: Slot, traffic: Traffic, known: Settled) -> Proposal | None:
    """Return the id of such a thing as an address before has it: several may be called like it."""
    kinds = resources_of(producer, traffic.steps[producer.transaction].called)
    for before, found in known.addressed(slot.value).items():
        if kinds & collection_names(collection(before.partition("?")[0])):
            return claimed_as(slot, found)
    return None


def _linked_as(slot: Slot, traffic: Traffic) -> frozenset[str]:
    """Return what the things are called that have the slot's value as their id and that something
    has after the request, and had not before: of ``{"tags": [{"id": 4}]}`` a tag."""
    if not traffic.steps[slot.transaction].changes_state:
        return frozenset()
    found: set[str] = set()
    for step in traffic.steps[slot.transaction + 1 :][:_MOST_STEPS]:
        if step.changes_state:
            break
        earlier = reversed(traffic.steps[max(0, slot.transaction - _MOST_STEPS) : slot.transaction])
        before = next((one for one in earlier if _ask_alike(step, one)), None)
        if before is not None:
            now, then = (_ids_in(traffic.response(one.index)) for one in (step, before))
            found.update(key for key, id_ in now - then if id_ == slot.value)
    return frozenset(name for key in found for name in collection_names(id_stem(key) or key))


@lru_cache(maxsize=64)
def _ids_in(response: RecordedResponse) -> Counter[tuple[str, str]]:
    """Return how often a document of JSON has each short number, by what that is called, or the
    object is of which it is the id; nothing of any other answer."""
    found: Counter[tuple[str, str]] = Counter()
    try:
        document = response.json()
    except ValueError:
        return found
    for steps, value in json_leaves(document):
        if is_short_number(value):
            keys = [one for one in steps if isinstance(one, str) and plain(one) not in _UNNAMED]
            found[keys[-1] if keys else "", value] += 1
    return found


def _of_kinds(kinds: Set[str], slot: Slot, traffic: Traffic) -> Iterator[Producer]:
    """Return the nearest places of the slot's value before it, as the id of such things."""
    steps = traffic.steps
    found = (
        one
        for one in reversed(traffic.producers_of(slot.value))
        if one.transaction < slot.transaction
        and is_id_name(one.name)
        and kinds & resources_of(one, steps[one.transaction].called)
    )
    return islice(found, _MOST_LISTS)


def _is_code(value: str) -> bool:
    """Return whether it may be what a server calls a thing: ``INV-0017``, ``Tm90ZToy``."""
    return _CODE.fullmatch(value) is not None and not looks_like_time(value)


def _may_be_id(slot: Slot) -> bool:
    of_amounts = AMOUNTS.intersection(plain(slot.name).split()) or is_version_name(slot.name)
    return not of_amounts and slot.before != CALL and not is_typed(slot)


def changed_alone(slot: Slot, traffic: Traffic) -> bool:
    """Return whether the next time that a list is asked for again, of all its items only those are
    not as they were whose ids the change has sent, the slot's value among them."""
    return any(_is_only_change(one, slot, traffic) for one in _lists(slot, traffic))


def _lists(slot: Slot, traffic: Traffic) -> Iterator[Producer]:
    """Return the places of its value as an id in lists before it, the nearest first: before such a
    field has had it, that is."""
    value, requests = slot.value, traffic.requests
    first = min(requests.asked[value, traffic.asked_for(slot)], slot.transaction)
    if not is_short_number(value):  # a person may have called something so
        first = min(first, requests.sent[value])
    listed = (one for one in reversed(traffic.producers_of(value)) if _is_listed(one, first))
    return islice(listed, _MOST_LISTS)


def _is_listed(producer: Producer, first: int) -> bool:
    return (
        producer.transaction < first
        and producer.kind is ProducerKind.JSON
        and _item(producer) is not None
        and (is_id_name(producer.name) or not is_short_number(producer.value))
    )


def _item(producer: Producer) -> int | None:
    """Return the place of the step to the item that has the value, in a list or under it as its
    key."""
    places = (at for at, one in enumerate(producer.steps) if isinstance(one, int | OwnKey))
    return max(places, default=None)


def _is_only_change(producer: Producer, slot: Slot, traffic: Traffic) -> bool:
    again = _asked_again(producer.transaction, slot, traffic)
    if again is None:
        return False
    before, after = (_items(one, producer, traffic) for one in (producer.transaction, again))
    return _are_sent(_others_than(before, after), slot, traffic)


def _are_sent(changed: Set[str], slot: Slot, traffic: Traffic) -> bool:
    """Return whether the request sends each of the ids once, or always in the same place of several
    calls, the slot one of them; of two fields with one number, that which is called an id, or which
    no list of a page offers."""
    slots = tuple(traffic.slots_of(slot.transaction))
    for id_ in changed:
        sent = [one for one in slots if one.value == id_ and _may_be_id(one)]
        called = [one for one in sent if is_id_name(one.name)]
        typed = [one for one in sent if (one.name, one.value) not in traffic.responses.choices]
        meant = next((one for one in (called, sent, typed) if _are_alike(one)), ())
        if not meant or (id_ == slot.value and slot not in meant):
            return False
    return slot.value in changed


def _are_alike(slots: Sequence[Slot]) -> bool:
    """Return whether slots are of one place, be it in several calls."""
    return len({(one.name, one.part, one.place, one.before) for one in slots}) == 1


def _is_of_new_order(producer: Producer, slot: Slot, traffic: Traffic) -> bool:
    """Return whether a list is in the order that the slot says. A change of other things between
    the list and this one does not bring that about."""
    about = collection_names(collection(traffic.steps[producer.transaction].called))
    again = _asked_again(producer.transaction, slot, traffic, about)
    if again is None:
        return False
    before, after = (_items(one, producer, traffic) for one in (producer.transaction, again))
    return _says_order(slot, [*before], [*after], traffic)


def _says_order(slot: Slot, before: list[str], after: list[str], traffic: Traffic) -> bool:
    """Return whether ids are in another order after the request, and the slot says beside which of
    them something is, or is one of those that were sent in that order, that alone were moved, or
    that are the first or the last now."""
    if before == after or sorted(before) != sorted(after):
        return False
    sent = [one.value for one in traffic.slots_of(slot.transaction) if _are_alike((one, slot))]
    in_order = len(sent) >= _FEWEST and [one for one in after if one in sent] == sent
    rest = [[one for one in ids if one not in sent] for ids in (before, after)]
    if in_order or (rest[0] == rest[1] and len(rest[0]) >= _FEWEST):
        return True
    if len(sent) >= _FEWEST and any(_are_first(sent, ids) for ids in (after, after[::-1])):
        return True
    called = plain(slot.name).split()
    return not BESIDE.isdisjoint(called) or (
        not _TO.isdisjoint(called) and _is_beside(slot, before, after, traffic)
    )


def _is_beside(slot: Slot, before: list[str], after: list[str], traffic: Traffic) -> bool:
    """Return whether another id of the request is the only one that was moved, and is beside the
    slot's now."""
    for one in traffic.slots_of(slot.transaction):
        if one.value != slot.value and {one.value, slot.value} <= {*after}:
            rest = [[each for each in ids if each != one.value] for ids in (before, after)]
            if rest[0] == rest[1] and abs(after.index(one.value) - after.index(slot.value)) == 1:
                return True
    return False


def _are_first(sent: Sequence[str], ids: Sequence[str]) -> bool:
    return {*ids[: len(sent)]} == {*sent} != {*ids}


def row_changed(pattern: re.Pattern[str], slot: Slot, page: int, traffic: Traffic) -> bool:
    """Return likewise for a page: of its rows in which the pattern finds an id, that with the
    slot's value alone is not as it was, or they are in the order that the slot says."""
    again = _asked_again(page, slot, traffic)
    if again is None:
        return False
    before, after = (_rows(pattern, traffic.response(one).text) for one in (page, again))
    alone = _are_sent(_others_than(before, after), slot, traffic)
    return alone or _says_order(slot, [*before], [*after], traffic)


def _asked_again(
    before: int, slot: Slot, traffic: Traffic, about: Set[str] = frozenset()
) -> int | None:
    """Return the next transaction after a change that asks for what one before it does, with no
    other change between the two, or none of what it is ``about``; None if there is none."""
    if not traffic.steps[slot.transaction].changes_state:
        return None
    changes = (one for one in traffic.steps[before + 1 : slot.transaction] if one.changes_state)
    if any(not about or not about.isdisjoint(words_of(one.called)) for one in changes):
        return None
    for step in traffic.steps[slot.transaction + 1 :][:_MOST_STEPS]:
        if step.changes_state:
            return None
        if _ask_alike(step, traffic.steps[before]):
            return step.index
    return None


def _ask_alike(one: RecordedStep, other: RecordedStep) -> bool:
    """Return whether two transactions ask for the same, and the first is answered with anything, as
    304 is not (RFC 9110 §15.4.5); calls of all kinds go to one address."""
    if one.exchange is None or other.exchange is None or one.address != other.address:
        return False
    if not one.exchange.response_body:
        return False
    bodies = one.exchange.request_body, other.exchange.request_body
    return bodies[0] == bodies[1] or is_same_call(*bodies)


def _others_than(before: Mapping[str, str], after: Mapping[str, str]) -> set[str]:
    """Return the ids of what is not as it was, or gone."""
    return {id_ for id_, item in before.items() if after.get(id_) != item}


def _rows(pattern: re.Pattern[str], text: str) -> dict[str, str]:
    """Return the rows in which the pattern finds an id, by that."""
    rows: dict[str, str] = {}
    for found in islice(pattern.finditer(text), _MOST_ROWS):
        item = next((one for one in items_around(text, found.start(1)) if not one.alone), None)
        if item is not None:
            rows.setdefault(found[1], text[item.start : item.end])
    return rows


def _items(transaction: int, producer: Producer, traffic: Traffic) -> dict[str, str]:
    """Return what the items of the producer's list are in another answer, by their ids; nothing if
    several have one."""
    try:
        document = traffic.response(transaction).document()
    except ValueError:
        return {}
    at = _item(producer)
    around, within = inner(document, producer.steps[:at]), producer.steps[at:][1:]
    if isinstance(around, dict):
        return {key: json.dumps(one) for key, one in around.items()}
    rows = around if isinstance(around, list) else []
    found = [(id_, one) for one in rows if (id_ := inner(one, within)) is not None]
    named = {str(id_): json.dumps(one) for id_, one in found}
    return named if len(named) == len(found) else {}
