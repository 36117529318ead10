"""Polling: the same request again and again, until its answer is another one. In a test case it is
one transaction with a flow that goes on until that answer comes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from statistics import median
from types import MappingProxyType
from typing import Any

from pytest_loadtool.codec.media import media_type
from pytest_loadtool.codec.template import Reference, Template, escape
from pytest_loadtool.correlation.decisions.ignoring import Entries
from pytest_loadtool.correlation.decisions.notes import titles_of
from pytest_loadtool.correlation.graphql import operation
from pytest_loadtool.correlation.index.traffic import changes_state, steps_of
from pytest_loadtool.model.case import Page, Request, TestCase, Transaction, Variable
from pytest_loadtool.model.decision import POLL, Decision
from pytest_loadtool.model.editing import page_span, retitled
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.flow import NamedFlow, Until
from pytest_loadtool.model.validator import (
    JsonValidator,
    RegexValidator,
    ResponseValidator,
    TextValidator,
    Validator,
)

#: So many equal requests in a row are polling, and so often it may go on beyond the recorded time.
_FEWEST, _LONGER = 3, 10
#: Seconds: the least that it may go on for, and the shortest interval.
_LEAST_SECONDS, _SHORTEST_EVERY = 60, 0.05
#: What a test case says that wants no flow for a request.
_IGNORED = "until"
#: Keys that tell how far something is, by what people call it.
_STATE = re.compile(
    r"stat(?:e|us)|phase|stage|done|finished|ready|completed?|running|pending", re.I
)
_PROGRESS = re.compile(r"progress|percent", re.IGNORECASE)
#: A word of a program: `queued`, `IN_PROGRESS`, `not started`.
_WORD = re.compile(r"[A-Za-z][A-Za-z_ -]{0,31}")
#: What a path ends with that asks how far something is.
_ASKS = re.compile(r"stat(?:e|us)|poll|progress|check|wait", re.I)
#: A page that asks for itself again (WHATWG HTML §4.2.5.3).
_RELOADS = re.compile(r"""(?i)<meta\b[^>]*\bhttp-equiv\s*=\s*["']?refresh\b""")
#: What a page says of itself, the most telling first, and what that is called.
_NAMED_TEXTS = (
    (re.compile(r"<title\b[^>]*>([^<]*)</title>", re.I), "title"),
    (re.compile(r"<h[1-3]\b[^>]*>([^<]*)</h[1-3]>", re.I), "heading"),
    (re.compile(r"<(?:p|div|span|strong|td)\b[^>]*>([^<]*\w[^<]*)</", re.I), "text"),
)
_SENTENCE = re.compile(r"[^\W\d][^\d<>&\ufffd\r\n]{1,59}")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_PLAIN_KEY = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_DEEPEST = 4

#: What may be looked at in an answer, by its path: keys of objects.
_Leaves = Mapping[tuple[str, ...], Any]


def with_polling(case: TestCase, exchanges: Sequence[Exchange]) -> TestCase:
    """Return ``case`` with one transaction, and a flow, in the place of each row of equal requests
    that ended when the answer was another one. It stands where the first of them did."""
    entries = Entries(steps_of(case, exchanges))
    every = list(case.transactions())
    flows = dict(case.flows)
    kept: dict[int, Transaction] = {}
    dropped: set[int] = set()
    for run in _runs(case):
        mine = every[run.start : run.stop]
        left = entries.have(run.stop - 1, _IGNORED, case.asm.ignore)
        flow = None if left else _flow_of(mine, exchanges, flows)
        if flow is not None:
            flows[flow.name] = flow
            kept[run.start] = _as_one(mine, flow.name)
            dropped.update(run[1:])
    if not kept:
        return case
    pages: list[Page] = []
    for index, page in enumerate(case.pages):
        span = page_span(case, index)
        stay = tuple(kept.get(at, every[at]) for at in span if at not in dropped)
        if stay:
            pages.append(replace(page, transactions=stay))
        elif pages:  # what was thought after the last of them is thought after all
            pages[-1] = replace(pages[-1], think_time=page.think_time)
    origins = [at for at in range(len(every)) if at not in dropped]
    made = replace(case, pages=tuple(pages), flows=MappingProxyType(flows))
    return retitled(made, case, origins)


