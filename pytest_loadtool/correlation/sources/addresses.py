"""Addresses in which a value is found, and whatever else looks dynamic may vary: those of links as
sources have them, those of redirects as patterns."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from itertools import chain

from pytest_loadtool.codec.entities import unescape
from pytest_loadtool.codec.template import escape
from pytest_loadtool.correlation.classify import (
    is_id_name,
    is_short_number,
    looks_random,
    singular,
)
from pytest_loadtool.correlation.kinds import collection, id_stem
from pytest_loadtool.correlation.producer import Producer
from pytest_loadtool.correlation.requests.slots import Slot, target_slots
from pytest_loadtool.correlation.responses.escaped import base64_within, is_base64
from pytest_loadtool.extraction.address import ANY, VALUE
from pytest_loadtool.extraction.page import escaped_text
from pytest_loadtool.model.place import Place

_VALUE_IN_ADDRESS = "([^/?#&;]+)"
_OTHER_IN_ADDRESS = "[^/?#&;]+"
#: What an address of a page cannot have beside its holes.
_NO_LITERAL = re.compile(r"\*|\.\.\.|[\s\"'<>]")


def link_addresses(producer: Producer, slot: Slot, known: Collection[str]) -> tuple[str, ...]:
    """Return addresses for a link, as `Link` has them, by `_addresses`; none if it cannot say
    them."""
    address = unescape(producer.text)
    if _NO_LITERAL.search(address):
        return ()
    return tuple(_addresses(address, producer, slot, known, (VALUE, ANY), _as_it_is))


def literal(text: str) -> str:
    """Return a part of an address as a template. Its own ``*`` stands for any text."""
    return escape(text.replace(VALUE, ANY))


def location_patterns(producer: Producer, slot: Slot, known: Collection[str]) -> Iterator[str]:
    """Yield patterns for the address of a redirect. They end after a value in its query."""
    written = _VALUE_IN_ADDRESS, _OTHER_IN_ADDRESS
    return _addresses(producer.text, producer, slot, known, written, escaped_text, whole=False)


def _as_it_is(text: str) -> str:
    return text


def _addresses(
    address: str,
    producer: Producer,
    slot: Slot,
    known: Collection[str],
    written: tuple[str, str],
    quote: Callable[[str], str],
    *,
    whole: bool = True,
) -> Iterator[str]:
    """Yield path and query of an address, with what stands for the slot's value.

    In the first, every other value of the query may vary; in the second, of these and in the path,
    numbers, random values, addresses and what is ``known``. ``written`` is what stands for the
    value and for others, and ``quote`` writes the rest. Unless they are to be ``whole``, they end
    after a value in the query: of one address, the rest tells nothing.
    """
    value, other = written
    address = address.partition("#")[0]
    spans = [one for one in target_slots(address, 0) if not one.capsules]
    equal = [one for one in spans if one.value == slot.value]
    named = (one for one in equal if one.name.removeprefix("amp;") == slot.name)
    there = (one for one in equal if one.place is Place.PATH and one.before == producer.before)
    mine = next(chain(there, named, equal), None)
    if mine is None:
        return
    if mine.place is Place.QUERY and "/" in mine.raw:
        value = value.replace("/?", "")
    if mine.depth and is_base64(mine.value) and not whole:
        value = base64_within(value, mine.filters)
    elif mine.depth and "%" not in mine.raw:  # what follows in there begins with one
        value = value.replace("[^", "[^%")
    begin = 0
    if spans[0].before:  # a path: without the scheme and host before it
        begin = spans[0].start - len(spans[0].before)
    for loose in (True, False):
        pattern, position = "", begin
        for span in spans:
            in_query = span.place is Place.QUERY
            around = span.depth < mine.depth and span.start <= mine.start and span.end >= mine.end
            if (
                span.start >= position
                and not around
                and (span is mine or (loose and in_query) or varies(span.value, known))
            ):
                # Within a query, an address may stand with its slashes.
                stand_in = other.replace("/?", "") if in_query else other
                pattern += quote(address[position : span.start])
                pattern += value if span is mine else stand_in
                position = span.end
            in_other = span.depth > 0 and span.root is not Place.PATH
            if span is mine and (in_query or in_other) and not whole:
                break
        else:
            pattern += quote(address[position:])
        yield pattern


def varies(value: str, known: Collection[str] = ()) -> bool:
    """Return whether such a part of an address is another one on another day, or is ``known`` to
    be."""
    return value in known or value.isdigit() or looks_random(value) or "://" in value


def resources_in(address: str) -> frozenset[tuple[str, str]]:
    """Return the values in an address, each with what it is the id of: ``item`` of ``/items/7``,
    ``/show?item_id=7``, ``/show?item=7`` and ``/item.php?id=7``; empty where nothing tells."""
    path = address.partition("?")[0]
    return frozenset((one.value, singular(_called(one, path))) for one in target_slots(address, 0))


def _called(slot: Slot, path: str) -> str:
    if slot.place is Place.PATH:
        return collection(slot.before)
    name = slot.name.removeprefix("amp;")
    # ``/orders?page=2`` is not about the order 2, ``/comment.php?c=2`` only where links have that.
    return id_stem(name) or (collection(path) if is_id_name(name) else name)


def is_about(address: str, value: str, resources: Collection[tuple[str, str]]) -> bool:
    """Return whether a page is that of the very resource: its address has the value, and that of a
    short number for the same kind of resources, as 8 may be the id of a ticket and that of a
    comment."""
    here = {kind for one, kind in resources_in(address) if one == value}
    kinds = {kind for one, kind in resources if one == value}
    return bool(here) and (not is_short_number(value) or "" in here | kinds or bool(here & kinds))
