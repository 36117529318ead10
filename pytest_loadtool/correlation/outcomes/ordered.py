"""Proofs that things are in the order in which a change has sent them, or has moved them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, pairwise
from typing import Any

from pytest_loadtool.codec.names import plain
from pytest_loadtool.codec.template import escape
from pytest_loadtool.correlation.outcomes.changes import Change, Said, json_of, walk
from pytest_loadtool.correlation.outcomes.documents import is_listed
from pytest_loadtool.correlation.outcomes.proof import Before, Proof, short
from pytest_loadtool.correlation.outcomes.seen import SeenAnswer
from pytest_loadtool.correlation.responses.objects import KEY, inner
from pytest_loadtool.extraction.json_steps import format_path
from pytest_loadtool.extraction.jsonpath import json_text
from pytest_loadtool.model.validator import JsonValidator, TextValidator

#: Words in the names of fields that say where in a list a thing is to be, in paths, and in values.
#: What has only come before others since it was changed last says none.
_PLACES = frozenset(
    {
        *("above", "after", "before", "below", "direction", "index", "move", "order", "ordering"),
        *("place", "position", "rank", "sequence", "sort", "weight"),
    }
)
_MOVES = frozenset(
    {
        *("arrange", "down", "move", "order", "ordering", "position", "rank", "reorder"),
        *("sequence", "sort", "swap", "up"),
    }
)
_WAYS = frozenset({"bottom", "down", "first", "last", "top", "up"})
#: How many of the session's own texts are looked for in a list.
_MOST_TEXTS = 12


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


def moved(change: Change, answer: SeenAnswer, was: Before) -> Iterator[Proof]:
    """Yield which of two names, which the session has given before, now comes before the other, if
    the change says of a place, and it was the other way round before that alone."""
    same = was.same(answer)
    if same is None or not _says_a_place(change) or not was.only(same, answer):
        return
    own = [one for one in was.own_texts() if _once(one.value, same) and _once(one.value, answer)]
    now = sorted(own[:_MOST_TEXTS], key=lambda one: _at(one.value, answer))
    turned = [
        (one, other)
        for one, other in combinations(now, 2)
        if _at(one.value, same) > _at(other.value, same)
    ]
    near = [pair for pair in pairwise(now) if pair in turned]
    for one, other in (near or turned)[:1]:
        check = TextValidator(_written(one, answer), ahead_of=_written(other, answer))
        says = f"{short(one.value)} comes before {short(other.value)}"
        yield Proof(answer.step.index, 1, says, check)


def _says_a_place(change: Change) -> bool:
    fields = {word for one in change.said for word in plain(one.field).split()}
    path = {word for one in change.path.split("/") for word in plain(one).split()}
    values = {one.value.lower() for one in change.said}
    return bool(fields & _PLACES or path & _MOVES or values & _WAYS)


def _once(text: str, answer: SeenAnswer) -> bool:
    """Return whether an answer has a text once, so that it has one place."""
    written = _as_written(text, answer)
    return bool(written) and answer.text.count(written) == 1


def _at(text: str, answer: SeenAnswer) -> int:
    return answer.text.find(_as_written(text, answer))


def _as_written(text: str, answer: SeenAnswer) -> str:
    """Return how an answer writes a text; empty if it does not show it by itself."""
    if answer.document is not None:
        quoted = f'"{text}"'
        return quoted if quoted in answer.text else ""
    shown = answer.shown_as(text) if answer.is_page else None
    return f">{shown[0]}<" if shown is not None and shown[2] else ""


def _written(said: Said, answer: SeenAnswer) -> str:
    """Return what an answer writes of a text: each user's own as it is."""
    if "${" in said.template:
        return f'"{said.template}"' if answer.document is not None else f">{said.template}<"
    return escape(_as_written(said.value, answer))


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
