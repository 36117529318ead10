"""Extractors that go by a text which requests send follow when the requests send another one."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from pytest_loadtool.codec.entities import unescape
from pytest_loadtool.codec.filters import filtered
from pytest_loadtool.codec.template import Reference, Template, escape
from pytest_loadtool.extraction.page import escaped_text
from pytest_loadtool.model.case import TestCase, Transaction, Variable
from pytest_loadtool.model.editing import with_transactions
from pytest_loadtool.model.extractor import (
    Boundary,
    Choice,
    FormField,
    HeaderValue,
    InItem,
    JsonPath,
    Link,
    RegularExpression,
    Source,
    XmlPath,
    parts_of,
)
from pytest_loadtool.model.validator import (
    JsonValidator,
    TextValidator,
    Validator,
    expected_text,
    with_validator_texts,
)

#: What a text is found by in a pattern may have escapes of its own.
_ESCAPED = re.compile(r"\\(.)")
#: What is before a segment of a path, and before a value of a query, in a pattern too.
_SEGMENT = r"(?P<before>(?<![<\\])/|%2[Ff]|(?<=[\w\]-])(?:=|%3[Dd]))"
#: A key in a JSON path; or a condition, which has none that is a text of somebody.
_KEY = re.compile(r"\[\?.*?\)\]|\.(\w+)|\['([^'\]]+)'\]")
_HOLE = r"\$\{[^}]*\}"


#: By type and field, the languages of what may be followed.
_Languages = Mapping[type, Mapping[str, tuple["_AnchorLanguage", ...]]]


def _as_it_is(text: str) -> str:
    return text


@dataclass(frozen=True, slots=True)
class _AnchorLanguage:
    """The language of a path or pattern: where it has the text by which it finds something; what
    the text means, and how it is written, perhaps behind a filter."""

    places: re.Pattern[str]
    read: Callable[[str], str]
    quote: Callable[[str], str]
    filters: tuple[str, ...] = ("",)

    def written(self, template: str) -> str:
        """Return a template, its literals in the language."""
        parts = Template.parse(template).parts
        return "".join(
            escape(self.quote(one)) if isinstance(one, str) else str(one) for one in parts
        )


_IN_PATHS = _AnchorLanguage(
    re.compile(r"""(?P<before>==\s*(?P<quote>["']))(?P<text>.*?)(?P<after>(?P=quote))"""),
    _as_it_is,
    _as_it_is,
)
_IN_XML = replace(_IN_PATHS, places=re.compile(_IN_PATHS.places.pattern.replace("==", "=")))
_IN_PATTERNS = _AnchorLanguage(
    re.compile(
        rf"(?P<before>>(?:\\s\*)?)(?P<text>(?:[^<>\\.^$*+?{{}}\[\]|()]|\\[^\w\s]|\\d\+|{_HOLE})+)"
        r"(?P<after>(?:\\s\*)?(?:\(\?:)?<)"
    ),
    lambda text: unescape(_ESCAPED.sub(r"\1", text)),
    escaped_text,
)
_ADDRESSES_IN_PATTERNS = _AnchorLanguage(
    re.compile(
        rf"{_SEGMENT}(?P<text>(?:[^/?&=#;\"'<>\\.^$*+{{}}\[\]|()\s]|\\[^\w\s/?]|{_HOLE})+)"
        r"(?P<after>)"
    ),
    lambda text: _ESCAPED.sub(r"\1", text),
    escaped_text,
    ("", "url", "form"),
)
_ADDRESSES = replace(
    _ADDRESSES_IN_PATTERNS,
    places=re.compile(rf"{_SEGMENT}(?P<text>(?:[^/?&=#;\"'<>$\s]|{_HOLE})+)(?P<after>)"),
    read=_as_it_is,
    quote=_as_it_is,
)

#: A text that a person reads.
_TEXT = replace(_ADDRESSES, places=re.compile(r"(?P<before>)(?P<text>[\s\S]+)(?P<after>)"))
#: A text that a page shows, perhaps with the ends of the tags around it.
_SHOWN = _AnchorLanguage(
    re.compile(r"(?P<before>\A>?)(?P<text>[^<>]+)(?P<after><?\Z)"), _as_it_is, _as_it_is
)

#: What a control comes with.
_SET = _AnchorLanguage(
    re.compile(r"""(?P<before>\bvalue=")(?P<text>[^"<>]+)(?P<after>")"""), unescape, _as_it_is
)

#: By kind of source, or of validator, and by field: where it has names of resources.
_NAMES: _Languages = MappingProxyType(
    {
        JsonPath: {"path": (_IN_PATHS,)},
        XmlPath: {"path": (_IN_XML,)},
        RegularExpression: {"pattern": (_IN_PATTERNS,)},
        Link: {"label": (_TEXT,)},
        Choice: {"label": (_TEXT,)},
        InItem: {"text": (_TEXT,)},
        TextValidator: {"text": (_SHOWN, _SET), "row": (_SHOWN,)},
    }
)
#: And where it has what requests have in their addresses, too.
_WORDS: _Languages = MappingProxyType(
    {
        **_NAMES,
        RegularExpression: {"pattern": (_IN_PATTERNS, _ADDRESSES_IN_PATTERNS)},
        HeaderValue: {"pattern": (_ADDRESSES_IN_PATTERNS,)},
        Boundary: {"left": (_ADDRESSES,), "right": (_ADDRESSES,)},
        Link: {"address": (_ADDRESSES,), "label": (_TEXT,)},
        FormField: {"action": (_ADDRESSES,)},
        TextValidator: {"text": (_SHOWN, _SET, _ADDRESSES), "row": (_SHOWN, _ADDRESSES)},
    }
)

#: And by field, where it has an address and nothing else.
_PLACES: _Languages = MappingProxyType(
    {
        Link: {"address": (_TEXT,)},
        FormField: {"action": (_TEXT,)},
        InItem: {"text": (_TEXT,)},
        TextValidator: {"row": (_TEXT,)},
    }
)

#: From a text by which an extractor goes to what comes in its place.
_Write = Callable[[str, _AnchorLanguage], str]


def followed(case: TestCase, first: int, old: str, new: str) -> TestCase:
    """Return ``case`` whose extractors, from transaction ``first`` on, go by ``new`` where they
    went by ``old``: two templates. Addresses stay: those of requests do, too."""

    def write(text: str, language: _AnchorLanguage) -> str:
        same = text == language.written(old) or language.read(text) == old
        return language.written(new) if same else text

    return with_transactions(
        case,
        (
            _remarked(one, write, _NAMES) if index >= first else one
            for index, one in enumerate(case.transactions())
        ),
    )


def addresses_followed(case: TestCase, first: int, old: str, new: str) -> TestCase:
    """Return ``case`` whose extractors and outcomes, from transaction ``first`` on, go by an
    address that begins with ``new`` where they went by one that begins with ``old``: two templates
    of paths."""

    def write(text: str, _language: _AnchorLanguage) -> str:
        rest = text.removeprefix(old)
        return f"{new}{rest}" if rest != text and rest[:1] in ("", "/", "?", "#") else text

    return with_transactions(
        case,
        (
            _remarked(one, write, _PLACES) if index >= first else one
            for index, one in enumerate(case.transactions())
        ),
    )


def followed_words(
    transaction: Transaction, text: str, name: str, only: Mapping[str, Variable] | None = None
) -> Transaction:
    """Return the transaction whose extractors go by the variable where they went by ``text``, or by
    a text of which that is a word. ``only``: those that set one of these variables."""

    def write(marked: str, language: _AnchorLanguage) -> str:
        for filters in ((one,) if one else () for one in language.filters):
            placeholder = str(Reference(name, filters))
            own = escape(filtered(text, filters))
            if language.read(marked) == own:
                return placeholder
            written = re.sub(word(language.written(own)), placeholder, marked)
            if written != marked:
                return written
        return marked

    return _remarked(transaction, write, _WORDS, only)


def word(text: str) -> str:
    """Return a pattern for the text where it is a word, or several, of a longer one."""
    # A percent-encoded character before it is no letter of it: q%3Dcarol.
    encoded = "(?<=%[0-9A-Fa-f]{2})|(?<=%25[0-9A-Fa-f]{2})"  # once or twice
    return rf"(?:(?<![^\W_])|{encoded}){re.escape(text)}(?![^\W_])"


def is_own(variable: Variable) -> bool:
    """Return whether a person has made it one for each virtual user, in place of what was
    recorded."""
    made = variable.template is not None or variable.generate is not None
    return made and variable.set_by == "person" and bool(variable.recorded)


def following_again(case: TestCase) -> TestCase:
    """Return ``case`` whose extractors that were found anew go by what is each virtual user's
    own."""
    found = {name: one for name, one in case.variables.items() if one.set_by == "asm"}
    transactions = tuple(case.transactions())
    for name, variable in case.variables.items():
        if is_own(variable) and variable.recorded:
            transactions = tuple(
                followed_words(one, variable.recorded, name, found) for one in transactions
            )
    return with_transactions(case, transactions)


def following_keys(case: TestCase) -> TestCase:
    """Return the case whose outcomes look under the key that is each virtual user's own now, in the
    row with such an address, or for what a page says with such a text."""
    own = {one.recorded or "": name for name, one in case.variables.items() if is_own(one)}
    if not own:
        return case
    words = re.compile("|".join(map(word, sorted(own, key=len, reverse=True))))

    def key(found: re.Match[str]) -> str:
        name = found[1] or found[2] or ""
        written = words.sub(lambda text: f"${{{own[text[0]]}}}", name)
        return found[0] if written == name else f"['{written}']"

    def text(found: re.Match[str]) -> str:
        return found[0] if found[1] is None else f"${{{own[found[1]]}}}"

    in_texts = re.compile(rf"{_HOLE}|({words.pattern})")

    def followed(one: Validator) -> Validator:
        if one.outcome is None or not one.outcome.was_found:
            return one
        if isinstance(one, JsonValidator):
            return replace(one, path=_KEY.sub(key, one.path))
        if isinstance(one, TextValidator):
            return with_validator_texts(one, lambda each: in_texts.sub(text, each))
        return one

    return with_transactions(
        case,
        (
            replace(one, validators=tuple(map(followed, one.validators)))
            for one in case.transactions()
        ),
    )


def _remarked(
    transaction: Transaction,
    write: _Write,
    languages: _Languages,
    only: Mapping[str, Variable] | None = None,
) -> Transaction:
    extractors = tuple(
        replace(one, source=_source(one.source, write, languages))
        if only is None or one.variable in only
        else one
        for one in transaction.extractors
    )
    validators = transaction.validators
    if only is None:
        written = (_validator(one, write, languages) for one in validators)
        validators = tuple(one for one in written if not _is_new_each_time(one))
    if (extractors, validators) == (transaction.extractors, transaction.validators):
        return transaction
    return replace(transaction, extractors=extractors, validators=validators)


def _is_new_each_time(one: Validator) -> bool:
    """Return whether it looks before a change for what each run makes anew: that is never there."""
    return one.outcome is not None and one.outcome.before and "${" in expected_text(one)


def _validator(one: Validator, write: _Write, languages: _Languages) -> Validator:
    """Return a validator that goes by what the requests send, if it is an outcome; what a person
    checks stays."""
    if one.outcome is None or not one.outcome.was_found:
        return one
    if isinstance(one, TextValidator):
        return replace(one, **_texts(one, write, languages[TextValidator]))
    if isinstance(one, JsonValidator):
        equals = one.equals
        if isinstance(equals, str):
            equals = _written(_SHOWN, write, equals)
        return replace(one, path=_written(_IN_PATHS, write, one.path), equals=equals)
    return one


def _source(source: Source, write: _Write, languages: _Languages) -> Source:
    made: dict[str, Any] = {
        field: _source(one, write, languages) for field, one in parts_of(source).items()
    }
    return replace(source, **made, **_texts(source, write, languages.get(type(source), {})))


def _texts(
    one: Source | Validator, write: _Write, fields: Mapping[str, tuple[_AnchorLanguage, ...]]
) -> dict[str, Any]:
    texts = {field: getattr(one, field) or "" for field in fields}
    for field, languages in fields.items():
        for language in languages:
            texts[field] = _written(language, write, texts[field])
    return {field: text for field, text in texts.items() if text}


def _written(language: _AnchorLanguage, write: _Write, text: str) -> str:
    return language.places.sub(
        lambda found: found["before"] + write(found["text"], language) + found["after"], text
    )
