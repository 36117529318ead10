"""Extraction: each kind of source compiled to one small function, for replay's hot path."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from types import MappingProxyType
from typing import Any, Protocol

from pytest_loadtool.codec.content import ContentError
from pytest_loadtool.codec.decoding import DECODINGS
from pytest_loadtool.codec.events import json_or_events
from pytest_loadtool.codec.template import Template
from pytest_loadtool.errors import SlowPatternError
from pytest_loadtool.extensions import EXTRACTORS, made
from pytest_loadtool.extraction.address import Fills
from pytest_loadtool.extraction.jsonpath import Fill, Shown, compile_path
from pytest_loadtool.extraction.page import Find, bind_choice, bind_form_field, bind_link, in_items
from pytest_loadtool.extraction.partial import is_partial, partial_fields
from pytest_loadtool.extraction.pattern import Allowance, Pattern
from pytest_loadtool.extraction.tags import find_control
from pytest_loadtool.extraction.xmlpath import compile_xml_path
from pytest_loadtool.model.extractor import (
    Boundary,
    Choice,
    CookieValue,
    Decoded,
    ExtensionSource,
    FormField,
    HeaderValue,
    InItem,
    JsonPath,
    Link,
    RegularExpression,
    Source,
    XmlPath,
    source_texts,
    with_texts,
)
from pytest_loadtool.structure.uses import escaped


class Readable(Protocol):
    """A response, as far as extractors read it."""

    @property
    def text(self) -> str:
        """The body as text: content coding removed, charset applied."""
        ...

    def json(self) -> Any:
        """Return the body parsed as JSON; several extractors of one response parse it once.

        Raises:
            ValueError: it is not JSON.
        """
        ...

    def header(self, name: str) -> str | None:
        """Return the first header of that name, without regard to case."""
        ...

    def header_values(self, name: str) -> list[str]:
        """Return all headers of that name, in order."""
        ...


#: From a response to the value, or None when the response does not hold it. It raises
#: `SlowPatternError` where a regular expression takes too long.
Extract = Callable[[Readable], str | None]


def compile_source(source: Source, match: int = 1) -> Extract:
    """Return the function that takes the ``match``-th (from 1) value of ``source`` from a response.

    Raises:
        ValueError: a pattern or path is malformed or has placeholders (which `bind_source` knows),
        or ``match`` is less than 1.
    """
    if source_texts(source):
        source = with_texts(source, _literal)
    return compile_literal(source, match)


def taken(source: Source, response: Readable, match: int = 1) -> str | None:
    """Return what an extractor would take from the response: nothing where it takes too long.

    Raises:
        ValueError: as `compile_source`.
    """
    try:
        return compile_source(source, match)(response)
    except SlowPatternError:
        return None


def compile_literal(source: Source, match: int = 1) -> Extract:
    """Compile as `compile_source` does, but a source whose texts are no templates: ``${`` is text
    in them.

    Raises:
        ValueError: as `compile_source`.
    """
    if match < 1:
        raise ValueError(f"match counts from 1, not {match}")
    return COMPILERS[type(source)](source, match)


def _literal(template: str) -> str:
    text = Template.parse(template).literal
    if text is None:
        raise ValueError(f"{template!r} has placeholders: there is no user to fill them in")
    return text


def _json_path(source: JsonPath, match: int) -> Extract:
    return json_value(source.path, match)


def json_value(path: str, match: int, shown: Shown | None = None) -> Callable[[Readable], Any]:
    """Return a function from a response to the ``match``-th JSON value at a path, as
    `compile_path`."""
    get = compile_path(path, match, shown)

    def extract(response: Readable) -> Any:
        if not response.text:  # a broken coding is raised here: it is no matter of JSON
            return None
        try:
            document = response.json()
        except ValueError:
            return None
        return get(document)

    return extract


def _xml_path(source: XmlPath, match: int) -> Extract:
    get = compile_xml_path(source.path, match)
    return lambda response: get(response.text)


def _boundary(source: Boundary, match: int) -> Extract:
    """Return the shortest text: from the last ``left`` before a ``right``."""
    left, right = source.left, source.right

    def extract(response: Readable) -> str | None:
        text = response.text
        position = 0
        for _ in range(match):
            opening = text.find(left, position)
            if opening < 0:
                return None
            opening += len(left)
            closing = text.find(right, opening) if right else len(text)
            if closing < 0:
                return None
            position = closing + len(right)
        if left:
            nearer = text.rfind(left, opening, closing)
            opening = opening if nearer < 0 else nearer + len(left)
        return text[opening:closing]

    return extract


def _regular_expression(source: RegularExpression, match: int) -> Extract:
    return by_expression(source.pattern, Allowance(source.pattern), match)


def by_expression(expression: str, allowance: Allowance, match: int) -> Extract:
    """Compile a `RegularExpression` as `compile_literal` does, with an allowance of its
    author's."""
    pattern = Pattern(expression, allowance)
    group = min(pattern.groups, 1)
    if match == 1:

        def extract(response: Readable) -> str | None:
            found = pattern.first(response.text)
            return None if found is None else found[group]

        return extract

    def extract_later(response: Readable) -> str | None:
        allowance.begin()
        return _nth(pattern.finditer(response.text), group, match)

    return extract_later


def _form_field(source: FormField, match: int) -> Extract:
    name = source.name
    if not name:
        raise ValueError("'' is not a name of a form field")
    if source.split:
        return _split_field(name, source.split) if match == 1 else _nothing
    if source.action:
        return _in_page(bind_form_field)(source, match)
    return lambda response: _field(response.text, name, match)


def _field(text: str, name: str, match: int) -> str | None:
    """Return the ``match``-th field of that name: what a partial response brings, then the
    controls."""
    if is_partial(text):
        brought = [value for field, value in partial_fields(text) if field == name]
        if match <= len(brought):
            return brought[match - 1]
        match -= len(brought)
    return find_control(text, name, match)


def _nothing(_: Readable) -> None:
    """Return None: what there is only one of has no second match."""


def _split_field(name: str, split: int) -> Extract:
    """Return one of the ``split`` fields in which a request sends a state; see `FormField`."""
    base = name.rstrip("0123456789")
    index = int(name.removeprefix(base) or 0)
    if index >= split:
        raise ValueError(f"{name!r} is not one of {split} fields that a state is split into")

    def extract(response: Readable) -> str | None:
        text = response.text
        pieces: list[str] = []
        piece = _field(text, base, 1)
        while piece is not None:
            pieces.append(piece)
            piece = _field(text, f"{base}{len(pieces)}", 1)
        if not pieces:
            return None
        if index + 1 == split:
            return "".join(pieces[index:])
        return pieces[index] if index < len(pieces) else ""

    return extract


def _in_page(bind: Callable[[Any, int, Fills], Find]) -> Callable[[Any, int], Extract]:
    """Return a function that compiles a source of pages that has nothing to fill in."""

    def compiled(source: Source, match: int) -> Extract:
        find = bind(escaped(source), match, _constant)
        return lambda response: find(response.text, ())

    return compiled


def _constant(template: Template) -> Fill:
    text = template.literal or ""
    return lambda _: text


def _in_item(source: InItem, match: int) -> Extract:
    inner = compile_literal(source.source, match)
    anchor, item = source.text, source.item
    if not anchor:
        return _nothing
    return lambda response: in_items(
        response.text, anchor, item, lambda text: inner(PlainText(text))
    )


def _header_value(source: HeaderValue, match: int) -> Extract:
    name = source.name
    if source.pattern is not None:
        return in_headers(name, source.pattern, Allowance(source.pattern), match)
    if match == 1:
        return lambda response: response.header(name)
    return lambda response: next(islice(response.header_values(name), match - 1, None), None)


def in_headers(name: str, expression: str, allowance: Allowance, match: int) -> Extract:
    """Compile an expression as `by_expression` does, for the values of the headers of that name."""
    pattern = Pattern(expression, allowance)
    group = min(pattern.groups, 1)

    def extract(response: Readable) -> str | None:
        allowance.begin()
        return _nth(
            (one for value in response.header_values(name) for one in pattern.finditer(value)),
            group,
            match,
        )

    return extract


def _cookie_value(source: CookieValue, match: int) -> Extract:
    start = f"{source.name}="

    def extract(response: Readable) -> str | None:
        seen = 0
        for line in response.header_values("set-cookie"):
            if line.startswith(start):
                seen += 1
                if seen == match:
                    return line[len(start) :].partition(";")[0].strip()
        return None

    return extract


class PlainText:
    """A text that is read like a body, without headers."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    @property
    def text(self) -> str:
        """Return all of it."""
        return self._text

    def json(self) -> Any:
        """Return the text parsed as JSON.

        Raises:
            ValueError: it is not JSON.
        """
        try:
            return json_or_events(self._text)
        except RecursionError:
            raise ValueError("the JSON is nested too deeply") from None

    def header(self, _: str) -> str | None:
        """Return None: there is no header."""
        return None

    def header_values(self, _: str) -> list[str]:
        """Return nothing: there are no headers."""
        return []


def _decoded(source: Decoded, match: int) -> Extract:
    outer = compile_literal(source.outer, match)
    decodings = [_decoding(name) for name in source.decode]
    inner = None if source.inner is None else compile_literal(source.inner, source.match)

    def extract(response: Readable) -> str | None:
        text = outer(response)
        for decoding in decodings:
            if text is None:
                return None
            text = decoding(text)
        return text if text is None or inner is None else inner(PlainText(text))

    return extract


def _decoding(name: str) -> Callable[[str], str | None]:
    if name not in DECODINGS:
        raise ValueError(f"{name!r} is not a decoding: expected one of {', '.join(DECODINGS)}")
    return DECODINGS[name]


#: One compiler for each kind of source.
def _extension(source: ExtensionSource, match: int) -> Extract:
    """Return what an extension makes: nothing is found where it fails."""
    take: Extract = made(EXTRACTORS, source.kind, source.argument, match)

    def extract(response: Readable) -> str | None:
        try:
            value = take(response)
        except ContentError:
            raise
        except Exception:
            return None
        return None if value is None else str(value)

    return extract


COMPILERS: Mapping[type, Callable[[Any, int], Extract]] = MappingProxyType(
    {
        JsonPath: _json_path,
        XmlPath: _xml_path,
        Boundary: _boundary,
        RegularExpression: _regular_expression,
        FormField: _form_field,
        Link: _in_page(bind_link),
        Choice: _in_page(bind_choice),
        InItem: _in_item,
        HeaderValue: _header_value,
        CookieValue: _cookie_value,
        Decoded: _decoded,
        ExtensionSource: _extension,
    }
)


def _nth(matches: Iterator[re.Match[str]], group: int, match: int) -> str | None:
    found = next(islice(matches, match - 1, None), None)
    return None if found is None else found[group]
