"""Sections of a failure on what was refused, or led elsewhere than when it was recorded."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace
from urllib.parse import urlsplit

from pytest_loadtool.codec.cookie import sent_cookies
from pytest_loadtool.codec.entities import unescape
from pytest_loadtool.codec.printable import clip, printable
from pytest_loadtool.diagnosis.outcome import StepOutcome, text_of
from pytest_loadtool.diagnosis.redirect_mismatch import (
    led_elsewhere,
    led_to_another_page,
    remedies,
    was_refused,
    what_it_means,
)
from pytest_loadtool.diagnosis.subject import Subject, indented, place_of
from pytest_loadtool.diagnosis.suspects import Suspects, may_be_stale

#: How many are listed that passed before the first failure.
_MOST_BEFORE = 5


def otherwise(outcome: StepOutcome) -> str:
    """A transaction in one line that passed and did not come as recorded; empty for others."""
    if outcome.failures or not outcome.otherwise:
        return ""
    return printable(f"{outcome.title}: {outcome.otherwise}")


def why_elsewhere(subject: Subject, outcomes: Iterable[StepOutcome]) -> Iterator[str]:
    """What it means that there is a page where a redirect was recorded, or the other way round."""
    first = subject.first
    recorded, response = first.transaction.recorded, first.response
    if recorded is None or not led_elsewhere(recorded.status, response.status):
        return
    method = first.transaction.request.method
    before = (text_of(one.response)[0] for one in outcomes if one.index < first.index)
    said = [subject.mask.text(one) for one in complaints(text_of(response)[0], before)]
    yield from indented(
        what_it_means(method, recorded.status, response.status, subject.location, said)
    )
    if was_refused(method, recorded.status, response.status):
        yield from indented(remedies(_suspects(subject).name(said)))


def passed_before(subject: Subject, outcomes: Sequence[StepOutcome]) -> list[str]:
    """What passed before and may yet be the reason: a redirect to a login, for instance, or back to
    the form that was refused."""
    asked = {_path(replace(subject, first=one).request_head[0].split(" ")[1:2]) for one in outcomes}
    lines = [
        f"  {place_of(subject.path, one)}: {what}"
        for one in outcomes
        if one.index < subject.first.index and not one.failures
        for what in [otherwise(one) or _redirected(replace(subject, first=one), asked)]
        if what
    ]
    return ["passed before, but not as recorded:", *lines[:_MOST_BEFORE]] if lines else []


def _redirected(subject: Subject, asked: Container[str]) -> str:
    """Where a redirect leads that the recording had to another page, and that is not ``asked`` for
    either; else nothing."""
    exchange = subject.exchange
    was = exchange.response_header("location") if exchange is not None else None
    now = subject.location
    if not was or not now or not led_to_another_page(was, now) or _path([now]) in asked:
        return ""
    paths = (subject.mask.text(_path([one])) for one in (now, was))
    return "{}: redirected to {} where {} was recorded".format(subject.first.title, *paths)


def _path(targets: Iterable[str]) -> str:
    return "".join(urlsplit(one).path for one in targets)


def lost_cookies(subject: Subject) -> Iterator[str]:
    """The cookies that were sent when it was recorded, and not now that it was refused."""
    exchange = subject.exchange
    if exchange is None or not _is_refused(subject):
        return
    lines = (line.partition(": ")[::2] for line in subject.request_head[1:])
    now = dict(sent_cookies(lines))
    lost = [name for name, _ in sent_cookies(exchange.request_headers) if name not in now]
    if lost:
        yield (
            f"  Not sent, although the recording has them: the cookies {', '.join(lost)}. No "
            "response before has set them."
        )


def tokens(subject: Subject) -> list[str]:
    """The tokens that were sent, where one of them may be why the request was refused."""
    stale = may_be_stale(subject.first.response.status)
    return _suspects(subject).tokens(anew=stale) if _is_refused(subject) else []


def _is_refused(subject: Subject) -> bool:
    """Whether it may be for a token or a cookie; a code as recorded is for something else."""
    transaction, status = subject.first.transaction, subject.first.response.status
    recorded = transaction.recorded.status if transaction.recorded else 0
    refused = was_refused(transaction.request.method, recorded, status)
    return refused or (may_be_stale(status) and status != recorded)


def _suspects(subject: Subject) -> Suspects:
    return Suspects(subject.case, subject.first.index, subject.sent, subject.mask)


#: How many are shown, how long, and how much of an element is looked at, in characters.
_MOST_SHOWN, _LONGEST, _LONGEST_ELEMENT = 3, 150, 5000

_ELEMENT = re.compile(
    r"<(?P<tag>div|p|[uo]l|li|d[ltd]|span|strong|em|b|i|small|label|t[dr]|h[1-6]|section|aside)\b"
    r"""(?=[^<>]*\b(?:role\s*=\s*["']?alert\b"""
    r"""|(?:class|id)\s*=\s*["']?[^"'<>]*(?:error|alert|invalid|danger|warning)))[^<>]*>""",
    re.IGNORECASE,
)
_CONTROL = re.compile(r"<(?:input|select|textarea)\b", re.IGNORECASE)
_MARKUP = re.compile(
    r"<!--.*?-->|<(script|style|template|button)\b.*?</\1\s*>|<[^<>]*>", re.IGNORECASE | re.DOTALL
)


def complaints(page: str, before: Iterable[str] = ()) -> list[str]:
    """The texts, the first few and not too long of each; none that pages ``before`` have, too:
    many carry hidden ones, for their scripts to show."""
    found = list(dict.fromkeys(_texts(page)))
    usual = {old for text in before for old in _texts(text)} if found else set()
    return [clip(one, _LONGEST) for one in found if one not in usual][:_MOST_SHOWN]


def _texts(page: str) -> Iterator[str]:
    end = 0
    for element in _ELEMENT.finditer(page):
        if element.start() < end:  # it is in the one before
            continue
        content_end = _end(page, element)
        content = page[element.end() : content_end]
        if _CONTROL.search(content) and _ELEMENT.search(content):
            continue  # a row of the form, with a message in it
        text = " ".join(unescape(_MARKUP.sub(" ", content)).split())
        if text:
            end = content_end
            yield text


def _end(page: str, element: re.Match[str]) -> int:
    """Where the content of an element ends."""
    limit = min(len(page), element.end() + _LONGEST_ELEMENT)
    depth = 1
    tags = re.compile(rf"<(/?){element['tag']}\b", re.IGNORECASE)
    for tag in tags.finditer(page, element.end(), limit):
        depth += -1 if tag[1] else 1
        if not depth:
            return tag.start()
    return limit
