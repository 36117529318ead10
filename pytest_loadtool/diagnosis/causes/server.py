"""What a server says of itself or of its rules: limits, rights, duplicates, errors of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from shlex import quote
from urllib.parse import unquote_plus

from pytest_loadtool.codec.names import plain
from pytest_loadtool.codec.printable import clip
from pytest_loadtool.codec.secret import is_password
from pytest_loadtool.correlation.classify import SWITCHES, is_identity_name, is_title_name
from pytest_loadtool.correlation.requests.fields import CONSTANT, Field, fields_of
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
from pytest_loadtool.diagnosis.remedies import as_recorded, edited, references, seen_outside
from pytest_loadtool.diagnosis.situation import Situation
from pytest_loadtool.model.editing import numbered_titles
from pytest_loadtool.model.rule import same_name

_BOT = re.compile(
    r"captcha|are you (?:a )?(?:human|robot)|bot (?:detect|protect)|unusual traffic"
    r"|access denied by|web application firewall|\bwaf\b"
    r"|request (?:was |has been )?(?:blocked|rejected)|you have been blocked"
    r"|checking your browser|support id",
    re.IGNORECASE,
)
#: Headers of those who keep bots off.
_GUARDS = frozenset({"cf-ray", "cf-mitigated", "x-amzn-waf-action", "x-sucuri-id", "x-iinfo"})
_LIMITED = re.compile(r"rate.?limit|too many|throttl|slow down|quota", re.IGNORECASE)
_RIGHTS = re.compile(
    r"permission|not allowed|forbidden|privilege|not authori[sz]ed|access denied|insufficient"
    r"|admin\w* (?:only|rights)|only admin|berechtig",
    re.IGNORECASE,
)


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
    wait = _wait(after)
    return Cause(
        "The target limits how many requests it takes.",
        SAID,
        tuple(evidence),
        (
            edited(
                "send less: longer pauses, fewer users; or raise the limit of the test server",
                f"think all {wait}s",
            ),
            edited(
                "or, if the limit is what is tested, and how clients try again, expect it",
                f"status {situation.failed.index + 1} 200-399,429",
            ),
        ),
    )


#: A pause between pages after which a limit may take the next, in seconds: at least, and at most.
_SHORTEST_WAIT, _LONGEST_WAIT = 2, 60


def _wait(after: list[str]) -> int:
    """Seconds between pages, as the server asks for them (RFC 9110 §10.2.3)."""
    asked = next((int(one) for one in after if one.isdecimal()), _SHORTEST_WAIT)
    return min(max(asked, _SHORTEST_WAIT), _LONGEST_WAIT)


def overloaded(situation: Situation) -> Cause | RuledOut | None:
    """The server, or one behind it, is not there or has too much to do."""
    text = {
        502: "A gateway got no good answer from the server behind it.",
        503: "The server is overloaded, taken out of service, or limits requests with that.",
        504: "A gateway got no answer from the server behind it in time.",
    }.get(situation.status)
    if text is None:
        return None
    cause = Cause(
        text,
        SHOWN,
        tuple(f"Retry-After: {one}" for one in situation.header("retry-after")),
        (
            Remedy(
                "look at the server and what it depends on"
                + ("; or, if it passes with --loadtool-think-time 2s, at its limit of requests")
                * (situation.status == 503)
            ),
        ),
    )
    return seen_outside(situation, cause)


def server_error(situation: Situation) -> Cause | RuledOut | None:
    """The server failed while it answered."""
    if situation.status < 500 or situation.status in (502, 503, 504):
        return None
    said = [*situation.complaints] or [clip(_seen(situation), LONGEST_SAID)]
    cause = Cause(
        f"The server failed ({situation.status}): its log says why.",
        LIKELY + 5,
        tuple(f"it says: {one!r}" for one in said if one),
        (Remedy(f"look into the server's log{_at(situation)}"),),
    )
    return seen_outside(situation, cause)


def _at(situation: Situation) -> str:
    """When it was, by the server's own clock, if that is known."""
    return "".join(f" at {one}" for one in situation.header("date")[:1])


