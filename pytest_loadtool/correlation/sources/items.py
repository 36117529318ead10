"""Rows: a value that comes from a list is taken from the user's own item, not from the n-th one.

The item is known by an anchor: the text that the user gave it, or an id that an extractor has
found. An extractor goes by one where, in the recorded response, that leads to the recorded value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from pytest_loadtool.codec.names import plain
from pytest_loadtool.codec.template import escape
from pytest_loadtool.correlation.classify import (
    collection_names,
    is_id_name,
    is_short_number,
    is_title_name,
)
from pytest_loadtool.correlation.index.traffic import Traffic
from pytest_loadtool.correlation.kinds import collection, id_stem, is_called, resources_of
from pytest_loadtool.correlation.producer import Producer, is_dynamic_key, last_item
from pytest_loadtool.correlation.proposals import ByClient
from pytest_loadtool.correlation.responses.objects import (
    KEY,
    NO_TEXT,
    Keys,
    condition,
    inner,
    leaves,
    quoted,
    shared_keys,
)
from pytest_loadtool.correlation.responses.recorded import RecordedResponse, document_of
from pytest_loadtool.correlation.responses.xml_document import (
    OWN_TEXT,
    format_xml_path,
    from_list,
    xml_document,
)
from pytest_loadtool.correlation.sources.anchors import (
    AnchorText,
    AnchorTexts,
    address_anchors,
    extracted_anchors,
    sent_anchors,
)
from pytest_loadtool.correlation.sources.page_items import FindAnchors, Owners, PageItems, place_of
from pytest_loadtool.correlation.sources.places import is_by_place
from pytest_loadtool.correlation.sources.variables import Found
from pytest_loadtool.extraction.extract import PlainText, Readable, compile_source
from pytest_loadtool.extraction.json_steps import OwnKey, format_path
from pytest_loadtool.extraction.jsonpath import json_text
from pytest_loadtool.model.case import Variable
from pytest_loadtool.model.extractor import Choice, Decoded, InItem, JsonPath, Source, XmlPath
from pytest_loadtool.model.place import Place
from pytest_loadtool.model.rule import ProducerKind


def by_rows(
    found: Sequence[Found],
    traffic: Traffic,
    variables: Mapping[str, Variable],
    computed: Sequence[ByClient] = (),
) -> tuple[Found, ...]:
    """Return the variables, each extracted by an anchor where there is one.

    An extractor goes by what those before it take, of the same response, too, and by what the
    client makes up: ``computed``.
    """
    work = _Rows(found, traffic, variables, computed)
    return tuple(work.placed(one) for one in found)


class _Rows:
    """The ids and rows that are known when a response comes; the responses are asked for in their
    order."""

    def __init__(
        self,
        found: Sequence[Found],
        traffic: Traffic,
        variables: Mapping[str, Variable],
        computed: Sequence[ByClient],
    ) -> None:
        self._traffic = traffic
        self._values = {one.recorded for one in found}
        self._anchors = AnchorTexts(
            [
                *sent_anchors(traffic, found),
                *extracted_anchors(traffic, found, variables),
                *address_anchors(traffic, (*found, *computed)),
            ]
        )
        self._owners: dict[str, dict[tuple[Place, str, str], str]] = {}
        self._sent: dict[int, set[str]] = {}
        self._page: tuple[int, PageItems] | None = None
        self._made = frozenset(
            name
            for at in traffic.requests.changes
            for name in collection_names(collection(traffic.steps[at].called))
        )

    def placed(self, one: Found) -> Found:
        """Return the variable, by its row if it is in one."""
        placed = self._placed(one)
        if placed.by_place:
            placed = next((each for each in self._elsewhere(one) if not each.by_place), placed)
        for slot in one.slots:
            for at in slot.senders:
                self._sent.setdefault(at, set()).add(slot.value)
            if not slot.depth:
                as_recorded = replace(slot, before=self._traffic.before(slot))
                self._owners.setdefault(slot.value, {})[place_of(as_recorded)] = one.name
        return placed

    def _elsewhere(self, one: Found) -> Iterator[Found]:
        """Yield the variable as it is taken from where else its value stands."""
        for each in one.others:
            yield self._placed(
                replace(one, producer=each.producer, source=each.source, match=each.match)
            )

    def _placed(self, one: Found) -> Found:
        placed = self._in_row(one)
        if placed.row or not one.slots:
            return placed
        at = one.producer.transaction
        step = self._traffic.steps[at]
        by_place = is_by_place(
            one.producer,
            one.source,
            one.match,
            self._read(at).response,
            own=self._says_which(at),
            change=step.exchange if step.changes_state else None,
        )
        return replace(one, by_place=by_place)

    def _says_which(self, at: int) -> bool:
        """Return whether a request says what it is about: by what it has from a variable, or by a
        text in its address that the user has sent."""
        slots = self._traffic.slots_of(at)
        said = [slot.value for slot in slots if slot.part == "target" and len(slot.value) > 2]
        return at in self._sent or any(map(self._read(at).anchors, said))

    def _in_row(self, one: Found) -> Found:
        """Return the variable with what tells its row from others, if there is such a thing."""
        producer = one.producer
        if producer.of_many and type(one.source) in (*_LANGUAGES, Decoded):
            page = self._read(producer.transaction)
            called = self._traffic.steps[producer.transaction].called
            end = last_item(producer.steps) or 0
            own = replace(producer, name="id", steps=(*producer.steps[: end + 1], "id"))
            kinds = _Kinds(resources_of(own, called), self._made)
            return _of_item(one, page.response, page.anchors, kinds)
        if producer.filters or producer.box is not None:
            return one
        if producer.kind is ProducerKind.TEXT and isinstance(one.source, InItem):  # as it is
            return replace(one, row=one.source.text)
        row = None
        if producer.kind is ProducerKind.CONTROL and producer.form >= 0:
            page = self._read(producer.transaction)
            row = page.form_row(producer, one.match, self._own(one), self._values)
        elif producer.kind is ProducerKind.CHOICE and isinstance(one.source, Choice):
            row = self._read(producer.transaction).choice_row(producer)
        elif producer.kind is ProducerKind.CALL and one.slots:
            row = self._read(producer.transaction).call_row(producer)
        elif producer.kind in (ProducerKind.LINK, ProducerKind.TEXT) and one.slots:
            page = self._read(producer.transaction)
            row = page.owned_row(producer, self._own(one), self._values)
            if row is None and producer.kind is ProducerKind.LINK:
                row = page.link_row(producer, one.slots[0], self._values)
            elif row is None and producer.name.startswith("data-"):
                row = page.data_row(producer)
            elif row is None:
                row = page.text_row(producer, one.source)
        if row is None:
            return one
        return replace(one, source=row.template, match=row.match, row=row.by)

    def _own(self, one: Found) -> Owners:
        """Return those of the known ids that the requests which send the value have, too."""
        senders = {at for slot in one.slots for at in slot.senders}
        values = {value for at in senders for value in self._sent.get(at, ())}
        own: dict[tuple[Place, str, str], str] = {}
        for value in values:
            own |= self._owners.get(value, {})
        return own

    def _read(self, at: int) -> PageItems:
        if self._page is None or self._page[0] != at:
            step = self._traffic.steps[at]
            assert step.exchange is not None, "producers come from exchanges"
            page = PageItems(RecordedResponse(step.exchange), step.address, self._anchors.by(at))
            self._page = at, page
        return self._page[1]


@dataclass(frozen=True, slots=True)
class _ItemLanguage:
    """The language of paths into documents of a kind: what reads such a document, and what writes a
    step, or in its place one to the items with that text there."""

    key: re.Pattern[str]
    """What can stand in a comparison."""
    read: Callable[[Readable], Any]
    step: Callable[[str | int], str]
    where: Callable[[Keys, str, Any], str]
    source: Callable[[str, Producer, Readable], Source]


@dataclass(frozen=True, slots=True)
class _Kinds:
    """What a list may be one of, and what changes of the session have been about."""

    listed: frozenset[str]
    made: frozenset[str]

    def has_none_of(self, anchor: AnchorText, anchors: Sequence[AnchorText]) -> bool:
        """Return whether what is listed is another kind of thing than what the anchor is the id of,
        and not the same by another name: changes have made some, or things of several kinds have
        that number."""
        if not is_short_number(anchor.recorded):  # no two things have one by chance
            return False
        if not anchor.kinds or not anchor.kinds.isdisjoint(self.listed):
            return False
        several = len({one.kinds for one in anchors if one.kinds}) > 1
        return several or not self.made.isdisjoint(self.listed)


def _of_item(one: Found, response: Readable, known: FindAnchors, resources: _Kinds) -> Found:
    """Return the variable with a path that goes by anchors instead of indexes, as far as there are
    some."""
    if isinstance(source := one.source, Decoded) and one.producer.box is None:  # of an address
        whole = replace(one.producer, value=one.producer.text, text="", before="")
        placed = _of_item(
            replace(one, producer=whole, source=source.outer), response, known, resources
        )
        return replace(placed, producer=one.producer, source=replace(source, outer=placed.source))
    if isinstance(source, Decoded):
        box, within = one.producer.box, source.inner
        if box is None or within is None or type(within) not in _LANGUAGES:
            return one
        inside = replace(one, source=within, match=source.match)
        placed = _of_item(inside, PlainText(box.text), known, resources)
        return replace(placed, source=replace(source, inner=placed.source, match=placed.match),
                       match=one.match)  # fmt: skip
    language = _LANGUAGES[type(source)]
    value: Any = language.read(response)
    path, literal, by = "", "", ""
    for at, step in enumerate(one.producer.steps):
        rest = one.producer.steps[at + 1 :]
        kinds = collection_names(str(one.producer.steps[at - 1])) if at else resources.listed
        items, place = _among(value, step)
        asked = one.producer.transaction
        best = _best(items, place, known, language.key, resources, rest, asked) if items else None
        if isinstance(step, str) and (owner := _owner_of(step, known, language, kinds)):
            path, literal = path + f"['{owner}']", literal + language.step(step)
            by = owner
        elif best is None:
            text = escape(language.step(step))
            path, literal = path + text, literal + text
        else:
            keys, anchor = best
            path += language.where(keys, anchor.template, inner(value[step], keys))
            literal += language.where(keys, escape(anchor.recorded), inner(value[step], keys))
            by = anchor.template
            if isinstance(step, OwnKey):
                path, literal = path + "~", literal + "~"
        value = value[step]
    if not by:
        return one
    made, was = (language.source(text, one.producer, response) for text in (path, literal))
    fits = compile_source(was)(response) == one.recorded
    return replace(one, source=made, match=1, row=by) if fits else one


def _among(value: Any, step: str | int) -> tuple[Sequence[Any], int]:
    """Return the items that one is of, of a list or of an object that has one for each id, and
    which of them it is."""
    if isinstance(step, int):
        return value, step
    if not is_dynamic_key(step) or not all(isinstance(one, dict) for one in value.values()):
        return (), 0
    return [*value.values()], [*value].index(step)


def _owner_of(
    key: str, known: FindAnchors, language: _ItemLanguage, resources: Collection[str]
) -> str:
    """Return what stands for a key of JSON that is an id which an extractor has found; else
    nothing."""
    if language.key is not KEY or not is_dynamic_key(key) or isinstance(key, OwnKey):
        return ""
    own = (
        one.template
        for one in reversed(known(key))
        if one.address or (one.extracted and _is_of("id", one, resources))
    )
    return next(own, "")


def _in_xml(keys: Keys, text: str, _: Any) -> str:
    return f"[{'/'.join(keys).removesuffix('/.')}={quoted(text)}]"


#: By the source that takes a value from a list.
_LANGUAGES: Mapping[type, _ItemLanguage] = MappingProxyType(
    {
        JsonPath: _ItemLanguage(
            KEY,
            document_of,
            lambda step: format_path((step,))[1:],
            condition,
            lambda path, _, __: JsonPath(f"${path}"),
        ),
        XmlPath: _ItemLanguage(
            re.compile(r"@?[\w.-]+|\."),
            lambda response: xml_document(response.text),
            lambda step: format_xml_path((step,)),
            _in_xml,
            lambda path, one, page: XmlPath(from_list(path, one.steps, page.text)),
        ),
    }
)


#: The rank of a number that is known as that of another kind of thing.
_BY_CHANCE = 5
#: That of a part of what was sent.
_SHORTENED = 6


def _best(
    items: Any,
    index: int,
    known: FindAnchors,
    key: re.Pattern[str],
    resources: _Kinds,
    rest: tuple[str | int, ...],
    asked: int,
) -> tuple[Keys, AnchorText] | None:
    """Return the field by which to know the item: of those that none of the others has, the one
    that tells most. What the ``rest`` of the way leads to tells nothing: who knows it need not look
    for it."""
    found: list[tuple[int, int, bool, int, Keys, AnchorText]] = []
    for keys, value in leaves(items[index], key, named=shared_keys(items)):
        if keys == rest or not (isinstance(value, str) or value.__class__ is int):
            continue
        anchors = known(json_text(value) or "")
        for anchor in anchors:
            rank = _rank(keys, anchor, resources.listed, asked, alone=len(items) == 1)
            if rank == 0 and resources.has_none_of(anchor, anchors):
                rank = _BY_CHANCE
            if rank is not None and _fits(value, anchor):
                of_another = _is_of_another(keys, anchor)
                found.append((rank, len(keys), of_another, -anchor.at, keys, anchor))
    found.sort(key=lambda one: one[:4])
    for *_, keys, anchor in found:
        value = inner(items[index], keys)
        if sum(inner(other, keys) == value for other in items) == 1:
            return keys, anchor
    return None


def _is_of_another(keys: Keys, anchor: AnchorText) -> bool:
    """Return whether an id in an object within the item is not called after what the anchor is the
    id of, as far as that is known: of two with one number the other counts."""
    around = keys[-2] if len(keys) > 1 else ""
    called = collection_names(id_stem(around) or around) if around else frozenset[str]()
    return bool(called and anchor.kinds) and called.isdisjoint(anchor.kinds)


def _fits(value: Any, anchor: AnchorText) -> bool:
    """Return whether a path can compare with it."""
    if isinstance(value, int):
        return anchor.extracted
    return not NO_TEXT.search(anchor.recorded) and not {"'", '"'} <= set(anchor.recorded)


def _rank(
    keys: Keys, anchor: AnchorText, resources: Collection[str], asked: int, *, alone: bool
) -> int | None:
    """Return how well an anchor under those keys tells items apart, 0 being best; None: by
    chance."""
    key, *outer = reversed(keys)
    name = plain(key).split()[-1:] or [key]
    if anchor.address:
        return 0
    if anchor.extracted:
        if not is_id_name(key) or not _is_of(key, anchor, resources, *outer[:1]):
            return None
        return 0 if plain(key) == name[0] else 3  # the item's own id, or that of another resource
    if is_title_name(key) or key == OWN_TEXT:
        return _SHORTENED if anchor.shortened else 1
    same = plain(anchor.field).split()[-1:] == name
    if alone and not (same and anchor.at == asked):  # of one item, everything is its own
        return None
    if anchor.shortened:
        return _SHORTENED if anchor.telling else None
    return 2 if same else 4 if anchor.telling else None


def _is_of(key: str, anchor: AnchorText, resources: Collection[str], outer: str = "") -> bool:
    """Return whether a small number that was extracted may be the id that stands under the key:
    that of a user is none of an order's ``id``; and under ``outer`` and the key, only that of what
    is called so."""
    called = anchor.field.partition("[")[0]
    stem = id_stem(called) or (plain(called) if outer and not is_id_name(called) else "")
    if not stem or not is_short_number(anchor.recorded):
        return True
    own = {id_stem(key)} - {""} or (collection_names(outer) if outer else resources)
    return any(is_called(stem, one) for one in own)
