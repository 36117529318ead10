"""Refusals of what was sent: a name that exists already, a form, a value, a field that lacks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from shlex import quote

from pytest_loadtool.codec.names import is_password, plain, words_of
from pytest_loadtool.correlation.classify import SWITCHES, is_identity_name, is_title_name
from pytest_loadtool.correlation.requests.fields import CONSTANT, Field, fields_of
from pytest_loadtool.diagnosis.causes.request import OF_CLIENTS
from pytest_loadtool.diagnosis.finding import LONGEST_VALUE, Cause, Remedy, RuledOut, Sure
from pytest_loadtool.diagnosis.json_values import json_values
from pytest_loadtool.diagnosis.page_errors import EXISTS, LONGEST_SAID
from pytest_loadtool.diagnosis.redirect_mismatch import was_refused
from pytest_loadtool.diagnosis.remedies import compared, edited, seen_outside
from pytest_loadtool.diagnosis.situation import Situation
from pytest_loadtool.model.editing import numbered_titles
from pytest_loadtool.model.rule import same_name

#: What a status of 409 is called (RFC 9110 §15.5.10): an answer that says no more says nothing.
_CONFLICT = "conflict"


def exists_already(situation: Situation) -> Cause | RuledOut | None:
    """The server takes a name or a text only once, and has it from the recording."""
    failed, said = situation.failed, situation.complaints
    recorded = situation.recorded_status
    refused = was_refused(failed.transaction.request.method, recorded, situation.status)
    if not (refused or situation.status in (400, 409, 412, 422)):
        return None
    seen = situation.seen[:LONGEST_SAID] if situation.status == 409 and not said else ""
    words = " ".join(one for one in said if one.lower() != _CONFLICT) or seen
    name = _name_taken(situation, words)
    if not name:
        return None
    found = EXISTS.search(words)
    conflict = situation.status == 409 and failed.transaction.request.method == "POST"
    if not found and (words or not conflict):
        return None
    is_shown = any(name in one.not_as_recorded for one in situation.before)
    return Cause(
        f"The server takes {name!r} only once, and has it.",
        Sure.SAID if found else Sure.SHOWN if is_shown else Sure.LIKELY,
        (),
        (edited("give each replay and each virtual user one of its own", f"unique {quote(name)}"),),
    )


def _name_taken(situation: Situation, complaints: str) -> str:
    """Return the text in the body that a server may take only once, as it was typed: the one that
    the answer complains of, else who somebody is, else the first. Empty: there is none, or the form
    is one to sign in with, unless the answer says that something exists."""
    fields = fields_of(situation.subject.case, situation.failed.index)
    typed = [one for one in fields if one.datasource == CONSTANT and one.section == "POST content"]
    names = [one for one in typed if _may_be_taken(one, complaints)]
    secrets = [one for one in typed if is_password(one.wire_name)]
    signs_in = len(secrets) == len(names) == 1 and is_identity_name(names[0].wire_name)
    if not names or (signs_in and not EXISTS.search(complaints)):
        return ""
    named = [one for one in fields if one not in names and _is_named(one, complaints)]
    if named and not any(_is_named(one, complaints) for one in names):
        return ""  # it is about another field
    return min(names, key=lambda one: _rank(one, complaints)).value


def _may_be_taken(field: Field, complaints: str) -> bool:
    """Return whether it is text under a name for names, or what the answer says to exist."""
    names = is_title_name(field.wire_name) or is_identity_name(field.wire_name)
    return (
        len(field.value) <= LONGEST_VALUE
        and field.value not in SWITCHES
        and re.search(r"[^\W\d]", field.value) is not None
        and (names or (_is_said(field, complaints) and EXISTS.search(complaints) is not None))
    )


def _rank(field: Field, complaints: str) -> tuple[bool, bool, bool]:
    """Return the lower, the more likely it is that these complaints are about the field."""
    return (
        not _is_said(field, complaints),
        not _is_named(field, complaints),
        not is_identity_name(field.wire_name),
    )


def _is_said(field: Field, complaints: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(field.value)}(?!\w)", complaints) is not None


def _is_named(field: Field, complaints: str) -> bool:
    words = [one for one in plain(field.wire_name).split() if len(one) > 1]
    return bool(words) and same_name(words[-1]) in same_name(complaints)


def refused_form(situation: Situation) -> Cause | RuledOut | None:
    """A form came back as a page, where a redirect had confirmed it."""
    method, recorded = situation.failed.transaction.request.method, situation.recorded_status
    if not was_refused(method, recorded, situation.status):
        return None
    said = situation.complaints
    if not said and not situation.is_asked_again(situation.failed):
        return None  # it is another page
    name = "" if said else _name_taken(situation, "")
    return Cause(
        f"The form was refused: it came back as a page, a redirect was recorded ({recorded}).",
        Sure.LIKELY if said else Sure.POSSIBLE,
        (),
        (
            compared(
                situation,
                "compare what was sent with the recording"
                + (f"; the server may take {name!r} only once (`unique`)" if name else ""),
            ),
        ),
    )


def refused_values(situation: Situation) -> Cause | RuledOut | None:
    """The server says which value it does not take: it names the field, or has the value."""
    if situation.status not in _OF_VALUES and "answer" not in situation.causes:
        return None
    field, sure = _named(situation)
    if field is None and (situation.status != 422 or not situation.complaints):
        return None  # it may be about anything
    if _WANTED.search(" ".join(situation.complaints)) and field_wanted(situation) is not None:
        return None
    number = situation.failed.index + 1
    what = "a value of the request"
    remedies: tuple[Remedy, ...]
    remedies = (compared(situation, "compare what was sent with the recording"),)
    if field is not None:
        what = f"{field.name} = {situation.subject.mask.field(field)[:LONGEST_VALUE]}"
    here = field is not None and field.section != "HEADERS"  # which transactions share
    if (
        field is not None
        and here
        and field.datasource == CONSTANT
        and (situation.status in _CORRECTED)
    ):
        expecting = tuple(_expecting(situation, field.value))
        others = "; what later answers were to show of the old one goes" if expecting else ""
        remedies = (
            edited(
                f"give it a VALUE that it takes{others}",
                f"set-field {number} {quote(field.name)} --constant VALUE",
                *expecting,
            ),
            *remedies,
        )
    return Cause(
        f"The server does not take {what}.",
        sure,
        (),
        remedies,
    )


#: Statuses with which servers refuse values; and those that another value helps against.
_OF_VALUES = frozenset({400, 402, 403, 405, 406, 409, 412, 413, 415, 422, 423, 428})
_CORRECTED = frozenset({200, 400, 422})
#: What servers say of a field that is not there.
_WANTED = re.compile(r"required|missing|must not be (?:null|blank|empty)|is mandatory", re.I)
_OF_FIELD = re.compile(r"(?:body\.)?([\w.\[\]-]+): (.*)")


def field_wanted(situation: Situation) -> Cause | RuledOut | None:
    """The server wants a field that neither this request nor the recorded one has: what it
    takes has changed since."""
    if situation.status not in (400, 422):
        return None
    told = (_OF_FIELD.match(one) for one in situation.complaints)
    wanted = [one[1] for one in told if one is not None and _WANTED.search(one[2])]
    having = {one.wire_name for one in situation.fields} | {*situation.recorded_values}
    lacking = [one for one in wanted if one.rpartition(".")[2] not in having]
    if not lacking:
        return None
    sent = (one for one in situation.fields if one.section != "HEADERS" and one.wire_name)
    names = sorted({one.wire_name for one in sent})
    cause = Cause(
        f"The server wants {', '.join(lacking)}, which was not in the recorded request either.",
        Sure.SHOWN,
        (f"the request has {', '.join(names)}",),
        (Remedy("see what has changed in the application; then record this request again"),),
    )
    return seen_outside(situation, cause)


def _expecting(situation: Situation, value: str) -> Iterator[str]:
    """Yield the commands that remove what proves the change by a value that it will send no
    more."""
    case = situation.subject.case
    change = numbered_titles(case)[situation.failed.index]
    for number, one in enumerate(case.transactions(), 1):
        numbered = list(enumerate(one.validators, 1))
        for place, validator in reversed(numbered):  # those behind keep their numbers
            if validator.outcome is not None and validator.outcome.change == change:
                wanted = getattr(validator, "equals", None) or getattr(validator, "text", None)
                if str(wanted) == value:
                    yield f"remove-validator {number} {place}"


def _named(situation: Situation) -> tuple[Field | None, Sure]:
    """Return the field of the request that the answer is about, if it names one, and how sure that
    is: it tells where, or has name and value. A word that is a name by chance is none."""
    text = "\n".join(situation.complaints)
    told = [one[1] for one in map(_OF_FIELD.match, situation.complaints) if one is not None]
    places = {same_name(one.rpartition(".")[2]) for one in told}
    others = _not_there(situation, told)
    found: list[tuple[bool, bool, int, Field]] = []
    for one in situation.fields:
        name = one.wire_name
        if one.slot is None or len(name) < 2:
            continue
        if one.section == "HEADERS" and name.lower() in OF_CLIENTS:
            continue
        placed = same_name(name) in places and one.name not in others
        words = (name, *(one for one in words_of(name)[-1:] if len(one) >= _LONG_WORD))
        named = any(re.search(rf"(?<!\w){re.escape(one)}(?!\w)", text, re.I) for one in words)
        valued = len(one.value) > 1 and one.value in text
        if placed or (named and (valued or situation.status in (400, 422) or _SIGNED.search(name))):
            found.append((placed, valued, len(name), one))
    if not found:
        return None, Sure.LIKELY
    placed, valued, _, field = max(found, key=lambda each: each[:3])
    return field, Sure.SHOWN if placed or valued else Sure.LIKELY


def _not_there(situation: Situation, told: Sequence[str]) -> frozenset[str]:
    """Return the fields, of several that are called alike in a JSON body, that do not stand where
    the answer says that it is wrong: ``items.1.quantity`` is the second ``quantity``."""
    paths = list(json_values(situation.subject.request_body))
    fields = [one for one in situation.fields if one.section == "POST content"]
    found: set[str] = set()
    for place in told:
        parts = re.findall(r"[^.\[\]]+", place)
        alike = [one for one in paths if one and str(one[-1]) == parts[-1]]
        right = [one for one in alike if [str(part) for part in one] == parts[-len(one) :]]
        named = [one.name for one in fields if one.wire_name == parts[-1]]
        if len(right) == 1 and len(named) == len(alike) > 1:
            found |= {one for one, path in zip(named, alike, strict=True) if path != right[0]}
    return frozenset(found)


#: A part of a name that is a word by itself, in characters; and what names have that words have
#: not.
_LONG_WORD = 4
_SIGNED = re.compile(r"[\W_\d]|[a-z][A-Z]")
