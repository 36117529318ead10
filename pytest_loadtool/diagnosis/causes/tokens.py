"""Tokens against forged requests: missing, stale, or taken from the wrong page."""

from __future__ import annotations

import re
from itertools import islice
from shlex import quote
from urllib.parse import unquote

from pytest_loadtool.codec.names import Secret, is_given_out, is_typed_secret, secret_kinds
from pytest_loadtool.codec.spellings import spellings
from pytest_loadtool.codec.template import Reference
from pytest_loadtool.correlation.classify import is_identity_name, looks_random
from pytest_loadtool.correlation.requests.fields import CONSTANT, Field
from pytest_loadtool.correlation.responses.recorded import RecordedResponse
from pytest_loadtool.diagnosis.finding import LONGEST_VALUE, Cause, Remedy, RuledOut, Sure
from pytest_loadtool.diagnosis.outcome import StepOutcome, text_of
from pytest_loadtool.diagnosis.remedies import (
    as_recorded,
    compared,
    edited,
    references,
    seen_outside,
)
from pytest_loadtool.diagnosis.situation import Situation
from pytest_loadtool.diagnosis.subject import Subject, place_of
from pytest_loadtool.extraction.extract import taken
from pytest_loadtool.structure.uses import needed_by

_OF_TOKENS = re.compile(r"csrf|xsrf|forgery", re.IGNORECASE)


def token_not_anew(situation: Situation) -> Cause | RuledOut | None:
    """A token with a placeholder was sent with the recorded value: nothing was taken, or the server
    gave it out again."""
    for field, name in _tokens(situation):
        if _is_recorded(situation, name) is not True:
            continue
        giver = _giver(situation, name)
        who = f"from {situation.name(giver)}" if giver is not None else "from nowhere"
        sent = situation.subject.sent.get(name) or ""
        complained = bool(sent) and any(sent in one for one in situation.complaints)
        return Cause(
            f"{field.name} was sent with the recorded value: nothing new was taken {who}.",
            Sure.SHOWN if complained else Sure.LIKELY,
            (f"${{{name}}} has the value of the recording",),
            (edited("find out who gives it out now", "application-state"),),
            index=giver.index if giver is not None and giver.failures else None,
        )
    return None


def token_written_over(situation: Situation) -> Cause | RuledOut | None:
    """A field that had a token when it was recorded sends another constant: somebody wrote
    over the placeholder."""
    for field in situation.fields:
        recorded = situation.recorded_values.get(field.wire_name, frozenset())
        if field.slot is None or field.datasource != CONSTANT or field.value in recorded:
            continue
        given_out = is_given_out(field.wire_name) or any(map(looks_random, recorded))
        if not recorded or not given_out or is_typed_secret(field.wire_name):
            continue
        was = min(recorded)
        return Cause(
            f"{field.name} sends the constant {situation.subject.mask.field(field)[:LONGEST_VALUE]}"
            ", which was not recorded: it had a token that the server gave out.",
            Sure.SHOWN,
            (f"recorded: {situation.subject.mask.value(field.name, was)[:LONGEST_VALUE]}",),
            (
                as_recorded(
                    situation,
                    "bring the recorded value back, and have it connected again",
                    field=field.name,
                ),
            ),
        )
    return None


def token_of_wrong_page(situation: Situation) -> Cause | RuledOut | None:
    """A token was taken anew, from another answer than the one whose value the recording sent."""
    right = []
    for field, name in _tokens(situation):
        if _is_recorded(situation, name) is not False:
            continue
        giver, form = _giver(situation, name), _recorded_giver(situation, field, name)
        if giver is None:
            continue
        sent = situation.subject.sent.get(name) or ""
        was = situation.subject.case.variables[name].recorded or ""
        if form is None or form.index == giver.index or _gives(form, was) or _gives(form, sent):
            right.append(f"{field.name} was taken anew from {situation.name(giver)}")
            continue
        return Cause(
            f"{field.name} was taken from {situation.name(giver)}; when recorded, it was of "
            f"{situation.name(form)}.",
            Sure.SHOWN,
            (
                f"the recorded request sent what the recorded answer of {situation.name(form)} "
                "gave out",
            ),
            (_to(situation, giver, name, form),),
            index=None,
        )
    return RuledOut("; ".join(right) + ", which gave it out when recorded") if right else None


