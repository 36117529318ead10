"""What a server says of itself or of its rules: limits, rights, duplicates, errors of its own."""

from __future__ import annotations

import re
from shlex import quote
from urllib.parse import unquote_plus

from pytest_loadtool.codec.names import plain
from pytest_loadtool.codec.printable import clip
from pytest_loadtool.codec.secret import is_password
from pytest_loadtool.codec.uses import needed_by
from pytest_loadtool.correlation.classify import SWITCHES, is_identity_name, is_title_name
from pytest_loadtool.correlation.requests.fields import CONSTANT, Field, fields_of
from pytest_loadtool.diagnosis.causes.unconfirmed import given_by
from pytest_loadtool.diagnosis.finding import (
    LIKELY,
    LONGEST_VALUE,
    POSSIBLE,
    SAID,
    SHOWN,
    Cause,
    Remedy,
    RuledOut,
)
from pytest_loadtool.diagnosis.outcome import text_of
from pytest_loadtool.diagnosis.page_errors import EXISTS, LONGEST_SAID, visible_text
from pytest_loadtool.diagnosis.redirect_mismatch import was_refused
from pytest_loadtool.diagnosis.situation import Situation
from pytest_loadtool.model.case import Kind
from pytest_loadtool.model.rule import same_name

_BOT = re.compile(
    r"captcha|are you (?:a )?(?:human|robot)|bot (?:detect|protect)|unusual traffic"
    r"|access denied by|web application firewall|\bwaf\b|blocked",
    re.IGNORECASE,
)
#: Headers of those who keep bots off.
_GUARDS = frozenset({"cf-ray", "cf-mitigated", "x-amzn-waf-action", "x-sucuri-id", "x-iinfo"})
_NOT_GIVEN = "no part of its address was given out by an answer before"
_LIMITED = re.compile(r"rate.?limit|too many|throttl|slow down|quota", re.IGNORECASE)
_RIGHTS = re.compile(
    r"permission|not allowed|forbidden|privilege|not authori[sz]ed|access denied|insufficient"
    r"|admin|berechtig",
    re.IGNORECASE,
)
_STATIC = frozenset({Kind.IMAGE, Kind.CSS, Kind.JAVASCRIPT})
#: A part of the name of a static file that changes with each deployment.
_HASH = re.compile(r"[.-][0-9a-f]{8,}\.|[.-][A-Za-z0-9_-]{8,}\.(?:js|css|woff2?|png|svg)$")


def rate_limited(situation: Situation) -> Cause | RuledOut | None:
    """The target takes no more requests for now."""
    after = situation.header("retry-after")
    said = " ".join((*situation.complaints, _seen(situation)[:LONGEST_SAID]))
    tells = _LIMITED.search(said) is not None or (bool(after) and situation.status == 403)
    if situation.status != 429 and not (situation.status in (403, 503) and tells):
        return None
    names = ("ratelimit-limit", "x-ratelimit-limit", "x-rate-limit-limit", "ratelimit")
    limits = [f"{name}: {value}" for name in names for value in situation.header(name)[:1]]
    evidence = [f"Retry-After: {one}" for one in after] + limits
    evidence += [f"it says: {one!r}" for one in situation.complaints]
    return Cause(
        "The target limits how many requests it takes.",
        SAID,
        tuple(evidence),
        (
            Remedy(
                "send less: more think time, fewer users; or raise the limit of the test server. "
                "If the limit is what is tested, expect it",
                line='status = "200-399, 429"',
                place=f"{situation.subject.path}:{situation.failed.transaction.line}",
            ),
        ),
    )


def overloaded(situation: Situation) -> Cause | RuledOut | None:
    """The server, or one behind it, is not there or has too much to do."""
    text = {
        502: "A gateway got no good answer from the server behind it.",
        503: "The server is overloaded, or taken out of service.",
        504: "A gateway got no answer from the server behind it in time.",
    }.get(situation.status)
    if text is None:
        return None
    return Cause(
        text,
        SHOWN,
        tuple(f"Retry-After: {one}" for one in situation.header("retry-after")),
        (Remedy("look at the server and what it depends on; then replay again"),),
    )


