"""What a server says of itself or of its rules: limits, rights, defences, errors of its own."""

from __future__ import annotations

import re
from urllib.parse import unquote_plus

from pytest_loadtool.codec.printable import clip
from pytest_loadtool.correlation.classify import is_identity_name
from pytest_loadtool.correlation.requests.fields import fields_of
from pytest_loadtool.diagnosis.causes.session import to_login
from pytest_loadtool.diagnosis.finding import Cause, Remedy, RuledOut, Sure
from pytest_loadtool.diagnosis.outcome import StepOutcome, text_of
from pytest_loadtool.diagnosis.page_errors import LONGEST_SAID, visible_text
from pytest_loadtool.diagnosis.remedies import as_recorded, edited, references, seen_outside
from pytest_loadtool.diagnosis.said import says_nothing
from pytest_loadtool.diagnosis.situation import Situation

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
    said = " ".join((*situation.complaints, situation.seen[:LONGEST_SAID]))
    tells = _LIMITED.search(said) is not None or (bool(after) and situation.status == 403)
    if situation.status != 429 and not (situation.status in (403, 503) and tells):
        return None
    names = ("ratelimit-limit", "x-ratelimit-limit", "x-rate-limit-limit", "ratelimit")
    limits = [f"{name}: {value}" for name in names for value in situation.header(name)[:1]]
    evidence = [f"Retry-After: {one}" for one in after] + limits
    wait = _wait(after)
    return Cause(
        "The target limits how many requests it takes.",
        Sure.SAID,
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
    """Return seconds between pages, as the server asks for them (RFC 9110 §10.2.3)."""
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
        Sure.SHOWN,
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
    cause = Cause(
        f"The server failed ({situation.status})"
        + (": its log says why." if all(map(says_nothing, situation.complaints)) else "."),
        Sure.LIKELY,
        (),
        (Remedy(f"look into the server's log{_at(situation)}"),),
    )
    return seen_outside(situation, cause)


def _at(situation: Situation) -> str:
    """Return when it was, by the server's own clock, if that is known."""
    return "".join(f" at {one}" for one in situation.header("date")[:1])


def bot_defence(situation: Situation) -> Cause | RuledOut | None:
    """Somebody in front of the server keeps robots off."""
    guards = [name for name, _ in situation.subject.headers if name.lower() in _GUARDS]
    found = _BOT.search(situation.seen)
    if found and any(found[0] in page for page in situation.recorded_pages):
        found = None  # it stood there when all went well
    if not found and not (guards and situation.status == 403):
        return None
    evidence = [f"the page says: {clip(found[0], LONGEST_SAID)!r}"] if found else []
    cause = Cause(
        "A defence before the server, such as one against robots, refuses the request.",
        Sure.SHOWN,
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
        Sure.KNOWN,
        tuple(told[:1]),
        (Remedy("have the proxy let these requests through, or go without it: --proxy-url none"),),
    )
    return seen_outside(situation, cause)


def not_permitted(situation: Situation) -> Cause | RuledOut | None:
    """The user of the replay may not do what the recorded one might."""
    if situation.status != 403:
        return _sent_to_login(situation)
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
        Sure.SHOWN if users else Sure.LIKELY,
        tuple(users),
        remedies,
    )
    return cause if users else seen_outside(situation, cause)


def _sent_to_login(situation: Situation) -> Cause | None:
    """The user is known, as another answer shows, and is sent to the login: who may not do this."""
    login = situation.login
    known = _knowing(situation, login) if login is not None and to_login(situation) else None
    if login is None or known is None:
        return None
    one, who = known
    cause = Cause(
        "The user is known and may not do this: the server redirects to the login.",
        Sure.SHOWN,
        (f"{situation.name(one)} shows {who!r}, with the same cookies",),
        (Remedy("grant the user the rights of the recorded one"),),
    )
    return seen_outside(situation, cause)


#: A session that was known so many seconds before has not expired since.
_SHORT = 0.5


def _knowing(situation: Situation, login: StepOutcome) -> tuple[StepOutcome, str] | None:
    """Return an answer after the login, with the same cookies, that has the name of who logged
    in."""
    fields = fields_of(situation.subject.case, login.index)
    names = [one for one in fields if is_identity_name(one.wire_name) and one.slot is not None]
    sent = situation.of(login).sent
    filled = [sent.get(each.name, "") for one in names for each in references(one.value)]
    typed = [one.value for one in names if not references(one.value)]
    for one in situation.outcomes:
        after = one.index > situation.failed.index
        just = situation.failed.response.sent - one.response.finished <= _SHORT
        if one.index <= login.index or one is situation.failed or one.failures:
            continue
        if not (after or just) or situation.cookies_of(one) != situation.cookies_sent:
            continue
        seen = visible_text(text_of(one.response)[0])
        for who in map(unquote_plus, (*typed, *filled)):
            if len(who) > 1 and re.search(rf"(?<!\w){re.escape(who)}(?!\w)", seen):
                return one, who
    return None


def _other_users(situation: Situation) -> list[str]:
    """Return who logged in now and who when it was recorded, where that differs."""
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
    longest = max(situation.subject.request_head[1:], key=len, default="").partition(": ")
    whose = f"; {longest[0]} has {len(longest[2]):,} of them" if situation.status == 431 else ""
    cause = Cause(
        f"The server takes no request whose {what} is so long.",
        Sure.SAID,
        (
            f"the request has {size:,} bytes{whose}; one that is larger than recorded grew by its "
            "values",
        ),
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
            Sure.SAID,
            remedies=(as_recorded(situation, "send what was recorded"),),
        )
    allowed = ", ".join(situation.header("allow"))
    cause = Cause(
        f"The server does not take {method} there (any more).",
        Sure.SHOWN,
        (f"Allow: {allowed}",) if allowed else (),
        (Remedy("see whether this is the version of the application that was recorded"),),
    )
    return seen_outside(situation, cause)
