"""Extractors that go by a text which requests send follow when the requests send another one."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from html import unescape

from pytest_loadtool.correlation.bound import escaped_text
from pytest_loadtool.model.case import TestCase, Transaction
from pytest_loadtool.model.editing import with_transactions
from pytest_loadtool.model.extractor import (
    Decoded,
    JsonPath,
    RegularExpression,
    Source,
    with_texts,
)
from pytest_loadtool.model.template import Template, escape

__all__ = ["followed", "followed_words"]

#: What a text is found by in a pattern may have escapes of its own.
_ESCAPED = re.compile(r"\\(.)")


def _as_it_is(text: str) -> str:
    return text


@dataclass(frozen=True, slots=True)
class _Language:
    """Where a path or pattern has the text by which it finds a row; what the text means, and how it
    is written."""

    places: re.Pattern[str]
    read: Callable[[str], str]
    quote: Callable[[str], str]

    def written(self, template: str) -> str:
        """A template, its literals in the language."""
        parts = Template.parse(template).parts
        return "".join(
            escape(self.quote(one)) if isinstance(one, str) else str(one) for one in parts
        )


_IN_PATHS = _Language(
    re.compile(r"""(?P<before>==\s*(?P<quote>["']))(?P<text>.*?)(?P<after>(?P=quote))"""),
    _as_it_is,
    _as_it_is,
)
_IN_PATTERNS = _Language(
    re.compile(
        r"(?P<before>>(?:\\s\*)?)(?P<text>(?:[^<>\\.^$*+?{}\[\]|()]|\\[^\w\s]|\$\{[^}]*\})+)"
        r"(?P<after>(?:\\s\*)?(?:\(\?:)?<)"
    ),
    lambda text: unescape(_ESCAPED.sub(r"\1", text)),
    escaped_text,
)

#: From a text by which an extractor goes to what comes in its place.
_Write = Callable[[str, _Language], str]


def followed(case: TestCase, first: int, old: str, new: str) -> TestCase:
    """``case`` whose extractors, from transaction ``first`` on, go by ``new`` where they went by
    ``old``: two templates."""

    def write(text: str, language: _Language) -> str:
        same = text == language.written(old) or language.read(text) == old
        return language.written(new) if same else text

    return with_transactions(
        case,
        (
            _remarked(one, write) if index >= first else one
            for index, one in enumerate(case.transactions())
        ),
    )


def followed_words(transaction: Transaction, text: str, name: str) -> Transaction:
    """The transaction whose extractors go by the variable where they went by ``text``, or by a text
    of which that is a word."""
    placeholder = f"${{{name}}}"

    def write(marked: str, language: _Language) -> str:
        if language.read(marked) == escape(text):
            return placeholder
        word = rf"(?<![^\W_]){re.escape(language.written(escape(text)))}(?![^\W_])"
        return re.sub(word, lambda _: placeholder, marked)

    return _remarked(transaction, write)


def _remarked(transaction: Transaction, write: _Write) -> Transaction:
    extractors = tuple(
        replace(one, source=_source(one.source, write)) for one in transaction.extractors
    )
    changed = extractors != transaction.extractors
    return replace(transaction, extractors=extractors) if changed else transaction


def _source(source: Source, write: _Write) -> Source:
    match source:
        case JsonPath():
            language = _IN_PATHS
        case RegularExpression():
            language = _IN_PATTERNS
        case Decoded(outer=outer, inner=inner):
            inner = inner and _source(inner, write)
            return replace(source, outer=_source(outer, write), inner=inner)
        case _:
            return source

    def written(found: re.Match[str]) -> str:
        return found["before"] + write(found["text"], language) + found["after"]

    return with_texts(source, lambda text: language.places.sub(written, text))
