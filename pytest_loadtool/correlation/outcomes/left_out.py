"""Proofs of what a change leaves out of a document that was read and is sent back as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from pytest_loadtool.codec.template import escape
from pytest_loadtool.correlation.outcomes.changes import Change, json_of, walk
from pytest_loadtool.correlation.outcomes.object_paths import is_quotable
from pytest_loadtool.correlation.outcomes.proof import Before, Proof, gone, short
from pytest_loadtool.correlation.outcomes.seen import SeenAnswer
from pytest_loadtool.correlation.producer import is_dynamic_key
from pytest_loadtool.correlation.responses.objects import inner
from pytest_loadtool.extraction.json_steps import format_path
from pytest_loadtool.model.validator import JsonValidator

#: How many of these are asserted.
_MOST = 2


def left_out(change: Change, answer: SeenAnswer, was: Before) -> Iterator[Proof]:
    """Yield the keys of a document that the change sends back without them, if the same request
    shows them no more since this change alone."""
    is_asked = answer.document is not None and change.has_fields
    earlier, exchange = was.just_before(answer) if is_asked else None, change.step.exchange
    if earlier is None or exchange is None:
        return
    sent = json_of(exchange.request_body)
    if isinstance(sent, dict) and _is_read(sent, earlier.document):
        for path, key in islice(_lacking(earlier.document, sent, answer.document), _MOST):
            check = JsonValidator(escape(path), absent=True)
            yield gone(answer.step.index, 1, short(key), check, key)


def _is_read(sent: dict[str, Any], read: Any) -> bool:
    """Return whether a document that is sent has most of what was read at its top."""
    return isinstance(read, dict) and 1 < len(read) < 2 * len(sent.keys() & read.keys())


def _lacking(read: Any, sent: Any, now: Any) -> Iterator[tuple[str, str]]:
    """Yield the keys, each with the path to it, that are in objects of the first document, and in
    the same ones of neither other, which have other keys of that."""
    for steps, item in walk(read):
        if any(isinstance(step, int) for step in steps):  # in a list, items move up
            continue
        others = [inner(one, steps) for one in (sent, now)]
        if not all(isinstance(one, dict) and one.keys() & item.keys() for one in others):
            continue
        for key in item.keys() - others[0].keys() - others[1].keys():
            if is_quotable(key) and not is_dynamic_key(key):
                yield format_path((*steps, key)), key