def _runs(case: TestCase) -> Iterator[range]:
    """Yield the indexes of equal requests that follow each other, over pages, too; of others each
    its own."""
    asked = [
        (page.once, page.flow, _asked(one, case.variables))
        for page in case.pages
        for one in page.transactions
    ]
    at = 0
    for _, run in groupby(asked):
        length = len(list(run))
        yield range(at, at + length)
        at += length


def _asked(one: Transaction, variables: Mapping[str, Variable]) -> tuple[Request, str, bool]:
    """Return what is asked for: what a client makes up anew for each request is the same."""

    def known(reference: Reference) -> str:
        used = variables.get(reference.name)
        made = used.generate if used is not None else None
        return str(reference) if made is None else f"{made} {reference.filters}"

    request = one.request
    return (
        replace(
            request,
            target=Template.parse(request.target).filled(known),
            body=Template.parse(request.body).filled(known)
            if isinstance(request.body, str)
            else request.body,
        ),
        one.flow,
        one.dangerous or bool(one.refreshes or one.call),
    )


def _flow_of(
    run: Sequence[Transaction], exchanges: Sequence[Exchange], flows: Mapping[str, NamedFlow]
) -> NamedFlow | None:
    """Return how these requests are one that is asked until its answer has come; None: they are
    not."""
    asked = run[0]
    if len(run) < _FEWEST or asked.flow or asked.dangerous:
        return None
    if asked.call:
        return None
    answers = [_exchange(one, exchanges) for one in run]
    known = [one for one in answers if one is not None and one.status]
    if len(known) < len(run) or not _only_asks(asked.request, known[0]):
        return None
    if (found := _end_of(known)) is None:
        return None
    called, check = found
    gaps = [after.started - one.started - one.took for one, after in pairwise(known)]
    every = max(_SHORTEST_EVERY, round(median(gaps), 1 if median(gaps) >= 1 else 2))
    took = known[-1].started + known[-1].took - known[0].started
    limit = float(max(_LEAST_SECONDS, round(_LONGER * took)))
    names = (f"{called} {number}" if number > 1 else called for number in range(1, len(flows) + 2))
    name = next(one for one in names if one not in flows)
    return NamedFlow(name, Until(check, every, limit))


def _only_asks(request: Request, exchange: Exchange) -> bool:
    """Return whether a request may be sent as often as one likes: GET, and others that read by
    their names, or ask how far something is."""
    if request.method not in ("GET", "POST"):
        return False
    asked = operation(exchange)
    if asked is not None or not changes_state(request, exchange):
        return asked is None or not asked.changes
    path = exchange.url.partition("?")[0].rstrip("/")
    return _ASKS.search(path.rpartition("/")[2]) is not None


def _exchange(one: Transaction, exchanges: Sequence[Exchange]) -> Exchange | None:
    entry = one.recorded.entry if one.recorded is not None else None
    return exchanges[entry] if entry is not None and entry < len(exchanges) else None


def _as_one(run: Sequence[Transaction], flow: str) -> Transaction:
    """Return the last of these, whose answer was waited for, with what is taken from others, where
    the first of them stood."""
    last, first = run[-1], run[0].recorded
    known = {one.variable for one in last.extractors}
    others = tuple(
        {one.variable: one for each in run[:-1] for one in each.extractors}[name]
        for name in dict.fromkeys(one.variable for each in run[:-1] for one in each.extractors)
        if name not in known
    )
    recorded = last.recorded
    if recorded is not None and first is not None:
        recorded = replace(recorded, at=first.at, pause=first.pause)
    extractors = (*others, *last.extractors)
    return replace(last, recorded=recorded, extractors=extractors, flow=flow)


