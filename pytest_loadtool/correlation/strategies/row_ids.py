"""Ids of rows: a page shows a text that the user sent, and beside it, wherever in the markup of its
row, the id that later requests send."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape as in_html
from itertools import chain, islice

from pytest_loadtool.codec.entities import unescape
from pytest_loadtool.codec.names import plain
from pytest_loadtool.codec.template import escape
from pytest_loadtool.correlation.classify import (
    AMOUNTS,
    collection_names,
    is_code_name,
    is_id_name,
    is_short_number,
    is_text_name,
    is_title_name,
    looks_random,
)
from pytest_loadtool.correlation.index.meaning import ANYTHING, OF_ANY_KIND, SWITCHES, is_index
from pytest_loadtool.correlation.index.traffic import RecordedStep, Traffic
from pytest_loadtool.correlation.kinds import collection, id_stem, is_called, is_done, words_of
from pytest_loadtool.correlation.producer import Producer
from pytest_loadtool.correlation.proposals import Proposal, fitting
from pytest_loadtool.correlation.requests.positions import CALL, IN_NAME
from pytest_loadtool.correlation.requests.slots import FIELDS, Slot
from pytest_loadtool.correlation.responses.markup_items import Item, items_around, row_texts
from pytest_loadtool.correlation.responses.tokens import standing_alone
from pytest_loadtool.correlation.sources.anchors import is_new_text
from pytest_loadtool.correlation.strategies.changed_items import row_changed
from pytest_loadtool.correlation.strategies.known_ids import claimed_as
from pytest_loadtool.correlation.strategies.new_pages import signs_in
from pytest_loadtool.correlation.strategies.strategy import Settled, Turn
from pytest_loadtool.correlation.strategies.typed import is_typed
from pytest_loadtool.extraction.page import escaped_text, in_items
from pytest_loadtool.model.extractor import InItem, RegularExpression
from pytest_loadtool.model.place import Place
from pytest_loadtool.model.rule import ProducerKind, Rule

_RULE = Rule(
    "row-id",
    "{field} is the id of a row in {producer}, which shows what was sent before.",
    confidence=0.75,
)
#: How many pages before the request are looked at, and how many places of the id in one.
_MOST_PAGES, _MOST_PLACES = 5, 60
#: How good a place is whose name is that of the things which the request is about.
_OF_ITS_KIND = 3
#: How much before an id tells what it is, in characters.
_LONGEST_BEFORE = 60
#: What an attribute says of a row, beside its id.
_MEASURES = AMOUNTS | {
    *("class", "col", "cols", "colspan", "height", "index", "level", "max", "maxlength", "min"),
    *("order", "position", "rank", "rowspan", "start", "step", "style", "tabindex", "width"),
}
#: What stands before the number of a resource: its kind, by a letter.
_KIND_BEFORE = re.compile(r"[A-Za-z][-_/]\Z")
_CHOICE = re.compile(r"<button\b|\btype=[\"']?(?:checkbox|radio|submit)\b", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z]+")
#: The name under which a control submits its value: that of the tag itself, or of its list.
_NAMED = re.compile(r"""\bname=["']?([^"'<>\s]+)""", re.IGNORECASE)
_ID = re.compile(r"(?!0\d*\Z)[\w-]{1,64}", re.ASCII)
_NAMED_UP_TO = re.compile(r"""\bname=["']?([^"'<>\s]*)\Z""", re.IGNORECASE)
_DIGIT = re.compile(r"\d")
#: Letters and numbers, of which one may be the id: ``order-2026-17``, ``A17/3``.
_COMPOSED = re.compile(r"[A-Za-z]{1,20}(?:[-_/.]?\d{1,9}){1,4}", re.ASCII)


@dataclass(frozen=True, slots=True)
class _Place:
    """The place of an id in its row: what is before and behind it, and the row's text."""

    before: str
    behind: str
    tag: str
    text: str
    item: Item

    def pattern(self, value: str) -> str:
        """Return what finds the id there, in the row."""
        if _COMPOSED.fullmatch(value):
            written = r"\d+".join(map(escaped_text, re.split(r"\d+", value)))
            return rf"{escaped_text(self.before)}({written}){escaped_text(self.behind)}"
        written = r"\d+" if value.isdigit() else r"\w+" if "-" not in value else r"[\w-]+?"
        return rf"{escaped_text(self.before)}({written}){escaped_text(self.behind)}"


class RowIds:
    """The ids of rows that pages have for their scripts, forms and links."""

    name = "row-ids"
    why = "The row of a page with a text that was sent has the id, wherever in its markup."
    source = "data attributes, ids of elements and handlers of HTML; check boxes of rows"
    turns = frozenset({Turn.OPEN})

    def propose(
        self, slots: Sequence[Slot], traffic: Traffic, known: Settled
    ) -> Iterator[Proposal]:
        """Yield the proposals on short numbers and random ids in fields for ids, in names of fields
        and in addresses: ``1`` of ``id=1`` where a row has ``<tr data-key="1"><td>Tea House``; if
        the row links to a thing that is known, what that is known as."""
        for slot in slots:
            if not may_be_id(slot, traffic):
                continue
            pages = islice(_pages(slot.transaction, traffic), _MOST_PAGES)
            places = ((one, place) for one in pages if (place := _place(slot, one, traffic)))
            some = list(places if slot.place is Place.PATH else islice(places, 1))
            if not some:
                continue
            step, place = max(some, key=lambda one: one[1][0] == _OF_ITS_KIND)
            found = place[1]
            row = traffic.response(step.index).text[found.item.start : found.item.end]
            if (same := _linked(slot, row, traffic, known)) is not None:
                yield same
            producer = Producer(step.index, ProducerKind.TEXT, "", slot.value)
            fits = fitting(slot, producer)
            if fits is not None:
                inner = RegularExpression(escape(found.pattern(slot.value)))
                source = InItem(inner, escape(found.text), found.item.kind)
                yield Proposal(fits, producer, _RULE, source, 1)


def _linked(slot: Slot, row: str, traffic: Traffic, known: Settled) -> Proposal | None:
    """Return the id of a thing to which the row links, of the kind that the request is about: of
    several rows with one text, it is that of the session's own."""
    about = words_of(traffic.steps[slot.transaction].called)
    for before, found in known.addressed(slot.value).items():
        address = re.compile(rf"{re.escape(before)}{re.escape(slot.raw)}(?![\w-])")
        if about & collection_names(collection(before)) and address.search(row):
            return claimed_as(slot, found)
    return None


def may_be_id(slot: Slot, traffic: Traffic) -> bool:
    """Return whether a slot may be for the id of a row, by its place."""
    value = slot.value
    if slot.before == CALL or is_typed(slot) or slot.name in traffic.responses.typed:
        return False
    is_id = _ID.fullmatch(value) and (is_short_number(value) or looks_random(value))
    if not (is_id or (_COMPOSED.fullmatch(value) and is_code_name(slot.name))):
        return False
    if is_index(slot, traffic):
        return False
    if slot.place is Place.PATH:
        return slot.in_word or slot.before != "/"
    if slot.place is Place.QUERY:
        return plain(slot.name) not in SWITCHES
    in_list = slot.place is Place.TEXT and is_id_name(slot.name)  # ``ids=17,18``
    return (in_list or slot.place in FIELDS) and (
        traffic.steps[slot.transaction].changes_state or is_id_name(slot.name)
    )


def _pages(before: int, traffic: Traffic) -> Iterator[RecordedStep]:
    """Return the pages before a transaction, the nearest first."""
    markup = traffic.responses.markup
    return (traffic.steps[at] for at in reversed(markup[: bisect_left(markup, before)]))


def _place(slot: Slot, step: RecordedStep, traffic: Traffic) -> tuple[int, _Place] | None:
    """Return the best place of the slot's value in a row that has a text of the user's own, and how
    good it is; None if it has none, or a request sent it in such a field before the page had
    it."""
    if traffic.requests.asked[slot.value, traffic.asked_for(slot)] <= step.index:
        return None
    text = traffic.response(step.index).text
    places = []
    for start in islice(standing_alone(slot.value, text), _MOST_PLACES):
        end = start + len(slot.value)
        place = _in_row(text, start, end, step.index, traffic)
        if place is not None and (rank := _rank(place, slot, step.index, traffic)):
            places.append((rank, -start, place))
    rank, _, place = max(places, key=lambda one: one[:2], default=(0, 0, None))
    return (rank, place) if place is not None else None


def _in_row(text: str, start: int, end: int, at: int, traffic: Traffic) -> _Place | None:
    item = next((one for one in items_around(text, start) if not one.alone), None)
    if item is None:
        return None
    sent = (one for one in row_texts(text, start) if was_sent(one, at, traffic))
    own = sorted(sent, key=lambda one: (_names(one, traffic), len(one)), reverse=True)
    if not own:
        return None
    begin = max(item.start, start - _LONGEST_BEFORE)
    before = text[begin:start]
    cut = max(before.rfind(one) for one in (" ", "\n", "\t", "<"))
    before = before[cut if before[cut : cut + 1] == "<" else cut + 1 :]
    if _DIGIT.search(before):
        return None
    opened = max(item.start, text.rfind("<", 0, start))
    closed = start if ">" in text[opened:start] else text.find(">", start)
    place = _Place(before, text[end : end + 1], text[opened:closed], own[0], item)
    by_itself = (one for one in own if _is_alone(one, text))
    there = (one for one in own if _tells(one, place, text[start:end], text))
    called = next(chain(by_itself, there), None)
    return None if called is None else replace(place, text=called)


def was_sent(text: str, at: int, traffic: Traffic) -> bool:
    """Return whether a change before has sent the text, and no login, and no answer of the
    nearest before that had it."""
    first = traffic.requests.written.get(text, at)
    return first < at and is_new_text(text, first, traffic) and not signs_in(traffic, first)


def _names(text: str, traffic: Traffic) -> bool:
    """Return whether the change that sent a text has called something so, and not described."""
    sent = (one for one in traffic.slots_of(traffic.requests.written[text]) if one.value == text)
    return any(is_title_name(one.name) and not is_text_name(one.name) for one in sent)


def _is_alone(called: str, text: str) -> bool:
    """Return whether one element of the page has that text."""
    written = {re.escape(called), re.escape(in_html(called)), re.escape(in_html(called, False))}
    return len(re.findall(rf">\s*(?:{'|'.join(written)})\s*<", text)) == 1


def _tells(called: str, place: _Place, value: str, text: str) -> bool:
    """Return whether, of the rows that have an id there, one has that text."""
    pattern = re.compile(place.pattern(value))

    def take(row: str) -> str | None:
        found = pattern.search(row)
        return None if found is None else found[1]

    first, second = (in_items(text, called, place.item.kind, take, at) for at in (1, 2))
    return first == value and second is None


def _are_alike(one: str, other: str) -> bool:
    """Return whether two names of fields have a word in common, other than that of the form which
    both are of: ``note[text]`` and ``note[tag_ids][]`` have none."""
    mine, theirs = ([*map(str.lower, _WORD.findall(name))] for name in (one, other))
    while len(mine) > 1 and len(theirs) > 1 and mine[0] == theirs[0]:
        mine, theirs = mine[1:], theirs[1:]
    return not {*mine, plain(one)}.isdisjoint(theirs)


def _is_named(tag: str, slot: Slot) -> bool:
    """Return whether a tag is that of a control which submits its value as the slot's."""
    name = _NAMED.search(tag)
    return name is not None and unescape(name[1]) == slot.name


def _rank(place: _Place, slot: Slot, at: int, traffic: Traffic) -> int:
    """Return how well a place of that page says that it is that of an id: 3 by the name of what the
    slot is about, 2 by another, 1 as all rows have another there, 0 not at all."""
    text = traffic.response(at).text
    row = text[place.item.start : place.item.end + 1]
    pattern = re.compile(place.pattern(slot.value))
    first = pattern.search(row)
    if first is None or first[1] != slot.value:
        return 0
    if (slot.name, slot.value) in traffic.responses.choices and not _is_named(place.tag, slot):
        return 0  # it is picked from what a form offers, and not from what else is in that row
    if slot.before == IN_NAME and slot.name and _is_named_so(place, slot):
        return _OF_ITS_KIND
    words = _WORD.findall(place.before)
    if _MEASURES.intersection(map(str.lower, words)):
        return 0
    others = pattern.findall(text)
    alone, several = len(others) == 1, len(set(others)) > 1
    if not (alone or several):
        return 0  # all rows have the same there
    resources = traffic.requests.resources | collection_names(
        collection(traffic.steps[slot.transaction].called)
    )
    if is_short_number(slot.value) and _is_of_another(place, slot, text, resources):
        return 0
    if slot.place is Place.QUERY and not traffic.steps[slot.transaction].changes_state:
        return _leads_to_each(place, slot, others)
    submitted = _NAMED.search(place.tag)
    called = unescape(submitted[1]) if submitted is not None else ""
    if several and _CHOICE.search(place.tag) and _are_alike(slot.name, called):
        return 2
    is_in_place = slot.place is Place.PATH or slot.before == IN_NAME
    if not (is_in_place or is_code_name(slot.name) or collection_names(slot.name) & resources):
        return int(several and row_changed(pattern, slot, at, traffic))
    if words and slot.place is Place.PATH and collection_names(words[-1]) & collection_names(
        collection(slot.before)
    ):  # fmt: skip
        return _OF_ITS_KIND
    if place.before.endswith(">") or not words:
        return int(several and len(set(others)) == len(others))
    if is_id_name(words[-1]) or collection_names(words[-1]) & resources:
        return 2
    return int(several or not is_short_number(slot.value))


def _leads_to_each(place: _Place, slot: Slot, others: Sequence[str]) -> int:
    """Return 2 if each row has a link with such a field, and another number in it:
    ``/notes?details=17``."""
    link = place.tag.lower().startswith("<a") and place.before.endswith(f"{slot.name}=")
    return 2 if link and 1 < len(others) == len(set(others)) else 0


def _is_named_so(place: _Place, slot: Slot) -> bool:
    """Return whether a place is in the name of a control, behind the word that the slot is behind:
    ``name="qty_17"`` of ``qty_17=3``."""
    name = _NAMED_UP_TO.search(place.before)
    return name is not None and _WORD.findall(name[1])[-1:] == [slot.name]


def _is_of_another(place: _Place, slot: Slot, text: str, resources: frozenset[str]) -> bool:
    """Return whether a place says that its number is that of another kind than the slot is for: by
    the name under which its control submits it, or by the kind of resource right before it."""
    stem = id_stem(slot.name)
    if not stem or stem.split()[-1] in ANYTHING:
        return False
    tag = place.tag
    if tag.lower().startswith("<option"):
        start = max(text.rfind(one, 0, place.item.start) for one in ("<select", "<SELECT"))
        tag = text[start : place.item.start] if start >= 0 else ""
    named = _NAMED.search(tag)
    if named is not None:
        return not is_called(stem, id_stem(named[1]) or plain(named[1]))
    words = _WORD.findall(place.before)
    kind = words[-1] if words else ""
    if not collection_names(kind) & resources and not _KIND_BEFORE.search(place.before):
        return False
    generic = is_done(kind) or kind.lower() in OF_ANY_KIND
    return not generic and not any(is_called(stem, one) for one in collection_names(kind))
