"""Whole lists and texts: what a change sends back as it was read, with its own change in it.

It takes the place of all that is there: what others have added since the recording would be lost.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pytest_loadtool.correlation.outcomes.changes import Change, json_of
from pytest_loadtool.correlation.outcomes.proof import Proof
from pytest_loadtool.correlation.outcomes.seen import Answers, SeenAnswer
from pytest_loadtool.correlation.responses.objects import KEY
from pytest_loadtool.extraction.json_steps import format_path
from pytest_loadtool.extraction.page import escaped_text
from pytest_loadtool.extraction.tags import control_value, controls
from pytest_loadtool.model.validator import JsonValidator, RegexValidator

#: A longer list is not compared.
_LONGEST_LIST = 500
#: How many of the items that were read may be missing in what is sent, or be changed there.
_MOST_CHANGED = 1


def whole_lists(change: Change, answers: Answers) -> Iterator[Proof]:
    """Yield the proof that the list has no more items than were recorded, by the last answer before
    the change that has one which the change sends back."""
    exchange = change.step.exchange
    document = json_of(exchange.request_body) if exchange is not None else None
    for key, sent in _lists(document):
        for earlier in answers.before(change.step.index):
            read = dict(_lists(earlier.document)).get(key)
            if read is None:
                continue
            whole = change.method == "PUT" and earlier.step.path == change.step.path
            if _is_sent_back(sent, read) or (
                not read and whole and _is_read(document, earlier.document)
            ):
                yield _no_more(earlier, key, len(read))
                break


def _is_read(sent: Any, read: Any) -> bool:
    """Return whether a document that is sent is one that was read: it has its keys, and most of its
    values."""
    if not (isinstance(sent, dict) and isinstance(read, dict) and sent.keys() == read.keys()):
        return False
    return sum(bool(sent[key] == read[key]) for key in sent) > len(sent) / 2


def whole_texts(change: Change, answers: Answers) -> Iterator[Proof]:
    """Yield the proof that a text has no more lines than were recorded, by the last page before the
    change that has one to write in which the change sends back."""
    sent = {one.field: one.value for one in change.said if "\n" in one.value}
    for earlier in answers.before(change.step.index) if sent else ():
        if not earlier.is_page:
            continue
        for tag, found, _, end in controls(earlier.text):
            name = found.get("name", "")
            if tag == "textarea" and name in sent:
                read = control_value(earlier.text, tag, found, end).splitlines()
                if _is_edited(sent.pop(name).splitlines(), read):
                    yield _no_longer(earlier, name, len(read))
        if not sent:
            return


def _is_edited(sent: list[str], read: list[str]) -> bool:
    """Return whether what is sent has the lines that were read, but for one."""
    lines = [one for one in read if one.strip()]
    kept = sum(one in sent for one in lines)
    return 1 < kept >= len(lines) - _MOST_CHANGED


def _no_longer(answer: SeenAnswer, name: str, lines: int) -> Proof:
    says = f"{name} has no more than {lines} lines"
    tag = rf"<textarea(?=[^<>]*\sname=[\"']?{escaped_text(name)}[\"'\s>])[^<>]*>"
    pattern = rf"{tag}\r?+\n?+(?:[^<\n]*\n){{{lines}}}\s*[^<\s]"
    return Proof(answer.step.index, 0, says, RegexValidator(pattern, absent=True))


def _lists(document: Any) -> Iterator[tuple[str, list[Any]]]:
    """Yield the lists of objects at the top of a document, empty ones, too, by their keys; the
    document itself by none."""
    named = document.items() if isinstance(document, dict) else [("", document)]
    for key, value in named:
        is_list = isinstance(value, list) and len(value) <= _LONGEST_LIST
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