def _end_of(answers: Sequence[Exchange]) -> tuple[str, Validator] | None:
    """Return what is so of the last answer and of none before, and what that is called."""
    leaves = [_leaves_of(one) for one in answers]
    found = list(_told_by(leaves) if any(leaves) else _told_by_texts(answers))
    named = [one for one in found if one[0] == 0]
    statuses = [one.status for one in answers]
    if not named and statuses[-1] not in statuses[:-1] and statuses[-1] // 100 == 2:
        return f"answered with {statuses[-1]}", ResponseValidator("status", equals=statuses[-1])
    if not found:
        return None
    _, called, check = min(found, key=lambda one: one[0])
    return called, check


def _told_by(leaves: Sequence[_Leaves]) -> Iterator[tuple[int, str, Validator]]:
    """Yield what tells the last answer from those before, the best with the least number."""
    *before, last = leaves
    for path, value in last.items():
        seen = [one.get(path) for one in before]
        key, place = path[-1], ".".join(("$", *path))
        rank = 0 if _STATE.search(key) else 1
        if value in seen:
            continue
        if _is_word(value) and all(map(_is_word, seen)):
            yield rank, f"{key} is {value}", JsonValidator(place, equals=value)
        elif isinstance(value, bool) and all(isinstance(one, bool) for one in seen):
            yield rank, f"{key} is {str(value).lower()}", JsonValidator(place, equals=value)
        elif value == 100 and _PROGRESS.search(key):
            yield 2, f"{key} is 100", JsonValidator(place, at_least=100)
        elif value is not None and all(one is None for one in seen):
            yield 3, f"{key} is there", JsonValidator(place)


def _told_by_texts(answers: Sequence[Exchange]) -> Iterator[tuple[int, str, Validator]]:
    """Yield what tells the last text or page from those before, which were all alike."""
    if not all(_is_text(one) for one in answers):
        return
    *before, last = [one.response_body.decode("utf-8", "replace") for one in answers]
    alike = len({_NUMBER.sub("", one) for one in before}) == 1
    if not alike and not all(_is_word(one.strip()) for one in (*before, last)):
        return  # each is another one: nobody knows what is waited for
    if any(map(_RELOADS.search, before)):
        if all(map(_RELOADS.search, before)) and not _RELOADS.search(last):
            yield 0, "page reloads no more", RegexValidator(_RELOADS.pattern, absent=True)
        return
    for rank, (pattern, name) in enumerate(_NAMED_TEXTS):
        (*earlier, now) = [_found(pattern, one) for one in (*before, last)]
        if now and now not in earlier and _says(now):
            yield rank, f"{name} is {now}", TextValidator(escape(f">{now}<"))
    if now := _word_alone(before, last):
        yield 3, f"answer is {now}", RegexValidator(rf"^\s*{re.escape(now)}\s*$")


def _is_text(exchange: Exchange) -> bool:
    media = media_type(exchange.response_header("content-type") or "")
    return media in ("text/plain", "text/html", "application/xhtml+xml")


def _found(pattern: re.Pattern[str], text: str) -> str:
    match = pattern.search(text)
    return match[1] if match is not None else ""


def _says(text: str) -> bool:
    """Return whether a text is one that is there the next time, too: without numbers, and as it is
    in the markup."""
    return _SENTENCE.fullmatch(text) is not None


def _word_alone(before: Sequence[str], last: str) -> str:
    """Return the word that is all of the last text; empty if it is none, or was there before."""
    word = last.strip()
    return word if _is_word(word) and word not in map(str.strip, before) else ""


def _is_word(value: Any) -> bool:
    return isinstance(value, str) and _WORD.fullmatch(value) is not None


def _leaves_of(exchange: Exchange) -> _Leaves:
    try:
        found = json.loads(exchange.response_body)
    except ValueError:
        return {}
    return dict(_leaves(found, ()))


