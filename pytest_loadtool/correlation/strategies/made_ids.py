"""Ids of what a change has made: its answer has the number somewhere, in a sentence, a header or
under whatever key, and the path or field of a later request says what it is the number of."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from pytest_loadtool.codec.names import plain
from pytest_loadtool.correlation.classify import (
    AMOUNTS,
    collection_names,
    is_code_name,
    is_short_number,
    looks_random,
)
from pytest_loadtool.correlation.index.meaning import is_for
from pytest_loadtool.correlation.index.traffic import RecordedStep, Traffic
from pytest_loadtool.correlation.kinds import collection, id_stem, resources_of
from pytest_loadtool.correlation.producer import Producer
from pytest_loadtool.correlation.proposals import Proposal, fitting
from pytest_loadtool.correlation.requests.positions import CALL
from pytest_loadtool.correlation.requests.slots import Slot
from pytest_loadtool.correlation.responses.producers import json_leaf, json_leaves
from pytest_loadtool.correlation.responses.recorded import RecordedResponse, is_noise
from pytest_loadtool.correlation.responses.tokens import standing_alone
from pytest_loadtool.correlation.strategies.new_pages import signs_in
from pytest_loadtool.correlation.strategies.strategy import Settled, Turn
from pytest_loadtool.correlation.strategies.typed import is_typed
from pytest_loadtool.extraction.extract import taken
from pytest_loadtool.extraction.json_steps import format_path
from pytest_loadtool.extraction.page import escaped_text
from pytest_loadtool.model.extractor import HeaderValue, JsonPath, RegularExpression, Source
from pytest_loadtool.model.place import Place
from pytest_loadtool.model.rule import ProducerKind, Rule
from pytest_loadtool.structure.uses import escaped

_RULE = Rule(
    "made-id",
    "{field} is the id of what a change has made, and {producer} says it.",
    confidence=0.7,
)
#: How many changes before the request are looked at, and how many places of the id in an answer.
_MOST_CHANGES, _MOST_PLACES = 50, 40
#: Of how many of them the answer is read.
_MOST_READ = 8
#: How well a place says what a number is: by the name of the resource; as an id, and of what is to
#: be seen elsewhere; as there is no other number.
_NAMED, _ID, _ALONE = 3, 2, 1
#: How much before an id tells what it is, in characters.
_LONGEST_BEFORE = 40
#: What stands before an id and tells what it is: a word, and what is between that and the id.
_BEFORE = re.compile(r"[A-Za-z_$][\w$-]*[^\w\r\n]{0,12}\Z|[^\w\r\n]{0,12}\Z")
#: What numbers mean that are no ids.
_NO_IDS = AMOUNTS | {
    *("affected", "changed", "checked", "code", "deleted", "errors", "inserted", "length"),
    *("matched", "modified", "ok", "pages", "status", "success", "updated", "version"),
}
#: What an id is of, which is of whatever was made: ``lastInsertId``.
_MADE = frozenset(
    {*("created", "generated", "insert", "inserted", "last", "made", "new", "object", "record")}
)
#: What stands before an id in the markup of a page, and not in what a person reads of it.
_MARKUP = frozenset("/=\"'")
_WORD = re.compile(r"[A-Za-z_$]+")
_NUMBER = re.compile(r"(?<![\w.,:-])\d+(?![\w.,:-])")


@dataclass(frozen=True, slots=True)
class _Found:
    """What takes an id from an answer, and how well its place says what it is."""

    said: int
    source: Source
    producer: Producer


class MadeIds:
    """The ids in answers to changes, wherever they stand."""

    name = "made-ids"
    why = "The answer to the change that made a thing has its number, whatever stands around it."
    source = "answers that are a sentence, a number, a script or a header"
    turns = frozenset({Turn.OPEN})

    def propose(self, slots: Sequence[Slot], traffic: Traffic, _: Settled) -> Iterator[Proposal]:
        """Yield the proposals on numbers where ids stand, and on random ids, that the answer to a
        change of such resources has."""
        for slot in slots:
            found = [
                one
                for step in islice(_changes(slot, traffic), _MOST_READ)
                for one in _in_answer(slot.value, step, traffic)
            ] or [*_confirmed(slot, traffic)]
            for one in sorted(found, key=lambda one: (-one.said, one.producer.transaction)):
                fits = fitting(slot, one.producer)
                if fits is not None:
                    yield Proposal(fits, one.producer, _RULE, escaped(one.source), 1)


def _changes(slot: Slot, traffic: Traffic) -> Iterator[RecordedStep]:
    """Yield the changes before a request that may have made what a slot is the id of, the last
    first."""
    value = slot.value
    is_id = is_short_number(value) and not value.startswith("0")
    if not (is_id or looks_random(value)) or slot.before == CALL or is_typed(slot):
        return
    known = (traffic.requests.resources, frozenset[str]())
    if not any(is_for(slot, one, traffic) for one in known):
        return
    first = traffic.requests.asked[value, traffic.asked_for(slot)]
    end = bisect_left(traffic.requests.changes, min(first, slot.transaction))
    about: dict[str, bool] = {}
    for at in reversed(traffic.requests.changes[max(0, end - _MOST_CHANGES) : end]):
        step = traffic.steps[at]
        made = collection(step.called)
        if made not in about:
            about[made] = is_for(slot, collection_names(made), traffic)
        if about[made] and not signs_in(traffic, at) and _may_say(value, step, traffic):
            yield step


def _may_say(value: str, step: RecordedStep, traffic: Traffic) -> bool:
    """Return whether the value is anywhere in a good answer: most have it nowhere."""
    exchange = step.exchange
    if exchange is None or not 200 <= exchange.status < 400:
        return False
    response = traffic.response(step.index)
    return value in response.text or value in response.head


def _in_answer(value: str, step: RecordedStep, traffic: Traffic) -> Iterator[_Found]:
    """Yield what takes the value from the answer to a change, but for what only repeats it."""
    response = traffic.response(step.index)
    resources = collection_names(collection(step.called))
    echoed = value in traffic.requests.echoes.get(step.index, ())
    if echoed and not is_short_number(value):
        return
    least = _ID if echoed else _ALONE
    for found in chain(
        _in_head(value, step, response, resources), _in_body(value, step, response, resources)
    ):
        if found.said >= least and taken(escaped(found.source), response) == value:
            yield found


def _confirmed(slot: Slot, traffic: Traffic) -> Iterator[_Found]:
    """Yield what takes the value from a page to which a change led, if it says of what kind the
    number is, and has no other one of that: ``Order 100001: confirmation``."""
    value, kinds = slot.value, collection_names(collection(slot.before))
    if slot.place is not Place.PATH or slot.in_word or not value.isdigit() or not kinds:
        return
    first = min(traffic.requests.asked[value, traffic.asked_for(slot)], slot.transaction)
    end = bisect_left(traffic.requests.changes, first)
    for at in reversed(traffic.requests.changes[max(0, end - _MOST_CHANGES) : end]):
        page = traffic.led_to(at) if not signs_in(traffic, at) else None
        text = traffic.response(page.index).text if page is not None else ""
        if page is None or page.index >= first or value not in text:
            continue
        producer = Producer(page.index, ProducerKind.TEXT, "", value)
        for before, pattern in _places(value, text):
            if (
                _MARKUP.isdisjoint(before)
                and _said(before, kinds) == _NAMED
                and set(re.findall(pattern, text)) == {value}
            ):
                yield _Found(_NAMED, RegularExpression(pattern), producer)
                return


def _in_head(
    value: str, step: RecordedStep, response: RecordedResponse, resources: frozenset[str]
) -> Iterator[_Found]:
    for name, line in response.headers:
        if is_noise(name) or value not in line:
            continue
        producer = Producer(step.index, ProducerKind.HEADER, name, value, text=line, encoded=value)
        if line == value:
            yield _Found(_said(name, resources), HeaderValue(name), producer)
            continue
        for before, pattern in _places(value, line):
            yield _Found(_said(before, resources), HeaderValue(name, pattern), producer)


def _in_body(
    value: str, step: RecordedStep, response: RecordedResponse, resources: frozenset[str]
) -> Iterator[_Found]:
    if not response.has_text or value not in response.text:
        return
    leaves = _leaves(response)
    said_there = [one for _, one in leaves] or [response.text]
    others = {number for one in said_there for number in _NUMBER.findall(one)} - {value}
    alone = 0 if others else _ALONE
    for steps, leaf in leaves:
        if leaf == value:
            producer = json_leaf(steps, value, step.index)
            said = _said(producer.name, resources, alone)
            bare = not id_stem(producer.name)
            if not bare or said != _ID or resources_of(producer, step.called) & resources:
                yield _Found(said, JsonPath(format_path(steps)), producer)
    texts = [one for _, one in leaves if one != value and value in one]
    for text in texts if leaves else [response.text]:
        for before, pattern in _places(value, text):
            producer = Producer(step.index, ProducerKind.TEXT, "", value)
            yield _Found(_said(before, resources, alone), RegularExpression(pattern), producer)


def _leaves(response: RecordedResponse) -> list[tuple[tuple[str | int, ...], str]]:
    """Return the leaves of a document of JSON; none of anything else."""
    try:
        return [*json_leaves(response.document())]
    except ValueError:
        return []


def _places(value: str, text: str) -> Iterator[tuple[str, str]]:
    """Yield what is before the value where it stands by itself, and a pattern that takes it."""
    group = r"(\d+)" if value.isdigit() else r"([\w-]+)"
    for start in islice(standing_alone(value, text), _MOST_PLACES):
        found = _BEFORE.search(text, max(0, start - _LONGEST_BEFORE), start)
        before = found[0] if found else ""
        yield before, f"{escaped_text(before)}{group}" if before else rf"{group}\b"


def _said(before: str, resources: frozenset[str], alone: int = 0) -> int:
    """Return how well what is before a number says that it is the id of such a resource; 0: not at
    all. ``alone`` is what it is worth that there is no other number."""
    words = _WORD.findall(before)
    last = words[-1] if words else ""
    own = plain(last).split()
    if _NO_IDS.intersection(own):
        return 0
    if (collection_names(last) | collection_names(own[-1] if own else "")) & resources:
        return _NAMED
    of = id_stem(last)
    is_own = _MADE.issuperset(of.split()) or bool(collection_names(of) & resources)
    return alone if not is_code_name(last) else _ID if is_own else 0
