"""Proofs of what a client keeps at an address of its own choosing, such as a file: a list of the
folder has it with its size, and has it no more when it is deleted; and an object has the value that
was put under a key."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from pytest_loadtool.codec.names import plain
from pytest_loadtool.codec.template import escape
from pytest_loadtool.correlation.outcomes.changes import Change
from pytest_loadtool.correlation.outcomes.object_paths import (
    is_listed,
    is_quotable,
    may_be_pushed_off,
    where_path,
)
from pytest_loadtool.correlation.outcomes.proof import Before, Proof, gone, short
from pytest_loadtool.correlation.outcomes.seen import SeenAnswer
from pytest_loadtool.correlation.responses.objects import KEY
from pytest_loadtool.extraction.json_steps import format_path
from pytest_loadtool.extraction.row_search import in_row
from pytest_loadtool.model.validator import JsonValidator, TextValidator

#: A longer text that was put somewhere is no value under a key.
_LONGEST_VALUE = 1000
#: The last words of the names of fields that have a size in bytes.
_SIZES = frozenset({"bytes", "contentlength", "getcontentlength", "length", "size"})


def stored(change: Change, answer: SeenAnswer, was: Before) -> Iterator[Proof]:
    """Yield what a list shows of something that was put at an address, or deleted there."""
    if not was.last_there(answer):
        return
    if change.method == "PUT":
        yield from _key_of_object(change, answer, was)
        yield from _size_in_list(change, answer, was)
    elif change.method == "DELETE" and not change.resources:
        yield from _not_in_its_folder(change, answer)


def _key_of_object(change: Change, answer: SeenAnswer, was: Before) -> Iterator[Proof]:
    """Yield that an object has what was put under a key of it, where the address ends with what the
    object is called and that key: ``PUT /tags/stable`` and ``{"tags": {"stable": "1.0"}}``."""
    exchange, folder = change.step.exchange, [*change.path.split("/"), ""][-3]
    key, value = change.last, _scalar(exchange.request_body) if exchange is not None else None
    if value is None or key is None or "${" in str(change.step.transaction.request.body):
        return
    for steps, item in answer.objects:
        at_it = not steps and answer.step.path == change.path.rpartition("/")[0]
        if item.get(key.value) != value or not (at_it or steps[-1:] == (folder,)):
            continue
        if all(isinstance(one, str) for one in steps) and is_quotable(key.value):
            path = escape(format_path((*steps, key.value)))
            earlier = (dict(one.objects).get(steps, {}) for one in was.alike(answer))
            if not any(one.get(key.value) == value for one in earlier):
                says = f"{short(key.value)} is {short(str(value))}"
                check = JsonValidator(path, equals=value)
                yield Proof(answer.step.index, 1, says, check, field=key.value)
            return


def _scalar(body: bytes) -> str | int | float | None:
    """Return the text or number that is all of a JSON document; None: it is something else."""
    try:
        value = json.loads(body) if len(body) <= _LONGEST_VALUE else None
    except ValueError:
        return None
    return value if isinstance(value, str | int | float) else None


def _size_in_list(change: Change, answer: SeenAnswer, was: Before) -> Iterator[Proof]:
    """Yield that what was put somewhere has as many bytes as were sent, where a list tells it of
    that address or name, and did not before."""
    body = change.step.transaction.request.body
    if not body or (isinstance(body, str) and "${" in body):
        return
    exchange = change.step.exchange
    size = str(len(exchange.request_body)) if exchange is not None else ""
    if answer.document is not None:
        yield from _size_in_document(change, answer, was, size)
    elif answer.is_page and answer.is_xml:
        yield from _size_in_element(change, answer, was, size)


def _size_in_element(change: Change, answer: SeenAnswer, was: Before, size: str) -> Iterator[Proof]:
    row, shown = f">{change.path_template}<", f">{change.path}<"
    for found in re.finditer(rf"([\w.-]+)(?:\s[^<>]*)?>{size}</", answer.text):
        inner = f"{found[1]}>{size}<"
        if not _is_size(found[1]) or not in_row(answer.text, shown, inner):
            continue
        if not any(in_row(one.text, shown, inner) for one in was.alike(answer)):
            says = f"{found[1]} is {size} of {_name(change)}"
            check = TextValidator(escape(inner), row=row)
            yield Proof(answer.step.index, 1, says, check, field=found[1])
        return


def _size_in_document(
    change: Change, answer: SeenAnswer, was: Before, size: str
) -> Iterator[Proof]:
    names = {change.path: change.path_template}
    if change.last is not None:
        names[change.last.value] = change.last.template
    for steps, item in answer.objects:
        sizes = [key for key, one in item.items() if _is_size(key) and str(one) == size]
        by = [key for key, one in item.items() if isinstance(one, str) and one in names]
        if not (sizes and by and KEY.fullmatch(sizes[0]) and KEY.fullmatch(by[0])):
            continue
        value = item[by[0]]
        if not is_listed(steps) or may_be_pushed_off(steps, answer) or not is_quotable(value):
            continue
        if not any(_has(one, by[0], value, sizes[0], size) for one in was.alike(answer)):
            path = f"{where_path(steps, (by[0],), names[value])}.{sizes[0]}"
            says = f"{sizes[0]} is {size} of {_name(change)}"
            check = JsonValidator(path, equals=item[sizes[0]])
            yield Proof(answer.step.index, 1, says, check, field=sizes[0])
        return


def _has(earlier: SeenAnswer, key: str, value: str, of_size: str, size: str) -> bool:
    """Return whether an answer before has the item with that size already."""
    items = (item for _, item in earlier.objects if item.get(key) == value)
    return any(str(one.get(of_size)) == size for one in items)


def _not_in_its_folder(change: Change, answer: SeenAnswer) -> Iterator[Proof]:
    """Yield that what was deleted is not in the list of its folder, which has the addresses of
    others there. That it was there before, the status of the change says."""
    folder = f"{change.path.rpartition('/')[0]}/"
    asked = f"{answer.step.path.rstrip('/')}/"
    if asked != folder or answer.paged:
        return
    own = re.compile(rf"([>\"]){re.escape(folder)}[^/<>\"]+/?(?=[<\"])")
    shown = (change.path, f"{change.path}/")
    if any(found[0][1:] in shown for found in own.finditer(answer.text)):
        return
    if (other := own.search(answer.text)) is not None:
        end = "<" if other[1] == ">" else '"'
        check = TextValidator(f"{other[1]}{change.path_template}{end}", absent=True)
        yield gone(answer.step.index, 1, _name(change), check)


def _is_size(name: str) -> bool:
    return plain(name).rpartition(" ")[2] in _SIZES


def _name(change: Change) -> str:
    return short(change.last.value if change.last is not None else change.path)
