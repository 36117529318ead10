"""Proofs that things are in the order in which a change has sent them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pytest_loadtool.codec.template import escape
from pytest_loadtool.correlation.outcomes.changes import Change, json_of, walk
from pytest_loadtool.correlation.outcomes.object_paths import is_listed
from pytest_loadtool.correlation.outcomes.proof import Before, Proof, short
from pytest_loadtool.correlation.outcomes.seen import SeenAnswer
from pytest_loadtool.correlation.responses.objects import KEY, inner
from pytest_loadtool.extraction.json_steps import format_path
from pytest_loadtool.extraction.jsonpath import json_text
from pytest_loadtool.model.validator import JsonValidator, TextValidator


def ordered_in_document(change: Change, answer: SeenAnswer, was: Before) -> Iterator[Proof]:
    """Yield what is first and last in a list that was sent in this order, and was in another one
    before: of its values, or of the ids of its items."""
    exchange = change.step.exchange
    same = was.same(answer)
    if same is None or exchange is None or b"[" not in exchange.request_body:
        return
    orders = _orders(exchange.request_body)
    templates = change.templates
    for path, steps, items in _lists(answer):
        values, key = _values(items)
        before, _ = _values(inner(same.document, steps))
        is_other = values != before and sorted(values) == sorted(before)
        if not is_other or values not in orders:
            continue
        if key:  # a list may have others' items, too
            says = f"{short(values[0])} comes before {short(values[-1])}"
            check = _ids_in_order(key, values, answer, change.templates)
            if check is not None:
                yield Proof(answer.step.index, 1, says, check)
            continue
        for at in (0, len(values) - 1):
            template = templates.get(values[at]) or escape(values[at])
            expected = template if "${" in template or isinstance(items[at], str) else items[at]
            says = f"{short(values[at])} is {'last' if at else 'first'}"
            yield Proof(answer.step.index, 1, says, JsonValidator(f"{path}[{at}]", expected))


def _ids_in_order(
    key: str, ids: Sequence[str], answer: SeenAnswer, templates: Mapping[str, str]
) -> TextValidator | None:
    """Return the check that the first of the ids of items comes before the last, as the answer
    writes them."""
    written: list[str] = []
    for one in (ids[0], ids[-1]):
        found = re.search(rf'("{key}"\s*:\s*"?){re.escape(one)}("?\s*[,}}])', answer.text)
        if found is None:
            return None
        template = templates.get(one) or escape(one)
        written.append(f"{escape(found[1])}{template}{escape(found[2])}")
    return TextValidator(written[0], ahead_of=written[1])


def _orders(body: bytes) -> list[list[str]]:
    """Return the lists of values in a document that was sent."""
    sent = json_of(body)
    lists = [sent, *(value for _, item in walk(sent) for value in item.values())]
    return [found for found, _ in map(_values, lists) if len(found) > 1]


def _lists(answer: SeenAnswer) -> Iterator[tuple[str, tuple[str | int, ...], Sequence[Any]]]:
    """Yield the lists of a document that are in no other, each with the path to it; of what is no
    document, none."""
    if isinstance(answer.document, list):
        yield "$", (), answer.document
    for steps, item in answer.objects:
        for key, value in item.items() if not is_listed(steps) else ():
            if isinstance(value, list) and KEY.fullmatch(key):
                yield format_path((*steps, key)), (*steps, key), value


def _values(items: Any) -> tuple[list[str], str]:
    """Return the values of a list, or the ids of its items, and under which key they stand; none,
    if some have none."""
    if not isinstance(items, list):
        return [], ""
    key = "id" if items and all(isinstance(one, dict) for one in items) else ""
    found = [json_text(one.get(key) if key else one) for one in items]
    is_whole = not any(one is None or one[:1] in "[{" for one in found)
    return ([one for one in found if one] if is_whole else []), key
