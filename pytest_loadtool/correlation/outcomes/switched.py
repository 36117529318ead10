"""Proofs of a change that names no resource: what the same address shows otherwise before it and
after it, if nothing else was changed between the two. A second one may switch it back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

from pytest_loadtool.codec.entities import unescape
from pytest_loadtool.codec.names import plain
from pytest_loadtool.codec.template import escape
from pytest_loadtool.correlation.outcomes.changes import Change, Said
from pytest_loadtool.correlation.outcomes.documents import equal, object_named
from pytest_loadtool.correlation.outcomes.object_paths import is_listed, where_path
from pytest_loadtool.correlation.outcomes.proof import STATES, Before, Proof, is_lasting, short
from pytest_loadtool.correlation.outcomes.seen import SeenAnswer
from pytest_loadtool.correlation.responses.objects import KEY, inner
from pytest_loadtool.extraction.json_steps import format_path
from pytest_loadtool.extraction.tags import controls
from pytest_loadtool.model.validator import TextValidator

#: The last words of the names of fields that have a state.
_STATES = STATES | {"mode"}
_NUMBER = re.compile(r"[2-9]|\d\d")
#: How many boxes of a page are compared.
_MOST_BOXES = 200
_FORM = re.compile(r"<form\b([^<>]*)>(.{0,2000}?)</form", re.IGNORECASE | re.DOTALL)
_ACTION = re.compile(r"""\baction=["']?([^"'\s<>]+)""", re.IGNORECASE)
_BUTTON = re.compile(
    r"""<button\b[^<>]*>\s*([^<>]{1,40}?)\s*</button|\btype=["']submit["'][^<>]*\bvalue="([^"<>]{1,40})\"""",
    re.IGNORECASE,
)


def switched_in_document(change: Change, answer: SeenAnswer, was: Before) -> Iterator[Proof]:
    """Yield the truths and states of a document that the change has switched: of the document
    itself, and of an item of a list that is called as the change says."""
    same = _before(answer, was)
    if same is None or same.document is None:
        return
    for steps, item in answer.objects:
        before = None if is_listed(steps) else inner(same.document, steps)
        for key, value in _switched(before, item, _STATES):
            yield equal(answer, 1, format_path(steps), (key,), escape(str(value)), value)
    for said in (*change.said, *change.in_path, *change.rows):
        named = was.named(said.value)
        if named is not None:  # a path does not tell of a name that it is each run's own
            said = replace(said, template=named.template)
        own = named.value if named is not None else ""
        yield from (replace(one, text=own) for one in switched_items([said], answer, same))


def switched_items(names: Iterable[Said], answer: SeenAnswer, same: SeenAnswer) -> Iterator[Proof]:
    """Yield the truths and states that are others now of the items of lists that are called so."""
    for said in names:
        now, then = object_named(said, answer), object_named(said, same)
        if now is None or then is None or now[1] != then[1] or not is_listed(now[0]):
            continue
        path = where_path(*now, said.template)
        item, before = (
            inner(one.response.document(), at) for one, (at, _) in ((answer, now), (same, then))
        )
        for key, value in _switched(before, item):
            yield equal(answer, 1, path, (key,), escape(str(value)), value)


def switched_on_page(change: Change, answer: SeenAnswer, was: Before) -> Iterator[Proof]:
    """Yield what the button says of the form that has made the change, and the boxes that are
    checked now, or no more."""
    same = _before(answer, was)
    if same is None:
        return
    then, now = (_buttons(one.text, change.path) for one in (same, answer))
    if len(then) == len(now) == 1 and then != now:
        (button,) = now
        if any(map(str.isalpha, button)) and not any(map(str.isdigit, button)):
            says = f"{short(unescape(button))} is offered"
            if button not in same.text:
                yield Proof(answer.step.index, 1, says, TextValidator(escape(button)))
    if change.has_fields and "checked" in same.text + answer.text:
        before = _boxes(same.text)
        for box, (tag, is_checked) in islice(_boxes(answer.text).items(), _MOST_BOXES):
            if before.get(box, (tag, is_checked))[1] is not is_checked and tag not in same.text:
                says = f"{short(box[0])} is {'checked' if is_checked else 'not checked'}"
                yield Proof(answer.step.index, 1, says, TextValidator(escape(tag)))


def _before(answer: SeenAnswer, was: Before) -> SeenAnswer | None:
    """Return what the same address showed before the change, the only one between the two."""
    same = was.same(answer)
    return same if same is not None and was.only(same, answer) else None


def _switched(
    before: Any, now: Any, states: frozenset[str] = frozenset()
) -> Iterator[tuple[str, bool | str]]:
    """Yield the truths of an object that are others now, and what it says that something leaves by
    a change alone: of its ``states``, or, without any, of all."""
    for key, value in now.items() if isinstance(before, dict) and isinstance(now, dict) else ():
        was = before.get(key)
        if was.__class__ is not value.__class__ or was == value or not KEY.fullmatch(key):
            continue
        is_one = not states or not states.isdisjoint(plain(key).split()[-1:])
        if isinstance(value, bool) or (is_one and is_lasting(was) and is_lasting(value)):
            yield key, value


def _boxes(page: str) -> dict[tuple[str, str], tuple[str, bool]]:
    """Return by name and value the boxes and radio buttons of a page, each as it is written, and
    whether it is checked; but for those with numbers, which may be somebody else's tomorrow."""
    return {
        (found["name"], found.get("value", "")): (page[start:end], "checked" in found)
        for _, found, start, end in controls(page)
        if found.get("type", "").lower() in ("checkbox", "radio") and found.get("name")
        if _NUMBER.search(page, start, end) is None
    }


def _buttons(page: str, path: str) -> list[str]:
    """Return the first words of the forms that go to a path, as written."""
    found = []
    for form in _FORM.finditer(page):
        action = _ACTION.search(form[1])
        if action is not None and action[1].partition("?")[0] == path:
            button = _BUTTON.search(form[2])
            found.append((button[1] or button[2] or "") if button is not None else "")
    return found
