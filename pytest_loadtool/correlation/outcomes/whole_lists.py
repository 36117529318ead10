"""Whole lists: what a change sends back as it was read, with its own change in it.

It takes the place of all that is there: what others have added since the recording would be lost.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pytest_loadtool.correlation.outcomes.changes import Change, json_of
from pytest_loadtool.correlation.outcomes.proof import Proof
from pytest_loadtool.correlation.outcomes.seen import Answers, SeenAnswer
from pytest_loadtool.correlation.responses.objects import KEY
from pytest_loadtool.extraction.jsonpath import format_path
from pytest_loadtool.model.validator import JsonValidator

#: A longer list is not compared.
_LONGEST_LIST = 500
#: How many of the items that were read may be missing in what is sent, or be changed there.
_MOST_CHANGED = 1


def whole_lists(change: Change, answers: Answers) -> Iterator[Proof]:
    """That the list has no more items than were recorded, by the last answer before the change that
    has one which the change sends back."""
    exchange = change.step.exchange
    document = json_of(exchange.request_body) if exchange is not None else None
    for key, sent in _lists(document):
        for earlier in answers.before(change.step.index):
            read = dict(_lists(earlier.document)).get(key)
            if read is not None and _is_sent_back(sent, read):
                yield _no_more(earlier, key, len(read))
                break


def _lists(document: Any) -> Iterator[tuple[str, list[Any]]]:
    """Yield the lists of objects at the top of a document, by their keys; the document itself by
    none."""
    named = document.items() if isinstance(document, dict) else [("", document)]
    for key, value in named:
        is_list = isinstance(value, list) and 0 < len(value) <= _LONGEST_LIST
        fits = not key or KEY.fullmatch(key)
        if is_list and fits and all(isinstance(one, dict) for one in value):
            yield key, value


def _is_sent_back(sent: list[Any], read: list[Any]) -> bool:
    """Return whether what is sent has what was read, but for one."""
    kept = sum(one in sent for one in read)
    return 0 < kept >= len(read) - _MOST_CHANGED


def _no_more(answer: SeenAnswer, key: str, count: int) -> Proof:
    path = format_path((key,)) if key else "$"
    says = f"{key or 'the list'} has no more than {count}"
    return Proof(answer.step.index, 0, says, JsonValidator(f"{path}[{count}]", absent=True))
