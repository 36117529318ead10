"""Rows of HTML pages: sources that find the user's own form or link among those of others.

A form is known by an id in the address that it submits to, where a request has it from a variable.
Links, and forms whose address tells nothing, are known by a text that the user has sent, in the
link itself or in the same ``tr``, ``li`` or ``article``; where a page has several of them, also in
the same ``div`` or ``section`` with a class.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice

from pytest_loadtool.codec.entities import unescape
from pytest_loadtool.codec.template import escape
from pytest_loadtool.correlation.classify import is_title_name
from pytest_loadtool.correlation.kinds import id_stem
from pytest_loadtool.correlation.producer import Producer
from pytest_loadtool.correlation.requests.slots import Slot, target_slots
from pytest_loadtool.correlation.responses.controls import form_start
from pytest_loadtool.correlation.responses.markup_items import ELEMENT, Item, items_around
from pytest_loadtool.correlation.responses.recorded import RecordedResponse
from pytest_loadtool.correlation.sources.addresses import (
    is_about,
    link_addresses,
    literal,
    resources_in,
    varies,
)
from pytest_loadtool.correlation.sources.anchors import AnchorText
from pytest_loadtool.extraction.address import ANY, VALUE
from pytest_loadtool.extraction.extract import PlainText, taken
from pytest_loadtool.extraction.page import escaped_text
from pytest_loadtool.extraction.row_search import row_around
from pytest_loadtool.extraction.tags import attributes
from pytest_loadtool.model.extractor import (
    Boundary,
    Choice,
    FormField,
    InItem,
    Link,
    RegularExpression,
    Source,
)
from pytest_loadtool.model.place import Place

#: By the place of an id in an address: the variable that requests have it from.
Owners = Mapping[tuple[Place, str, str], str]
#: The anchors that a text is.
FindAnchors = Callable[[str], Sequence[AnchorText]]

_LABEL = re.compile(r"[^<>]*>\s*([^<>\s][^<>]*+)<")
#: How many forms of one row submit to one address, at most.
_MOST_FORMS = 4
#: A shorter text is part of a row by chance.
_SHORTEST = 3
#: A shorter value is no token.
_SHORTEST_TOKEN = 8
#: How many values are looked at to see whether a page has several.
_MOST_LIKE_IT = 8
_HOST = re.compile("(?:https?:)?//[^/]+")


def place_of(slot: Slot) -> tuple[Place, str, str]:
    """Return what tells one id in an address from another: where it is, and what it is."""
    name = slot.before if slot.place is Place.PATH else slot.name.removeprefix("amp;")
    return slot.place, name, slot.value


@dataclass(frozen=True, slots=True)
class Row:
    """A source that takes a value from its row: as the recording has it, and as the test case
    does."""

    literal: Source
    template: Source
    by: str
    """What the row is known by, as a template."""
    match: int = 1


@dataclass(frozen=True, slots=True)
class PageItems:
    """A recorded page: its response, the address that it was fetched from, and the anchors that the
    user knows by then."""

    response: RecordedResponse
    address: str
    anchors: FindAnchors

    def form_row(
        self, producer: Producer, match: int, owners: Owners, known: Collection[str]
    ) -> Row | None:
        """Return what finds the field of a form. ``match`` is which of its name it is; ``known``
        are values that are others on replay. None: there is no row, or nothing that tells which."""
        text, name = self.response.text, escape(producer.name)
        start = form_start(text, producer.form)
        if start is None:
            return None
        action = attributes(text, start)[0].get("action", "")
        address = self.address if match == 1 else ""
        by_ids = _by_ids(action, address, owners, known)
        if by_ids is not None:
            was, now, by = by_ids
            fields = FormField(name, action=was), FormField(name, action=now)
            return self._first([Row(*fields, by)], producer)
        if producer.control != "text":
            alike = re.compile(rf"\saction=[\"']?{re.escape(action)}(?=[\"'\s>])")
            many = text.count("action=") > 1 and sum(1 for _ in islice(alike.finditer(text), 2)) > 1
            return self._first(
                _by_text(self.response, start, FormField(name), self.anchors, many), producer
            )
        return None

    def owned_row(self, producer: Producer, owners: Owners, known: Collection[str]) -> Row | None:
        """Return what finds a value in a link by the user's id in its address; None as
        `form_row`."""
        if len(producer.value) < _SHORTEST_TOKEN:
            return None
        links, address = self.response.links, self.address
        return self._first(_linked(producer.extracted, links, address, owners, known), producer)

    def link_row(self, producer: Producer, slot: Slot, known: Collection[str]) -> Row | None:
        """Return what finds the value of a slot in a link to its address; None as `form_row`."""
        text = self.response.text
        written = [*re.finditer(rf"[\"'=]{re.escape(producer.text)}[\"'\s>]", text)]
        addresses = link_addresses(producer, slot, known)
        own = is_about(self.address, producer.value, resources_in(unescape(producer.text)))
        if not written or not addresses or own:
            return None
        link = Link(escape(addresses[-1]))
        places = [one.end() - 1 for one in written]  # the first may be that of an icon
        by_label = chain(*(_labelled(link, text, end, self.anchors) for end in places))
        by_row = _by_text(self.response, written[0].start(), link, self.anchors, self._many(link))
        return self._first((*by_label, *by_row), producer)

    def _many(self, source: Source) -> bool:
        """Return whether the page has several values where the source looks."""
        first = taken(source, self.response)
        for at in range(2, _MOST_LIKE_IT):
            other = taken(source, self.response, at)
            if other is None or other != first:
                return other is not None
        return False

    def text_row(self, producer: Producer, source: Source) -> Row | None:
        """Return what finds a text that stands in several rows; None as `form_row`."""
        if not isinstance(source, Boundary | RegularExpression) or not self._many(source):
            return None
        position = self.response.text.find(producer.extracted)
        rows = _by_text(self.response, position, source, self.anchors, True)
        return self._first(rows, producer) if position >= 0 else None

    def data_row(self, producer: Producer) -> Row | None:
        """Return what finds a value in a ``data-`` attribute; None as `form_row`."""
        text, name = self.response.text, escaped_text(producer.name)
        written = re.search(rf'\s{name}="{escaped_text(producer.extracted)}"', text)
        resources = {(producer.value, id_stem(producer.name))}
        if written is None or is_about(self.address, producer.value, resources):
            return None
        inner = RegularExpression(escape(rf'\s{name}="([^"]*)"'))
        rows = _by_text(self.response, written.start() + 1, inner, self.anchors, self._many(inner))
        return self._first(rows, producer)

    def call_row(self, producer: Producer) -> Row | None:
        """Return what finds an argument of a script's call; None as `form_row`."""
        inner = RegularExpression(escape(producer.text))
        for found in re.finditer(producer.text, self.response.text):
            if found[1] == producer.extracted:
                rows = _by_text(
                    self.response, found.start(), inner, self.anchors, self._many(inner)
                )
                return self._first(rows, producer)
        return None

    def choice_row(self, producer: Producer) -> Row | None:
        """Return what finds a choice by its label; None: the user has not sent that."""
        label = unescape(producer.text)
        anchor = next(reversed(self.anchors(label)), None)
        if anchor is None:
            return None
        name = escape(producer.name)
        both = Choice(name, escape(label)), Choice(name, anchor.template)
        return self._first([Row(*both, anchor.template)], producer)

    def _first(self, rows: Iterable[Row], producer: Producer) -> Row | None:
        """Return the first that gives back the recorded value."""
        for one in rows:
            for match in range(1, _MOST_FORMS + 1):
                found = taken(one.literal, self.response, match)
                if found == producer.extracted:
                    return replace(one, match=match)
                if found is None:
                    break
        return None


