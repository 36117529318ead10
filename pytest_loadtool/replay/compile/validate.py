"""Validators compiled to functions of a response and the virtual user's values.

A failure's message names what was expected, not what this one user got, so that the same failure of
many users counts as one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pytest_loadtool.codec.content import ContentError
from pytest_loadtool.codec.entities import are_in_order, in_markup, times_in_markup
from pytest_loadtool.codec.template import Template
from pytest_loadtool.errors import ReplayError, SlowPatternError
from pytest_loadtool.extensions import VALIDATORS, made
from pytest_loadtool.extraction.page import row_finder
from pytest_loadtool.extraction.pattern import Pattern
from pytest_loadtool.extraction.row_search import in_row
from pytest_loadtool.model.result import Cause, Failure
from pytest_loadtool.model.validator import (
    Constant,
    ExtensionValidator,
    HeaderValidator,
    JsonValidator,
    Outcome,
    RegexValidator,
    ResponseValidator,
    StatusCodes,
    TextValidator,
    Validator,
    XmlValidator,
    comparisons,
)
from pytest_loadtool.replay.compile.before import compile_than_before
from pytest_loadtool.replay.compile.comparing import (
    compile_comparisons,
    compile_schema,
    expected,
    literal_value,
    shown,
)
from pytest_loadtool.replay.compile.format import Pieces, VariableNames, joined, pieces
from pytest_loadtool.replay.compile.found import (
    JudgedResponse,
    all_found,
    all_in_text,
    cause_of,
    first_found,
    is_hidden,
    name_of,
    subject_of,
)
from pytest_loadtool.replay.compile.listed import unseen_item
from pytest_loadtool.replay.user.exchange import Check, Response
from pytest_loadtool.replay.user.failures import not_as_recorded

#: From a response and the user's values to why the validator does not hold, or None.
Holds = Callable[[JudgedResponse, Sequence[str]], Failure | None]


def accepted_codes(status: StatusCodes) -> frozenset[int]:
    """Return the Status Code validator as a set of codes."""
    return frozenset(code for low, high in status.ranges for code in range(low, high + 1))


def compile_validator(
    validator: Validator, names: VariableNames, *, strict: bool = False, kept: int | None = None
) -> Holds:
    """Return the check of one validator. It lets `ContentError` through: the body is no text at
    all. With ``strict``, what a response does not show has failed. ``kept`` is the slot of the text
    that the same address had before the change of an outcome, if there is one."""
    match validator:
        case ExtensionValidator():
            return _extension(validator)
        case TextValidator(unrepeated=True):
            return _unrepeated(validator, names)
        case TextValidator(ahead_of=str(later)) if later:
            return _in_order(validator, names)
        case TextValidator(counted=False):
            return _text(validator, names, strict, kept)
        case JsonValidator(schema=str(name)):
            return _by_schema(validator, name, names)
    compared = comparisons(validator)
    if isinstance(validator, JsonValidator | XmlValidator):
        if not validator.counted and not compared.keys() - {"equals"}:
            return _value(validator, names, strict, kept)
    elif isinstance(validator, RegexValidator) and not compared:
        return _regex(validator)
    if (wanted := compared.get("than_before")) is not None:
        return _than_before(validator, str(wanted), names, strict, kept)
    return _compared(validator, compared, names, strict, kept)


def _extension(validator: ExtensionValidator) -> Holds:
    """Return what an extension makes: it says why a response is wrong, or None."""
    look = made(VALIDATORS, validator.kind, validator.argument)
    title = f"{validator.kind} {validator.argument!r}"

    def check(response: JudgedResponse, _values: Sequence[str]) -> Failure | None:
        try:
            found = look(response)
        except ContentError:
            raise
        except Exception as error:
            return Failure("response", f"{title} raised {type(error).__name__}")
        if found is None:
            return None
        return Failure("response", f"{title} does not hold", f"{title} does not hold: {found}")

    return check


def noting(check: Check, outcome: Outcome, strict: bool) -> Check:
    """Return the check as one of how things stand before a change, or that others may have to do
    with: where it fails, the answer is not as recorded, which is a failure if ``strict``, or if it
    is needed."""
    why = "an earlier run or somebody else may have "
    why += f"left it, and {outcome.change} would take that away" if outcome.needed else "done it"
    when = "before" if outcome.before else "after"
    found = f"not so {when} {outcome.change}: {outcome.name}; {why} (`explain` says what then)"
    fails = strict or outcome.needed

    def note(response: Response, values: list[str]) -> Failure | None:
        failure = check(response, values)
        if failure is None or failure.cause != "outcome":
            return failure
        if fails:
            return not_as_recorded(found)
        response.not_as_recorded = response.not_as_recorded or found
        return None

    return note


def of_what_comes(check: Check, outcome: Outcome) -> Check:
    """Return the check, of an outcome that something is not there, as one of answers that show
    anything: one that nothing has changed since (304, RFC 9110 §15.4.5) has no text to be in, and
    says that nothing was done."""
    failure = _failure("text", "The server says that nothing has changed (304)", outcome)
    return lambda response, values: failure if response.status == 304 else check(response, values)


def _text(validator: TextValidator, names: VariableNames, strict: bool, kept: int | None) -> Holds:
    needle = pieces(Template.parse(validator.text), names)
    row = pieces(Template.parse(validator.row), names)
    absent = validator.absent
    kind = validator.item or "row"
    where = f" in a {kind} with {validator.row!r}" if row else ""
    find = row_finder(validator.item)
    said = "found, but should be absent" if absent else "not found"
    failure = _failure("text", f"Search text {said}{where}: {validator.text!r}", validator.outcome)
    unseen = None if absent else unseen_item(validator, names, strict, kept)

    def check(response: JudgedResponse, values: Sequence[str]) -> Failure | None:
        text, wanted = response.text, joined(needle, values)
        if (wanted in text or in_markup(wanted, text)) is not absent:
            return None
        return failure if unseen is None else unseen(response, values) or failure

    def check_rows(response: JudgedResponse, values: Sequence[str]) -> Failure | None:
        found = in_row(response.text, joined(row, values), joined(needle, values), find)
        if found is not absent:
            return None
        return failure if unseen is None else unseen(response, values) or failure

    return check_rows if row else check


def _unrepeated(validator: TextValidator, names: VariableNames) -> Holds:
    needle = pieces(Template.parse(validator.text), names)
    message = f"Search text found a second time: {validator.text!r}"
    failure = _failure("text", message, validator.outcome)

    def check(response: JudgedResponse, values: Sequence[str]) -> Failure | None:
        return failure if times_in_markup(joined(needle, values), response.text) > 1 else None

    return check


def _in_order(validator: TextValidator, names: VariableNames) -> Holds:
    first = pieces(Template.parse(validator.text), names)
    last = pieces(Template.parse(validator.ahead_of), names)
    absent = validator.absent
    said = "found, but should not be," if absent else "not found"
    message = f"Search text {said} ahead of {validator.ahead_of!r}: {validator.text!r}"
    failure = _failure("text", message, validator.outcome)

    def check(response: JudgedResponse, values: Sequence[str]) -> Failure | None:
        in_order = are_in_order(joined(first, values), joined(last, values), response.text)
        return failure if in_order is absent else None

    return check


def _regex(validator: RegexValidator) -> Holds:
    pattern = Pattern(validator.pattern)
    absent = validator.absent
    said = "matches, but should not" if absent else "does not match"
    failure = _failure(
        "regex", f"Regular expression {said}: {validator.pattern!r}", validator.outcome
    )

    def check(response: JudgedResponse, _values: Sequence[str]) -> Failure | None:
        try:
            found = pattern.first(response.text) is not None
        except SlowPatternError as error:
            return Failure("regex", str(error))
        return failure if found is absent else None

    return check


def _value(
    validator: JsonValidator | XmlValidator, names: VariableNames, strict: bool, kept: int | None
) -> Holds:
    """Return what is at a path, and that it equals something."""
    cause, second = cause_of(validator), getattr(validator, "unrepeated", False)
    equals, absent = validator.equals, validator.absent or second
    fill: str | Pieces | None = None
    if isinstance(equals, str) and Template.parse(equals).references:
        fill = pieces(Template.parse(equals), names)
    literal = None if equals is None or fill is not None else literal_value(equals)
    find, bound = first_found(validator, 2 if second else 1, names, strict=literal is not None)
    subject = subject_of(validator)
    if equals is not None:
        subject += f" = {equals!r}"
    said = "found, but should be absent" if absent else "not found"
    said = "found a second time" if second else said
    failure = _failure(cause, f"{subject}: {said}", validator.outcome)
    unseen = None if absent else unseen_item(validator, names, strict, kept)
    hidden = is_hidden(validator)

    def differs(found: Any, wanted: Any) -> Failure:
        """Return that it has another value there: a person is told which one, unless it is a
        secret."""
        here = shown(found, hidden=hidden, beside=wanted)
        seen = f"{validator.path} is {here}, expected {shown(wanted, beside=found)}"
        return _another(cause, subject, seen, validator.outcome)

    def check(response: JudgedResponse, values: Sequence[str]) -> Failure | None:
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
        if equals is None:
            return failure if (found is not None) is absent else None
        wanted = literal if fill is None else joined(fill, values)
        if (found == wanted) is not absent:
            return None
        return failure if found is None or absent else differs(found, wanted)

    return check


def _compared(
    validator: Validator,
    compared: Mapping[str, Constant],
    names: VariableNames,
    strict: bool,
    kept: int | None,
) -> Holds:
    """Return the check that what is found, or how many there are, is as expected; of several
    headers, one of them has to be."""
    cause, absent, counted = cause_of(validator), validator.absent, validator.counted
    every = isinstance(validator, HeaderValidator)
    texts = not counted and not isinstance(validator, JsonValidator | ResponseValidator)
    find, test = all_found(validator, names), compile_comparisons(compared, names, texts=texts)
    of, wanted = "Count of " if counted else "", expected(compared)
    whole = f"{of}{subject_of(validator)} {wanted}".rstrip()
    said = "found, but should be absent" if absent else "not found"
    failure = _failure(cause, f"{whole}: {said}", validator.outcome)
    short, hidden = f"{of.lower()}{name_of(validator)}", not counted and is_hidden(validator)
    of_null, equals = "type" in compared, compared.get("equals")
    unseen = None if absent or counted else unseen_item(validator, names, strict, kept)

    def check(response: JudgedResponse, values: Sequence[str]) -> Failure | None:
        try:
            found = find(response, values)
            if counted:
                found = (len(found),)
            elif not of_null:
                found = [one for one in found if one is not None]
            kept = found if every else found[:1]
            if any(test(one, values) for one in kept) is not absent:
                return None
        except SlowPatternError as error:
            return Failure(cause, str(error))
        if not found and unseen is not None:
            return unseen(response, values) or failure
        if absent or not found:
            return failure
        here = shown(found[0], hidden=hidden, beside=found[0] if equals is None else equals)
        return _another(cause, whole, f"{short} is {here}, expected {wanted}", validator.outcome)

    return check


def _than_before(
    validator: Validator, wanted: str, names: VariableNames, strict: bool, kept: int | None
) -> Holds:
    """Return the check of how what is found differs from what the answer before had."""
    assert isinstance(validator, JsonValidator | XmlValidator | RegexValidator), "others have none"
    find = all_in_text(validator, names)
    holds = compile_than_before(validator, wanted, names, strict, kept)
    cause, subject = cause_of(validator), subject_of(validator)
    missing = _failure(cause, f"{subject}: not found", validator.outcome)
    said = "as it was before" if wanted == "same" else f"{wanted} than before"
    failure = _failure(cause, f"{subject} is not {said}", validator.outcome)

    def check(response: JudgedResponse, values: Sequence[str]) -> Failure | None:
        try:
            found = find(response, values)
            if not found or found[0] is None:
                return missing
            held = holds(found[0], values)
        except SlowPatternError as error:
            return Failure(cause, str(error))
        if isinstance(held, Failure):
            return held
        return failure if held is validator.absent else None

    return check


def _by_schema(validator: JsonValidator, name: str, names: VariableNames) -> Holds:
    """Return the check that what is at a path follows a JSON Schema. Failures are told apart by the
    rule that is broken."""
    content = names.files.get(name)
    if content is None:
        raise ReplayError(f"the file {name} was not read")
    broken, find = compile_schema(content, name), all_found(validator, names)
    absent, subject = validator.absent, f"JSON path {validator.path}"
    missing = _failure("json", f"{subject} by schema {name!r}: not found", validator.outcome)
    said = f"{subject}: follows the schema {name}, but should not"
    follows = _failure("json", said, validator.outcome)

    def check(response: JudgedResponse, values: Sequence[str]) -> Failure | None:
        found = find(response, values)
        if not found:
            return None if absent else missing
        problem = broken(found[0])
        if (problem is None) is not absent:
            return None
        if problem is None:
            return follows
        rule, told = problem
        message = f"{subject} does not follow the schema {name}"
        seen = _failure("json", f"{message}: {told}", validator.outcome).message
        return replace(_failure("json", f"{message}: {rule}", validator.outcome), seen=seen)

    return check


def _another(cause: Cause, subject: str, seen: str, outcome: Outcome | None) -> Failure:
    """Return that it has another value: a person is told which one."""
    of_one = _failure(cause, seen, outcome)
    message = f"{subject}: it has another value"
    return replace(_failure(cause, message, outcome), seen=of_one.message)


def _failure(cause: Cause, message: str, outcome: Outcome | None) -> Failure:
    """Return what a validator that does not hold says: of an outcome, first what did not happen."""
    if outcome is None:
        return Failure(cause, message)
    why = f"{outcome.failed}: " if outcome.failed else ""
    return Failure("outcome", f"{why}not so: {outcome.name}. {message}")