def _to(situation: Situation, giver: StepOutcome, name: str, form: StepOutcome) -> Remedy:
    """Return how a token is taken from the answer that gives it out: its extractor goes there, if
    it finds it there and nothing needs it before; else the request is connected anew."""
    exchange = situation.of(form).exchange
    extractor = next(one for one in giver.transaction.extractors if one.variable == name)
    case = situation.subject.case
    between = islice(case.transactions(), giver.index + 1, form.index + 1)
    early = any(name in needed_by(case, one) for one in between)
    try:
        finds = exchange and taken(extractor.source, RecordedResponse(exchange), extractor.match)
    except ValueError:
        finds = None
    if early or not finds:
        text = f"have it taken from {situation.name(form)}: connected anew"
        return as_recorded(situation, text)
    return edited(
        f"move the extractor of ${{{name}}} to {situation.name(form)}",
        f"move-extractor {giver.index + 1} {quote(name)} {form.index + 1}",
        place=place_of(situation.subject.path, giver),
    )


def token_refused(situation: Situation) -> Cause | RuledOut | None:
    """The server complains of a token that was taken anew, from where it was when recorded:
    of what goes with it, then."""
    said = [one for one in situation.complaints if _OF_TOKENS.search(one)]
    found = isinstance(token_of_wrong_page(situation), RuledOut)
    if not said or not found:
        return None
    givers = (_giver(situation, name) for _, name in _tokens(situation))
    for giver in (one for one in givers if one is not None):
        if kept := _from_cache(situation.of(giver)):
            return _of_cache(situation, giver, (kept,))
    if any(_EXPIRED.search(one) for one in said):
        return _expired(situation)
    return Cause(
        "The server refuses the token, which was taken anew from the right answer: its cookie, "
        "Referer or Origin may not be what goes with it.",
        Sure.LIKELY,
        (),
        (compared(situation, "compare the request with the recorded one"),),
    )


_EXPIRED = re.compile(r"expired|too old|timed.?out|no longer valid", re.IGNORECASE)


def _expired(situation: Situation) -> Cause | None:
    """The server says that the token is too old: so much time has passed since it was taken."""
    for field, name in _tokens(situation):
        giver = _giver(situation, name)
        if giver is None:
            continue
        now, recorded = situation.seconds_since(giver)
        then = f", {recorded:.1f} s when recorded" if recorded is not None else ""
        return Cause(
            f"The token {field.name} has expired.",
            Sure.SHOWN,
            (f"{situation.name(giver)} gave it out {now:.1f} s before{then}",),
            (
                Remedy(
                    "think for less time, or have the server take tokens for longer",
                    command=f"{situation.replay_command} --loadtool-think-time 500ms",
                ),
            ),
            confirm=f"{situation.replay_command} --loadtool-think-time none",
        )
    return None


#: What caches add to answers that they have kept (RFC 9111 §5.1, RFC 9211).
_OF_CACHES = re.compile(r"(?:x-(?:\w+-)*)?cache(?:-status)?|cf-cache-status", re.IGNORECASE)


def _from_cache(subject: Subject) -> str:
    """Return how an answer shows that a cache has kept it; empty if it does not."""
    for name, value in subject.headers:
        aged = name.lower() == "age" and value.strip("0 ")
        if aged or (_OF_CACHES.fullmatch(name) and re.search(r"\bhit\b", value, re.IGNORECASE)):
            return f"{name}: {value}"
    return ""


def _of_cache(situation: Situation, giver: StepOutcome, evidence: tuple[str, ...]) -> Cause:
    cause = Cause(
        f"The token of {situation.name(giver)} is out of a cache: it was given out to another.",
        Sure.SHOWN,
        evidence,
        (Remedy("keep pages with tokens out of caches (Cache-Control: no-store, or private)"),),
        index=giver.index,
    )
    return seen_outside(situation, cause, giver)


def _tokens(situation: Situation) -> list[tuple[Field, str]]:
    """Return the fields of the request that send tokens of placeholders, each with its variable."""
    found = []
    for field in situation.fields:
        if field.slot is None or field.datasource == CONSTANT or _is_of_bearer(field):
            continue
        for reference in _references(field):
            variable = situation.subject.case.variables.get(reference.name)
            recorded = variable.recorded if variable is not None else None
            if is_given_out(field.wire_name) or (recorded and looks_random(recorded)):
                found.append((field, reference.name))
    return [one for one in found if not is_identity_name(one[0].wire_name)]


def _is_of_bearer(field: Field) -> bool:
    return field.wire_name.lower() == "authorization"


