"""What is not there: files, pages, or all that is asked for; and what is elsewhere now."""

from __future__ import annotations

import re
from collections.abc import Sequence
from shlex import quote
from urllib.parse import urlsplit

from pytest_loadtool.diagnosis.causes.unconfirmed import given_by
from pytest_loadtool.diagnosis.finding import Cause, Remedy, RuledOut, Sure
from pytest_loadtool.diagnosis.outcome import StepOutcome, text_of
from pytest_loadtool.diagnosis.page_errors import visible_text
from pytest_loadtool.diagnosis.remedies import edited, recorded_server, seen_outside
from pytest_loadtool.diagnosis.situation import Situation
from pytest_loadtool.model.case import Kind
from pytest_loadtool.structure.uses import needed_by

_NOT_GIVEN = "no part of its address was given out by an answer before"
_STATIC = frozenset({Kind.IMAGE, Kind.CSS, Kind.JAVASCRIPT})
#: A part of the name of a static file that changes with each deployment.
_HASH = re.compile(r"[.-][0-9a-f]{8,}\.|[.-][A-Za-z0-9_-]{8,}\.(?:js|css|woff2?|png|svg)$")


def missing_file(situation: Situation) -> Cause | RuledOut | None:
    """A static file is not there (any more): mostly harmless, and often of another deployment."""
    recorded = situation.failed.transaction.recorded
    if situation.status not in (404, 410) or recorded is None or recorded.kind not in _STATIC:
        return None
    hashed = _HASH.search(situation.failed.transaction.request.target.partition("?")[0])
    return Cause(
        "A static file is not there"
        + (": its name changes with each deployment." if hashed else ", which is mostly harmless."),
        Sure.SHOWN,
        remedies=(edited("leave static files out: an API or page test needs none", "strip"),),
    )


def missing_everywhere(situation: Situation) -> Cause | RuledOut | None:
    """Find that nothing is there: the address is that of another server or application."""
    if situation.status != 404 or len(situation.outcomes) < 2 or situation.failed.index:
        return None
    missing = [one for one in situation.outcomes if one.response.status == 404]
    if len(missing) < len(situation.outcomes) or situation.recorded_status == 404:
        return None
    server = recorded_server(situation)
    cause = Cause(
        f"None of the {len(missing)} addresses is there: this is another server or path.",
        Sure.SHOWN,
        (f"requests go to {situation.failed.origin}",),
        (server,)
        if server is not None
        else (Remedy("see that the application runs there: the recording had it at this address"),),
    )
    return cause if server is not None else seen_outside(situation, cause)


def missing_page(situation: Situation) -> Cause | RuledOut | None:
    """A page or an API call is not there."""
    if situation.status not in (404, 410):
        return None
    if moved := _moved(situation):
        return moved
    gone = "was taken away" if situation.status == 410 else "is not there"
    cause = Cause(
        f"What was asked for {gone}: {situation.subject.mask.text(_target(situation))}.",
        Sure.POSSIBLE,
        (*([] if _was_given(situation) else [_NOT_GIVEN]),),
        (
            Remedy(
                "the recorded thing has to be on the server, or be made by the test case before; "
                "`configure --replay` looks for ids that rules do not know"
            ),
        ),
    )
    return seen_outside(situation, cause)


def _was_given(situation: Situation) -> bool:
    """Return whether the request sends what an answer before has given out."""
    given = (given_by(one.transaction) for one in situation.before)
    wanted = needed_by(situation.subject.case, situation.failed.transaction)
    return any(wanted & one for one in given)


_LINK = re.compile(r"""<a\b[^<>]*\bhref\s*=\s*["']([^"'<>]*)["'][^<>]*>(.*?)</a>""", re.I | re.S)


def _moved(situation: Situation) -> Cause | None:
    """The page has another address now: a link, by its text, or a redirect before led to the
    recorded one, and leads elsewhere now."""
    path = _target(situation)
    for one in reversed(situation.before):
        exchange = situation.of(one).exchange
        if exchange is None:
            continue
        then = _leads(exchange.response_body.decode("utf-8", "replace"), exchange.response_headers)
        now = _leads(text_of(one.response)[0], situation.of(one).headers)
        names = [name for name, to in then.items() if to == path and now.get(name, path) != path]
        if names and now[names[0]].count("/") == path.count("/"):
            return _elsewhere(situation, one, names[0], now[names[0]])
    return None


def _leads(page: str, headers: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return where links of a page lead, by their text, and where a redirect leads."""
    found = {visible_text(text): urlsplit(to).path for to, text in _LINK.findall(page) if text}
    location = (value for name, value in headers if name.lower() == "location")
    return {**found, **dict.fromkeys(("",), urlsplit(next(location, "")).path)}


def _elsewhere(situation: Situation, leading: StepOutcome, name: str, to: str) -> Cause:
    path, number = _target(situation), situation.failed.index + 1
    words = zip(path.split("/")[1:], to.split("/")[1:], strict=True)
    commands = [
        f"set-field {number} path[{at}] --constant {quote(new)}"
        for at, (old, new) in enumerate(words, 1)
        if old != new
    ]
    what = f"its link {name!r} leads" if name else "it redirects"
    return Cause(
        f"The page has another address now: {to}.",
        Sure.SHOWN,
        (f"{situation.name(leading)}: {what} there, and led to {path} when recorded",),
        (edited("ask for it where it is now, or record that page again", *commands),),
    )


def _target(situation: Situation) -> str:
    words = situation.subject.request_head[0].split(" ")
    return words[1].partition("?")[0] if len(words) > 1 else ""
