"""Answers of something else than what was asked for: another page, another server, text in another
character set than it says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import SplitResult, urljoin, urlsplit

from pytest_loadtool.answers.shape import kind_now
from pytest_loadtool.codec.content import ContentError, decode
from pytest_loadtool.codec.media import declared_charset
from pytest_loadtool.codec.printable import clip
from pytest_loadtool.diagnosis.causes.session import to_login
from pytest_loadtool.diagnosis.comparison import title_of
from pytest_loadtool.diagnosis.finding import Cause, Remedy, RuledOut, Sure
from pytest_loadtool.diagnosis.outcome import StepOutcome, text_of
from pytest_loadtool.diagnosis.page_errors import LONGEST_SAID, visible_text
from pytest_loadtool.diagnosis.redirect_mismatch import led_to_another_page
from pytest_loadtool.diagnosis.remedies import place_of_failed, recorded_server, seen_outside
from pytest_loadtool.diagnosis.situation import Situation, recorded_text
from pytest_loadtool.model.case import Kind

#: What fails by what is in a body.
_OF_BODIES = frozenset({"text", "regex", "outcome", "extractor", "json", "xml"})
#: The character sets of nearly all pages that say nothing, or something wrong.
_CHARSETS = ("utf-8", "windows-1252")
_FOREIGN = re.compile(r"\w*[^\W\x00-\x7f]\w*")
#: What answers of servers are asked about by other checks, whoever gives them.
_OF_OTHERS = frozenset({401, 404, 407, 429})
_DOCUMENTS = frozenset({Kind.HTML, Kind.JSON, Kind.XML})
#: So many different addresses with one and the same answer are no chance.
_ENOUGH = 3
#: How a page is known again: what its forms, fields and parts are called.
_NAMED = re.compile(r"""\b(?:name|id|action)\s*=\s*["']?([^"'<>\s]+)|"([^"\\\n]{1,60})"\s*:""")
#: Pages that have less than this part of their names in common are different ones.
_ALIKE = 0.25


def charset_wrong(situation: Situation) -> Cause | RuledOut | None:
    """The body is in another character set than it says: words of the recording are on it if it is
    read otherwise."""
    exchange = situation.subject.exchange
    if exchange is None or not _OF_BODIES & situation.causes:
        return None
    read = text_of(situation.failed.response)[0]
    lost = [one for one in _FOREIGN.findall(recorded_text(exchange)) if one not in read]
    said = declared_charset("".join(situation.header("content-type")[:1])) or "utf-8, by default"
    for charset in _CHARSETS if lost else ():
        text = _bytes(situation.failed).decode(charset, "ignore")
        found = next((one for one in lost if one in text), "")
        if found:
            cause = Cause(
                f"The body is not in the character set that it names ({said}).",
                Sure.SAID,
                (f"read as {charset}, it has {found!r} of the recorded page",),
                (Remedy("have the server name the character set that its bodies are in"),),
            )
            return seen_outside(situation, cause)
    return None


def _bytes(outcome: StepOutcome) -> bytes:
    """Return the body without its coding, if it still has one."""
    names = [v for n, v in outcome.response.headers if n.lower() == b"content-encoding"]
    try:
        return decode(outcome.response.body, b",".join(names).decode("latin-1"))
    except ContentError:
        return outcome.response.body


def redirected_elsewhere(situation: Situation) -> Cause | RuledOut | None:
    """The same page is said to be at another scheme, host or port, or its address to be written
    otherwise, which was not so when it was recorded."""
    addresses = same_page_elsewhere(situation, situation.failed)
    if addresses is None:
        return None
    asked, to = addresses
    if asked[:2] == to[:2]:
        return _written_differently(situation, to.path)
    there = f"{to.scheme}://{to.netloc}"
    server = recorded_server(situation)
    other_host = asked.scheme == to.scheme and asked.hostname != to.hostname
    told = f"; recorded there with {situation.recorded_status}" if server is None else ""
    cause = Cause(
        f"The server wants to be asked at {there}, and redirects there.",
        Sure.SAID,
        (f"asked for at {situation.failed.origin}{told}",),
        (server or _answer_again, _there(situation, there))
        if server is not None or not other_host
        else (_there(situation, there), _answer_again),
    )
    return seen_outside(situation, cause)


def same_page_elsewhere(
    situation: Situation, outcome: StepOutcome
) -> tuple[SplitResult, SplitResult] | None:
    """Return where a transaction asked and where the same page is said to be, which was not so when
    it was recorded; None if it was not redirected so."""
    subject = situation.of(outcome)
    target = "".join(subject.request_head[0].split(" ")[1:2])
    asked = urlsplit(urljoin(outcome.origin, target))
    to = urlsplit(urljoin(asked.geturl(), subject.location))
    if not subject.location or not 300 <= outcome.response.status <= 399:
        return None
    if _written(to.path) != _written(asked.path) or to == asked:
        return None
    exchange = subject.exchange
    before = exchange.response_header("location") if exchange is not None else None
    if exchange is not None and before and urlsplit(urljoin(exchange.url, before))[1:3] == to[1:3]:
        return None
    return asked, to


_answer_again = Remedy(
    "have it answer at that address again: see how it, or a proxy before it, tells http from https "
    "and one name from another"
)


def _there(situation: Situation, server: str) -> Remedy:
    return Remedy(
        "if the application answers there, replay there, or write that into `server`",
        command=f"{situation.replay_command} --loadtool-server {server}",
    )


def _written(path: str) -> str:
    return path.rstrip("/").lower()


def _written_differently(situation: Situation, there: str) -> Cause | None:
    """The server has the page at an address with a slash more or less, or in other letters."""
    if there == "".join(situation.subject.request_head[0].split(" ")[1:2]).partition("?")[0]:
        return None
    cause = Cause(
        f"The server wants to be asked at {situation.subject.mask.text(there)}, and redirects "
        "there: it has done nothing yet.",
        Sure.SAID,
        (f"{situation.status} -> {there}; {situation.recorded_status} was recorded",),
        (
            Remedy(
                "have it answer at that address again, or ask for it where it is now",
                place=place_of_failed(situation),
            ),
        ),
    )
    return seen_outside(situation, cause)


def same_everywhere(situation: Situation) -> Cause | RuledOut | None:
    """Whatever is asked for, one and the same answer comes: of somebody before the application."""
    if situation.status in _OF_OTHERS or situation.status >= 500:
        return None
    asked: dict[str, StepOutcome] = {}
    for one in situation.outcomes:
        if one.response.status == situation.status and _is_document(one):
            asked.setdefault(one.transaction.request.target.partition("?")[0], one)
    documents = [one for one in situation.outcomes if _is_document(one)]
    shown = {visible_text(text_of(one.response)[0]) for one in documents}
    then = {
        visible_text(recorded_text(exchange))
        for one in documents
        if (exchange := situation.of(one).exchange) is not None
    }
    if len(asked) < _ENOUGH or len(shown) != 1 or len(then) < 2 or not any(shown):
        return None
    return _another(
        situation,
        f"Whatever is asked for, the same comes: {_called(situation)!r}.",
        Sure.SHOWN,
        (f"{len(documents)} answers are alike; {len(then)} different ones were recorded",),
    )


def another_server(situation: Situation) -> Cause | RuledOut | None:
    """Find that all is refused from the beginning on, at another address than was recorded."""
    server = recorded_server(situation)
    statuses = [one.response.status for one in situation.outcomes]
    refused = all(400 <= one <= 499 and one not in _OF_OTHERS for one in statuses)
    if server is None or not refused or situation.failed.index:
        return None
    return Cause(
        "This is another server than was recorded, and it refuses all.",
        Sure.SAID if situation.status == 421 else Sure.SHOWN,
        (f"asked for at {situation.failed.origin}",),
        (server,),
    )


def another_page(situation: Situation) -> Cause | RuledOut | None:
    """Return a good answer that is not of what was asked for."""
    if "answer" in situation.causes or not {*_OF_BODIES, "status"} & situation.causes:
        return None
    if not is_another(situation) or (situation.cookies_sent and to_login(situation)):
        return None
    exchange, mask = situation.subject.exchange, situation.subject.mask
    then = exchange.response_header("location") if exchange is not None else None
    recorded = _name(recorded_text(exchange)) if exchange is not None else ""
    was = f"a redirect to {then}" if then else repr(recorded) if recorded else "another one"
    to = situation.subject.location.partition("?")[0]
    what = "the login at " if to_login(situation) else ""
    kinds = _kinds(situation)
    return _another(
        situation,
        f"It redirects to {what}{mask.text(to)}, where {mask.text(was)} was recorded."
        if to
        else f"{kinds[1]} came, where {kinds[0]} was recorded."
        if kinds[0] != kinds[1]
        else f"Another page came: {_called(situation)!r}, where {mask.text(was)} was recorded.",
        Sure.LIKELY,
        (
            *(
                [f"{situation.status} came, {situation.recorded_status} was recorded"]
                if situation.status != situation.recorded_status
                else []
            ),
            *(f"{what}: {one}" for what, one in _new_language(situation)),
        ),
    )


def _kinds(situation: Situation) -> tuple[str, str]:
    """Return what was recorded and what came; twice the same, if that is not known."""
    recorded = situation.failed.transaction.recorded
    media = "".join(situation.header("content-type")[:1])
    now = kind_now(media, text_of(situation.failed.response)[0])
    if recorded is None or not {recorded.kind, now} <= _DOCUMENTS:
        return "", ""
    return recorded.kind.value, now.value


_LANGUAGE = re.compile(r"""<html\b[^<>]*\blang\s*=\s*["']?([\w-]+)""", re.IGNORECASE)


def _new_language(situation: Situation) -> Iterator[tuple[str, str]]:
    """Yield the language that a page says it is in, where the recorded one said another, or
    none."""
    exchange = situation.subject.exchange
    page = _LANGUAGE.search(text_of(situation.failed.response)[0])
    said = "".join(situation.header("content-language")[:1]) or (page[1] if page else "")
    if exchange is None or not said:
        return
    recorded = _LANGUAGE.search(recorded_text(exchange))
    then = exchange.response_header("content-language") or (recorded[1] if recorded else "")
    if then != said:
        yield "its language", f"{said}; {then or 'none'} was said when recorded"


def _another(situation: Situation, text: str, sure: Sure, evidence: tuple[str, ...]) -> Cause:
    """Return what is known of an answer that is of something else, and how to look."""
    server = recorded_server(situation)
    what = "see who answers, and why it is not the application as it was recorded"
    remedies = (server,) if server is not None else ()
    cause = Cause(
        text,
        sure,
        (*evidence, *situation.begins(situation.failed)),
        (*remedies, Remedy(what)),
    )
    return seen_outside(situation, cause)


def is_another(situation: Situation) -> bool:
    """Return whether a good answer is of something else: its title is another, or what its forms
    and parts are called; another status, or another kind."""
    exchange = situation.subject.exchange
    if exchange is None or not 200 <= situation.status <= 399:
        return False
    if situation.status // 100 != situation.recorded_status // 100:
        return not situation.is_asked_again(situation.failed)
    then_to, to = exchange.response_header("location"), situation.subject.location
    if then_to and to:
        return led_to_another_page(then_to, to)
    then, now = recorded_text(exchange), text_of(situation.failed.response)[0]
    if title_of(then) and title_of(now):
        return _words(title_of(then)).isdisjoint(_words(title_of(now)))
    before, after = _names(then), _names(now)
    return bool(before) and len(before & after) < _ALIKE * len(before | after)


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[^\W\d_]{2,}", text.lower()))


def _names(text: str) -> frozenset[str]:
    return frozenset(one[1] or one[2] for one in _NAMED.finditer(text))


def _is_document(outcome: StepOutcome) -> bool:
    recorded = outcome.transaction.recorded
    return recorded is not None and recorded.kind in _DOCUMENTS


def _called(situation: Situation) -> str:
    return situation.subject.mask.text(_name(text_of(situation.failed.response)[0])) or "nothing"


def _name(page: str) -> str:
    """Return what a page is called: by its title, or how it begins."""
    return next(_names_of(page), "")


def _names_of(page: str) -> Iterator[str]:
    yield from (clip(one, LONGEST_SAID) for one in (title_of(page), visible_text(page)) if one)