def bot_defence(situation: Situation) -> Cause | RuledOut | None:
    """Somebody in front of the server keeps robots off."""
    guards = [name for name, _ in situation.subject.headers if name.lower() in _GUARDS]
    found = _BOT.search(_seen(situation))
    if found and any(found[0] in page for page in situation.recorded_pages):
        found = None  # it stood there when all went well
    if not found and not (guards and situation.status == 403):
        return None
    evidence = [f"the page says: {clip(found[0], LONGEST_SAID)!r}"] if found else []
    cause = Cause(
        "A defence before the server, such as one against robots, refuses the request.",
        SHOWN + 2,
        (*evidence, *(f"header {one}" for one in guards)),
        (Remedy("have the guards of the test server let these requests through"),),
    )
    return seen_outside(situation, cause)


#: What answers have that proxies give themselves (RFC 9209; squid).
_OF_PROXIES = ("x-squid-error", "proxy-status")


def proxy_refuses(situation: Situation) -> Cause | RuledOut | None:
    """The proxy of the test case answers itself, with an error, and not the server."""
    told = [f"{name}: {one}" for name in _OF_PROXIES for one in situation.header(name)]
    proxy = situation.subject.case.proxy
    if situation.status < 400 or situation.status == 407 or proxy is None or not told:
        return None
    cause = Cause(
        "The proxy refuses the request, and does not pass it on to the server.",
        SAID + 1,
        (*told[:1], *(f"it says: {one!r}" for one in situation.complaints)),
        (Remedy("have the proxy let these requests through, or go without it: --proxy-url none"),),
    )
    return seen_outside(situation, cause)


def not_permitted(situation: Situation) -> Cause | RuledOut | None:
    """The user of the replay may not do what the recorded one might."""
    if situation.status != 403:
        return None
    said = [one for one in situation.complaints if _RIGHTS.search(one)]
    users = _other_users(situation)
    if not said and not users:
        return None
    remedies: tuple[Remedy, ...] = (Remedy("grant the user the rights of the recorded one"),)
    if users and situation.login is not None:
        text = "log in as the user who was recorded, or grant this one the rights"
        remedies = (as_recorded(situation, text, situation.login),)
    cause = Cause(
        "The user is known and may not do this.",
        SHOWN if users else LIKELY - 2,
        (*users, *(f"it says: {one!r}" for one in said)),
        remedies,
    )
    return cause if users else seen_outside(situation, cause)


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
        names_of = [one.name for one in references(field.value)]
        values = [unquote_plus(subject.sent.get(name, "")) for name in names_of]
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
    conflict = situation.status == 409 and failed.transaction.request.method == "POST"
    if not found and (words or not conflict):
        return None
    return Cause(
        f"The server takes {name!r} only once, and has it.",
        SAID if found else SHOWN,
        tuple(f"it says: {one!r}" for one in said),
        (edited("give each replay and each virtual user one of its own", f"unique {quote(name)}"),),
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
    named = [one for one in fields if one not in names and _is_named(one, complaints)]
    if named and not any(_is_named(one, complaints) for one in names):
        return ""  # it is about another field
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
    return (
        not re.search(rf"(?<!\w){re.escape(field.value)}(?!\w)", complaints),
        not _is_named(field, complaints),
        not is_identity_name(field.wire_name),
    )


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
        LIKELY - 3 if said else POSSIBLE + 5,
        tuple(f"the page says: {one!r}" for one in said),
        (
            Remedy(
                "compare what was sent with the recording"
                + (f"; the server may take {name!r} only once (`unique`)" if name else ""),
                commands=(f"diff {situation.failed.index + 1}",),
            ),
        ),
    )


def refused_values(situation: Situation) -> Cause | RuledOut | None:
    """The server says which value it does not take."""
    if situation.status not in (400, 422) or not situation.complaints:
        return None
    field = _named(situation)
    if situation.status == 400 and field is None:
        return None  # it may be about anything
    if _WANTED.search(" ".join(situation.complaints)) and field_wanted(situation) is not None:
        return None
    number = situation.failed.index + 1
    what = "a value of the request"
    remedies: tuple[Remedy, ...]
    remedies = (Remedy("compare what was sent with the recording", commands=(f"diff {number}",)),)
    if field is not None:
        what = f"{field.name} = {situation.subject.mask.field(field)[:LONGEST_VALUE]}"
    if field is not None and field.datasource == CONSTANT:
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
        LIKELY + 2,
        tuple(f"it says: {one!r}" for one in situation.complaints),
        remedies,
    )