def server_error(situation: Situation) -> Cause | RuledOut | None:
    """The server failed while it answered."""
    if situation.status < 500 or situation.status in (502, 503, 504):
        return None
    said = [*situation.complaints] or [clip(_seen(situation), LONGEST_SAID)]
    return Cause(
        f"The server failed ({situation.status}): its log says why.",
        LIKELY + 5,
        tuple(f"it says: {one!r}" for one in said if one),
        (
            Remedy(
                "look into the server's log at this moment; if the request is to blame, `diff` "
                "shows what it has otherwise than the recorded one",
                commands=(f"diff {situation.failed.index + 1}",),
            ),
        ),
    )


def bot_defence(situation: Situation) -> Cause | RuledOut | None:
    """Somebody in front of the server keeps robots off."""
    guards = [name for name, _ in situation.subject.headers if name.lower() in _GUARDS]
    found = _BOT.search(_seen(situation))
    if not found and not (guards and situation.status == 403):
        return None
    evidence = [f"the page says: {clip(found[0], LONGEST_SAID)!r}"] if found else []
    return Cause(
        "A defence against robots refuses the request.",
        SHOWN + 2,
        (*evidence, *(f"header {one}" for one in guards)),
        (Remedy("have the guards of the test server let these requests through"),),
    )


def not_permitted(situation: Situation) -> Cause | RuledOut | None:
    """The user of the replay may not do what the recorded one might."""
    if situation.status != 403:
        return None
    said = [one for one in situation.complaints if _RIGHTS.search(one)]
    users = _other_users(situation)
    if not said and not users:
        return None
    return Cause(
        "The user is known and may not do this.",
        SHOWN if users else LIKELY - 2,
        (*users, *(f"it says: {one!r}" for one in said)),
        (Remedy("replay as a user with the rights of the recorded one, or grant them"),),
    )


def _other_users(situation: Situation) -> list[str]:
    """Who logged in now and who when it was recorded, where that differs."""
    login = situation.login
    exchange = situation.of(login).exchange if login is not None else None
    if login is None or exchange is None or login.index == situation.failed.index:
        return []
    recorded = exchange.request_body.decode("utf-8", "replace")
    if not recorded:
        return []
    subject = situation.of(login)
    fields = fields_of(situation.subject.case, login.index)
    names = [one for one in fields if is_identity_name(one.wire_name) and one.slot is not None]
    found = []
    for field in names:
        sent = subject.sent.items()
        values = [unquote_plus(value) for name, value in sent if f"${{{name}}}" in field.value]
        found += [
            f"replayed as {field.name} = {value}, which is not who was recorded"
            for value in values
            if value and value not in unquote_plus(recorded)
        ]
    return found


def exists_already(situation: Situation) -> Cause | RuledOut | None:
    """The server takes a name or a text only once, and has it from the recording."""
    failed, said = situation.failed, situation.complaints
    recorded = situation.recorded_status
    refused = was_refused(failed.transaction.request.method, recorded, situation.status)
    if not (refused or situation.status in (400, 409, 412, 422)):
        return None
    words = " ".join(said) or (_seen(situation)[:LONGEST_SAID] if situation.status == 409 else "")
    name = _name_taken(situation, words)
    if not name:
        return None
    found = EXISTS.search(words)
    likely = refused and not said  # it would say so
    conflict = situation.status == 409 and failed.transaction.request.method == "POST"
    return Cause(
        f"The server takes {name!r} only once, and has it."
        if found or conflict
        else f"The server may take {name!r} only once.",
        SAID if found else SHOWN if conflict else LIKELY if likely else POSSIBLE,
        tuple(f"it says: {one!r}" for one in said),
        (
            Remedy(
                "give each replay and each virtual user one of its own",
                commands=(f"unique {quote(name)}", "play"),
            ),
        ),
    )


def _name_taken(situation: Situation, complaints: str) -> str:
    """The text in the body that a server may take only once, as it was typed: the one that the
    answer complains of, else who somebody is, else the first. Empty: there is none, or the form is
    one to sign in with, unless the answer says that something exists."""
    fields = fields_of(situation.subject.case, situation.failed.index)
    typed = [one for one in fields if one.datasource == CONSTANT and one.section == "POST content"]
    names = [one for one in typed if _may_be_taken(one)]
    secrets = [one for one in typed if is_password(one.wire_name)]
    signs_in = len(secrets) == len(names) == 1 and is_identity_name(names[0].wire_name)
    if not names or (signs_in and not EXISTS.search(complaints)):
        return ""
    return min(names, key=lambda one: _rank(one, complaints)).value


