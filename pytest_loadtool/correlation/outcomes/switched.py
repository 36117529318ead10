"""Proofs of a change that names no resource: what the same address shows otherwise before it and
after it, if nothing else was changed between the two. A second one may switch it back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from pytest_loadtool.codec.entities import unescape
from pytest_loadtool.codec.names import plain
from pytest_loadtool.codec.template import escape
from pytest_loadtool.correlation.outcomes.changes import Change
from pytest_loadtool.correlation.outcomes.documents import equal, is_listed
from pytest_loadtool.correlation.outcomes.proof import (
    LONGEST_STATE,
    STATE,
    Before,
    Proof,
    is_passing,
    short,
)
from pytest_loadtool.correlation.outcomes.seen import SeenAnswer
from pytest_loadtool.correlation.responses.objects import KEY, inner
from pytest_loadtool.extraction.json_steps import format_path
from pytest_loadtool.model.validator import TextValidator

#: What fields are called that have a state; the last word of their names.
_STATES = frozenset({"mode", "phase", "stage", "state", "status", "visibility"})
_FORM = re.compile(r"<form\b([^<>]*)>(.{0,2000}?)</form", re.IGNORECASE | re.DOTALL)
_ACTION = re.compile(r"""\baction=["']?([^"'\s<>]+)""", re.IGNORECASE)
_BUTTON = re.compile(
    r"""<button\b[^<>]*>\s*([^<>]{1,40}?)\s*</button|\btype=["']submit["'][^<>]*\bvalue="([^"<>]{1,40})\"""",
    re.IGNORECASE,
)


def switched_in_document(answer: SeenAnswer, was: Before) -> Iterator[Proof]:
    """Yield the truths and states of a document that the change has switched."""
    same = _before(answer, was)
    if same is None or not isinstance(same.document, dict):
        return
    for steps, item in answer.objects:
        before = None if is_listed(steps) else inner(same.document, steps)
        if not isinstance(before, dict):
            continue
        for key, value in item.items():
            if KEY.fullmatch(key) and _is_switched(key, before.get(key), value):
                yield equal(answer, 1, format_path(steps), (key,), escape(str(value)), value)


def switched_on_page(change: Change, answer: SeenAnswer, was: Before) -> Iterator[Proof]:
    """Yield what the button says of the form that has made the change."""
    same = _before(answer, was)
    if same is None:
        return
    then, now = (_buttons(one.text, change.step.path) for one in (same, answer))
    if len(then) == len(now) == 1 and then != now:
        (button,) = now
        if any(map(str.isalpha, button)) and not any(map(str.isdigit, button)):
            says = f"{short(unescape(button))} is offered"
            if button not in same.text:
                yield Proof(answer.step.index, 1, says, TextValidator(escape(button)))


def _before(answer: SeenAnswer, was: Before) -> SeenAnswer | None:
    """Return what the same address showed before the change, the only one between the two."""
    same = was.same(answer)
    return same if same is not None and was.only(same, answer) else None


def _is_switched(key: str, before: Any, now: Any) -> bool:
    if before.__class__ is not now.__class__ or before == now:
        return False
    if isinstance(now, bool):
        return True
    is_state = isinstance(now, str) and not _STATES.isdisjoint(plain(key).split()[-1:])
    return is_state and all(
        STATE.fullmatch(one) and len(one) <= LONGEST_STATE and not is_passing(one)
        for one in (before, now)
    )


def _buttons(page: str, path: str) -> list[str]:
    """Return the first words of the forms that go to a path, as written."""
    found = []
    for form in _FORM.finditer(page):
        action = _ACTION.search(form[1])
        if action is not None and action[1].partition("?")[0] == path:
            button = _BUTTON.search(form[2])
            found.append((button[1] or button[2] or "") if button is not None else "")
    return found