#: What servers say of a field that is not there.
_WANTED = re.compile(r"required|missing|must not be (?:null|blank|empty)|is mandatory", re.I)
_OF_FIELD = re.compile(r"(?:body\.)?([\w.\[\]-]+): (.*)")


def field_wanted(situation: Situation) -> Cause | RuledOut | None:
    """The server wants a field that neither this request nor the recorded one has: what it takes
    has changed since."""
    if situation.status not in (400, 422):
        return None
    told = (_OF_FIELD.match(one) for one in situation.complaints)
    wanted = [one[1] for one in told if one is not None and _WANTED.search(one[2])]
    having = {one.wire_name for one in situation.fields} | {*situation.recorded_values}
    lacking = [one for one in wanted if one.rpartition(".")[2] not in having]
    if not lacking:
        return None
    names = sorted({one.wire_name for one in situation.fields if one.section != "HEADERS"})
    cause = Cause(
        f"The server wants {', '.join(lacking)}, which was not in the recorded request either.",
        SHOWN + 6,
        (
            *(f"it says: {one!r}" for one in situation.complaints),
            f"the request has {', '.join(names)}",
        ),
        (Remedy("see what has changed in the application; then record this request again"),),
    )
    return seen_outside(situation, cause)


def _expecting(situation: Situation, value: str) -> Iterator[str]:
    """The commands that remove what proves the change by a value that it will send no more."""
    case = situation.subject.case
    change = numbered_titles(case)[situation.failed.index]
    for number, one in enumerate(case.transactions(), 1):
        numbered = list(enumerate(one.validators, 1))
        for place, validator in reversed(numbered):  # those behind keep their numbers
            if validator.outcome is not None and validator.outcome.change == change:
                wanted = getattr(validator, "equals", None) or getattr(validator, "text", None)
                if str(wanted) == value:
                    yield f"remove-validator {number} {place}"


def _named(situation: Situation) -> Field | None:
    """The field of the request that the answer names, if it names one."""
    text = "\n".join(situation.complaints)
    fields = [one for one in situation.fields if one.slot is not None and one.section != "HEADERS"]
    having = (
        one
        for one in fields
        if len(one.wire_name) > 1 and re.search(rf"(?<!\w){re.escape(one.wire_name)}(?!\w)", text)
    )
    return next(having, None)


#: What is too large by a status, and what sets the limit of nginx.
_TOO_LARGE = {
    413: ("body", "client_max_body_size"),
    414: ("address", "large_client_header_buffers"),
    431: ("head", "large_client_header_buffers"),
}


def too_large(situation: Situation) -> Cause | RuledOut | None:
    """The server, or one before it, takes no body, or address, as long as this."""
    what, limit = _TOO_LARGE.get(situation.status, ("", ""))
    if not what:
        return None
    size = len(situation.failed.response.request)
    cause = Cause(
        f"The server takes no request whose {what} is so long.",
        SAID,
        (f"the request has {size:,} bytes; one that is larger than recorded grew by its values",),
        (Remedy(f"raise the limit of the server, or of the proxy before it (nginx: {limit})"),),
    )
    return seen_outside(situation, cause)


def method_refused(situation: Situation) -> Cause | RuledOut | None:
    """The method is not allowed there: it was edited, or the server is another."""
    if situation.status != 405:
        return None
    method = situation.failed.transaction.request.method
    exchange = situation.subject.exchange
    if exchange is not None and exchange.method != method:
        return Cause(
            f"{method} is not allowed there: {exchange.method} was recorded.",
            SAID,
            remedies=(as_recorded(situation, "send what was recorded"),),
        )
    allowed = ", ".join(situation.header("allow"))
    cause = Cause(
        f"The server does not take {method} there (any more).",
        SHOWN,
        (f"Allow: {allowed}",) if allowed else (),
        (Remedy("see whether this is the version of the application that was recorded"),),
    )
    return seen_outside(situation, cause)


def _seen(situation: Situation) -> str:
    return visible_text(text_of(situation.failed.response)[0])
