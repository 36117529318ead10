"""Where a replay left the recorded way: how an answer that passed differs from the recorded one.

Each kind of difference says how sure it is that what fails later fails because of it. One whose
recorded value the failing request still sends counts for more than any other.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from pytest_loadtool.answers.shape import REDIRECTS
from pytest_loadtool.codec.cookie import set_cookies
from pytest_loadtool.correlation.classify import looks_like_time, looks_random
from pytest_loadtool.correlation.requests.fields import CONSTANT
from pytest_loadtool.diagnosis.finding import Sure
from pytest_loadtool.diagnosis.json_values import ListLength, json_values, shown
from pytest_loadtool.diagnosis.outcome import StepOutcome, text_of
from pytest_loadtool.diagnosis.redirect_mismatch import led_to_another_page
from pytest_loadtool.diagnosis.situation import Situation, recorded_text

#: A state is a word or a few.
_LONGEST_STATE = 40
_WORD = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class Divergence:
    """A difference of an answer, and how sure it is that this matters; a weak one does only if the
    recorded value, ``then``, is still sent."""

    text: str
    sure: Sure
    then: str = ""


def divergences(situation: Situation, outcome: StepOutcome) -> list[Divergence]:
    """Return how a transaction that passed came otherwise than recorded, what tells most first."""
    constants = {
        one.value for one in situation.fields if one.datasource == CONSTANT and len(one.value) > 1
    }
    found = (one for kind in _KINDS for one in kind(situation, outcome))
    weighed = [
        Divergence(f"{one.text}, and {one.then} is still sent", Sure.SHOWN, one.then)
        if one.then in constants
        else one
        for one in found
    ]
    return sorted((one for one in weighed if one.sure > Sure.WEAK), key=lambda one: -one.sure)


_Kind = Callable[[Situation, StepOutcome], Iterator[Divergence]]


def _as_a_whole(situation: Situation, outcome: StepOutcome) -> Iterator[Divergence]:
    text = outcome.not_as_recorded or _redirected(situation, outcome)
    if text:
        yield Divergence(text, Sure.LIKELY)


def _redirected(situation: Situation, outcome: StepOutcome) -> str:
    """Return where a redirect leads that the recording had to another page, and that no later
    request asks for either; else nothing."""
    subject = situation.of(outcome)
    if subject.exchange is None or subject.exchange.status not in REDIRECTS:
        return ""  # what is created is somewhere else each time
    was = subject.exchange.response_header("location")
    now = subject.location
    asked = {
        urlsplit("".join(situation.of(one).request_head[0].split(" ")[1:2])).path
        for one in situation.outcomes
    }
    if not was or not now or not led_to_another_page(was, now) or urlsplit(now).path in asked:
        return ""
    mask = situation.subject.mask
    to, before = mask.text(urlsplit(now).path), mask.text(urlsplit(was).path)
    return f"redirected to {to} where {before} was recorded"


def _says(situation: Situation, outcome: StepOutcome) -> Iterator[Divergence]:
    said = situation.complaints_of(outcome)
    if said:
        yield Divergence(f"it says {said[0]!r}", Sure.LIKELY)


def _cookies(situation: Situation, outcome: StepOutcome) -> Iterator[Divergence]:
    """Yield those of cookies whose values are words: those of sessions differ each time."""
    subject = situation.of(outcome)
    if subject.exchange is None:
        return
    now = dict(set_cookies(subject.headers))
    for name, then in set_cookies(subject.exchange.response_headers):
        if _is_state(then) and _is_state(now.get(name, then)) and now.get(name, then) != then:
            yield Divergence(f"cookie {name} is {now[name]!r}, was {then!r}", Sure.POSSIBLE, then)


def _values(situation: Situation, outcome: StepOutcome) -> Iterator[Divergence]:
    """Yield values of JSON at the same place: lists that are empty now, states, what is nothing
    now."""
    exchange = situation.of(outcome).exchange
    if exchange is None:
        return
    was = json_values(recorded_text(exchange))
    now = json_values(text_of(outcome.response)[0])
    mask = situation.subject.mask
    for keys, then in was.items():
        value, path = now.get(keys, then), shown(keys)
        if value == then:
            continue
        listed = any(isinstance(one, int) for one in keys)
        name = path.rpartition(".")[2] or "the answer"
        if isinstance(then, ListLength) and isinstance(value, ListLength):
            if value.count < then.count:
                empty, name = not value.count, path or "the list"
                told = f"{name} is empty, had {then.count}" if empty else ""
                told = told or f"{name} has {value.count}, had {then.count} when recorded"
                yield Divergence(told, Sure.LIKELY if empty else Sure.POSSIBLE)
        elif _is_state(then) and (_is_state(value) or value is None):
            told, before = mask.value(name, _said(value)), mask.value(name, _said(then))
            told = f"{path} is {told}, was {before}"
            yield Divergence(told, Sure.WEAK if listed else Sure.POSSIBLE, str(then))


_KINDS: tuple[_Kind, ...] = (_says, _cookies, _values, _as_a_whole)


def _said(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _is_state(value: object) -> bool:
    """Return whether it is one of a few words that a thing may be in: no number, id, token or
    time."""
    if isinstance(value, bool):
        return True
    return (
        isinstance(value, str)
        and 1 < len(value) <= _LONGEST_STATE
        and _WORD.search(value) is not None
        and not (looks_random(value) or looks_like_time(value))
    )
