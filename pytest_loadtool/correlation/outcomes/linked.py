"""Proofs of what has been given to another thing: a list of that has its id since, or no more."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from pytest_loadtool.codec.names import plain
from pytest_loadtool.correlation.kinds import WRAPPERS
from pytest_loadtool.correlation.outcomes.changes import Change
from pytest_loadtool.correlation.outcomes.object_paths import (
    Steps,
    id_key,
    is_kind,
    led_to,
    may_be_pushed_off,
    of_resource,
    path_of,
)
from pytest_loadtool.correlation.outcomes.proof import Before, Proof
from pytest_loadtool.correlation.outcomes.resources import Resource
from pytest_loadtool.correlation.outcomes.seen import SeenAnswer
from pytest_loadtool.correlation.responses.objects import KEY, Keys, condition, inner
from pytest_loadtool.extraction.json_steps import format_path
from pytest_loadtool.model.validator import JsonValidator

#: In how many objects within an object lists are looked for.
_DEEPEST = 2


def linked_in_document(change: Change, answer: SeenAnswer, was: Before) -> Iterator[Proof]:
    """Yield the other things of the change that a list of one has since then, or has no more, by
    their ids: the topics of ``PUT /books/7/topics``."""
    for resource in change.resources:
        others = [one for one in change.resources if one.is_own and one != resource]
        if not others or resource.given:
            continue
        for steps, item in islice(of_resource(answer, resource), 1):
            if not may_be_pushed_off(steps, answer):
                path = path_of(resource, steps, item)
                for keys, value in _lists(item):
                    before = _list_before(resource, keys, was)
                    if before is not None:
                        yield from _given_or_taken(others, answer, path, keys, value, before)


def _list_before(resource: Resource, keys: Keys, was: Before) -> list[Any] | None:
    """Return the list that the resource had under these keys when it was last shown with one."""
    shown = (inner(one, keys) for each in was.answers for _, one in of_resource(each, resource))
    return next((one for one in shown if isinstance(one, list)), None)


def _given_or_taken(
    others: list[Resource],
    answer: SeenAnswer,
    path: str,
    keys: Keys,
    now: list[Any],
    before: list[Any],
) -> Iterator[Proof]:
    for other in others:
        has, had = (_among(one, other, keys, answer) for one in (now, before))
        found = has or had
        if found is not None and not (has and had):
            whole = f"{path}{format_path(keys)[1:]}{condition(*found)}"
            check = JsonValidator(whole, absent=has is None)
            says = f"the {other.noun} is {'in' if has else 'not in'} {_called(keys)}"
            yield Proof(answer.step.index, 0, says, check)


def _lists(item: dict[str, Any], keys: Keys = ()) -> Iterator[tuple[Keys, list[Any]]]:
    """Yield the lists in an object, and in the objects that it has."""
    for key, value in item.items():
        if KEY.fullmatch(key) and isinstance(value, list):
            yield (*keys, key), value
        elif KEY.fullmatch(key) and isinstance(value, dict) and len(keys) < _DEEPEST:
            yield from _lists(value, (*keys, key))


def _called(keys: Keys) -> str:
    """Return what a list is called that has these keys: ``tags`` of ``tags.data``."""
    names = [str(one) for one in keys if plain(str(one)) not in WRAPPERS]
    return names[-1] if names else str(keys[-1])


def _among(
    items: list[Any], resource: Resource, steps: Steps, answer: SeenAnswer
) -> tuple[Keys, str, Any] | None:
    """Return how the item of a list is found that has the id of a resource, or links to it; None if
    none has."""
    for one in items:
        key = id_key(one, resource) if isinstance(one, dict) else ""
        led = led_to(resource, one) if isinstance(one, dict) and not resource.is_link else ""
        if led and (inner_key := id_key(one[led], resource)):
            return (led, inner_key), resource.template, one[led][inner_key]
        if key and is_kind(resource, steps, key, answer, one):
            return (key,), resource.template, one[key]
    return None
