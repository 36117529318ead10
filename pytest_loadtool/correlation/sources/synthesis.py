"""Synthesis: an extractor that gives back the recorded value on the recorded response.

Structure comes first: a JSON path, a field or a cookie by its name. An address is taken apart by a
regular expression in which whatever else looks dynamic may vary. Boundaries are the last resort.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from pytest_loadtool.codec.entities import unescape
from pytest_loadtool.codec.events import is_event_stream
from pytest_loadtool.correlation.classify import is_short_number
from pytest_loadtool.correlation.producer import Box, Producer
from pytest_loadtool.correlation.requests.slots import Slot, target_slots
from pytest_loadtool.correlation.responses.controls import form_start
from pytest_loadtool.correlation.responses.links import labels_of
from pytest_loadtool.correlation.responses.producers import fragment_slots
from pytest_loadtool.correlation.responses.script_names import named_sources
from pytest_loadtool.correlation.responses.xml_document import format_xml_path, from_list
from pytest_loadtool.correlation.sources.addresses import link_addresses, location_patterns, varies
from pytest_loadtool.extraction.address import ANY, VALUE
from pytest_loadtool.extraction.extract import PlainText, Readable, taken
from pytest_loadtool.extraction.json_steps import OwnKey, format_path
from pytest_loadtool.extraction.page import escaped_text
from pytest_loadtool.extraction.tags import attributes
from pytest_loadtool.model.extractor import (
    Boundary,
    Choice,
    CookieValue,
    Decoded,
    FormField,
    HeaderValue,
    JsonPath,
    Link,
    RegularExpression,
    Source,
    XmlPath,
)
from pytest_loadtool.model.rule import ProducerKind
from pytest_loadtool.structure.uses import escaped

#: ASP.NET spreads a long ViewState over numbered fields.
_SPLIT_STATE = re.compile(r"__VIEWSTATE\d*")
#: In the names of cookies: a host has one jar for the servers at all its ports.
_PORT = re.compile(r"(?<!\d)\d{4,5}(?!\d)")

#: Of a link in a header, behind a value in its address.
_RELATION = re.compile(r'[^<>]*>[^<>,]*;\s*rel="?([\w-]+)')

_Known = Collection[str]


class Reading:
    """A response, and what was taken from it: many values may come from one source."""

    __slots__ = ("_taken", "response")

    def __init__(self, response: Readable) -> None:
        self.response = response
        self._taken: dict[Source, list[str | None]] = {}

    def taken(self, source: Source, match: int = 1) -> str | None:
        """Return what the source takes, its texts being no templates."""
        found = self._taken.setdefault(source, [])
        while len(found) < match:
            found.append(taken(escaped(source), self.response, len(found) + 1))
        return found[match - 1]


def synthesise(
    producer: Producer,
    slot: Slot,
    reading: Reading,
    matches: int,
    known: Collection[str] = frozenset(),
) -> tuple[Source, int] | None:
    """Return the first source, and which match of it (at most ``matches``), that yields the value.

    ``known`` are values that are others on replay: an address may have them in it.
    """
    if producer.box is not None:
        return _packed(producer, producer.box, slot, reading, matches, known)
    for source in _SOURCES[producer.kind](producer, slot, reading, known):
        match = reproducing(source, producer.extracted, reading, matches)
        if match is not None:
            return escaped(source), match
    return None


def _packed(
    producer: Producer, box: Box, slot: Slot, reading: Reading, matches: int, known: _Known
) -> tuple[Source, int] | None:
    """Return what takes the encoded text, and in that the value."""
    around = replace(slot, name=box.producer.name, value=box.producer.value)
    outer = synthesise(box.producer, around, reading, matches, known)
    within = Reading(PlainText(box.text))
    inner = synthesise(replace(producer, box=None), slot, within, matches, known)
    if outer is None or inner is None:
        return None
    return _inner(outer[0], box.decode, *inner), outer[1]


def _inner(outer: Source, decode: tuple[str, ...], inner: Source, match: int) -> Decoded:
    """Return what takes the inner value from the text that the outer source gives."""
    if isinstance(outer, Decoded) and outer.inner is not None:
        return replace(outer, inner=_inner(outer.inner, decode, inner, match))
    return Decoded(outer, decode, inner, match)


def reproducing(source: Source, value: str, reading: Reading, matches: int) -> int | None:
    """Return which match of a source, of the first so many, is the first to give the value."""
    for match in range(1, matches + 1):
        found = reading.taken(source, match)
        if found is None or found == value:
            return None if found is None else match
    return None


def _json(producer: Producer, _: Slot, reading: Reading, __: _Known) -> Iterator[Source]:
    paths = [JsonPath(format_path(producer.steps))]
    if is_event_stream(reading.response.text):  # whichever event has it: there are more or less
        paths.insert(0, JsonPath(f"$[*]{format_path(producer.steps[1:])[1:]}"))
    if producer.steps and isinstance(own := producer.steps[-1], OwnKey):
        paths.append(JsonPath(f"{format_path((*producer.steps[:-1], str(own)))}~"))
    if not producer.text:
        yield from paths
    elif producer.before:
        inner = RegularExpression(rf"\b{escaped_text(producer.before)}([^/:?#]+)")
        yield from (Decoded(one, (), inner) for one in paths)
    else:
        inner = RegularExpression(_in_sentence(producer.text, producer.value))
        if isinstance(producer.steps[-1], int):  # a text of a list may be elsewhere in it
            yield inner
        yield from (Decoded(one, (), inner) for one in paths)


def _in_sentence(text: str, value: str) -> str:
    """Return a pattern for a value by what is before it in a sentence; of an address without the
    server, which another one is not."""
    at = text.find(value)
    left = _SERVER.sub("", _left_of(text[max(0, at - _CONTEXT) : at]))
    written = next(one for one in _WRITTEN if re.fullmatch(one, value))
    return rf"{escaped_text(left)}({written})"


#: Group 1 is what stands in the element or attribute of that name, whatever its prefix.
_XML = {
    "element": r"<(?:[\w.-]+:)?{}(?:\s[^>]*)?>\s*([^<]*?)\s*<",
    "attribute": r"\b{}\s*=\s*[\"']([^\"']*)[\"']",
}


def _xml(producer: Producer, slot: Slot, reading: Reading, known: _Known) -> Iterator[Source]:
    if producer.steps:
        path = format_xml_path(producer.steps)
        if producer.in_list:
            path = from_list(path, producer.steps, reading.response.text)
        yield XmlPath(path)
        return
    yield RegularExpression(_XML[producer.text].format(escaped_text(producer.name)))
    yield from _text(replace(producer, text="", name=""), slot, reading, known)


def _control(producer: Producer, _: Slot, reading: Reading, known: _Known) -> Iterator[Source]:
    if _SPLIT_STATE.fullmatch(producer.name):
        count = reading.taken(FormField("__VIEWSTATEFIELDCOUNT")) or ""
        if count.isdecimal() and int(count) > 1:
            yield FormField(producer.name, split=int(count))
    if reading.taken(FormField(producer.name)) != producer.value:
        yield from _in_form(producer, reading, known)
    yield FormField(producer.name)


def _in_form(producer: Producer, reading: Reading, known: _Known) -> Iterator[Source]:
    """Yield the field of a form that is known by where it submits to, however many come before it.

    Where that has an id in it, all the rest has to be of this form alone: of the forms in a list,
    one for each resource, nothing tells which.
    """
    text = reading.response.text
    start = form_start(text, producer.form)
    if start is None:
        return
    action = attributes(text, start)[0].get("action", "").partition("#")[0]
    address, position = "", 0
    for span in target_slots(action, 0):
        if not span.depth and varies(span.value, known):
            address += action[position : span.start] + ANY
            position = span.end
    address += action[position:]
    source = FormField(producer.name, action=address)
    if address.strip("./?&=") and not (position and reading.taken(source, 2)):
        yield source


def _cookie(producer: Producer, *_: object) -> Iterator[Source]:
    around = _PORT.split(producer.name)
    if len(around) > 1:
        name = r"\d+".join(map(escaped_text, around))
        yield HeaderValue("Set-Cookie", f"^{name}=([^;]*)")
    yield CookieValue(producer.name)


def _header(producer: Producer, _: Slot, reading: Reading, __: _Known) -> Iterator[Source]:
    if producer.text:
        start = producer.text.find(producer.extracted)
        left, right = beside(producer.text, start, start + len(producer.extracted))
        end = f"(?:{escaped_text(right)}|$)" if right else "$"
        if relation := _relation(producer):
            yield HeaderValue(producer.name, f"{escaped_text(left)}([^<>&]*){relation}")
        yield HeaderValue(producer.name, f"{escaped_text(left)}(.*?){end}")
        return
    yield HeaderValue(producer.name)
    whole = reading.response.header(producer.name) or ""
    scheme = whole.removesuffix(producer.value)
    if scheme != whole:
        yield HeaderValue(producer.name, f"^{escaped_text(scheme)}(.+)")


def _relation(producer: Producer) -> str:
    """Return a pattern for what tells one link of a header from another (RFC 8288 §3.3)."""
    behind = producer.text.partition(producer.extracted)[2]
    found = _RELATION.match(behind) if producer.name.lower() == "link" else None
    return "" if found is None else rf'[^<>]*>[^<>,]*;\s*rel="?{escaped_text(found[1])}\b'


def _location(producer: Producer, slot: Slot, reading: Reading, known: _Known) -> Iterator[Source]:
    header, patterns = producer.header, location_patterns(producer, slot, known)
    for span in fragment_slots(producer.text, 0):
        if span.value == slot.value:
            yield HeaderValue(header, f"[#&]{escaped_text(span.name)}=([^&]+)")
    yield from _addresses((HeaderValue(header, one) for one in patterns), producer, reading)
    if len(producer.filters) > 1:  # in another value
        yield from _header(replace(producer, name=header), slot, reading, known)


def _link(producer: Producer, slot: Slot, reading: Reading, known: _Known) -> Iterator[Source]:
    addresses = link_addresses(producer, slot, known)
    yield from _addresses(map(Link, addresses), producer, reading)
    for written in labels_of(reading.response.text, producer.text) if addresses else ():
        label = unescape(written)
        if VALUE not in label:
            yield Link(addresses[-1], _varying(label, slot.value))


def _varying(label: str, value: str) -> str:
    """Return the text of a link, which may say the value, too: ``msg2 (view)``."""
    return label if is_short_number(value) else re.sub(rf"\b{re.escape(value)}\b", VALUE, label)


def _addresses(
    patterns: Iterator[Source], producer: Producer, reading: Reading
) -> Iterator[Source]:
    """Yield the pattern that tells least of the address, if it leads to the value and to no other,
    the one that tells most, and then the former, if that has the value first of all."""
    for loose in patterns:
        leads = reading.taken(loose) == producer.extracted
        alone = leads and reading.taken(loose, 2) in (None, producer.extracted)
        yield from (loose,) if alone else ()
        yield from patterns
        yield from (loose,) if leads and not alone else ()


def _text(producer: Producer, _: Slot, reading: Reading, __: _Known) -> Iterator[Source]:
    if producer.text:
        yield RegularExpression(producer.text)
        return
    if producer.name:
        yield from named_sources(reading.response.text, producer.extracted, producer.name)
        if producer.name.startswith("data-"):
            yield RegularExpression(rf'\s{producer.name}="([^"]*)"')
        return
    text, value = reading.response.text, producer.extracted
    position = text.find(value)
    for _attempt in range(3):
        if position < 0:
            return
        end = position + len(value)
        left, right = beside(text, position, end)
        if left and "://" not in left:  # of the recorded server, which another one is not
            boundary = Boundary(left, right)
            if reading.taken(boundary) != value:
                yield from _numbers_aside(text, position, right, reading)
            yield boundary
        position = text.find(value, end)


def _numbers_aside(text: str, start: int, right: str, reading: Reading) -> Iterator[Source]:
    """Yield a pattern of all that is before a value in its tag, whatever the numbers there, if that
    tells it from others: ``style="width: 40%" value="``."""
    context = text[max(0, start - _CONTEXT) : start]
    narrow = _CONTEXT_END.split(context.rpartition("\n")[2])[-1]
    if narrow == context:  # it begins within a word
        narrow = _CONTEXT_START.split(narrow, maxsplit=1)[-1]
    left = re.sub(r"\d+", r"\\d+", escaped_text(narrow))
    source = RegularExpression(f"{left}(.+?){escaped_text(right)}")
    if right and any(map(str.isdigit, narrow)) and reading.taken(source, 2) is None:
        yield source


