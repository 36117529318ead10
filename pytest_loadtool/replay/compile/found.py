"""What validators find in a response, and what it is called."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Protocol, cast

from pytest_loadtool.codec.entities import times_in_markup
from pytest_loadtool.codec.names import is_secret
from pytest_loadtool.codec.template import Template
from pytest_loadtool.extraction.bound import bind_json_value, bind_source
from pytest_loadtool.extraction.extract import Readable, compile_source, json_value
from pytest_loadtool.extraction.jsonpath import bind_values, strict_value
from pytest_loadtool.extraction.pattern import Pattern
from pytest_loadtool.extraction.xmlpath import bind_xml_values
from pytest_loadtool.model.extractor import JsonPath, XmlPath, source_texts
from pytest_loadtool.model.result import Cause
from pytest_loadtool.model.validator import (
    ExtensionValidator,
    HeaderValidator,
    JsonValidator,
    RegexValidator,
    ResponseValidator,
    TextValidator,
    Validator,
    ValueValidator,
    XmlValidator,
    kind_of,
)
from pytest_loadtool.replay.compile.computed import composed
from pytest_loadtool.replay.compile.format import VariableNames, joined, pieces


class JudgedResponse(Readable, Protocol):
    """A response as validators see it."""

    @property
    def status(self) -> int:
        """Return its status code."""
        ...

    @property
    def size(self) -> int:
        """The bytes of its decoded body."""
        ...

    @property
    def duration(self) -> float:
        """Return its response time in seconds."""
        ...


#: From a response and the user's values to all that is found; likewise from any text.
FindAll = Callable[[JudgedResponse, Sequence[str]], Sequence[Any]]
FindInText = Callable[[Readable, Sequence[str]], Sequence[Any]]
#: From a response to what is found first, or None; with the user's values, where it needs them.
First = tuple[Callable[[Readable], Any] | None, Callable[[Readable, Sequence[str]], Any] | None]


def first_found(
    validator: JsonValidator | XmlValidator, match: int, names: VariableNames, *, strict: bool
) -> First:
    """Return what finds the value at a path: the first function, or the second one of a path with
    placeholders. A ``strict`` one of JSON tells numbers from texts."""
    fills = partial(_composed, names)
    if isinstance(validator, XmlValidator):
        source: JsonPath | XmlPath = XmlPath(validator.path)
    else:
        source = JsonPath(validator.path)
        if strict and source_texts(source):
            return None, bind_json_value(source.path, match, fills, strict_value)
        if strict:
            return json_value(source.path, match, strict_value), None
    if source_texts(source):
        return None, bind_source(source, match, fills)
    return compile_source(source, match), None


def all_found(validator: Validator, names: VariableNames) -> FindAll:
    """Return what finds all that there is of what a validator looks at."""
    match validator:
        case JsonValidator() | XmlValidator() | RegexValidator():
            return all_in_text(validator, names)
        case TextValidator(text=text):
            needle = pieces(Template.parse(text), names)
            return lambda response, values: range(
                times_in_markup(joined(needle, values), response.text)
            )
        case HeaderValidator(name=name):
            return lambda response, _: response.header_values(name)
        case ValueValidator(value=text):
            made = pieces(Template.parse(text), names)
            return lambda _response, values: (joined(made, values),)
        case ResponseValidator(measure="status"):
            return lambda response, _: (response.status,)
        case ResponseValidator(measure="size"):
            return lambda response, _: (response.size,)
        case ResponseValidator():
            return lambda response, _: (response.duration,)
        case ExtensionValidator():
            return lambda _response, _: ()


def all_in_text(
    validator: JsonValidator | XmlValidator | RegexValidator, names: VariableNames
) -> FindInText:
    """Return what finds all that there is in a body, or in any other text."""
    match validator:
        case JsonValidator(path=path):
            return _in_json(bind_values(path, partial(_composed, names)))
        case XmlValidator(path=path):
            in_xml = bind_xml_values(path, partial(_composed, names))
            return lambda response, values: list(in_xml(response.text, values))
        case RegexValidator(pattern=expression):
            pattern = Pattern(expression)
            group = min(pattern.groups, 1)
            return lambda response, _: [one[group] for one in pattern.finditer(response.text)]


def _in_json(find: Callable[[Any, Sequence[str]], list[Any]]) -> FindInText:
    def in_json(response: Readable, values: Sequence[str]) -> list[Any]:
        try:
            return find(response.json(), values) if response.text else []
        except ValueError:
            return []

    return in_json


def _composed(names: VariableNames, template: Template) -> Callable[[Sequence[str]], str]:
    return composed(template, names)


def cause_of(validator: Validator) -> Cause:
    """Return the cause of failures of a validator that is no extension's."""
    return cast(Cause, kind_of(validator)[0])


def subject_of(validator: Validator) -> str:
    """Return what a validator looks at, in words."""
    kind = kind_of(validator)[1]
    return kind.said.format(getattr(validator, kind.subject))


def name_of(validator: Validator) -> str:
    """Return what a validator looks at, in short."""
    match validator:
        case JsonValidator(path=path) | XmlValidator(path=path):
            return path
        case HeaderValidator(name=name):
            return name
    return subject_of(validator)


def is_hidden(validator: Validator) -> bool:
    """Return whether what a validator finds is a secret by its name."""
    return is_secret(name_of(validator)) or name_of(validator).lower() == "set-cookie"