def _leaves(value: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    if not isinstance(value, dict) or len(path) == _DEEPEST:
        if path:
            yield path, value
        return
    for key, inner in value.items():
        if _PLAIN_KEY.fullmatch(key):
            yield from _leaves(inner, (*path, key))


@dataclass(frozen=True, slots=True)
class _Polled:
    """A transaction that stands for several: its index, its flow, and the entries of all."""

    index: int
    flow: NamedFlow
    entries: tuple[int, ...]


def _polled(case: TestCase, exchanges: Sequence[Exchange]) -> Iterator[_Polled]:
    """Yield what polling has become in a test case."""
    used = {one.recorded.entry for one in case.transactions() if one.recorded is not None}
    for index, one in enumerate(case.transactions()):
        flow, exchange = case.flows.get(one.flow), _exchange(one, exchanges)
        if flow is None or exchange is None or not isinstance(flow.rule, Until):
            continue
        assert one.recorded is not None, "it has an exchange"
        before: list[int] = []
        for entry in range((one.recorded.entry or 0) - 1, -1, -1):
            other = exchanges[entry]
            if _same(other, exchange):
                if entry in used:
                    break
                before.insert(0, entry)
        if len(before) >= _FEWEST - 1:
            yield _Polled(index, flow, (*before, one.recorded.entry or 0))


def _same(one: Exchange, other: Exchange) -> bool:
    asked = [(each.method, each.url, each.request_body) for each in (one, other)]
    return asked[0] == asked[1]


def poll_decisions(case: TestCase, exchanges: Sequence[Exchange]) -> Iterator[Decision]:
    """Yield a decision for each polling that is a flow."""
    titles = titles_of(case)
    for one in _polled(case, exchanges):
        assert isinstance(one.flow.rule, Until), "that is what is polled"
        yield Decision(
            value=one.flow.name,
            variable="",
            producer=titles[one.index],
            consumers=(),
            rule=POLL,
            reason=f'"{titles[one.index]}" was asked {len(one.entries)} times, until '
            f"{one.flow.name}: it is asked every {one.flow.rule.every:g} s until that is so, for "
            f"{one.flow.rule.limit:g} s at most.",
            confidence=0.9,
        )


def without_polling(case: TestCase, exchanges: Sequence[Exchange], name: str) -> TestCase:
    """Return ``case`` in which the polling of the flow ``name`` is asked as often as recorded, and
    left so.

    Raises:
        ValueError: there is no such flow.
    """
    found = next((one for one in _polled(case, exchanges) if one.flow.name == name), None)
    if found is None:
        raise ValueError(f"{name!r} is no polling that was found")
    entry = Entries(steps_of(case, exchanges)).of(found.index, _IGNORED)
    pages = []
    at = 0
    origins: list[int] = []
    for page in case.pages:
        kept: list[Transaction] = []
        for one in page.transactions:
            again = _as_recorded(one, found.entries, exchanges) if at == found.index else [one]
            kept += again
            origins += [at] * len(again)
            at += 1
        pages.append(replace(page, transactions=tuple(kept)))
    flows = {key: one for key, one in case.flows.items() if key != name}
    asm = replace(case.asm, ignore=(*case.asm.ignore, entry))
    made = replace(case, pages=tuple(pages), flows=MappingProxyType(flows), asm=asm)
    return retitled(made, case, origins)


def _as_recorded(
    one: Transaction, entries: Sequence[int], exchanges: Sequence[Exchange]
) -> list[Transaction]:
    """Return the transaction as often as it was recorded; its actors are those of the last."""
    recorded = one.recorded
    assert recorded is not None, "it has an exchange"
    began = exchanges[entries[0]].started
    found: list[Transaction] = []
    for number, entry in enumerate(entries):
        exchange, last = exchanges[entry], number == len(entries) - 1
        previous = exchanges[entries[number - 1]]
        gap = exchange.started - previous.started - previous.took if number else recorded.pause
        mine = replace(
            recorded,
            status=exchange.status,
            entry=entry,
            at=round(recorded.at + exchange.started - began, 3),
            took=round(exchange.took, 3),
            pause=round(max(0.0, gap), 3),
            answer=recorded.answer if last else None,
        )
        actors = one if last else replace(one, extractors=(), validators=())
        found.append(replace(actors, recorded=mine, flow=""))
    return found
