"""Validators compiled to functions of a response and the virtual user's values.

A failure's message names what was expected, not what this one user got, so that the same failure of
many users counts as one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from pytest_loadtool.codec.entities import in_markup, times_in_markup
from pytest_loadtool.codec.printable import clip
from pytest_loadtool.codec.secret import is_secret
from pytest_loadtool.codec.template import Template
from pytest_loadtool.errors import SlowPatternError
from pytest_loadtool.extraction.bound import bind_source
from pytest_loadtool.extraction.extract import Readable, compile_source
from pytest_loadtool.extraction.pattern import Pattern
from pytest_loadtool.extraction.row_search import in_row
from pytest_loadtool.model.extractor import JsonPath, XmlPath, source_texts
from pytest_loadtool.model.result import Cause, Failure
from pytest_loadtool.model.validator import (
    HeaderValidator,
    JsonValidator,
    Outcome,
    RegexValidator,
    StatusCodes,
    TextValidator,
    Validator,
    XmlValidator,
)
from pytest_loadtool.replay.compile.computed import composed
from pytest_loadtool.replay.compile.format import VariableNames, joined, pieces
from pytest_loadtool.replay.compile.listed import unseen_item
from pytest_loadtool.replay.user.failures import not_as_recorded
from pytest_loadtool.replay.user.plan import Check, Response

#: From a response and the user's values to why the validator does not hold, or None.
Holds = Callable[[Readable, Sequence[str]], Failure | None]

#: Characters of a value that a failure tells.
_LONGEST = 60


def accepted_codes(status: StatusCodes) -> frozenset[int]:
    """The Status Code validator as a set of codes."""
    return frozenset(code for low, high in status.ranges for code in range(low, high + 1))


def compile_validator(validator: Validator, names: VariableNames, *, strict: bool = False) -> Holds:
    """The check of one validator. It lets `ContentError` through: the body is no text at all.
    With ``strict``, what a response does not show has failed."""
    match validator:
        case TextValidator(unrepeated=True):
            return _unrepeated(validator, names)
        case TextValidator():
            return _text(validator, names, strict)
        case RegexValidator():
            return _regex(validator)
        case JsonValidator(path=path):
            return _value("json", JsonPath(path), validator, names, strict)
        case XmlValidator(path=path):
            return _value("xml", XmlPath(path), validator, names, strict)
        case HeaderValidator():
            return _header(validator, names)


def noting(check: Check, outcome: Outcome, strict: bool) -> Check:
    """Of how things stand before a change: where ``check`` fails, the answer is not as recorded,
    which is a failure if ``strict``, or if it is needed."""
    lost = f", and {outcome.change} would take that away" if outcome.needed else ""
    found = (
        f"not so before {outcome.change}: {outcome.name}; an earlier run or somebody else may have "
        f"left it{lost} (`explain` says what then)"
    )
    fails = strict or outcome.needed

    def note(response: Response, values: list[str]) -> Failure | None:
        failure = check(response, values)
        if failure is None or failure.cause != "outcome":
            return failure
        if fails:
            return not_as_recorded(found)
        response.otherwise = response.otherwise or found
        return None

    return note


def _text(validator: TextValidator, names: VariableNames, strict: bool) -> Holds:
    needle = pieces(Template.parse(validator.text), names)
    row = pieces(Template.parse(validator.row), names)
    absent = validator.absent
    where = f" in a row with {validator.row!r}" if row else ""
    said = "found, but should be absent" if absent else "not found"
    failure = _failure("text", f"Search text {said}{where}: {validator.text!r}", validator.outcome)
    unseen = None if absent else unseen_item(validator, names, strict)

    def check(response: Readable, values: Sequence[str]) -> Failure | None:
        text, wanted = response.text, joined(needle, values)
        return failure if (wanted in text or in_markup(wanted, text)) is absent else None

    def check_rows(response: Readable, values: Sequence[str]) -> Failure | None:
        found = in_row(response.text, joined(row, values), joined(needle, values))
        if found is not absent:
            return None
        return failure if unseen is None else unseen(response, values) or failure

    return check_rows if row else check


def _unrepeated(validator: TextValidator, names: VariableNames) -> Holds:
    needle = pieces(Template.parse(validator.text), names)
    message = f"Search text found a second time: {validator.text!r}"
    failure = _failure("text", message, validator.outcome)

    def check(response: Readable, values: Sequence[str]) -> Failure | None:
        return failure if times_in_markup(joined(needle, values), response.text) > 1 else None

    return check


def _regex(validator: RegexValidator) -> Holds:
    pattern = Pattern(validator.pattern)
    absent = validator.absent
    said = "matches, but should not" if absent else "does not match"
    failure = _failure(
        "regex", f"Regular expression {said}: {validator.pattern!r}", validator.outcome
    )

    def check(response: Readable, _values: Sequence[str]) -> Failure | None:
        try:
            found = pattern.first(response.text) is not None
        except SlowPatternError as error:
            return Failure("regex", str(error))
        return failure if found is absent else None

    return check


def _value(
    cause: Cause,
    source: JsonPath | XmlPath,
    validator: JsonValidator | XmlValidator,
    names: VariableNames,
    strict: bool,
) -> Holds:
    """What is at a path."""
    second = isinstance(validator, JsonValidator) and validator.unrepeated
    match = 2 if second else 1
    find = bound = None
    if source_texts(source):
        bound = bind_source(source, match, lambda template: composed(template, names))
    else:
        find = compile_source(source, match)
    absent, equals = validator.absent or second, validator.equals
    fill = pieces(Template.parse(equals), names) if isinstance(equals, str) else _literal(equals)
    subject = str(source)
    if fill is not None:
        subject += f" = {equals!r}"
    said = "found, but should be absent" if absent else "not found"
    said = "found a second time" if second else said
    failure = _failure(cause, f"{subject}: {said}", validator.outcome)
    unseen = None if absent else unseen_item(validator, names, strict)
    hidden = is_secret(validator.path)

    def differs(found: str, wanted: str) -> Failure:
        """It has another value there: a person is told which one, unless it is a secret."""
        seen = f"{validator.path} is {_here(found, hidden)}, expected {_here(wanted)}"
        return _another(cause, subject, seen, validator.outcome)

    def check(response: Readable, values: Sequence[str]) -> Failure | None:
        try:
            if find is not None:
                found = find(response)
            else:
                assert bound is not None, "it is one of the two"
                found = bound(response, values)
        except SlowPatternError as error:
            return Failure(cause, str(error))
        if found is None and unseen is not None:
            return unseen(response, values) or failure
        if fill is None:
            return failure if (found is not None) is absent else None
        wanted = joined(fill, values)
        if (found == wanted) is not absent:
            return None
        return failure if found is None or absent else differs(found, wanted)

    return check


def _header(validator: HeaderValidator, names: VariableNames) -> Holds:
    name, absent = validator.name, validator.absent
    equals, contains, matches = validator.equals, validator.contains, validator.matches
    fill = pieces(Template.parse((equals if equals is not None else contains) or ""), names)
    pattern = Pattern(matches) if matches is not None else None
    subject = f"Header {name}"
    for how, text in (("=", equals), ("with", contains), ("matching", matches)):
        subject += "" if text is None else f" {how} {text!r}"
    said = "found, but should be absent" if absent else "not found"
    failure = _failure("header", f"{subject}: {said}", validator.outcome)
    hidden = is_secret(name) or name.lower() == "set-cookie"

    def holds(value: str, wanted: str) -> bool:
        if pattern is not None:
            return pattern.first(value) is not None
        return value == wanted if equals is not None else wanted in value

    def check(response: Readable, values: Sequence[str]) -> Failure | None:
        wanted = joined(fill, values)
        found = response.header_values(name)
        try:
            if any(holds(value, wanted) for value in found) is not absent:
                return None
        except SlowPatternError as error:
            return Failure("header", str(error))
        if absent or not found:
            return failure
        seen = f"{name} is {_here(found[0], hidden)}, expected {subject[len(name) + 8 :]}"
        return _another("header", subject, seen, validator.outcome)

    return check


def _here(value: str, hidden: bool = False) -> str:
    return "another value" if hidden else clip(value, _LONGEST) or "empty"


def _another(cause: Cause, subject: str, seen: str, outcome: Outcome | None) -> Failure:
    """It has another value: a person is told which one."""
    of_one = _failure(cause, seen, outcome)
    message = f"{subject}: it has another value"
    return replace(_failure(cause, message, outcome), seen=of_one.message)


def _failure(cause: Cause, message: str, outcome: Outcome | None) -> Failure:
    """What a validator that does not hold says: of an outcome, first what did not happen."""
    if outcome is None:
        return Failure(cause, message)
    why = f"{outcome.change} did not take effect: " if outcome.change else ""
    return Failure("outcome", f"{why}not so: {outcome.name}. {message}")


def _literal(equals: int | float | bool | None) -> str | None:
    """A number or boolean as JSON writes it, which is what an extractor gives."""
    if isinstance(equals, bool):
        return "true" if equals else "false"
    return None if equals is None else str(equals)
