"""Constants that an earlier answer gave out when it was recorded, and gives out otherwise now."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pytest_loadtool.codec.cookie import set_cookies
from pytest_loadtool.codec.names import is_given_out, is_typed_secret
from pytest_loadtool.codec.spellings import any_of, spellings
from pytest_loadtool.correlation.classify import (
    is_id_name,
    is_identity_name,
    is_moment,
    looks_random,
)
from pytest_loadtool.correlation.requests.fields import CONSTANT, Field
from pytest_loadtool.diagnosis.finding import LONGEST_VALUE, Cause, RuledOut, Sure
from pytest_loadtool.diagnosis.outcome import StepOutcome, text_of
from pytest_loadtool.diagnosis.remedies import edited
from pytest_loadtool.diagnosis.situation import Situation
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.rule import NamePatterns

#: Shorter texts stand in any page.
_SHORTEST = 2
_DIGITS = re.compile(r"\d+")
#: Names of what tells one state of a thing from the next.
_OF_STATES = re.compile(r"version|revision|etag|if-match|lock|changed|modified", re.IGNORECASE)
#: Headers of answers that give out what a later request sends, besides cookies.
_GIVING = ("location", "etag")
#: Which of several requests, or fields, an entry of what is ignored is for.
_NUMBER = re.compile(r" #\d+(?=:|$)")


def stale_token(situation: Situation) -> Cause | RuledOut | None:
    """A constant that the recording shows to be none is a token."""
    return _stale(situation, tokens=True)


def stale_id(situation: Situation) -> Cause | RuledOut | None:
    """A constant that the recording shows to be none is an id, or anything but a token."""
    return _stale(situation, tokens=False)


def _stale(situation: Situation, *, tokens: bool) -> Cause | RuledOut | None:
    for field in filter(_may_be, situation.fields):
        if is_given_out(field.wire_name) is tokens and (found := _about(situation, field)):
            return found
    return None


def _may_be(field: Field) -> bool:
    if field.slot is None or field.datasource != CONSTANT or "${" in field.value:
        return False
    name, value = field.wire_name, field.value
    if is_typed_secret(name) or is_identity_name(name) or len(value) < _SHORTEST:
        return is_given_out(name)
    telling = is_given_out(name) or is_id_name(name) or field.section == "PATH"
    telling = telling or _OF_STATES.search(name) is not None
    return looks_random(value) or is_moment(value) or (telling and bool(_DIGITS.search(value)))


def _about(situation: Situation, field: Field) -> Cause | None:
    giver = _giver(situation, field.value)
    if giver is None or _has(_now(giver), field.value):
        return None
    case, path = situation.subject.case, situation.subject.path
    shown = situation.subject.mask.field(field)[:LONGEST_VALUE]
    what = f"{field.name} = {shown}"
    ignored = _ignored(situation, field)
    if ignored:
        remedy = edited(
            f'the test case ignores it: take "{ignored}" out of `ignore`, then',
            "configure",
            place=path,
        )
    else:
        again = "application-state" if is_given_out(field.wire_name) else "configure --replay"
        command = again if case.configured else "configure"
        remedy = edited("connect it with the answer that gives it out", command)
    return Cause(
        f"{what} was sent as recorded, and {situation.name(giver)} gives out another now.",
        Sure.SHOWN,
        (f"the recorded answer of {situation.name(giver)} has {shown}, the one of now has not",),
        (remedy,),
    )


def _giver(situation: Situation, value: str) -> StepOutcome | None:
    """Return the last transaction before whose recorded answer has the value, if no request sent it
    before any answer had it."""
    for one in situation.before:
        exchange = situation.of(one).exchange
        if exchange is None:
            continue
        if _has(_request(exchange), value):
            return None  # a person typed it
        if _has(_answer(exchange), value):
            break
    else:
        return None
    having = (
        one
        for one in reversed(situation.before)
        if (exchange := situation.of(one).exchange) and _has(_answer(exchange), value)
    )
    return next(having, None)


def _request(exchange: Exchange) -> Iterator[str]:
    yield exchange.url
    yield exchange.request_body.decode("utf-8", "replace")


def _answer(exchange: Exchange) -> Iterator[str]:
    yield from (value for name, value in exchange.response_headers if name.lower() in _GIVING)
    yield from (value for _, value in set_cookies(exchange.response_headers))
    yield exchange.response_body.decode("utf-8", "replace")


def _now(outcome: StepOutcome) -> Iterator[str]:
    for name, value in outcome.response.headers:
        if name.decode("latin-1").lower() in (*_GIVING, "set-cookie"):
            yield value.decode("latin-1")
    yield text_of(outcome.response)[0]


def _has(texts: Iterator[str], value: str) -> bool:
    """Return whether one of them has it, not as a part of a longer word or number."""
    pattern = any_of(spellings(value))
    if pattern is None:
        return False
    whole = re.compile(rf"(?<![\w-])(?:{pattern.pattern})(?![\w-])")
    return any(whole.search(text) is not None for text in texts)


def _ignored(situation: Situation, field: Field) -> str:
    """Return the entry of the test case that keeps a field from being correlated; empty: none
    does."""
    request = situation.failed.transaction.request
    for entry in situation.subject.case.asm.ignore:
        named = _NUMBER.sub("", entry)
        own = named.startswith(f"{request.method} /") and named.endswith(f": {field.wire_name}")
        if own or field.wire_name in NamePatterns((entry,)):
            return entry
    return ""
