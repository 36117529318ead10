"""The Actors View: validators and extractors, and what they give on known responses."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from pytest_loadtool.codec.printable import clip
from pytest_loadtool.console.views.line import Kind, ViewLine
from pytest_loadtool.correlation.requests.fields import Field
from pytest_loadtool.correlation.responses.recorded import RecordedResponse
from pytest_loadtool.editing.actors import PlacedExtractor
from pytest_loadtool.editing.suggestions import ShownPlace
from pytest_loadtool.masking.carried import recorded_in
from pytest_loadtool.masking.text import BY_NAME, Mask, secret_fields
from pytest_loadtool.model.case import Transaction
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.extractor import Extractor
from pytest_loadtool.model.validator import (
    DEFAULT_STATUS,
    Constant,
    ExtensionValidator,
    JsonValidator,
    RegexValidator,
    StatusCodes,
    TextValidator,
    Validator,
    comparisons,
)
from pytest_loadtool.replay.compile.comparing import expected
from pytest_loadtool.replay.compile.found import subject_of
from pytest_loadtool.workflow.telling import counted
from pytest_loadtool.workflow.trying import (
    MOST_MATCHES,
    ExtractorTrial,
    KnownResponse,
    ValidatorTrial,
)

#: Characters of a value, and of what an actor looks for, before they are cut.
_VALUE, _SOUGHT = 40, 100
#: Places of a text that are listed, and how much of what stands on each side of them.
LISTED, _AROUND = 20, 24
_SPACE = re.compile(r"\s+")


def described(validator: Validator | StatusCodes) -> str:
    """Return what a validator wants, in words: ``JSON path $.state is 'open'``."""
    if isinstance(validator, StatusCodes):
        return f"Status Code is {validator}"
    compared = comparisons(validator)
    match validator:
        case TextValidator(text=text, unrepeated=True):
            what = f"text {text!r} no second time"
        case TextValidator(text=text, absent=absent, ahead_of=str(later)) if later:
            what = f"{'no ' if absent else ''}text {text!r} ahead of {later!r}"
        case TextValidator(text=text, absent=absent, row=row, item=item) if not compared:
            where = f" in the {item or 'row'} of {row!r}" if row else ""
            what = f"{'no ' if absent else ''}text {text!r}{where}"
        case RegexValidator(pattern=pattern, absent=absent) if not compared:
            what = f"{'no ' if absent else ''}match of {pattern!r}"
        case JsonValidator(path=path, unrepeated=True):
            what = f"JSON path {path} has no second value"
        case ExtensionValidator():
            what = subject_of(validator)
        case _:
            subject = subject_of(validator).replace("Header ", "header ")
            counted = "count of " if validator.counted else ""
            negated = "not " if validator.absent else ""
            what = f"{counted}{subject} is {negated}{_expected(compared)}"
    if validator.outcome is None:
        return what
    how = "before" if validator.outcome.before else "by"
    change = f", {how} {validator.outcome.change}" if validator.outcome.change else ""
    return f"{what} ({validator.outcome.name}{change})"


#: How a comparison is said, where that is not as messages of replay write it.
_SAID = {"equals": "{!r}", "contains": "one with {!r}", "matches": "one that {!r} matches"}


def _expected(compared: Mapping[str, Constant]) -> str:
    """Return what a value is compared with: ``'open'``, ``>= 1 and < 10``."""
    said = (
        _SAID[how].format(value) if how in _SAID else expected({how: value})
        for how, value in compared.items()
    )
    return " and ".join(said) or "there"


def taken_by(extractor: Extractor) -> str:
    """Return where an extractor takes its value from, in words."""
    which = f", match {extractor.match}" if extractor.match > 1 else ""
    return f"{extractor.source}{which}{', by its place in the list' if extractor.by_place else ''}"


def validators(number: int, transaction: Transaction) -> Iterator[ViewLine]:
    """Yield the Validators of a transaction, each with its number; the automatic one comes
    first."""
    yield _title(number, transaction)
    yield ViewLine(("      ", ""), (described(transaction.status), ""))
    for at, one in enumerate(transaction.validators, 1):
        yield ViewLine((f"  {at:>2}  ", "number"), (_sought(described(one)), ""))


def extractors(
    number: int, transaction: Transaction, own: Iterable[PlacedExtractor]
) -> Iterator[ViewLine]:
    """Yield the Extractors of a transaction, with the numbers that `fields` has for them."""
    yield _title(number, transaction)
    for one in own:
        users = ", ".join(str(index + 1) for index in one.users) or "nothing"
        yield ViewLine(
            (f"  Extractor[{one.number}]  ", "number"),
            (one.extractor.variable, "name"),
            (f"  {_sought(taken_by(one.extractor))}, used by {users}", ""),
        )


def _title(number: int, transaction: Transaction) -> ViewLine:
    return ViewLine((f"{number} {transaction.title}", "heading"))


def _sought(text: str) -> str:
    return clip(BY_NAME.text(text), _SOUGHT)


def tried_extractor(
    name: str, trials: Sequence[ExtractorTrial], *, secrets: bool = False
) -> Iterator[ViewLine]:
    """Yield what an extractor of the variable ``name`` gives on each response. A value that is
    another one than when it was recorded is what extractors are for."""
    recorded = next((one.taken for one in trials if one.on.label == "recorded"), None)
    width = _width(trials)
    for one in trials:
        if one.problem:
            yield _tried(one.on, width, (one.problem, "bad"))
            continue
        more = " or more" if len(one.matches) >= MOST_MATCHES else ""
        count = f"{len(one.matches)}{more} match{'' if len(one.matches) == 1 else 'es'}"
        if one.taken is None:
            yield _tried(one.on, width, (f"{count}: finds nothing", "bad"))
            continue
        value = _value(name, one.taken, one.on, secrets=secrets)
        yield _tried(one.on, width, (f"{count}  {value}", ""), _compared(one, recorded))


def _compared(one: ExtractorTrial, recorded: str | None) -> tuple[str, Kind]:
    if one.on.label == "recorded" or recorded is None:
        return "", ""
    same = one.taken == recorded
    return ("  as recorded" if same else "  another value: dynamic", "" if same else "good")


def _value(name: str, value: str, on: KnownResponse, *, secrets: bool) -> str:
    if secrets:
        return clip(value, _VALUE)
    mask = Mask(secrets_in(on.exchange))
    return clip(mask.value(name, value), _VALUE) if value else "(empty)"


def secrets_in(exchange: Exchange) -> frozenset[str]:
    """Return what a request and its response name a secret: it is cut wherever it is shown."""
    return frozenset((*recorded_in(exchange), *secret_fields(RecordedResponse(exchange).text)))


def tried_validator(trials: Sequence[ValidatorTrial]) -> Iterator[ViewLine]:
    """Yield whether a validator holds on each response."""
    width = _width(trials)
    for one in trials:
        if one.holds:
            yield _tried(one.on, width, ("holds", "good"))
        else:
            yield _tried(one.on, width, (_sought(one.message), "bad" if one.holds is False else ""))


def _width(trials: Sequence[ExtractorTrial] | Sequence[ValidatorTrial]) -> int:
    return max((len(one.on.label) for one in trials), default=0)


def _tried(on: KnownResponse, width: int, *said: tuple[str, Kind]) -> ViewLine:
    return ViewLine((f"  {on.label:<{width}}  {on.exchange.status}  ", ""), *said)


def constants(uses: Sequence[tuple[int, Field]], titles: Sequence[str]) -> Iterator[ViewLine]:
    """Yield where what an extractor takes is sent as a constant."""
    for at, field in uses:
        yield ViewLine(
            ("  sent as a constant by ", ""),
            (str(at + 1), "number"),
            (f" {titles[at]}: {field.name}", ""),
        )


def proposed(number: int, what: str) -> ViewLine:
    """Return one of several that could be taken."""
    return ViewLine((f"  {number}. ", "number"), (_sought(what), ""))


def places(found: Sequence[ShownPlace], exchange: Exchange) -> Iterator[ViewLine]:
    """Yield the places of a text, each with what stands around it."""
    mask = Mask(secrets_in(exchange))
    for number, one in enumerate(found[:LISTED], 1):
        before = _SPACE.sub(" ", mask.text(one.before))[-_AROUND:]
        behind = _SPACE.sub(" ", mask.text(one.behind))[:_AROUND]
        yield ViewLine(
            (f"  {number}. ", "number"),
            (before, ""),
            (f"[{one.place.written}]", "found"),
            (behind, ""),
        )
    if len(found) > LISTED:
        yield ViewLine((f"  … and {len(found) - LISTED} more", ""))


def others(count: int) -> str:
    """Return how many transactions are not listed, which want what all want."""
    return f"{counted(count, 'transaction')} more: Status Code is {DEFAULT_STATUS}"
