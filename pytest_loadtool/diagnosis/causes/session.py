"""Sessions: cookies that were not set or not sent, and sessions that ended."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice
from urllib.parse import urlsplit

from pytest_loadtool.codec.cookie import set_cookies
from pytest_loadtool.correlation.classify import looks_random
from pytest_loadtool.diagnosis.divergence import divergences
from pytest_loadtool.diagnosis.finding import Cause, Remedy, RuledOut, Sure
from pytest_loadtool.diagnosis.outcome import StepOutcome
from pytest_loadtool.diagnosis.redirect_mismatch import led_to_another_page
from pytest_loadtool.diagnosis.remedies import compared, edited, recorded_server, seen_outside
from pytest_loadtool.diagnosis.situation import Situation
from pytest_loadtool.diagnosis.subject import Subject
from pytest_loadtool.model.case import Kind

#: What the address of a page to log in at has in it.
_LOGIN = re.compile(r"log-?_?(?:in|on)|sign-?_?in|auth|sso|anmeld|connexion|session", re.IGNORECASE)
#: Replays without think times take less.
_SHORT = 0.5


def cookie_not_sent(situation: Situation) -> Cause | RuledOut | None:
    """Return a cookie that the request had when it was recorded, and not now: not set by who set it
    then, or set for another path or host."""
    recorded = situation.cookies_recorded
    missing = (name for name in recorded if name not in situation.cookies_sent)
    lost = [name for name in missing if not _has_another_name(situation, name)]
    if not recorded:
        return None
    if not lost:
        return RuledOut("no cookie of the recorded request is missing")
    setters = {name: situation.recorded_setter(name) for name in lost}
    known = {name: one for name, one in setters.items() if one is not None}
    for name, setter in known.items():
        if not situation.sets(setter, name):
            return _not_set(situation, name, setter)
    if known:
        name, setter = next(iter(known.items()))
        return _not_for_here(situation, name, setter)
    if _is_set_in_case(situation, lost):
        return None  # by a request that this replay has not kept
    return Cause(
        f"The cookies {', '.join(lost)} were not sent: no response of the recording sets them."
        if len(lost) > 1
        else f"The cookie {lost[0]} was not sent: no response of the recording sets it.",
        Sure.LIKELY,
        ("the browser had it before the recording began, or a script made it",),
        (Remedy("record again with the login in it: a recording begins with an empty browser"),),
    )


def _is_set_in_case(situation: Situation, names: Iterable[str]) -> bool:
    """Return whether the recorded answer to a transaction before sets one of these cookies."""
    wanted = set(names)
    before = islice(situation.subject.case.transactions(), situation.failed.index)
    recorded = (one.recorded for one in before)
    entries = {one.entry for one in recorded if one is not None}
    return any(
        at in entries and wanted & dict(set_cookies(one.response_headers)).keys()
        for at, one in enumerate(situation.subject.evidence.exchanges)
    )


def _has_another_name(situation: Situation, name: str) -> bool:
    """Return whether who set the cookie has set another one now, which was sent: some servers have
    their own id in its name."""
    setter = situation.recorded_setter(name)
    new = situation.cookies_sent.keys() - situation.cookies_recorded.keys()
    return setter is not None and any(situation.sets(setter, one) for one in new)


def _not_for_here(situation: Situation, name: str, setter: StepOutcome) -> Cause:
    server = recorded_server(situation)
    target = situation.subject.request_head[0].split(" ")[1:2]
    cause = Cause(
        f"The cookie {name} was not sent, though {situation.name(setter)} set it.",
        Sure.SHOWN,
        (
            f"Set-Cookie: {_without_value(situation, setter, name)}",
            f"this request goes to {situation.failed.origin}{_path(target)}",
            f"recorded: {_recorded_attributes(situation, setter, name)}",
        ),
        (server,)
        if server is not None
        else (
            Remedy(
                "have the server set it for this address again: its path, domain and Secure decide "
                "where it goes"
            ),
        ),
        index=setter.index,
    )
    return cause if server is not None else seen_outside(situation, cause, setter)


def _recorded_attributes(situation: Situation, setter: StepOutcome, name: str) -> str:
    exchange = situation.of(setter).exchange
    headers = exchange.response_headers if exchange is not None else ()
    lines = (v for n, v in headers if n.lower() == "set-cookie")
    return next((_cut(one, name) for one in lines if one.partition("=")[0].strip() == name), "")


def _not_set(situation: Situation, name: str, setter: StepOutcome) -> Cause:
    recorded = situation.of(setter).exchange
    was = recorded.status if recorded is not None else 0
    now = setter.response.status
    status = f"{was} was recorded, now {now}" if was != now else f"status {now}, as recorded"
    evidence = [status]
    if setter.not_as_recorded:
        evidence.append(f"not as recorded: {setter.not_as_recorded}")
    cause = Cause(
        f"{situation.name(setter)} set the cookie {name} when recorded, and did not now.",
        Sure.SHOWN,
        tuple(evidence),
        (Remedy("see why the server sets none: its answer, and its log"),),
        index=setter.index,
    )
    return seen_outside(situation, cause, setter)


def _without_value(situation: Situation, setter: StepOutcome, name: str) -> str:
    lines = (v for n, v in situation.of(setter).headers if n.lower() == "set-cookie")
    line = next((one for one in lines if one.partition("=")[0].strip() == name), name)
    return _cut(line, name)


def _cut(line: str, name: str) -> str:
    """Return a Set-Cookie without the value."""
    _, semicolon, attributes = line.partition(";")
    return f"{name}=…{semicolon}{attributes}"


def session_expired(situation: Situation) -> Cause | RuledOut | None:
    """The session's cookies were sent and refused: it has ended since they were set."""
    setters = {
        name: one
        for name in situation.cookies_sent
        for one in reversed(situation.before)
        if situation.sets(one, name)
    }
    if not _is_about_session(situation):
        return None
    if not setters:
        return None
    name, setter = min(setters.items(), key=lambda one: -one[1].index)
    now, recorded = situation.seconds_since(setter)
    then = f", after {recorded:.1f} s when recorded" if recorded is not None else ""
    told = f"{situation.name(setter)} set it {now:.1f} s before{then}"
    if now <= _SHORT:
        return _ended(situation, name, told)
    return Cause(
        f"The session has probably expired: its cookie {name} was sent, and refused.",
        Sure.LIKELY,
        (told,),
        (
            Remedy(
                "if it passes without think times: shorter ones, or log in again within the test",
                command=f"{situation.replay_command} --loadtool-think-time 500ms",
            ),
            edited("if it fails without them, too: dynamic values anew", "application-state"),
        ),
        confirm=f"{situation.replay_command} --loadtool-think-time none",
    )


