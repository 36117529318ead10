"""The request that was sent, compared with the recorded one: headers, body."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from urllib.parse import urlsplit

from pytest_loadtool.codec.names import is_given_out, is_secret, plain
from pytest_loadtool.correlation.requests.fields import CONSTANT, Field
from pytest_loadtool.diagnosis.finding import LONGEST_VALUE, Cause, Remedy, RuledOut, Sure
from pytest_loadtool.diagnosis.remedies import as_recorded, compared, place_of_failed, seen_outside
from pytest_loadtool.diagnosis.situation import Situation

#: What connections, caches and clients of a browser add; and what other checks look at.
OF_CLIENTS = frozenset(
    {"host", "connection", "keep-alive", "content-length", "transfer-encoding", "te", "trailer"}
    | {"accept-encoding", "cache-control", "pragma", "if-modified-since", "if-none-match", "dnt"}
    | {"cookie", "authorization", "proxy-authorization", "proxy-connection", "upgrade", "expect"}
    | {"upgrade-insecure-requests", "priority", "user-agent", "accept-language", "http2-settings"}
)
#: Statuses for which a header decides, with the headers that it is.
_PRECONDITIONS = {412: "if-match", 428: "if-match", 415: "content-type", 406: "accept"}


def header_not_sent(situation: Situation) -> Cause | RuledOut | None:
    """Return a header that the recorded request had, and that was not sent now."""
    exchange = situation.subject.exchange
    if exchange is None:
        return None
    sent = {line.partition(":")[0].lower() for line in situation.subject.request_head[1:]}
    lost = [
        name
        for name, _ in exchange.request_headers
        if name.lower() not in sent
        and name.lower() not in OF_CLIENTS
        and not name.lower().startswith(("sec-", ":"))
    ]
    if not lost:
        return RuledOut("no header of the recorded request is missing")
    name = max(lost, key=lambda one: _sure(situation, one))
    return Cause(
        f"The header {name} was sent when recorded, and is not now.",
        _sure(situation, name),
        (f"not sent: {', '.join(lost)}",),
        (as_recorded(situation, f"give the transaction its header {name} back"),),
    )


def _sure(situation: Situation, name: str) -> Sure:
    """Return how sure it is that the header is why."""
    words = {*plain(name).split()} - {"x"}
    said = " ".join(situation.complaints).lower()
    if name.lower() == _PRECONDITIONS.get(situation.status):
        return Sure.SAID
    if any(len(one) > 2 and one in said for one in words):
        return Sure.SAID
    if is_given_out(name) or is_secret(name) or "key" in words:
        return Sure.SHOWN
    return Sure.LIKELY if name.lower().startswith("x-") else Sure.POSSIBLE


#: What servers say of a time in the request that is not theirs; and of dates, too.
_OF_CLOCKS = re.compile(
    r"skew|clock|time.?stamp|(?:request|current|server).{0,3}time\b(?!.?out)"
    r"|not (?:yet valid|before)|not valid yet|\bnbf\b|\biat\b",
    re.IGNORECASE,
)
_OF_TIMES = re.compile(r"in the (?:future|past)", re.IGNORECASE)
#: Times, in seconds or milliseconds since the epoch, of this century.
_EPOCH = re.compile(r"(?<![\w.])[1-4]\d{9}(?:\d{3})?(?![\w])")
_APART = 30.0


def clock_wrong(situation: Situation) -> Cause | RuledOut | None:
    """The server does not take a time that the request holds, or a token: the clocks disagree, or
    the time is that of the recording."""
    if not 400 <= situation.status <= 499:
        return None
    head = "\n".join(situation.subject.request_head)
    sent = [int(one) for one in _EPOCH.findall(f"{head}\n{situation.subject.request_body}")]
    seconds = [one / 1000 if one > 10**10 else float(one) for one in sent]
    said = [
        one
        for one in situation.complaints
        if _OF_CLOCKS.search(one) or (seconds and _OF_TIMES.search(one))
    ]
    if not said:
        return None
    exchange = situation.subject.exchange
    began = exchange.started if exchange is not None else 0.0
    old = [one for one in seconds if abs(one - began) < _APART]
    evidence = [f"the server's Date: {one}" for one in situation.header("date")[:1]]
    evidence += [f"the request holds {_utc(one)}" for one in seconds[:1]]
    if old:
        evidence.append("that is when it was recorded")
    cause = Cause(
        "The server does not take the time of the request: by its clock it is another.",
        Sure.SHOWN,
        tuple(evidence),
        (
            Remedy(
                "compare the clocks (date -u on both machines), of the server, of who signs tokens "
                "and of this machine, and set the wrong one"
            ),
        ),
    )
    return seen_outside(situation, cause)


def _utc(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%a, %d %b %Y %H:%M:%S} GMT"


def says_why(situation: Situation) -> Cause | RuledOut | None:
    """Return what the server says of a request that it refuses, where nothing more is known."""
    if situation.status < 400 or not situation.complaints:
        return None
    cause = Cause(
        "The server refuses it.",
        Sure.SPOKEN,
        (),
        (
            compared(
                situation,
                "see what it means by that: how the request differs from the recorded one",
            ),
        ),
    )
    return seen_outside(situation, cause)


def gives_no_reason(situation: Situation) -> Cause | RuledOut | None:
    """Find that nothing is known but the status, and how the request differs from the recorded
    one."""
    if situation.status < 400 or situation.complaints:
        return None
    differ = ", ".join(one.name for one in _differing(situation)[:_MOST_NAMED])
    known = situation.subject.exchange is not None
    cause = Cause(
        f"The server answers {situation.status} and does not say why.",
        Sure.WEAK,
        (f"the request is as recorded{f', but for {differ}' if differ else ''}",) if known else (),
        (
            compared(
                situation,
                "investigate: how the request differs from the recorded one, and the server's log",
            ),
        ),
    )
    return seen_outside(situation, cause)


_MOST_NAMED = 6


def _differing(situation: Situation) -> list[Field]:
    """Return the fields whose value was not sent as recorded: by placeholders, or because of an
    edit."""
    recorded = situation.recorded_values
    return [
        one
        for one in situation.fields
        if one.slot is not None and one.value not in recorded.get(one.wire_name, ())
    ]


def not_as_recorded(situation: Situation) -> Cause | RuledOut | None:
    """Constants that are not those which were recorded: somebody has edited them."""
    if situation.status < 400 or not situation.recorded_values:
        return None
    constants = (one for one in _differing(situation) if one.datasource == CONSTANT)
    edited = [one for one in constants if one.section != "PATH" and not is_given_out(one.wire_name)]
    if not edited:
        return None
    said = " ".join(situation.complaints)
    named = [one for one in edited if one.wire_name in said or one.value in said]
    field = (named or edited)[0]
    mask = situation.subject.mask
    then = sorted(situation.recorded_values.get(field.wire_name, ()))
    was = mask.value(field.name, then[0])[:LONGEST_VALUE] if then else "nothing"
    return Cause(
        f"{field.name} sends {mask.field(field)[:LONGEST_VALUE]}, where {was} was recorded.",
        Sure.SHOWN if named else Sure.POSSIBLE if said else Sure.LIKELY,
        tuple(f"so does {one.name}" for one in edited if one is not field)[:_MOST_NAMED],
        (as_recorded(situation, "send what was recorded"),),
    )


def address_edited(situation: Situation) -> Cause | RuledOut | None:
    """Return an address whose constant parts are not those that were recorded."""
    exchange = situation.subject.exchange
    template = situation.failed.transaction.request.target.partition("?")[0]
    if exchange is None or situation.status not in (400, 404, 405, 410):
        return None
    was = urlsplit(exchange.url).path
    parts = re.split(r"\$\{[^}]*\}", urlsplit(template).path)
    if re.fullmatch(".+?".join(map(re.escape, parts)), was):
        return None
    sent = situation.subject.request_head[0].split(" ")[1].partition("?")[0]
    return Cause(
        f"The address is another than was recorded: {situation.subject.mask.text(sent)}.",
        Sure.SHOWN,
        (f"recorded: {situation.subject.mask.text(was)}",),
        (as_recorded(situation, "ask for what was recorded"),),
    )


def body_invalid(situation: Situation) -> Cause | RuledOut | None:
    """Return a body that is no longer JSON, as the recorded one was."""
    exchange = situation.subject.exchange
    media = _media(situation)
    if "json" not in media:
        return None
    body = situation.subject.request_body
    wrong = _problem(body)
    if not wrong:
        return RuledOut("the body that was sent is valid JSON") if body else None
    recorded = exchange.request_body.decode("utf-8", "replace") if exchange is not None else ""
    if exchange is not None and _problem(recorded):
        return None
    values = [name for name, value in situation.subject.sent.items() if value and value in body]
    return Cause(
        "The body that was sent is no valid JSON" + (", the recorded one is." if recorded else "."),
        Sure.SAID,
        (wrong, *([f"it holds the values of ${{{'}, ${'.join(values)}}}"] if values else [])),
        (
            as_recorded(situation, "give the transaction its recorded body back"),
            Remedy("or correct `body` in the file", place=place_of_failed(situation)),
        )
        if recorded
        else (Remedy("correct `body` of the transaction", place=place_of_failed(situation)),),
    )


def _media(situation: Situation) -> str:
    lines = (one.partition(":") for one in situation.subject.request_head[1:])
    return next((value for name, _, value in lines if name.lower() == "content-type"), "").lower()


def _problem(text: str) -> str:
    """Return what is wrong with a text as JSON; empty if nothing is."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return f"{error.msg}: line {error.lineno}, column {error.colno}"
    except RecursionError:
        return ""
    return ""
