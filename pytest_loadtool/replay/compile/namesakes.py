"""Namesakes: rows that are found by a text which several of them have.

When it was recorded one row had it. Where an earlier run or somebody else has made another of that
name, the first may be theirs: then the answer is not as recorded.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from pytest_loadtool.extraction.extract import Extract, PlainText, compile_literal, compile_source
from pytest_loadtool.extraction.page import in_items
from pytest_loadtool.model.extractor import (
    Decoded,
    Extractor,
    InItem,
    JsonPath,
    Link,
    Source,
    XmlPath,
    source_texts,
)
from pytest_loadtool.model.result import Failure
from pytest_loadtool.replay.user.exchange import Check, Response
from pytest_loadtool.replay.user.failures import not_as_recorded

#: A text that items of a list are compared with: an id has no quotes, or is a variable.
_COMPARED = re.compile(r"""=\s*["']""")


def of_one_name(extractor: Extractor, strict: bool) -> Check | None:
    """Return what tells that a second row has what the value is found by, and another value; which
    is a failure if ``strict``. None: it goes by no such text, or by one of each user's own."""
    source = extractor.source
    if extractor.match > 1 or source_texts(source):
        return None
    second = _second(source)
    if second is None:
        return None
    first = compile_source(source)
    said = f"${{{extractor.variable}}} may be another's: several have what it is found by, {source}"
    failure = not_as_recorded(said)

    def check(response: Response, _values: Sequence[str]) -> Failure | None:
        other = second(response)
        if other is None or other == first(response):
            return None
        if strict:
            return failure
        response.not_as_recorded = response.not_as_recorded or said
        return None

    return check


def _second(source: Source) -> Extract | None:
    """Return what takes the value of a second row."""
    match source:
        case JsonPath(path=path) | XmlPath(path=path):
            by_text = _COMPARED.search(path) is not None and "*" not in path
            return compile_source(source, 2) if by_text else None
        case Link(label=label) if label:
            return compile_source(source, 2)
        case InItem(source=inner, text=text, item=item):
            take = compile_literal(inner)
            return lambda response: in_items(
                response.text, text, item, lambda row: take(PlainText(row)), number=2
            )
        case Decoded(inner=JsonPath(path=path)) if _COMPARED.search(path) and "*" not in path:
            return compile_source(replace(source, match=2))
    return None
