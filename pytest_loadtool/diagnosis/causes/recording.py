"""Recordings that are to be made anew: they failed themselves, or the application has changed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from shlex import quote

from pytest_loadtool import CASE_SUFFIX
from pytest_loadtool.codec.flattened import expanded
from pytest_loadtool.codec.media import decoded
from pytest_loadtool.correlation.classify import without_ids
from pytest_loadtool.correlation.requests.fields import fields_of
from pytest_loadtool.diagnosis.finding import Cause, Remedy, RuledOut, Sure
from pytest_loadtool.diagnosis.outcome import StepOutcome, text_of
from pytest_loadtool.diagnosis.page_errors import field_names
from pytest_loadtool.diagnosis.situation import Situation, recorded_text
from pytest_loadtool.model.case import Kind

#: What an answer to a client that has not said who it is yet is no failure of a recording.
_CHALLENGES = frozenset({401, 407})


def record_again(situation: Situation, text: str) -> Remedy:
    """Return how the test case is recorded anew, into a file beside it."""
    name = situation.subject.path.removesuffix(CASE_SUFFIX)
    first = situation.outcomes[0]
    sent = situation.of(first).request_head[0].split(" ")[1:2]
    url = f"{first.origin}{''.join(sent).partition('?')[0]}"
    return Remedy(
        f"{text}, into a new file, with the same values; then compare the two",
        command=f"pytest --record {quote(f'{name}-again{CASE_SUFFIX}')} --record-url {quote(url)}",
    )


def recorded_in_error(situation: Situation) -> Cause | RuledOut | None:
    """The page or call had failed when it was recorded, and goes well now."""
    recorded, now = situation.recorded_status, situation.status
    failed = situation.failed.transaction.recorded
    if recorded < 400 or recorded in _CHALLENGES or not 200 <= now <= 399 or failed is None:
        return None
    if failed.kind not in (Kind.HTML, Kind.JSON, Kind.XML) and _is_read(situation.failed):
        return None
    return Cause(
        f"It had failed when it was recorded ({recorded}), and goes well now.",
        Sure.KNOWN,
        (f"replay expects {situation.failed.transaction.status}, as it was recorded",),
        (
            record_again(situation, "unless an error was what you wanted to record, record again"),
            Remedy("or, if all else was recorded well, expect what comes now in `status`"),
        ),
    )


def _is_read(outcome: StepOutcome) -> bool:
    return outcome.transaction.request.method in ("GET", "HEAD")


def form_changed(situation: Situation) -> Cause | RuledOut | None:
    """A request up to the failure sends fields that the form of a page had when it was recorded,
    and that the same form, with others in their place, has not now."""
    changes = list(_changes(situation))
    if not changes:
        return None
    sending, page, lost, new = changes[0]
    more = len(changes) - 1
    forms = f"; and {more} {'form' if more == 1 else 'forms'} more" if more else ""
    return Cause(
        f"The form of {situation.name(page)} has changed since it was recorded{forms}.",
        Sure.KNOWN,
        (
            f"{situation.name(sending)} sends {', '.join(lost)}, which it had",
            f"it has {', '.join(new)} instead",
        ),
        (record_again(situation, "the recording is of another version: record again"),),
        index=sending.index,
    )


#: So many names of a JSON answer at least, and this part of them, are gone where it was renamed.
_MANY, _PART = 3, 0.5
#: What is told of errors, whatever the status is.
_OF_ERRORS = frozenset({"error", "errors", "message", "code", "detail", "fault"})


def answers_renamed(situation: Situation) -> Cause | RuledOut | None:
    """An answer of JSON up to the failure succeeded, and calls most of its things otherwise
    than when it was recorded: it is of another version."""
    for one in (*situation.before, situation.failed):
        exchange = situation.of(one).exchange
        if exchange is None or not (200 <= exchange.status <= 299 and one.response.status <= 299):
            continue
        then, now = _names(recorded_text(exchange)), _names(text_of(one.response)[0])
        lost, new = sorted(then - now), sorted(now - then)
        if _OF_ERRORS.intersection(new):
            continue
        if len(lost) < _MANY or len(lost) < _PART * len(then) or len(new) < _MANY:
            continue
        return Cause(
            f"The answer of {situation.name(one)} calls its things otherwise than when recorded.",
            Sure.KNOWN,
            (f"it has no {', '.join(lost[:_SHOWN])}", f"it has {', '.join(new[:_SHOWN])} instead"),
            (record_again(situation, "the recording is of another version: record again"),),
            index=one.index,
        )
    return None


_SHOWN = 6


def _names(text: str) -> frozenset[str]:
    """Return what the things in a JSON text are called; names that are ids themselves aside."""
    try:
        value = expanded(json.loads(text))
    except (ValueError, RecursionError):
        return frozenset()
    found, waiting = set[str](), [value]
    while waiting:
        match waiting.pop():
            case dict() as one:
                found |= {name for name in one if not _DIGIT.search(name)}
                waiting += one.values()
            case list() as many:
                waiting += many[:_MOST_ITEMS]
    return frozenset(found)


#: A name with one is of a thing, not of a kind of things; and so many of a list are looked at.
_DIGIT, _MOST_ITEMS = re.compile(r"\d"), 20


def _changes(
    situation: Situation,
) -> Iterator[tuple[StepOutcome, StepOutcome, list[str], list[str]]]:
    """Yield requests with the page of their form, the fields that it has no more, and the new
    ones."""
    outcomes = (*situation.before, situation.failed)
    for sending in outcomes:
        fields = fields_of(situation.subject.case, sending.index)
        sent = {one.wire_name for one in fields if one.section == "POST content"}
        for page in reversed(
            [one for one in outcomes if one.index < sending.index] if sent else ()
        ):
            exchange = situation.of(page).exchange
            came = not page.failures and page.response.status == 200
            if exchange is None or exchange.status != 200 or not came:
                continue  # what failed may be another page
            media = exchange.response_header("content-type") or ""
            then = field_names(decoded(exchange.response_body, media))
            if not sent & then:
                continue
            now = field_names(text_of(page.response)[0])
            lost, new = sorted(sent & then - now), sorted(now - then)
            renamed = not {*map(without_ids, new)}.issubset(map(without_ids, lost))
            if lost and new and renamed and (sent | then) & now:  # the same form
                yield sending, page, lost, new
            break