def _by_ids(
    written: str, address: str, owners: Owners, known: Collection[str], wanted: str = ""
) -> tuple[str, str, str] | None:
    """Return an address by the ids in it that are of the user: with the recorded ids, with
    placeholders, and the last of these. None: it has no such id, or ids of the page itself
    alone."""
    was = now = by = ""
    position = 0
    resources = resources_in(written)
    for span in target_slots(written, 0):
        if span.depth:
            continue
        name = owners.get(place_of(span))
        before = literal(written[position : span.start])
        if wanted and span.raw == wanted:
            own = recorded = VALUE
        elif (
            name is not None
            and span.raw == span.value
            and not is_about(address, span.value, resources)
        ):
            own, recorded = f"${{{name}}}", literal(span.value)
            by = own
        elif varies(span.value, known):
            own = recorded = ANY
        else:
            continue
        was, now = was + before + recorded, now + before + own
        position = span.end
    rest = literal(written[position:].partition("#")[0])
    return (was + rest, now + rest, by) if by else None


def _linked(
    value: str, links: Iterable[str], address: str, owners: Owners, known: Collection[str]
) -> Iterator[Row]:
    """Yield links with the value, and with an id by which to know them."""
    for raw in links:
        if value not in raw:
            continue
        plain = unescape(raw)
        host = _HOST.match(plain)
        by_ids = _by_ids(plain[host.end() if host else 0 :], address, owners, known, value)
        if by_ids is not None:
            was, now, by = by_ids
            yield Row(Link(was), Link(now), by)


