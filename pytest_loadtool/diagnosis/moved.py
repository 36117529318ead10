"""Where a value stands in an answer that an extractor did not find there: under another name, or at
another place."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from shlex import quote

from pytest_loadtool.codec.names import plain
from pytest_loadtool.correlation.classify import looks_random
from pytest_loadtool.correlation.responses.recorded import RecordedResponse
from pytest_loadtool.diagnosis.outcome import text_of
from pytest_loadtool.diagnosis.situation import Situation, recorded_text
from pytest_loadtool.extraction.extract import taken
from pytest_loadtool.extraction.jsonpath import format_path, json_text
from pytest_loadtool.extraction.tags import control_value, controls
from pytest_loadtool.model.extractor import Extractor, FormField, JsonPath

#: So many values of a document are looked at, and so many items of a list.
_MOST_VALUES, _MOST_ITEMS = 2000, 20
#: Values of one kind differ in length by this part at most.
_AS_LONG = 0.25

_Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class NewPlace:
    """Where a value is now, as text and as an option of the command `extract`."""

    text: str
    option: str


def place_now(situation: Situation, extractor: Extractor) -> NewPlace | None:
    """Return where the value of an extractor stands that found nothing; None if there is no such
    place, or more than one that it may be."""
    exchange = situation.subject.exchange
    if exchange is None or extractor.match > 1:
        return None
    try:
        then = taken(extractor.source, RecordedResponse(exchange))
    except ValueError:
        return None
    if then is None:
        return None
    recorded, now = recorded_text(exchange), text_of(situation.failed.response)[0]
    match extractor.source:
        case JsonPath():
            return _in_json(recorded, now, then)
        case FormField(name, 0):
            return _in_form(recorded, now, name, then)
    return None


def new_names(situation: Situation) -> list[str]:
    """Return what the names in a JSON answer are that the recorded one has not."""
    exchange = situation.subject.exchange
    if exchange is None:
        return []
    before = {one for path in values_of(recorded_text(exchange)) for one in path}
    now = values_of(text_of(situation.failed.response)[0])
    names = (one for path in now for one in path if isinstance(one, str))
    return [one for one in dict.fromkeys(names) if one not in before]


def values_of(text: str) -> dict[_Path, object]:
    """Return the values of a JSON text by where they stand, in its order; none of another."""
    try:
        waiting: list[tuple[_Path, object]] = [((), json.loads(text))]
    except (ValueError, RecursionError):
        return {}
    found: dict[_Path, object] = {}
    while waiting and len(found) < _MOST_VALUES:
        path, value = waiting.pop()
        match value:
            case dict():
                waiting += [((*path, name), one) for name, one in reversed(value.items())]
            case list():
                items = [*enumerate(value[:_MOST_ITEMS])]
                waiting += [((*path, at), one) for at, one in reversed(items)]
            case _:
                found[path] = value
    return found


def _in_json(recorded: str, now: str, then: str) -> NewPlace | None:
    before, after = values_of(recorded), values_of(now)
    was = next((path for path, value in before.items() if json_text(value) == then), None)
    if was is None or not was:
        return None
    alike = {path for path, value in after.items() if _is_alike(before[was], value)}
    named = [path for path in alike if path[-1] == was[-1] and path not in before]
    deeper = [path for path in named if path[-len(was) :] == was]
    beside = [path for path in alike if path[:-1] == was[:-1] and path not in before]
    for found in (deeper, named, beside):
        if len(found) == 1 and was not in after:
            there = format_path(found[0])
            return NewPlace(there, f"--json {quote(there)}")
    return None


def _in_form(recorded: str, now: str, name: str, then: str) -> NewPlace | None:
    before = dict(_named_values(recorded))
    after = {key: one for key, one in _named_values(now) if key not in before and name != key}
    alike = [key for key, one in after.items() if _is_alike(then, one)]
    words = {*plain(name).split()}
    related = [key for key in alike if words & {*plain(key).split()}]
    for found in (related, alike):
        if len(found) == 1:
            return NewPlace(f"{found[0]!r} of the page", f"--form {quote(found[0])}")
    return None


def _named_values(page: str) -> Iterator[tuple[str, str]]:
    for tag, one, _, end in controls(page):
        if name := one.get("name"):
            yield name, control_value(page, tag, one, end)


def _is_alike(then: object, now: object) -> bool:
    """Return whether both may be of one kind: numbers, or texts of about the same length that are
    both made up by a program or both not."""
    if isinstance(then, str) and isinstance(now, str):
        close = abs(len(then) - len(now)) <= _AS_LONG * max(len(then), 1)
        return close and looks_random(then) == looks_random(now) and _shape(then) == _shape(now)
    return type(then) is type(now) and isinstance(then, int) and not isinstance(then, bool)


def _shape(text: str) -> str:
    """Return what a text has besides letters and digits, which tell ids, times and words apart."""
    return "".join(sorted({*re.sub(r"[^\W_]", "", text)}))
