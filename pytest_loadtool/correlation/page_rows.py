"""Rows of HTML pages: patterns that find the user's own form or link among those of others.

A form is known by an id in the address that it submits to, where a request has it from a variable.
Links, and forms whose address tells nothing, are known by a text that the user has sent, in the
link itself or in the same ``tr``, ``li`` or ``article``; where a page has several of them, also in
the same ``div`` or ``section`` with a class.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pytest_loadtool.codec.entities import unescape
from pytest_loadtool.codec.place import Place
from pytest_loadtool.codec.template import Template, escape
from pytest_loadtool.correlation.addresses import (
    AMPERSAND,
    HOST_IN_PAGE,
    OTHER_IN_PAGE,
    TO_LABEL,
    link_patterns,
    varies,
)
from pytest_loadtool.correlation.choices import choice_patterns
from pytest_loadtool.correlation.controls import form_start
from pytest_loadtool.correlation.looks import is_title_name
from pytest_loadtool.correlation.marks import Mark
from pytest_loadtool.correlation.markup_rows import (
    ELEMENT,
    Around,
    row_at,
    row_end,
    rows_around,
)
from pytest_loadtool.correlation.producer import Producer
from pytest_loadtool.correlation.recorded import RecordedResponse
from pytest_loadtool.correlation.slots import Slot, target_slots
from pytest_loadtool.extraction.bound import escaped_text
from pytest_loadtool.extraction.extract import taken
from pytest_loadtool.extraction.tags import attributes
from pytest_loadtool.model.extractor import RegularExpression, Source
from pytest_loadtool.model.rule import Kind

#: By the place of an id in an address: the variable that requests have it from.
Owners = Mapping[tuple[Place, str, str], str]
#: The marks that a text is.
Marks = Callable[[str], Sequence[Mark]]

_LABEL = re.compile(TO_LABEL + r"([^<>\s][^<>]*+)<")
#: How many forms of one row submit to one address, at most.
_MOST_FORMS = 4
#: A shorter text is part of a row by chance.
_SHORTEST = 3
#: A shorter value is no token.
_SHORTEST_TOKEN = 8
_HOST = re.compile("(?:https?:)?//[^/]+")


def place_of(slot: Slot) -> tuple[Place, str, str]:
    """What tells one id in an address from another: where it is, and what it is."""
    name = slot.before if slot.place is Place.PATH else slot.name.removeprefix("amp;")
    return slot.place, name, slot.value


@dataclass(frozen=True, slots=True)
class Row:
    """What takes a value from its row: as the recording has it, and as the test case does."""

    literal: RegularExpression
    template: RegularExpression
    match: int
    by: str
    """What the row is known by, as a template."""


@dataclass(frozen=True, slots=True)
class _Pattern:
    """A pattern as the recording has it, and as the test case does."""

    literal: str
    template: str
    by: str = ""

    def __add__(self, other: _Pattern) -> _Pattern:
        literal, template = self.literal + other.literal, self.template + other.template
        return _Pattern(literal, template, self.by or other.by)

    def written(self, old: str, new: str) -> _Pattern:
        """The same with a text as the page writes it."""
        return _Pattern(self.literal.replace(old, new), self.template.replace(old, new), self.by)


def _same(pattern: str) -> _Pattern:
    return _Pattern(pattern, escape(pattern))


@dataclass(frozen=True, slots=True)
class Page:
    """A recorded page: its response, the address that it was fetched from, and the marks that the
    user knows by then."""

    response: RecordedResponse
    address: str
    marks: Marks

    def form_row(
        self, producer: Producer, match: int, owners: Owners, known: Collection[str]
    ) -> Row | None:
        """What finds the field of a form. ``match`` is which of its name it is; ``known`` are
        values that are others on replay. None: there is no row, or nothing that tells which."""
        text = self.response.text
        start = form_start(text, producer.form)
        if start is None:
            return None
        name = escaped_text(producer.name)
        action = attributes(text, start)[0].get("action", "")
        by_action = _action(action, self.address if match == 1 else "", owners, known)
        if by_action is None and producer.control == "hidden":
            inner = rf'<[^<>]*?name="{name}"[^>]*?value="([^"]*)"'
            many = text.count(f'action="{action}"') > 1
            return self._first(_by_text(text, start, inner, self.marks, many), producer)
        if by_action is None or f'action="{action}"' not in text:
            return None
        field = _same(rf'[\s\S]*?name="{name}"[^>]*?value="([^"]*)"')
        return self._first([by_action + field], producer)

    def owned_row(self, producer: Producer, owners: Owners, known: Collection[str]) -> Row | None:
        """What finds a value in a link by the user's id in its address; None as `form_row`."""
        if len(producer.value) < _SHORTEST_TOKEN:
            return None
        links, address = self.response.links, self.address
        return self._first(_linked(producer.extracted, links, address, owners, known), producer)

    def link_row(self, producer: Producer, slot: Slot, known: Collection[str]) -> Row | None:
        """What finds the value of a slot in a link to its address; None as `form_row`."""
        text = self.response.text
        written = re.search(rf"[\"'=]{re.escape(producer.text)}[\"'\s>]", text)
        patterns = link_patterns(producer, slot, known)
        about = (spot.value for spot in target_slots(self.address, 0))
        if written is None or not patterns or producer.value in about:
            return None
        by_label = _labelled(patterns[-1], text, written.end() - 1, self.marks)
        many = len(set(re.findall(patterns[-1], text))) > 1
        inner = "<[^<>]*?" + patterns[-1]
        by_row = _by_text(text, written.start(), inner, self.marks, many)
        return self._first((*by_label, *by_row), producer)

    def is_listed(self, producer: Producer, source: Source, match: int) -> bool:
        """Whether the value is in a row, and the source has other values for other rows."""
        text = self.response.text
        if producer.kind is Kind.CONTROL:
            start = form_start(text, producer.form)
        else:
            start = text.find(producer.text or producer.extracted)
        if start is None or not any(
            not row.by_class or len(re.findall(row.tag, text)) > 1
            for row in rows_around(text, start, True)
        ):
            return False
        near = (taken(source, self.response, one) for one in range(1, match + _MOST_FORMS))
        return any(one not in (None, producer.extracted) for one in near)

    def data_row(self, producer: Producer) -> Row | None:
        """What finds a value in a ``data-`` attribute; None as `form_row`."""
        text, name = self.response.text, escaped_text(producer.name)
        written = re.search(rf'\s{name}="{escaped_text(producer.extracted)}"', text)
        if written is None or producer.value in self.address:
            return None
        inner = rf'\s{name}="([^"]*)"'
        many = len(set(re.findall(inner, text))) > 1
        return self._first(_by_text(text, written.start() + 1, inner, self.marks, many), producer)

    def choice_row(self, producer: Producer) -> Row | None:
        """What finds a choice by its label; None: the user has not sent that."""
        label = producer.text
        mark = next(reversed(self.marks(unescape(label))), None)
        if mark is None:
            return None
        around = choice_patterns(producer.name)
        patterns = (_same(one) + _text(label, mark) + _same(end) for one, end in around)
        return self._first(patterns, producer)

    def _first(self, patterns: Iterable[_Pattern], producer: Producer) -> Row | None:
        """The first that gives back the recorded value."""
        for one in patterns:
            source = RegularExpression(escape(one.literal))
            for match in range(1, _MOST_FORMS + 1):
                found = taken(source, self.response, match)
                if found == producer.extracted:
                    return Row(source, RegularExpression(one.template), match, one.by)
                if found is None:
                    break
        return None


