"""Places: whether an extractor knows its value by nothing but where it stands.

What is the third of a list when it is recorded is the fifth on a server that others have used. The
rows (`items`) are asked first; here is decided what is said of all that none of them is known of.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from pytest_loadtool.correlation.producer import DOCUMENTS, Producer, last_item
from pytest_loadtool.correlation.responses.controls import form_start
from pytest_loadtool.correlation.responses.embedded import embedded_at
from pytest_loadtool.correlation.responses.markup_items import items_around
from pytest_loadtool.correlation.responses.objects import inner
from pytest_loadtool.correlation.responses.recorded import document_of
from pytest_loadtool.extraction.extract import PlainText, Readable, taken
from pytest_loadtool.extraction.row_search import looks_like_html
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.extractor import Decoded, Source
from pytest_loadtool.model.rule import ProducerKind

#: How many values before and behind its own are looked at to see whether a source has others.
_MOST_BESIDE = 4
#: There is one of a name, or a label tells which.
_ALONE = frozenset({ProducerKind.COOKIE, ProducerKind.LOCATION, ProducerKind.CHOICE})
#: A page has others of the name for other purposes, in places of their own.
_OF_PURPOSE = frozenset({ProducerKind.CONTROL, ProducerKind.META})


def is_by_place(
    producer: Producer,
    source: Source,
    match: int,
    page: Readable,
    *,
    own: bool,
    change: Exchange | None,
) -> bool:
    """Return whether a used server may have something of others there.

    ``own``: the request says by itself what it is about. ``change``: it is one, whose answer lists
    what was sent.
    """
    if producer.box is not None and isinstance(source, Decoded):
        around, within = producer.box.producer, source.inner
        if is_by_place(around, source.outer, match, page, own=own, change=change):
            return True
        page = PlainText(producer.box.text)
        if around.box is not None or within is None or isinstance(within, Decoded):
            return _in_list(producer, source, page, change)
        match, source = source.match, within
    if producer.kind in _ALONE:
        return False
    if producer.kind in DOCUMENTS:
        return (
            match > 1
            or _in_list(producer, source, page, change)
            or producer.has_dynamic_key
            or (producer.is_ordinal and not own and change is None)
        )
    if producer.kind in _OF_PURPOSE:
        if match == 1 and not _is_row(producer, page.text):
            return False
        return match > 1 or any(_others(producer.extracted, source, match, page))
    others = _others(producer.extracted, source, match, page)
    if producer.kind is ProducerKind.TEXT:
        return any(_are_alike(page.text, producer.extracted, one) for one in others)
    return any(others)


def _in_list(producer: Producer, source: Source, page: Readable, change: Exchange | None) -> bool:
    """Return whether it is in a list: not that of all events that have such a value, nor in that of
    what a change has done to each thing that was sent."""
    steps = producer.steps[1 if "[*]" in str(source) else 0 :]
    if not any(isinstance(one, int) for one in steps):
        return False
    if change is None:
        return True
    return not isinstance(steps[-1], int) and not _is_for_each(producer, page, change)


def _is_for_each(producer: Producer, page: Readable, change: Exchange) -> bool:
    """Return whether the list has as many items as one that was sent, in whose order it is then:
    ``{"docs": [{}, {}]}``, answered with ``[{"id": 4}, {"id": 5}]``."""
    last = last_item(producer.steps)
    if last is None or producer.kind is not ProducerKind.JSON:
        return False
    try:
        sent, document = json.loads(change.request_body), document_of(page)
    except ValueError:
        return False
    answered = inner(document, producer.steps[:last])
    if not isinstance(answered, list):
        return False
    lists = (sent, *sent.values()) if isinstance(sent, dict) else (sent,)
    return any(isinstance(one, list) and len(one) == len(answered) > 1 for one in lists)


def _others(value: str, source: Source, match: int, page: Readable) -> Iterator[str]:
    """Yield what the source has in other places near by, where that is not the value."""
    for at in range(max(1, match - _MOST_BESIDE), match + _MOST_BESIDE + 1):
        found = taken(source, page, at)
        if found is None:
            return
        if found != value:
            yield found


def _is_row(producer: Producer, text: str) -> bool:
    start = form_start(text, producer.form)
    return start is not None and any(not one.alone for one in items_around(text, start))


def _are_alike(text: str, value: str, other: str) -> bool:
    """Return whether both stand in one list, map or text, and not in two scripts of a page or under
    two keys of an object that has one of each."""
    if not looks_like_html(text):
        return True
    at, there = text.find(value), text.find(other)
    if _script(text, at) != _script(text, there):
        return False
    one, two = embedded_at(text, at), embedded_at(text, there)
    if one is None or two is None or one.start != two.start:
        return True
    ways = one.steps_to(value), two.steps_to(other)
    return any(Producer(0, ProducerKind.JSON, "", "", steps=way).of_many for way in ways)


def _script(text: str, at: int) -> int:
    """Return where the script around a place begins; -1 without one."""
    start = text.rfind("<script", 0, max(at, 0))
    return -1 if start >= 0 and text.find("</script", start, at) >= 0 else start