def _references(field: Field) -> tuple[Reference, ...]:
    return tuple(one for one in references(field.value) if one.dataset is None)


def _is_recorded(situation: Situation, name: str) -> bool | None:
    """Return whether a placeholder was sent with its recorded value; None if that is not known."""
    variable = situation.subject.case.variables.get(name)
    now = situation.subject.sent.get(name)
    if variable is None or variable.recorded is None or now is None:
        return None
    return now in spellings(variable.recorded) | spellings(unquote(variable.recorded))


def _giver(situation: Situation, name: str) -> StepOutcome | None:
    """Return the last transaction before that takes the variable from its answer."""
    return next(
        (
            one
            for one in reversed(situation.before)
            if any(each.variable == name for each in one.transaction.extractors)
        ),
        None,
    )


def _recorded_giver(situation: Situation, field: Field, name: str) -> StepOutcome | None:
    """Return the last transaction before whose recorded answer has the value that the recorded
    request sent."""
    variable = situation.subject.case.variables[name]
    value = variable.recorded
    if not value or Secret.PASSWORD in secret_kinds(field.wire_name):
        return None
    for one in reversed(situation.before):
        exchange = situation.of(one).exchange
        if exchange is None:
            continue
        text = exchange.response_body.decode("utf-8", "replace")
        lines = (line for _, line in exchange.response_headers)
        if any(spelled in each for each in (text, *lines) for spelled in spellings(value)):
            return one
    return None


def _gives(giver: StepOutcome, value: str) -> bool:
    """Return whether an answer has a value now: the recorded one, then it is no source of another;
    or that which was sent, then it is the right one."""
    text = text_of(giver.response)[0]
    lines = (line.decode("latin-1") for _, line in giver.response.headers)
    return bool(value) and any(
        spelled in each for each in (text, *lines) for spelled in spellings(value)
    )


def token_fields(situation: Situation) -> str:
    """Return the tokens that the request sends, each with where its value is from."""
    told = [f"{one.name} ({source_of(situation, one)})" for one in _all_tokens(situation)]
    names = (line.partition(":")[0] for line in situation.subject.request_head[1:])
    told += [f"{name} ({CONSTANT})" for name in names if name.lower() == _OF_SCRIPTS]
    return ", ".join(told) or "none in its headers, its address or its body"


def _all_tokens(situation: Situation) -> list[Field]:
    """Return the fields that are tokens by their names or their values, constants too."""
    named = {field.name for field, _ in _tokens(situation)}
    return [
        one
        for one in situation.fields
        if one.slot is not None
        and (one.name in named or is_given_out(one.wire_name) or _looks_given_out(one))
    ]


#: A header that pages of other sites cannot send, which serves as a token.
_OF_SCRIPTS = "x-requested-with"


def _looks_given_out(field: Field) -> bool:
    name = field.wire_name
    return (
        field.datasource == CONSTANT
        and not (is_typed_secret(name) or is_identity_name(name))
        and looks_random(field.value)
    )


def authorization_of_request(situation: Situation) -> str:
    """Return where the token in Authorization is from; empty where none was sent."""
    found = next((one for one in situation.fields if _is_of_bearer(one)), None)
    return source_of(situation, found) if found is not None else ""


def source_of(situation: Situation, field: Field) -> str:
    """Return the datasource of a field, with the transactions that give out its variables."""
    if field.datasource == CONSTANT:
        return field.datasource
    names = [one.name for one in _references(field)]
    givers = [_giver(situation, one) for one in names]
    return ", ".join(
        f"{field.datasource} ${{{name}}} of {situation.name(giver)}"
        if giver is not None
        else f"${{{name}}}, which no transaction before gives out"
        for name, giver in zip(names, givers, strict=True)
    )


def token_values(situation: Situation) -> str:
    """Return whether the tokens were sent as recorded."""
    told = []
    for field in _all_tokens(situation):
        if field.datasource == CONSTANT:
            value = situation.subject.mask.field(field)[:LONGEST_VALUE]
            recorded = situation.recorded_values.get(field.wire_name)
            how = "" if recorded is None else "not as recorded, "
            how = "as recorded, " if recorded and field.value in recorded else how
            told.append(f"{field.name}: {how}the constant {value}")
        for reference in _references(field):
            same = _is_recorded(situation, reference.name)
            word = {True: "as recorded", False: "taken anew", None: "not known"}[same]
            told.append(f"{field.name}: {word}")
    return ", ".join(told)