def _choice(producer: Producer, _: Slot, reading: Reading, __: _Known) -> Iterator[Source]:
    selected = rf"<option(?=[^<>]*\sselected)[^<>]*>\s*{re.escape(producer.text)}\s*<"
    if re.search(selected, reading.response.text):
        yield FormField(producer.name)  # as the page came, whatever others are called so
    yield from _numbered_option(producer)
    yield Choice(producer.name, unescape(producer.text))


def _numbered_option(producer: Producer) -> Iterator[Source]:
    """Yield a pattern of an option whose label has its own number beside other words, ``#17 Tea
    House``, that leaves the number open."""
    before, *more = re.split(rf"(?<!\w){re.escape(producer.value)}(?!\w)", producer.text)
    if more and producer.value.isdigit() and any(map(str.isalpha, producer.text)):
        label = r"\d+".join(map(escaped_text, (before, *more)))
        named = rf"<select\b[^<>]*\bname=[\"']?{escaped_text(producer.name)}[\"'\s]"
        between = r"(?:(?!</select)[\s\S])*?"
        option = rf"<option\b[^<>]*\bvalue=[\"']?(\d+)\b[^<>]*>\s*{label}\s*<"
        yield RegularExpression(named + between + option)


_Synthesiser = Callable[[Producer, Slot, Reading, _Known], Iterator[Source]]
#: For each kind of producer, the sources to try in order.
_SOURCES: Mapping[ProducerKind, _Synthesiser] = MappingProxyType(
    {
        ProducerKind.JSON: _json,
        ProducerKind.XML: _xml,
        ProducerKind.CONTROL: _control,
        ProducerKind.META: _control,
        ProducerKind.COOKIE: _cookie,
        ProducerKind.HEADER: _header,
        ProducerKind.LOCATION: _location,
        ProducerKind.LINK: _link,
        ProducerKind.CHOICE: _choice,
        ProducerKind.CALL: _text,
        ProducerKind.TEXT: _text,
    }
)