def _action(action: str, address: str, owners: Owners, known: Collection[str]) -> _Pattern | None:
    """The address of a form by the ids in it; None as `_by_ids`."""
    by_ids = _by_ids(action, address, owners, known)
    return None if by_ids is None else _same('action="') + by_ids + _same('"')


def _by_ids(
    written: str, address: str, owners: Owners, known: Collection[str], wanted: str = ""
) -> _Pattern | None:
    """An address by the ids in it, the value that is ``wanted`` its group; None if it has none of a
    variable, or if its page is about that one."""
    pattern, position, own = _same(""), 0, False
    about = {spot.value for spot in target_slots(address, 0)}
    for spot in target_slots(written, 0):
        if spot.depth:
            continue
        name = owners.get(place_of(spot))
        before = _same(escaped_text(written[position : spot.start]))
        if wanted and spot.raw == wanted:
            pattern += before + _same(f"({OTHER_IN_PAGE})")
        elif name is not None and spot.raw == spot.value and spot.value not in about:
            pattern += before + _Pattern(escaped_text(spot.value), f"${{{name}}}", f"${{{name}}}")
            own = True
        elif varies(spot.value, known):
            pattern += before + _same(OTHER_IN_PAGE)
        else:
            continue
        position = spot.end
    return pattern + _same(escaped_text(written[position:])) if own else None


