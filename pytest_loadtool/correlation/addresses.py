"""Patterns for an address as written, in which a value is found and whatever else looks dynamic may
vary."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from pytest_loadtool.codec.place import Place
from pytest_loadtool.correlation.escaped import base64_within, is_base64
from pytest_loadtool.correlation.looks import looks_random
from pytest_loadtool.correlation.producer import Producer
from pytest_loadtool.correlation.slots import Slot, target_slots
from pytest_loadtool.extraction.bound import escaped_text

_VALUE_IN_PAGE = r"([^\"'/?#&<>\s]+)"
OTHER_IN_PAGE = r"[^\"'/?#&<>\s]+"
HOST_IN_PAGE = r"(?:https?:)?//[^\"'/?#<>\s]+"
_VALUE_IN_ADDRESS = "([^/?#&;]+)"
_OTHER_IN_ADDRESS = "[^/?#&;]+"
#: From a link's address to its text, as far as that is plain.
TO_LABEL = "[^<>]*>\\s*"
#: As WordPress escapes "&" in addresses.
AMPERSAND = re.compile("&#(?:0*38|[xX]26);")


def link_patterns(producer: Producer, slot: Slot, known: Collection[str]) -> tuple[str, ...]:
    """Patterns for the address of a link, as `_patterns`, with what is before it."""
    start = "[\"'=]" + (HOST_IN_PAGE if "//" in producer.text.partition("?")[0] else "")
    written = _VALUE_IN_PAGE, OTHER_IN_PAGE
    return tuple(start + one for one in _patterns(producer.text, slot, known, written))


def location_patterns(producer: Producer, slot: Slot, known: Collection[str]) -> Iterator[str]:
    """Patterns for the address of a redirect. They end after a value in its query."""
    written = _VALUE_IN_ADDRESS, _OTHER_IN_ADDRESS
    return _patterns(producer.text, slot, known, written, whole=False)


def _patterns(
    address: str,
    slot: Slot,
    known: Collection[str],
    written: tuple[str, str],
    *,
    whole: bool = True,
) -> Iterator[str]:
    """Regular expressions for path and query of an address as written, the slot's value its group.

    In the first, every other value of the query may vary; in the second, of these and in the path,
    numbers, random values, addresses and what is ``known``. ``written`` are the patterns of the
    value and of others. Unless they are to be ``whole``, they end after a value in the query: of
    one address, the rest tells nothing.
    """
    entity = AMPERSAND.search(address)
    if entity:  # its "#" begins no fragment
        plain = address.replace(entity[0], "&amp;")
        patterns = _patterns(plain, slot, known, written, whole=whole)
        yield from (one.replace("&amp;", entity[0]) for one in patterns)
        return
    value, other = written
    address = address.partition("#")[0]
    spots = [one for one in target_slots(address, 0) if not one.capsules]
    equal = [one for one in spots if one.value == slot.value]
    named = (one for one in equal if one.name.removeprefix("amp;") == slot.name)
    mine = next(named, equal[0] if equal else None)
    if mine is None:
        return
    if mine.place is Place.QUERY and "/" in mine.raw:
        value = value.replace("/?", "")
    if mine.depth and is_base64(mine.value):
        value = base64_within(value, mine.filters)
    elif mine.depth and "%" not in mine.raw:  # what follows in there begins with one
        value = value.replace("[^", "[^%")
    begin = 0
    if spots[0].before:  # a path: without the scheme and host before it
        begin = spots[0].start - len(spots[0].before)
    for loose in (True, False):
        pattern, position = "", begin
        for spot in spots:
            in_query = spot.place is Place.QUERY
            around = spot.depth < mine.depth and spot.start <= mine.start and spot.end >= mine.end
            if (
                spot.start >= position
                and not around
                and (spot is mine or (loose and in_query) or varies(spot.value, known))
            ):
                # Within a query, an address may stand with its slashes.
                stand_in = other.replace("/?", "") if in_query else other
                pattern += escaped_text(address[position : spot.start])
                pattern += value if spot is mine else stand_in
                position = spot.end
            if spot is mine and (in_query or spot.depth) and not whole:
                break
        else:
            pattern += escaped_text(address[position:])
        yield pattern


def varies(value: str, known: Collection[str] = ()) -> bool:
    """Whether such a part of an address is another one on another day, or is ``known`` to be."""
    return value in known or value.isdigit() or looks_random(value) or "://" in value
