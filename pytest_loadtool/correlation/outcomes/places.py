"""What stands at a place of a list, where the address of a change says which: ``DELETE /routes/3``
of a client that has counted. On another server somebody else's may stand there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pytest_loadtool.correlation.classify import is_short_number
from pytest_loadtool.correlation.outcomes.changes import Change
from pytest_loadtool.correlation.outcomes.proof import Proof, short
from pytest_loadtool.correlation.outcomes.seen import Answers, SeenAnswer
from pytest_loadtool.correlation.responses.objects import KEY, NO_TEXT
from pytest_loadtool.correlation.responses.producers import json_leaves
from pytest_loadtool.extraction.json_steps import format_path
from pytest_loadtool.model.validator import JsonValidator

Steps = tuple[str | int, ...]


def counted_places(change: Change, answers: Answers) -> Iterator[Proof]:
    """Yield the proof that what stands there is what stood there in the recording, by the last
    answer before the change that has the list."""
    segments = change.path.strip("/").split("/")
    constant = change.path_template.strip("/").split("/")
    if not any(map(is_short_number, segments)):
        return
    for earlier in answers.before(change.step.index):
        read = earlier.step.path.strip("/").split("/")
        if segments[: len(read)] != read or len(read) == len(segments):
            continue
        way = _way(earlier.document, segments[len(read) :], constant[len(read) :])
        if way is not None:
            yield from _stands_there(earlier, *way)
        return


def _way(
    value: Any, segments: list[str], constant: list[str]
) -> tuple[Steps, list[dict[str, Any]]] | None:
    """Return the way to the item of a list that segments of an address lead to, and the items; None
    if they lead to none, or a segment is an id: that of an item, or what an answer has given
    out."""
    steps: Steps = ()
    for segment, written in zip(segments, constant, strict=True):
        if isinstance(value, list):
            is_place = is_short_number(segment) or segment == "0"
            if not is_place or written != segment or int(segment) > len(value):
                return None
            leaves = {leaf for _, leaf in json_leaves(value)}
            objects = all(isinstance(one, dict) for one in value)
            return ((*steps, int(segment)), value) if objects and segment not in leaves else None
        if not isinstance(value, dict) or segment not in value:
            return None
        steps, value = (*steps, segment), value[segment]
    return None


def _stands_there(answer: SeenAnswer, steps: Steps, items: list[dict[str, Any]]) -> Iterator[Proof]:
    """Yield the text that tells the item from others; behind the last, that nothing is there."""
    place = steps[-1]
    assert isinstance(place, int), "it is a place in a list"
    if place == len(items):
        says = f"nothing is at place {place}"
        yield Proof(answer.step.index, 0, says, JsonValidator(format_path(steps), absent=True))
        return
    others = {leaf for at, one in enumerate(items) if at != place for _, leaf in json_leaves(one)}
    for way, text in json_leaves(items[place]):
        keys = (one for one in way if isinstance(one, str))
        if text in others or NO_TEXT.search(text) or not all(map(KEY.fullmatch, keys)):
            continue
        if any(map(str.isalpha, text)):
            path = format_path((*steps, *way))
            says = f"{short(text)} is at place {place}"
            yield Proof(answer.step.index, 0, says, JsonValidator(path, equals=text))
            return
