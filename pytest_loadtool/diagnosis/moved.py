"""Where a value stands in an answer that an extractor did not find there: under another name, or at
another place."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from shlex import quote
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from pytest_loadtool.codec.cookie import set_cookies
from pytest_loadtool.codec.events import json_or_events
from pytest_loadtool.codec.names import plain
from pytest_loadtool.correlation.classify import looks_random
from pytest_loadtool.correlation.responses.links import links
from pytest_loadtool.correlation.responses.recorded import RecordedResponse, is_noise
from pytest_loadtool.diagnosis.json_values import Keys, json_values
from pytest_loadtool.diagnosis.outcome import text_of
from pytest_loadtool.diagnosis.situation import Situation, recorded_text
from pytest_loadtool.extraction.extract import taken
from pytest_loadtool.extraction.json_steps import format_path
from pytest_loadtool.extraction.jsonpath import json_text
from pytest_loadtool.extraction.tags import control_value, controls
from pytest_loadtool.model.extractor import (
    Boundary,
    CookieValue,
    Extractor,
    FormField,
    HeaderValue,
    JsonPath,
    Link,
    RegularExpression,
    Source,
)

#: Values of one kind differ in length by this part at most.
_AS_LONG = 0.25
#: So many names before values are looked at in a page.
_MOST_NAMES = 2000


@dataclass(frozen=True, slots=True)
class NewPlace:
    """The place of a value now, as text and as options of the command `extract`."""

    text: str
    option: str


@dataclass(frozen=True, slots=True)
class _Answer:
    """An answer as extractors read it."""

    headers: tuple[tuple[str, str], ...]
    text: str

    def json(self) -> Any:
        """Return the body parsed."""
        return json_or_events(self.text)

    def header(self, name: str) -> str | None:
        """Return the first header of that name."""
        return next(iter(self.header_values(name)), None)

    def header_values(self, name: str) -> list[str]:
        """Return all headers of that name."""
        return [value for one, value in self.headers if one.lower() == name.lower()]


@dataclass(frozen=True, slots=True)
class _Lost:
    """A value that ``source`` took from the recorded answer ``before``, and that it does not find
    in the one that came ``now``."""

    source: Any
    value: str
    before: _Answer
    now: _Answer

    def alike(self, value: object) -> bool:
        """Return whether a value may be it."""
        return _is_alike(self.value, value)

    def gives(self, source: Source) -> bool:
        """Return whether a source takes what may be it from the answer that came."""
        try:
            found = taken(source, self.now)
        except ValueError:
            return False
        return found is not None and self.alike(found)


#: A place where the value may be, the likelier the lower its number.
_Candidate = tuple[int, NewPlace]


def place_now(situation: Situation, extractor: Extractor) -> NewPlace | None:
    """Return where the value of an extractor stands that found nothing; None if there is no such
    place, or more than one that it may be."""
    exchange, look = situation.subject.exchange, _LOOKS.get(type(extractor.source))
    if exchange is None or look is None or extractor.match > 1:
        return None
    try:
        then = taken(extractor.source, RecordedResponse(exchange))
    except ValueError:
        return None
    if then is None:
        return None
    before = _Answer(exchange.response_headers, recorded_text(exchange))
    now = _Answer(tuple(situation.subject.headers), text_of(situation.failed.response)[0])
    candidates = list(look(_Lost(extractor.source, then, before, now)))
    for rank in sorted({rank for rank, _ in candidates}):
        likely = list(dict.fromkeys(place for each, place in candidates if each <= rank))
        if len(likely) == 1:
            return likely[0]
    return None


def new_names(situation: Situation) -> list[str]:
    """Return what the names in a JSON answer are that the recorded one has not."""
    exchange = situation.subject.exchange
    if exchange is None:
        return []
    before = {one for keys in json_values(recorded_text(exchange)) for one in keys}
    now = json_values(text_of(situation.failed.response)[0])
    names = (one for keys in now for one in keys if isinstance(one, str))
    return [one for one in dict.fromkeys(names) if one not in before]


def _in_json(lost: _Lost) -> Iterator[_Candidate]:
    """Yield the same name deeper or elsewhere, and other names beside it."""
    before, after = json_values(lost.before.text), json_values(lost.now.text)
    was = next((keys for keys, value in before.items() if json_text_of(value) == lost.value), ())
    if not was or was in after:
        return
    for keys, value in after.items():
        if keys in before or not _is_alike(before[was], value):
            continue
        rank = _rank(was, keys)
        if rank is not None:
            path = format_path(keys)
            yield rank, NewPlace(path, f"--json {quote(path)}")


def json_text_of(value: object) -> str | None:
    """Return a value as an extractor gives it; nothing of a list's length."""
    return json_text(value) if isinstance(value, str | int | float) else None


def _rank(was: Keys, now: Keys) -> int | None:
    if now[-1:] == was[-1:]:
        return 0 if now[-len(was) :] == was else 1
    return 2 if now[:-1] == was[:-1] else None


def _in_form(lost: _Lost) -> Iterator[_Candidate]:
    source: FormField = lost.source
    if source.split:
        return
    for name in _new(lost, _controls, source.name):
        yield (
            _related(source.name, name),
            NewPlace(f"{name!r} of the page", f"--form {quote(name)}"),
        )


def _controls(answer: _Answer) -> Iterator[tuple[str, str]]:
    for tag, one, _, end in controls(answer.text):
        if name := one.get("name"):
            yield name, control_value(answer.text, tag, one, end)


