"""Validators: what a response must look like. Every transaction has a Status Code validator."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final

#: The pattern that matches all of a text.
WHOLE_TEXT: Final = "(?s).+"


@dataclass(frozen=True, slots=True)
class StatusCodes:
    """The Status Code validator: inclusive ranges of accepted codes, 200-399 unless edited."""

    ranges: tuple[tuple[int, int], ...] = ((200, 399),)

    def accepts(self, code: int) -> bool:
        """Return whether ``code`` lies in one of the ranges."""
        return any(low <= code <= high for low, high in self.ranges)

    def __str__(self) -> str:
        return ", ".join(str(low) if low == high else f"{low}-{high}" for low, high in self.ranges)


#: What every transaction expects unless its validator is edited.
DEFAULT_STATUS = StatusCodes()


@dataclass(frozen=True, slots=True)
class Outcome:
    """The fact that a validator proves, in words: ``Tea House is shown``.

    ``change`` is the transaction that brought it about, by its title, with its number among those
    of that title if it is not the first: ``POST /orders (2)``. Application state management sets
    it, and replaces its own outcomes; one without it is a person's, and so is an ``edited`` one.
    With ``before`` it holds before the change: an answer of which it does not is not as recorded,
    and no failure unless it is ``needed``, since the change would undo what others have done. A
    ``doubtful`` one goes by a text that others may have left there, and is judged likewise. One
    that ``spares`` says what the change has left as it was: where that is not so, more was done.
    """

    name: str
    change: str = ""
    before: bool = False
    doubtful: bool = False
    needed: bool = False
    edited: bool = False
    spares: bool = False

    @property
    def failed(self) -> str:
        """Return what the change has done if it is not so; empty without one."""
        if not self.change:
            return ""
        return f"{self.change} {_DID_MORE if self.spares else _DID_NOTHING}"

    @property
    def was_found(self) -> bool:
        """Return whether application state management made it, and may replace it."""
        return bool(self.change) and not self.edited


_DID_NOTHING, _DID_MORE = "did not take effect", "did something else, too"
#: What may be said of an outcome, besides its words and its change: see `Outcome`.
OUTCOME_FLAGS = ("before", "doubtful", "needed", "edited", "spares")

#: A value that another one is compared with, as a file has it.
Constant = str | int | float | bool

#: What a value is compared by, each a field of `Compared`, and how messages write it.
COMPARISONS: Mapping[str, str] = MappingProxyType(
    {
        "equals": "=",
        "not_equals": "other than",
        "contains": "with",
        "matches": "matching",
        "less_than": "<",
        "at_most": "<=",
        "more_than": ">",
        "at_least": ">=",
        "empty": "empty:",
        "than_before": "than before:",
        "type": "of type",
        "schema": "by schema",
    }
)

#: How a value may differ from the one before.
THAN_BEFORE = ("same", "other", "more", "less")

#: The types of JSON, by the names that JSON Schema has for them.
JSON_TYPES = ("string", "number", "integer", "boolean", "array", "object", "null")


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """The conditions that a value is compared by, besides ``equals``: all that is not None has to
    hold.

    ``than_before``, one of `THAN_BEFORE`, compares with what the last answer to the same request
    had; of an outcome, the last before its change. With ``counted``, not the value is compared but
    how many there are.
    """

    not_equals: Constant | None = None
    contains: str | None = None
    matches: str | None = None
    less_than: float | None = None
    at_most: float | None = None
    more_than: float | None = None
    at_least: float | None = None
    empty: bool | None = None
    than_before: str | None = None
    counted: bool = False


@dataclass(frozen=True, slots=True)
class TextValidator(Compared):
    """The decoded body contains ``text`` (a template); with ``absent``, does not.

    With ``row`` (a template, too), only the rows count that have it: ``tr``, ``li`` or ``article``
    elements, or what ``item`` says: ``div.card``. With ``unrepeated``, all that counts is that it
    is not there a second time; with ``ahead_of`` (a template), that this comes behind it.
    """

    text: str
    absent: bool = False
    row: str = ""
    item: str = ""
    outcome: Outcome | None = None
    unrepeated: bool = False
    ahead_of: str = ""
    equals: int | None = None


@dataclass(frozen=True, slots=True)
class RegexValidator(Compared):
    """The decoded body matches ``pattern`` somewhere; with ``absent``, does not.

    What is compared is its first group, or all that it matches.
    """

    pattern: str
    absent: bool = False
    outcome: Outcome | None = None
    equals: Constant | None = None


@dataclass(frozen=True, slots=True)
class JsonValidator(Compared):
    """The JSON body has a value at ``path`` (a template); with ``equals``, this one.

    ``equals`` is compared as JSON: a string (a template), number, boolean or null (None is "no
    expectation", as TOML has no null). What is put into a template is text, whatever it was where
    it came from, so such a one is compared as text. With ``unrepeated``, all that counts is that
    the path has no second value. ``schema`` is the file of a JSON Schema, from the test case's
    folder.
    """

    path: str
    equals: Constant | None = None
    absent: bool = False
    outcome: Outcome | None = None
    unrepeated: bool = False
    type: str | None = None
    schema: str | None = None


@dataclass(frozen=True, slots=True)
class XmlValidator(Compared):
    """The XML body has an element or attribute at ``path``; with ``equals``, with this text.

    Both are templates. `model.xml_path` says what paths are.
    """

    path: str
    equals: Constant | None = None
    absent: bool = False
    outcome: Outcome | None = None


@dataclass(frozen=True, slots=True)
class HeaderValidator(Compared):
    """The response has the header; of several of that name, one has to be as expected."""

    name: str
    equals: Constant | None = None
    absent: bool = False
    outcome: Outcome | None = None


#: What a response is measured by.
MEASURES = ("status", "size", "duration")


@dataclass(frozen=True, slots=True)
class ResponseValidator(Compared):
    """A measure of the response: its status, the bytes of its decoded body, or its response time in
    seconds."""

    measure: str
    equals: Constant | None = None
    absent: bool = False
    outcome: Outcome | None = None


@dataclass(frozen=True, slots=True)
class ValueValidator(Compared):
    """A validator of what a text (a template) comes to with the user's values: a variable, a
    dataset's field."""

    value: str
    equals: Constant | None = None
    absent: bool = False
    outcome: Outcome | None = None


@dataclass(frozen=True, slots=True)
class ExtensionValidator(Compared):
    """A validator of an extension: its name, and what it is told."""

    kind: str
    argument: str
    absent: bool = False
    outcome: Outcome | None = None


Validator = (
    TextValidator
    | RegexValidator
    | JsonValidator
    | XmlValidator
    | HeaderValidator
    | ResponseValidator
    | ValueValidator
    | ExtensionValidator
)


def comparisons(validator: Validator) -> dict[str, Constant]:
    """Return what a validator compares with, by how it does."""
    found = ((how, getattr(validator, how, None)) for how in COMPARISONS)
    return {how: value for how, value in found if value is not None}


#: What compares with a number. Of a duration it is one, too.
BOUNDS = ("less_than", "at_most", "more_than", "at_least")
#: What goes with texts, and with numbers: measures, and what is counted.
_OF_TEXTS = ("equals", "not_equals", "contains", "matches", "empty", *BOUNDS)
OF_NUMBERS = ("equals", "not_equals", *BOUNDS)
#: What also goes with what is found in a body, of which an answer before may have had another.
_OF_BODIES = (*_OF_TEXTS, "than_before")
#: Which comparisons have templates.
_COMPARED = ("equals", "not_equals", "contains")


@dataclass(frozen=True, slots=True)
class ValidatorKind:
    """How a kind of validator is written, in files and in words.

    ``subject`` is the field that says what is looked at: ``said`` has it in a sentence, and it
    stands at the key of the kind. ``compares`` are the comparisons that go with it, ``own`` the
    other keys, ``templates`` the fields in which placeholders may stand, if they are texts.
    """

    make: Callable[..., Validator]
    subject: str
    said: str = "{}"
    compares: tuple[str, ...] = _OF_TEXTS
    own: tuple[str, ...] = ()
    templates: tuple[str, ...] = _COMPARED


#: The kinds of validators, each by its key in a test case, which is also the cause of its failures.
#: Whoever reads, writes, names or fills in validators goes by this table; what they find in a
#: response is `replay.compile.found`.
VALIDATOR_KINDS: Mapping[str, ValidatorKind] = MappingProxyType(
    {
        "text": ValidatorKind(
            TextValidator,
            "text",
            "text {!r}",
            compares=(),
            own=("row", "item", "count", "unrepeated", "ahead_of"),
            templates=("text", "row", "ahead_of"),
        ),
        "regex": ValidatorKind(
            RegexValidator, "pattern", "match of {!r}", compares=_OF_BODIES, own=("count",)
        ),
        "json": ValidatorKind(
            JsonValidator,
            "path",
            "JSON path {}",
            compares=(*_OF_BODIES, "type", "schema"),
            own=("count", "unrepeated"),
            templates=("path", *_COMPARED),
        ),
        "xml": ValidatorKind(
            XmlValidator,
            "path",
            "XML path {}",
            compares=_OF_BODIES,
            own=("count",),
            templates=("path", *_COMPARED),
        ),
        "header": ValidatorKind(HeaderValidator, "name", "Header {}", own=("count",)),
        "response": ValidatorKind(ResponseValidator, "measure", compares=OF_NUMBERS, templates=()),
        "value": ValidatorKind(ValueValidator, "value", templates=("value", *_COMPARED)),
    }
)
_KEYS = {kind.make: key for key, kind in VALIDATOR_KINDS.items()}


def kind_of(validator: Validator) -> tuple[str, ValidatorKind]:
    """Return the key of a validator that is no extension's, and its kind."""
    key = _KEYS[type(validator)]
    return key, VALIDATOR_KINDS[key]


def validator_texts(validator: Validator) -> dict[str, str]:
    """Return the templates of a validator, by field, as far as it has them."""
    if isinstance(validator, ExtensionValidator):
        return {}
    found = ((name, getattr(validator, name)) for name in kind_of(validator)[1].templates)
    return {name: text for name, text in found if text and isinstance(text, str)}


def with_validator_texts(validator: Validator, write: Callable[[str], str]) -> Validator:
    """Return ``validator`` with what ``write`` makes of each of its templates."""
    made: dict[str, Any] = {n: write(text) for n, text in validator_texts(validator).items()}
    return replace(validator, **made) if made else validator


def expected_text(validator: Validator) -> str:
    """Return what the validator holds of placeholders, as one template; empty if it can hold
    none."""
    return " ".join(validator_texts(validator).values())
