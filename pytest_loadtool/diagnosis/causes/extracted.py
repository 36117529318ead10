"""What an extractor looked for and did not find: it has another name, or stands elsewhere, or is
not there yet."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from shlex import quote

from pytest_loadtool.codec.flattened import expanded
from pytest_loadtool.diagnosis.causes.pages import is_another
from pytest_loadtool.diagnosis.divergence import divergences
from pytest_loadtool.diagnosis.finding import Cause, Remedy, RuledOut, Sure
from pytest_loadtool.diagnosis.moved import NewPlace, new_names, place_now
from pytest_loadtool.diagnosis.outcome import text_of
from pytest_loadtool.diagnosis.remedies import compared, edited, place_of_failed, seen_outside
from pytest_loadtool.diagnosis.situation import Situation, recorded_text
from pytest_loadtool.extraction.jsonpath import compile_path
from pytest_loadtool.model.extractor import Extractor, JsonPath


def nothing_extracted(situation: Situation) -> Cause | RuledOut | None:
    """An extractor found nothing in an answer that succeeded."""
    if situation.causes != {"extractor"} or not 200 <= situation.status <= 399:
        return None
    lost = [
        one
        for one in situation.failed.transaction.extractors
        if any(f"${{{one.variable}}}" in each.message for each in situation.failed.failures)
    ]
    places = [(one, place) for one in lost if (place := place_now(situation, one))]
    if places and len(places) == len(lost):
        return _elsewhere(situation, places)
    if is_another(situation):
        return None  # nothing is to be found there
    variable = lost[0].variable if lost else "?"
    ways = [one.text for one in divergences(situation, situation.failed)]
    reason = _shorter_list(situation) or "; ".join(ways[:1])
    names = new_names(situation)
    added = (f"it has {', '.join(names[:_MOST_NAMES])}, which were not in the recorded one",)
    cause = Cause(
        f"Nothing is where ${{{variable}}} was in the recorded answer"
        + (f": {reason}." if reason else "."),
        Sure.LIKELY,
        (*ways[1:], *(added if names else ())),
        (*_wait(situation, ways), _look(situation)),
    )
    return seen_outside(situation, cause)


#: So many names that an answer did not have are told.
_MOST_NAMES = 6
#: States of what is not done yet.
_PENDING = re.compile(
    r"\b(?:queued|pending|processing|in.?progress|running|waiting|scheduled|started|accepted)\b",
    re.IGNORECASE,
)


def _elsewhere(situation: Situation, places: Sequence[tuple[Extractor, NewPlace]]) -> Cause:
    """The value of an extractor has another name, or stands elsewhere."""
    number, not_as_recorded = situation.failed.index + 1, situation.failed.not_as_recorded
    (first, place), *_ = places
    return Cause(
        f"The answer has not ${{{first.variable}}} where it was; what may be it is at {place.text} "
        "now.",
        Sure.SHOWN,
        tuple(filter(None, (not_as_recorded,)))
        + tuple(f"${{{one.variable}}}: {each.text}" for one, each in places[1:]),
        (
            edited(
                "take it from there, if that is the same",
                *(
                    f"extract {number} {quote(one.variable)} {each.option} --anyway"
                    for one, each in places
                ),
                place=place_of_failed(situation),
            ),
            _look(situation),
        ),
    )


def _look(situation: Situation) -> Remedy:
    return compared(
        situation,
        "compare what came with what was recorded; if this is how it answers now, record again",
    )


def _wait(situation: Situation, ways: Sequence[str]) -> tuple[Remedy, ...]:
    """Return how users wait for what is not done yet, before they ask for it."""
    pages = enumerate(situation.subject.case.pages, 1)
    page = next((at for at, one in pages if situation.failed.transaction in one.transactions), 0)
    if page < 2 or not any(_PENDING.search(one) for one in ways):
        return ()
    return (
        edited(
            "if it is only not done yet, have users wait for it: a TIME such as 5s",
            f"think P{page - 1} TIME",
        ),
    )


def _length(text: str, path: str) -> int:
    """Return how many items the list of a JSON text at a path has; 0 if none is there."""
    try:
        found = json.loads(compile_path(path, 1)(expanded(json.loads(text))) or "null")
    except (ValueError, RecursionError):
        return 0
    return len(found) if isinstance(found, list) else 0


_ITEM = re.compile(r"(.*)\[(\d+)\]")


def _shorter_list(situation: Situation) -> str:
    """Return which list has fewer items now than an extractor's JSON path wants; empty if none
    has."""
    exchange = situation.subject.exchange
    for one in situation.failed.transaction.extractors:
        found = _ITEM.match(one.source.path) if isinstance(one.source, JsonPath) else None
        if found is None or exchange is None:
            continue
        now = _length(text_of(situation.failed.response)[0], found[1])
        then = _length(recorded_text(exchange), found[1])
        if now <= int(found[2]) < then:
            return f"the list {found[1]} has {now} now, and had {then} when recorded"
    return ""