def _linked(
    value: str, links: Iterable[str], address: str, owners: Owners, known: Collection[str]
) -> Iterator[_Pattern]:
    """Links with the value, and with an id by which to know them."""
    for raw in links:
        if value not in raw:
            continue
        entity = AMPERSAND.search(raw)
        plain = raw.replace(entity[0], "&amp;") if entity else raw
        host = _HOST.match(plain)
        by_ids = _by_ids(plain[host.end() if host else 0 :], address, owners, known, value)
        if by_ids is not None:
            start = _same("[\"'=]" + (HOST_IN_PAGE if host else ""))
            yield start + (by_ids.written("&amp;", entity[0]) if entity else by_ids)


def _labelled(pattern: str, text: str, end: int, marks: Marks) -> Iterator[_Pattern]:
    """The link, whose address ends there, by its own text."""
    found = _LABEL.match(text, end)
    label = found[1].rstrip() if found is not None else ""
    mark = _marked(label, marks) if label else None
    if mark is not None and (_names(mark) or len(_written(label).findall(text)) == 1):
        yield _same(pattern + TO_LABEL) + _text(label, mark) + _same(r"\s*<")


def _by_text(text: str, position: int, inner: str, marks: Marks, many: bool) -> Iterator[_Pattern]:
    """``inner`` behind a text of the row that is around ``position``, or before one; ``many``:
    there are others like it, so that anything around it may be the row."""
    for row in rows_around(text, position, many):
        end = row_end(text, row, position)
        own: list[tuple[bool, bool, _Pattern]] = []
        for found in ELEMENT.finditer(text, row.start, end):
            written = found[1].rstrip()
            mark = _marked(written, marks)
            if mark is None or _elsewhere(text, written, row, end):
                continue
            opening = ">" if text[found.start() + 1] == written[0] else r">\s*"
            told = _same(opening) + _text(written, mark)
            ahead = found.start() >= position
            if ahead:  # inner ends within a tag
                between = rf"[^<>]*(?:>[^<]*<(?!{row.tag})[^<>]*)*?"
                pattern = _same(inner + between) + told + _same(r"\s*<")
            else:
                pattern = told + _same(rf"\s*(?:<(?!{row.tag})[^<]*)*?" + inner)
            own.append((not _names(mark), ahead, pattern))
        yield from (pattern for _, _, pattern in sorted(own, key=lambda one: one[:2]))


def _elsewhere(text: str, written: str, row: Around, end: int) -> bool:
    """Whether another row has that text, too, as the name of who has made them all."""
    return any(
        not row.start <= one.start() < end and (row.by_class or row_at(text, one.end()))
        for one in _written(written).finditer(text)
    )


def _written(label: str) -> re.Pattern[str]:
    """A pattern for that text of an element."""
    return re.compile(rf">\s*{re.escape(label)}\s*<")


def _marked(written: str, marks: Marks) -> Mark | None:
    """The mark that a text of the page is: what the user has called something, else a text of the
    user's that tells one thing from another."""
    plain = unescape(written)
    own = [one for one in marks(plain) if not one.extracted]
    named = [one for one in own if _names(one) and len(plain) >= _SHORTEST]
    found = named or [one for one in own if one.telling]
    return found[-1] if found else None


def _names(mark: Mark) -> bool:
    """Whether the user has called something so."""
    return is_title_name(mark.field)


def _text(written: str, mark: Mark) -> _Pattern:
    """A text as the page writes it, and as the test case does if that has placeholders."""
    parts = Template.parse(mark.template).parts
    template = "".join(
        escape(escaped_text(part)) if isinstance(part, str) else str(part) for part in parts
    )
    literal = escaped_text(written)
    return _Pattern(literal, template if "${" in mark.template else escape(literal), mark.template)
