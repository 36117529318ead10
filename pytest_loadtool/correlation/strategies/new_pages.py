"""What is new on a page: links that a change has brought, all on the page of something created."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Set

from pytest_loadtool.codec.entities import unescape
from pytest_loadtool.codec.names import is_password, plain
from pytest_loadtool.correlation.classify import (
    TELLING,
    collection_names,
    is_id_name,
    is_path_id,
    is_short_number,
    looks_random,
    singular,
)
from pytest_loadtool.correlation.index.traffic import Traffic
from pytest_loadtool.correlation.kinds import is_done
from pytest_loadtool.correlation.producer import Producer
from pytest_loadtool.correlation.requests.slots import Slot, target_slots
from pytest_loadtool.correlation.responses.links import links
from pytest_loadtool.correlation.responses.markup_items import ELEMENT
from pytest_loadtool.extraction.row_search import row_around
from pytest_loadtool.model.place import Place
from pytest_loadtool.model.rule import ProducerKind, same_name

#: The number of a thing in an address, behind its kind; and what fields for such add to that.
_NUMBERED, _IDS = re.compile(r"/([A-Za-z][\w-]{1,40})/(\d{1,7})(?=[\"'/?#])"), ("", "_id", "Id")


def is_id(slot: Slot, traffic: Traffic) -> bool:
    """Return whether a part of an address may be the id of something: of a path any; of a query
    what is called an id, or as what is done to it, or is one in the form of the very page that it
    leads to."""
    return slot.place is Place.PATH or (
        slot.place is Place.QUERY
        and (
            is_id_name(slot.name)
            or _is_done_to_it(slot, traffic)
            or any(
                one.transaction == slot.transaction
                and one.control == "hidden"
                and (is_id_name(one.name) or same_name(one.name).endswith(same_name(slot.name)))
                for one in traffic.responses.producers.get(slot.value, {}).get(
                    ProducerKind.CONTROL, ()
                )
            )
        )
    )


def _is_done_to_it(slot: Slot, traffic: Traffic) -> bool:
    """Return whether a number stands under what is done, ``list.php?table=teas&edit=17``, in an
    address that says of nothing else that this is done to it: ``/teas/17?edit=1`` is a switch."""
    return (
        is_short_number(slot.value)
        and is_done(slot.name)
        and not any(
            is_id_name(one.name)
            or is_path_id(one.value)
            or (one.place is Place.PATH and one.value.lower() in traffic.requests.spelled)
            for one in traffic.slots_of(slot.transaction)
            if one.place in (Place.PATH, Place.QUERY)
            and (one.part, one.start) != (slot.part, slot.start)
        )
    )


def new_link(slot: Slot, producer: Producer, traffic: Traffic, own: Set[int]) -> bool:
    """Return whether the page was seen without the link before the last change, and has it since;
    the row of the link has a text that a change has sent; or the page is that of something created,
    and a form or script goes to the link, and no other id is behind this one, or it was seen
    without any such link before, as that of a job is."""
    if not is_id(slot, traffic):
        return False
    step, address = traffic.steps[slot.transaction], traffic.linked_as(slot.transaction)
    first = traffic.responses.links[address][0].transaction
    if _is_later(first, traffic) or _is_in_own_row(producer, traffic):
        return True
    if first not in own:
        return False
    if step.changes_state:
        return _is_last_id(slot, address, traffic)
    seen = traffic.responses.pages.get(traffic.steps[first].path, [])
    return bool(seen) and seen[0] < first and is_only_one(slot, producer, traffic)


def is_only_one(slot: Slot, producer: Producer, traffic: Traffic) -> bool:
    """Return whether a page has no other number behind what is before that of a slot."""
    before = re.escape(traffic.before(slot))
    there = re.findall(rf"{before}(\d+)", traffic.response(producer.transaction).text)
    return set(there) == {slot.value}


def new_data(slot: Slot, producer: Producer, traffic: Traffic, own: Set[int]) -> bool:
    """Return whether the page was seen without the value in a ``data-`` attribute of that name
    before the last change, and has it since; or it is that of something created."""
    if not producer.name.startswith("data-"):
        return False
    same = (
        one.transaction
        for one in traffic.responses.producers.get(slot.value, {}).get(ProducerKind.TEXT, ())
        if one.name == producer.name
    )
    first = next(same, producer.transaction)
    return first in own or _is_later(first, traffic)


def linked_resource(slot: Slot, producer: Producer, traffic: Traffic, own: Set[int]) -> bool:
    """Return whether the page links to a resource with the number, and the field is called like
    those resources; the page was seen without the link before the last change, or is that of
    something created."""
    if not is_short_number(slot.value):
        return False
    names = {singular(word) for word in plain(slot.name).split()}
    for address, raw, _ in links(traffic.response(producer.transaction).text):
        if slot.value in address and _leads_to(address, names, slot.value):
            first = _first_page(raw, producer.transaction, traffic)
            return first in own or _is_later(first, traffic)
    return False


def signs_in(traffic: Traffic, transaction: int) -> bool:
    """Return whether people fill in no more than who they are and one password: that creates
    nothing."""
    fields = traffic.requests.fields.get(transaction, frozenset())
    filled = sum(name in traffic.responses.typed for name in fields)
    return filled <= 2 and sum(map(is_password, fields)) == 1


def _is_later(first: int, traffic: Traffic) -> bool:
    """Return whether the page that has something first was seen before the last change before
    that."""
    change = bisect_left(traffic.requests.changes, first) - 1
    while change >= 0 and signs_in(traffic, traffic.requests.changes[change]):
        change -= 1
    seen = traffic.responses.pages.get(traffic.steps[first].path, [])
    return change >= 0 and bisect_right(seen, traffic.requests.changes[change]) > 0


def _is_in_own_row(producer: Producer, traffic: Traffic) -> bool:
    """Return whether the row around a link has a text that tells it from others and that a change
    has sent, or links to a thing of which it has sent the number: of a list that was not seen
    before, this alone tells what is new."""
    text = traffic.response(producer.transaction).text
    start, end = row_around(text, text.find(producer.text)) if producer.text in text else (0, 0)
    for kind, number in _NUMBERED.findall(text, start, end) if end else ():
        named = {(number, one + ending) for one in collection_names(kind) for ending in _IDS}
        sent = min(traffic.requests.sent_as.get(one, producer.transaction) for one in named)
        if sent < producer.transaction and traffic.steps[sent].changes_state:
            return True
    for found in ELEMENT.finditer(text, start, end) if end else ():
        plain_text = unescape(found[1].strip())
        sent = traffic.requests.written.get(plain_text, producer.transaction)
        telling = len(plain_text) >= TELLING and not plain_text.isdigit()
        if telling and sent < producer.transaction and not signs_in(traffic, sent):
            own = re.compile(rf">\s*{re.escape(found[1].strip())}\s*<")
            return len(own.findall(text)) == 1
    return False


def _is_last_id(slot: Slot, address: str, traffic: Traffic) -> bool:
    """Return whether it is the last of ids in one another, ``/projects/3/issues/17``: that of the
    newest resource."""
    ids = [
        span.before
        for span in target_slots(address, slot.transaction)
        if span.place is Place.PATH and (span.value.isdigit() or looks_random(span.value))
    ]
    return bool(ids) and ids[-1] == traffic.before(slot)


def _leads_to(address: str, names: set[str], number: str) -> bool:
    """Return whether it is that of such a resource: ``/files/7``, ``/show?file=7``, ``file7``."""
    return any(
        span.value in {name + number for name in names}
        or (span.value == number and names & collection_names(span.name))
        for span in target_slots(address, 0)
    )


def _first_page(raw: str, last: int, traffic: Traffic) -> int:
    """Return the first page that links to what is written so."""
    written = raw.encode()
    pages = sorted(one for seen in traffic.responses.pages.values() for one in seen if one < last)
    for at in pages:
        exchange = traffic.steps[at].exchange
        if exchange is not None and written in exchange.response_body:
            return at
    return last