def _in_cookies(lost: _Lost) -> Iterator[_Candidate]:
    for name in _new(lost, lambda answer: set_cookies(answer.headers), lost.source.name):
        place = NewPlace(f"the cookie {name}", f"--cookie {quote(name)}")
        yield _related(lost.source.name, name), place


def _in_headers(lost: _Lost) -> Iterator[_Candidate]:
    """Yield other headers; and of one that is still there, the address in it written otherwise."""
    source: HeaderValue = lost.source
    for name in _new(lost, _headers, source.name, whole=not source.pattern):
        if is_noise(name) or (source.pattern and not lost.gives(replace(source, name=name))):
            continue
        pattern = f" --pattern {quote(source.pattern)}" if source.pattern else ""
        place = NewPlace(f"the header {name}", f"--header {quote(name)}{pattern}")
        yield _related(source.name, name), place
    then, now = lost.before.header(source.name), lost.now.header(source.name)
    for old, new in _words_changed(then or "", now or "", lost) if source.pattern else ():
        pattern = (source.pattern or "").replace(old, new)
        if pattern != source.pattern and lost.gives(replace(source, pattern=pattern)):
            option = f"--header {quote(source.name)} --pattern {quote(pattern)}"
            yield 0, NewPlace(f"{new!r} of the header {source.name}", option)


def _headers(answer: _Answer) -> Iterator[tuple[str, str]]:
    yield from answer.headers


def _new(
    lost: _Lost,
    named: Callable[[_Answer], Iterator[tuple[str, str]]],
    name: str,
    *,
    whole: bool = True,
) -> list[str]:
    """Return the names in the answer that came, and not in the recorded one, whose value may be
    what was lost; of any value, unless ``whole``."""
    before = {one.lower() for one, _ in named(lost.before)} | {name.lower()}
    found = (one for one, value in named(lost.now) if not whole or lost.alike(value))
    return [one for one in dict.fromkeys(found) if one.lower() not in before]


def _related(then: str, now: str) -> int:
    """Return how likely one name is another's new one: they have words in common, or not."""
    return 0 if {*plain(then).split()} & {*plain(now).split()} else 1


def _in_links(lost: _Lost) -> Iterator[_Candidate]:
    """Yield links whose address differs from the recorded one by the value and one more word, or by
    words before all of it."""
    source: Link = lost.source
    before = {urlsplit(raw).path for _, raw, _ in links(lost.before.text)}
    was = next((each for one in before if (each := _template(one, lost.value))), "")
    for _, raw, _ in links(lost.now.text):
        address = urlsplit(raw).path
        for word in address.split("/"):
            there = _template(address, word)
            if address in before or not there or not lost.alike(word) or there == was:
                continue
            if _differ_by_one(was, there) and lost.gives(Link(there)):
                yield 0, NewPlace(f"links to {there}", f"--link {quote(there)}")
    if source.label and lost.gives(replace(source, label="")):
        place = NewPlace(f"links to {source.address}", f"--link {quote(source.address)}")
        yield 0, place  # it is only called otherwise


def _template(address: str, value: str) -> str:
    """Return an address with ``*`` in place of a value that is one of its words; else nothing."""
    words = address.split("/")
    if not value or words.count(value) != 1:
        return ""
    return "/".join("*" if one == value else one for one in words)


def _differ_by_one(was: str, now: str) -> bool:
    then, there = was.split("/"), now.split("/")
    if len(then) == len(there):
        return sum(old != new for old, new in zip(then, there, strict=True)) == 1
    return bool(then[1:]) and there[-len(then[1:]) :] == then[1:]


#: A name, and what stands between it and its value: of an attribute, a script's variable, JSON.
_NAMED = r"""(?P<name>[\w:.-]{2,60})(?P<between>["']?\s*[=:]\s*["']?)"""
_NAME, _VALUE = re.compile(_NAMED), re.compile(r"""[^\s"'<>&;,)}]+""")


def _in_text(lost: _Lost) -> Iterator[_Candidate]:
    """Yield what a pattern, or a boundary, finds with another name before the value."""
    source: RegularExpression | Boundary = lost.source
    text = source.pattern if isinstance(source, RegularExpression) else source.left
    for old, new in _words_changed(lost.before.text, lost.now.text, lost):
        changed = text.replace(old, new)
        if changed == text:
            continue
        if isinstance(source, RegularExpression):
            there: Source = RegularExpression(changed)
            option = f"--regex {quote(changed)}"
        else:
            there = replace(source, left=changed)
            option = f"--left {quote(changed)} --right {quote(source.right)}"
        if lost.gives(there):
            yield _related(old, new), NewPlace(f"{new!r} of the page", option)


def _words_changed(then: str, now: str, lost: _Lost) -> Iterator[tuple[str, str]]:
    """Yield the name before the value in one text, with each that stands so before what may be it
    in the other, and not in the first."""
    known = {one["name"] for one in _NAME.finditer(then)}
    named = [
        (one["name"], one["between"])
        for one in islice(_NAME.finditer(now), _MOST_NAMES)
        if one["name"] not in known
        and (value := _VALUE.match(now, one.end()))
        and lost.alike(value[0])
    ]
    for old in re.finditer(_NAMED + re.escape(lost.value) + r"(?![\w-])", then):
        yield from ((old["name"], new) for new, between in named if between == old["between"])


_LOOKS: Mapping[type, Callable[[_Lost], Iterator[_Candidate]]] = MappingProxyType(
    {
        JsonPath: _in_json,
        FormField: _in_form,
        CookieValue: _in_cookies,
        HeaderValue: _in_headers,
        Link: _in_links,
        RegularExpression: _in_text,
        Boundary: _in_text,
    }
)


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
