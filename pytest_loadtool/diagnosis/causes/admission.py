"""Who is let in: names of hosts and origins that a server does not take, and somebody before the
application that answers itself."""

from __future__ import annotations

import re

from pytest_loadtool.diagnosis.finding import Cause, Remedy, RuledOut, Sure
from pytest_loadtool.diagnosis.remedies import recorded_server, seen_outside
from pytest_loadtool.diagnosis.situation import Situation
from pytest_loadtool.diagnosis.subject import Subject

#: What servers say of origins (Fetch standard §3.2), and of names that they do not answer to.
_OF_ORIGINS = re.compile(r"\bCORS\b|\bcross.origin\b|\borigin\b", re.IGNORECASE)
_OF_HOSTS = re.compile(
    r"(?:invalid|blocked|unknown|disallowed|bad|untrusted|unrecogni[sz]ed) (?:HTTP_)?host"
    r"|\bhost\b.{0,80}\b(?:not|isn't|invalid|blocked|unknown)\b",
    re.IGNORECASE | re.DOTALL,
)
#: Statuses by which a request is refused that may be good elsewhere or otherwise.
_REFUSED = frozenset({400, 403, 406, 421})


def origin_refused(situation: Situation) -> Cause | RuledOut | None:
    """The server does not let the pages of an origin ask, which browsers send with the request."""
    origin = _sent(situation, "origin")
    if situation.status not in _REFUSED or not origin:
        return None
    asks = bool(_sent(situation, "access-control-request-method"))
    if not asks and not any(_OF_ORIGINS.search(one) for one in situation.complaints):
        return None
    what = "the request before the request (CORS)" if asks else "requests"
    cause = Cause(
        f"The server does not take {what} of pages of the origin {origin}.",
        Sure.SHOWN,
        (f"Origin: {origin} was sent, as browsers do",),
        (Remedy(f"have the server let {origin} ask: its list of origins that are allowed"),),
    )
    return seen_outside(situation, cause)


def host_refused(situation: Situation) -> Cause | RuledOut | None:
    """The server does not answer to the name that it is asked by."""
    said = any(_OF_HOSTS.search(one) for one in situation.complaints)
    if situation.status not in _REFUSED or not said:
        return None
    host, server = _sent(situation, "host"), recorded_server(situation)
    cause = Cause(
        f"The server does not answer to the name that it is asked by: {host}.",
        Sure.SHOWN,
        (),
        (server,)
        if server is not None
        else (Remedy(f"have the server answer to {host} again: its list of hosts"),),
    )
    return cause if server is not None else seen_outside(situation, cause)


def answered_before(situation: Situation) -> Cause | RuledOut | None:
    """Another program than the recorded one refuses the request, while that answers others: a
    firewall, or a proxy before the server, by a rule of its own."""
    exchange = situation.subject.exchange
    if situation.status not in _REFUSED or exchange is None:
        return None
    then = _product(exchange.response_header("server") or "")
    now = _named(situation.subject)
    others = {_named(situation.of(one)) for one in situation.outcomes if one.response.status < 400}
    if not then or not now or then == now or then not in others:
        return None
    cause = Cause(
        f"{now}, which stands before the server, refuses the request, and does not pass it on: a "
        "firewall, or a rule of a proxy.",
        Sure.SHOWN,
        (f"Server: {now}; {then} answered when recorded, and answers others now",),
        (
            Remedy(
                "look into the log of that for the rule, and have it let this request through; or "
                "send what it takes"
            ),
        ),
    )
    return seen_outside(situation, cause)


def _sent(situation: Situation, name: str) -> str:
    lines = (line.partition(": ") for line in situation.subject.request_head[1:])
    return next((value for one, _, value in lines if one.lower() == name), "")


def _named(subject: Subject) -> str:
    return _product(next((v for n, v in subject.headers if n.lower() == "server"), ""))


def _product(server: str) -> str:
    """Return the name in a header Server, without version and comments."""
    return re.split(r"[/ (]", server, maxsplit=1)[0]