#: How much text before a value a boundary holds, at most.
_CONTEXT = 30
#: What is before the path of an address.
_SERVER = re.compile(r"\A.*://[^/\s]*", re.DOTALL)
#: What a value in a sentence may be written of: what goes on behind it is no part of it.
_WRITTEN = (r"\d+", r"[\w-]+", r"[^\s\"'<>]+", r".+")
#: What ends a value: a character, or an escape, as a value may have other ones.
_RIGHT = re.compile(r"%[0-9a-fA-F]{2}|&[#\w]+;|\\u[0-9a-fA-F]{4}|\\.|.|\Z", re.DOTALL)
_CONTEXT_END = re.compile(r"[<>;{}]")
#: What is before a text in a list: the list's beginning or another text, which may be elsewhere.
_ITEM = re.compile(r"(?:\[|[\"']\s*,)\s*[\"']")
_CONTEXT_START = re.compile(r"[\s,()\[\]&]")


def beside(text: str, start: int, end: int) -> tuple[str, str]:
    """Return what is before and behind ``text[start:end]``, as far as that tells."""
    right = _RIGHT.match(text, end)
    return _left_of(text[max(0, start - _CONTEXT) : start]), right[0] if right else ""


def _left_of(context: str) -> str:
    """Return text before a value by which to find it: in its line and its tag or statement, no
    numbers."""
    line = context.rpartition("\n")[2]
    ends = [match.end() for match in _CONTEXT_END.finditer(line)]
    narrow = line[ends[-1] :] if ends else line
    if not narrow.strip():
        return line.strip() and line[ends[-2] if len(ends) > 1 else 0 :]
    starts = [0, *(match.end() for match in _CONTEXT_START.finditer(narrow))]
    candidates = [left for left in (narrow[start:] for start in starts) if left.strip()]
    steady = (left for left in candidates if not any(map(str.isdigit, left)))
    own = (left.lstrip() for left in candidates if not _ITEM.search(left))
    return next(steady, None) or next(own, candidates[0])