def _ended(situation: Situation, name: str, told: str) -> Cause:
    """The session is refused right after it began: no time has passed that it might not outlive."""
    cause = Cause(
        f"The server does not take the session, or has ended it: its cookie {name} was sent.",
        Sure.LIKELY,
        (told, *situation.begins(situation.failed)),
        (
            Remedy(
                "see why, by what it says and its log: the same user logged in elsewhere, it was "
                "restarted, it wants more than the cookie, or that user may not do this"
            ),
        ),
    )
    return seen_outside(situation, cause)


def not_every_server(situation: Situation) -> Cause | RuledOut | None:
    """Find that of several servers behind one address one does not know the session: the same
    cookies were refused by one that names itself in its answer, and taken after that by another."""
    sent, refusing = situation.cookies_sent.items(), _server_named(situation.subject)
    if not sent or not refusing or not _is_about_session(situation):
        return None
    for one in situation.outcomes:
        recorded = one.transaction.recorded
        document = recorded is not None and recorded.kind in (Kind.HTML, Kind.JSON, Kind.XML)
        came = all(each.cause == "outcome" for each in one.failures)  # of a change before it
        as_recorded = document and came and not one.not_as_recorded
        if one.index < situation.failed.index or not as_recorded:
            continue
        taking = _server_named(situation.of(one))
        differ = [key for key in refusing if taking.get(key, refusing[key]) != refusing[key]]
        if differ and situation.cookies_of(one).items() >= sent:
            names = f"{differ[0]}: {refusing[differ[0]]}", f"{differ[0]}: {taking[differ[0]]}"
            return _balanced(situation, names, one)
    return None