def _labelled(link: Link, text: str, end: int, anchors: FindAnchors) -> Iterator[Row]:
    """Yield the link, whose address ends there, by its own text."""
    found = _LABEL.match(text, end)
    label = found[1].rstrip() if found is not None else ""
    anchor = _anchor_of(label, anchors) if label else None
    if anchor is not None and (_names(anchor) or len(_written(label).findall(text)) == 1):
        was, now = escape(unescape(label)), anchor.template
        if "*" not in was + now:
            yield Row(replace(link, label=was), replace(link, label=now), now)


def _by_text(
    page: RecordedResponse, position: int, source: Source, anchors: FindAnchors, many: bool
) -> Iterator[Row]:
    """Yield ``source`` in the item around ``position``, by a text of it that no other item has, or
    then none with such a value; ``many``: there are others like it, so that anything around it may
    be the item. What the user has called something, in an item with that value alone, and not in
    others, comes before what stands nearer, such as a tag."""
    later: list[Row] = []
    for item in items_around(page.text, position):
        if item.kind and not many:
            break
        found = sorted(_anchored(page, position, source, anchors, item), key=lambda one: one[:-1])
        if found and _is_of_one(page.text, source, item):
            yield from (
                row for elsewhere, _, is_no_name, _, row in found if not (elsewhere or is_no_name)
            )
        later += (row for *_, row in found)
    yield from later


def _anchored(
    page: RecordedResponse, position: int, source: Source, anchors: FindAnchors, item: Item
) -> Iterator[tuple[bool, bool, bool, bool, Row]]:
    """Yield ``source`` in an item by each of the user's texts in it, the better the smaller what is
    before the row."""
    text = page.text
    for found in ELEMENT.finditer(text, item.start, min(item.end + 1, len(text))):
        written = found[1].rstrip()
        anchor = _anchor_of(written, anchors)
        if anchor is None:
            continue
        was = InItem(source, escape(unescape(written)), item.kind)
        elsewhere = _elsewhere(text, written, item)
        if elsewhere and taken(was, page, 2) is not None:
            continue
        by = Row(was, replace(was, text=anchor.template), anchor.template)
        yield (
            elsewhere,
            anchor.kept or anchor.shortened,
            not _names(anchor),
            found.start() >= position,
            by,
        )


def _is_of_one(text: str, source: Source, item: Item) -> bool:
    """Return whether an item has but one such value."""
    row = PlainText(text[item.start : item.end])
    return taken(source, row, 2) in (None, taken(source, row))


def _elsewhere(text: str, written: str, item: Item) -> bool:
    """Return whether another item has that text, too, as the name of who has made them all."""
    return any(
        not item.start <= one.start() < item.end and (item.kind or row_around(text, one.end())[1])
        for one in _written(written).finditer(text)
    )


def _written(label: str) -> re.Pattern[str]:
    """Return a pattern for that text of an element."""
    return re.compile(rf">\s*{re.escape(label)}\s*<")


def _anchor_of(written: str, anchors: FindAnchors) -> AnchorText | None:
    """Return the anchor that a text of the page is: what the user has called something, else a text
    of the user's that tells one resource from another."""
    plain = unescape(written)
    own = [one for one in anchors(plain) if not one.extracted]
    named = [one for one in own if _names(one) and len(plain) >= _SHORTEST]
    found = named or [one for one in own if one.telling]
    return found[-1] if found else None


def _names(anchor: AnchorText) -> bool:
    """Return whether the user has called something so."""
    return is_title_name(anchor.field)
