"""Extraction by a user's own values: extractors with placeholders, taken apart once.

What a placeholder stands for is text, whatever it means to the language around it. In a JSON path
it is compared with, in a regular expression it is escaped. Where a pattern has one placeholder,
that is found as text, and both sides are compiled once; any other is compiled for each set of
values, and the last `_MOST_PATTERNS` are kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final

from pytest_loadtool.codec.template import Template
from pytest_loadtool.extraction.address import Fills
from pytest_loadtool.extraction.extract import (
    Extract,
    PlainText,
    Readable,
    by_expression,
    compile_literal,
    compile_source,
    in_headers,
)
from pytest_loadtool.extraction.jsonpath import Shown, bind_path
from pytest_loadtool.extraction.page import (
    Find,
    bind_choice,
    bind_form_field,
    bind_link,
    escaped_text,
    in_items,
    page_text,
)
from pytest_loadtool.extraction.pattern import Allowance, Pattern
from pytest_loadtool.extraction.xmlpath import bind_xml_path
from pytest_loadtool.model.extractor import (
    Boundary,
    Choice,
    Decoded,
    FormField,
    HeaderValue,
    InItem,
    JsonPath,
    Link,
    RegularExpression,
    Source,
    XmlPath,
    source_texts,
    template_fields,
)

#: From a response and a user's values to the value, or None when the response does not hold it.
Bound = Callable[[Readable, Sequence[str]], str | None]
#: From a text and a value in it to what is extracted.
_AsText = Callable[[str, str], str | None]

#: How many patterns of one extractor are kept compiled.
_MOST_PATTERNS: Final = 256

#: What a pattern may begin with to be found as text.
_PLAIN: Final = re.compile(r"(?:[^\\.^$*+?{}\[\]|()]|\\[^\w\s])*")
#: What cannot stand behind a placeholder for that: its repetition, alternatives, groups before it.
_NO_TAIL: Final = re.compile(r"\A[*+?{]|\||\\[1-9]")
_UNESCAPE: Final = re.compile(r"\\(.)")
#: What takes a text as it is.
_ALL: Final = Boundary("", "")
_MARKED: Final = re.compile("[&<>\"']")


def bind_source(source: Source, match: int, fills: Fills) -> Bound:
    """Compile a source with placeholders, as `compile_source` does one without. ``fills`` compiles
    their templates.

    Of the text between literals nothing is found where a value is empty: all would fit.

    Raises:
        ValueError: as `compile_source`, or a placeholder stands where none can.
    """
    if match < 1:
        raise ValueError(f"match counts from 1, not {match}")
    return _BINDERS.get(type(source), _filled)(source, match, fills)


def _json_path(source: JsonPath, match: int, fills: Fills) -> Bound:
    return bind_json_value(source.path, match, fills)


def bind_json_value(
    path: str, match: int, fills: Fills, shown: Shown | None = None
) -> Callable[[Readable, Sequence[str]], Any]:
    """Compile a path with placeholders, as `json_value` does one without."""
    get = bind_path(path, match, fills, shown)

    def extract(response: Readable, values: Sequence[str]) -> Any:
        if not response.text:  # a broken coding is raised here: it is no matter of JSON
            return None
        try:
            document = response.json()
        except ValueError:
            return None
        return get(document, values)

    return extract


def _xml_path(source: XmlPath, match: int, fills: Fills) -> Bound:
    get = bind_xml_path(source.path, match, fills)
    return lambda response, values: get(response.text, values)


def _regular_expression(source: RegularExpression, match: int, fills: Fills) -> Bound:
    """Bind as text where the pattern allows for that, and the value is written as it is."""
    allowance = Allowance(source.pattern)
    by_pattern = _by_pattern(source.pattern, allowance, match, fills)
    parts = Template.parse(source.pattern).parts
    before = parts[0] if isinstance(parts[0], str) else ""
    rest = parts[1:] if before else parts
    behind = rest[1] if len(rest) == 2 else ""
    if len(rest) not in (1, 2) or not isinstance(behind, str) or _NO_TAIL.search(behind):
        return by_pattern
    if not _PLAIN.fullmatch(before):
        return by_pattern
    fill = fills(Template(rest[:1]))
    as_text = _behind_text(_UNESCAPE.sub(r"\1", before), Pattern(behind, allowance), match)

    def extract(response: Readable, values: Sequence[str]) -> str | None:
        value = fill(values)
        if value and _MARKED.search(value) is None:
            allowance.begin()
            return as_text(response.text, value)
        return by_pattern(response, values)

    return extract


def _behind_text(left: str, tail: Pattern, match: int) -> _AsText:
    """Return a function that finds the value behind that text, and what ``tail`` takes behind
    it."""
    group = min(tail.groups, 1)

    def find(text: str, value: str) -> str | None:
        sought = left + value
        length, seen = len(sought), 0
        start = text.find(sought)
        while start >= 0:
            found = tail.match(text, start + length)
            if found is None:
                start = text.find(sought, start + 1)
                continue
            seen += 1
            end = found.end()
            if seen == match:
                return found[1] if group else text[start:end]
            start = text.find(sought, end)
        return None

    return find


def _by_pattern(pattern: str, allowance: Allowance, match: int, fills: Fills) -> Bound:
    return _compiled_for(
        pattern, fills, page_text, lambda one: by_expression(one, allowance, match)
    )


def _header_value(source: HeaderValue, match: int, fills: Fills) -> Bound:
    name = source.name
    assert source.pattern is not None, "only that has placeholders"
    allowance = Allowance(source.pattern)
    return _compiled_for(
        source.pattern,
        fills,
        escaped_text,
        lambda one: in_headers(name, one, allowance, match),
    )


def _compiled_for(
    pattern: str, fills: Fills, quote: Callable[[str], str], compiled: Callable[[str], Extract]
) -> Bound:
    """Return what takes the pattern with the values in it, each in a group of its own."""
    parts = Template.parse(pattern).parts
    made = [one if isinstance(one, str) else fills(Template((one,))) for one in parts]
    keep = lru_cache(maxsize=_MOST_PATTERNS)(compiled)

    def extract(response: Readable, values: Sequence[str]) -> str | None:
        written = ""
        for one in made:
            if isinstance(one, str):
                written += one
                continue
            value = one(values)
            if not value:
                return None
            written += f"(?:{quote(value)})"
        return keep(written)(response)

    return extract


def _filled(source: Source, match: int, fills: Fills) -> Bound:
    """Bind a source that is made anew at no cost: its texts are filled in."""
    make: Any = type(source)
    rest: dict[str, Any] = {one.name: getattr(source, one.name) for one in fields(source)}
    templates = {name: Template.parse(rest.pop(name)) for name in template_fields(source)}
    texts = [(name, fills(one)) for name, one in templates.items()]
    single = [fills(Template((part,))) for one in templates.values() for part in one.references]

    def extract(response: Readable, values: Sequence[str]) -> str | None:
        if not all(fill(values) for fill in single):
            return None
        filled = {name: fill(values) for name, fill in texts}
        return compile_literal(make(**rest, **filled), match)(response)

    return extract


def _in_page(bind: Callable[[Any, int, Fills], Find]) -> Callable[[Any, int, Fills], Bound]:
    def bound(source: Source, match: int, fills: Fills) -> Bound:
        find = bind(source, match, fills)
        return lambda response, values: find(response.text, values)

    return bound


def _form_field(source: FormField, match: int, fills: Fills) -> Bound:
    if source.action:
        return _in_page(bind_form_field)(source, match, fills)
    return _filled(source, match, fills)


def _in_item(source: InItem, match: int, fills: Fills) -> Bound:
    inner, anchor_of = _either(source.source, match, fills), fills(Template.parse(source.text))
    item = source.item

    def extract(response: Readable, values: Sequence[str]) -> str | None:
        anchor = anchor_of(values)
        if not anchor:
            return None
        return in_items(response.text, anchor, item, lambda text: inner(PlainText(text), values))

    return extract


def _decoded(source: Decoded, match: int, fills: Fills) -> Bound:
    outer = _either(source.outer, match, fills)
    decode = compile_source(Decoded(_ALL, source.decode)) if source.decode else None
    inner = None if source.inner is None else _either(source.inner, source.match, fills)

    def extract(response: Readable, values: Sequence[str]) -> str | None:
        text = outer(response, values)
        if text is not None and decode is not None:
            text = decode(PlainText(text))
        return text if text is None or inner is None else inner(PlainText(text), values)

    return extract


def _either(source: Source, match: int, fills: Fills) -> Bound:
    if source_texts(source):
        return bind_source(source, match, fills)
    plain = compile_source(source, match)
    return lambda response, _values: plain(response)


#: By kind of source, where there is something better than to make it anew.
_BINDERS: Mapping[type, Callable[[Any, int, Fills], Bound]] = MappingProxyType(
    {
        JsonPath: _json_path,
        XmlPath: _xml_path,
        RegularExpression: _regular_expression,
        HeaderValue: _header_value,
        FormField: _form_field,
        Link: _in_page(bind_link),
        Choice: _in_page(bind_choice),
        InItem: _in_item,
        Decoded: _decoded,
    }
)