def _balanced(situation: Situation, names: tuple[str, str], taken: StepOutcome) -> Cause:
    cause = Cause(
        "One server behind this address knows the session, and another server does not.",
        Sure.SHOWN,
        (f"{names[0]} refused it", f"{names[1]} took it after that: {situation.name(taken)}"),
        (
            Remedy(
                "have the load balancer keep a session at one server, by a cookie for instance, or "
                "let the servers share their sessions"
            ),
        ),
    )
    return seen_outside(situation, cause)


#: Headers in which answers name the server, of several, that gave them.
_SERVERS = re.compile(
    r"x-(?:served|handled)-by|x-(?:backend|server|instance|node|pod|upstream|host|worker)"
    r"(?:-?(?:id|name|server|node|host|addr))?",
    re.IGNORECASE,
)


def _server_named(subject: Subject) -> dict[str, str]:
    return {name.lower(): value for name, value in subject.headers if _SERVERS.fullmatch(name)}


def _is_about_session(situation: Situation) -> bool:
    """Return whether the answer is one to who is not known: 401, or a redirect or page to log
    in."""
    if situation.status in (401, 419, 440):
        return True
    said = (situation.failed.not_as_recorded, *(one.message for one in situation.failed.failures))
    return bool(to_login(situation)) or any("log in" in one for one in said)


def to_login(situation: Situation) -> str:
    """Return the address of the login that the response redirects to, as the recorded one did not;
    empty if it does not."""
    location = situation.subject.location
    exchange = situation.subject.exchange
    was = exchange.response_header("location") if exchange is not None else None
    if not location or not _LOGIN.search(urlsplit(location).path):
        return ""
    return location if not was or led_to_another_page(was, location) else ""


def passed_not_as_recorded(situation: Situation) -> Cause | RuledOut | None:
    """A transaction before it passed and did not come as recorded: the one that shows most,
    the first of several."""
    passed = [one for one in situation.before if not one.failures]
    found = [(one, ways) for one in passed if (ways := divergences(situation, one))]
    if not found:
        return None
    one, ways = max(found, key=lambda each: (each[1][0].sure, -each[0].index))
    cause = Cause(
        f"{situation.name(one)} passed before, but not as recorded: {ways[0].text}.",
        ways[0].sure,
        tuple(each.text for each in ways[1:]),
        (compared(situation, "look at that one first", one),),
        index=one.index,
    )
    return seen_outside(situation, cause, one)


def _path(targets: Iterable[str]) -> str:
    return "".join(urlsplit(one).path for one in targets)


# What is looked at after a 401, in this order.


def set_cookie_of_login(situation: Situation) -> str:
    """Return which cookies the answer to the login set."""
    login = situation.login
    if login is None:
        return "no transaction before sends a password"
    names = [name for name, _ in set_cookies(situation.of(login).headers)]
    return f"{situation.name(login)} set {', '.join(names) if names else 'none'}"


def cookie_of_request(situation: Situation) -> str:
    """Return which cookies the request that failed had, and which it lacks."""
    sent, recorded = situation.cookies_sent, situation.cookies_recorded
    lost = [name for name in recorded if name not in sent]
    stale = [
        name for name, value in sent.items() if recorded.get(name) == value and looks_random(value)
    ]
    told = f"sent {', '.join(sent)}" if sent else "none was sent"
    told += f"; missing, though recorded: {', '.join(lost)}" if lost else ""
    told += f"; as recorded: {', '.join(stale)}" if stale else ""
    return told + (" (application-state finds dynamic values anew)" if lost or stale else "")