def _may_be_taken(field: Field) -> bool:
    """Whether it is text under a name for names."""
    return (
        len(field.value) <= LONGEST_VALUE
        and field.value not in SWITCHES
        and re.search(r"[^\W\d]", field.value) is not None
        and (is_title_name(field.wire_name) or is_identity_name(field.wire_name))
    )


def _rank(field: Field, complaints: str) -> tuple[bool, bool, bool]:
    """The lower, the more likely it is that these complaints are about the field."""
    words = [one for one in plain(field.wire_name).split() if len(one) > 1]
    named = bool(words) and same_name(words[-1]) in same_name(complaints)
    return (
        not re.search(rf"(?<!\w){re.escape(field.value)}(?!\w)", complaints),
        not named,
        not is_identity_name(field.wire_name),
    )


def refused_form(situation: Situation) -> Cause | RuledOut | None:
    """A form came back as a page, where a redirect had confirmed it."""
    method, recorded = situation.failed.transaction.request.method, situation.recorded_status
    if not was_refused(method, recorded, situation.status):
        return None
    said = situation.complaints
    return Cause(
        f"The form was refused: it came back as a page, a redirect was recorded ({recorded}).",
        LIKELY - 3 if said else POSSIBLE + 5,
        tuple(f"the page says: {one!r}" for one in said),
        (
            Remedy(
                "it may hold something of the recorded session",
                commands=("configure --replay",),
            ),
        ),
    )


def refused_values(situation: Situation) -> Cause | RuledOut | None:
    """The server says which value it does not take."""
    if situation.status not in (400, 422) or not situation.complaints:
        return None
    return Cause(
        "The server does not take a value of the request.",
        LIKELY + 2,
        tuple(f"it says: {one!r}" for one in situation.complaints),
        (
            Remedy(
                "compare what was sent with the recording",
                commands=(f"diff {situation.failed.index + 1}",),
            ),
        ),
    )


def missing_file(situation: Situation) -> Cause | RuledOut | None:
    """A static file is not there (any more): mostly harmless, and often of another deployment."""
    recorded = situation.failed.transaction.recorded
    if situation.status not in (404, 410) or recorded is None or recorded.kind not in _STATIC:
        return None
    hashed = _HASH.search(situation.failed.transaction.request.target.partition("?")[0])
    return Cause(
        "A static file is not there"
        + (": its name changes with each deployment." if hashed else ", which is mostly harmless."),
        SHOWN,
        remedies=(
            Remedy("leave static files out: an API or page test needs none", commands=("strip",)),
        ),
    )


def missing_everywhere(situation: Situation) -> Cause | RuledOut | None:
    """Nothing is there: the address is that of another server or application."""
    if situation.status != 404 or len(situation.outcomes) < 2 or situation.failed.index:
        return None
    missing = [one for one in situation.outcomes if one.response.status == 404]
    if len(missing) < len(situation.outcomes) or situation.recorded_status == 404:
        return None
    return Cause(
        f"None of the {len(missing)} addresses is there: this is another server or path.",
        SHOWN + 10,
        (f"requests go to {situation.failed.origin}",),
        (Remedy("set `server` of the test case", place=f"{situation.subject.path}:1"),),
    )


def missing_page(situation: Situation) -> Cause | RuledOut | None:
    """A page or an API call is not there."""
    if situation.status not in (404, 410):
        return None
    gone = "was taken away" if situation.status == 410 else "is not there"
    return Cause(
        f"What was asked for {gone}: {situation.subject.mask.text(_target(situation))}.",
        POSSIBLE + 5,
        (
            *([] if _was_given(situation) else [_NOT_GIVEN]),
            *(f"it says: {one!r}" for one in situation.complaints),
        ),
        (
            Remedy(
                "the recorded thing has to be on the server, or be made by the test case before; "
                "`configure --replay` looks for ids that rules do not know",
                commands=("configure --replay",),
            ),
        ),
    )


def _was_given(situation: Situation) -> bool:
    """Whether the request sends what an answer before has given out."""
    given = (given_by(one.transaction) for one in situation.before)
    wanted = needed_by(situation.subject.case, situation.failed.transaction)
    return any(wanted & one for one in given)


def _target(situation: Situation) -> str:
    words = situation.subject.request_head[0].split(" ")
    return words[1].partition("?")[0] if len(words) > 1 else ""


def _seen(situation: Situation) -> str:
    return visible_text(text_of(situation.failed.response)[0])
