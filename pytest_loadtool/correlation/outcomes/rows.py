"""Proofs in rows of pages: what the row of a resource says, or one with a name that was sent."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence, Set
from functools import lru_cache
from html import escape as in_html
from itertools import islice
from typing import NamedTuple

from pytest_loadtool.codec.entities import unescape
from pytest_loadtool.codec.names import plain
from pytest_loadtool.codec.template import escape
from pytest_loadtool.correlation.classify import TELLING
from pytest_loadtool.correlation.outcomes.changes import Change, Said
from pytest_loadtool.correlation.outcomes.pages import attributes_with, holds, known, written
from pytest_loadtool.correlation.outcomes.proof import (
    LONGEST_STATE,
    SHORTEST,
    STATE,
    Before,
    Proof,
    gone,
    is_passing,
    short,
)
from pytest_loadtool.correlation.outcomes.resources import Resource
from pytest_loadtool.correlation.outcomes.seen import SeenAnswer
from pytest_loadtool.correlation.responses.markup_items import Item, repeated_around
from pytest_loadtool.extraction.page import item_around
from pytest_loadtool.extraction.row_search import row_around
from pytest_loadtool.model.validator import TextValidator

#: A text behind a tag.
_CELL = re.compile(r">\s*[^\s<>][^<>]*(?=<)")
_TAG = re.compile(r"<\w+")
#: How the elements of a page say in which state something is, besides texts.
_MARK = re.compile(
    r"""\b(?:class|aria-[a-z]+|data-(?:state|status))=(?:"[^"<>]*"|'[^'<>]*'|[\w-]+)"""
)
#: What fields have that are switched on.
_ON = frozenset({"1", "on", "true", "yes"})
#: What an element is that comes with a state: ``badge read icon-ok``.
_CLASSES = re.compile(r"[^\W\d_]+(?:[ _-]+[^\W\d_]+){0,9}")
#: A row of a table, and how much before and behind one is looked at.
_ROW, _MOST_TABLE = re.compile(r"<tr\b.*?</tr", re.DOTALL | re.IGNORECASE), 10_000
_FEW_ROWS = 3
_NUMBER = re.compile(r"-?\d{1,9}(?:[.,]\d{1,3})?")
#: What classes say of the place of a row, or of what was done last, whatever that was.
_PLACES = frozenset({"current", "even", "first", "highlight", "last", "new", "odd", "selected"})
#: Words of which a text is another one soon.
_TIMES = frozenset({"ago", "minute", "moment", "moments", "now", "seconds", "today", "yesterday"})


class ShownRow(NamedTuple):
    """A row of a page that is about the change."""

    template: str
    """What it is known by."""
    anchor: str
    """The same, as recorded."""
    at: int
    called: str
    is_new: bool
    """Whether the change has made it."""
    resource: Resource | None = None
    """None: it is known by a name that the change says."""


def rows_of(change: Change, answer: SeenAnswer, was: Before) -> Iterator[ShownRow]:
    """Yield the rows that are about the change: by the ids of its resources, and by names."""
    for resource in (one for one in known(change, answer) if answer.may_say(one.id)):
        found = attributes_with(answer.text, resource, change.resources, page=answer.step.path)
        for template, anchor in islice(found, 1):
            at, called = answer.text.find(anchor), f"the {resource.noun}"
            yield ShownRow(template, anchor, at, called, resource.given, resource)
    for name in change.said:
        template, anchor, at = next(written(name, answer), ("", "", 0))
        if anchor:
            is_new = not (answer.paged or was.known(name.value))
            yield ShownRow(template, anchor, at, short(name.value), is_new)


def short_in_row(change: Change, answer: SeenAnswer, was: Before) -> Iterator[Proof]:
    """Yield numbers and short words of the change alone between two tags in the row of the
    resource, or in one with a name that the change says, too; and not those before, nor the id."""
    short = [one for one in change.said if _is_short(one, answer)]
    shown_as = {one: re.compile(rf">\s*{re.escape(one.value)}\s*<") for one in short}
    for row in rows_of(change, answer, was) if short else ():
        earlier = [each for each in was.answers if row.anchor in each.text]
        items = [*repeated_around(answer.text, row.at)] if earlier or row.is_new else []
        for one, item in ((one, item) for one in short for item in items):
            start, end, kind = item.start, item.end, item.kind
            found = shown_as[one].search(answer.text, start, end)
            if not found or any(holds(each, found[0], row.anchor, kind) for each in earlier):
                continue
            is_id = row.resource is not None and row.resource.id == one.value
            tells_rows = is_id or (
                row.is_new and _tells_rows(answer.text, start, end, found.start())
            )
            if tells_rows or (one.is_text and is_passing(one.value)):
                continue
            shown = escape(found[0]).replace(one.value, one.template)
            says = f"{one.value} is shown with {row.called}"
            check = TextValidator(shown, row=row.template, item=kind)
            strength = 0 if row.is_new and row.resource is not None else 1
            yield Proof(answer.step.index, strength, says, check, field=one.field)


def _is_short(said: Said, answer: SeenAnswer) -> bool:
    """Return whether a page may show that alone, and it is too short to be looked for elsewhere."""
    if not said.is_text:
        return said.value in answer.lone_numbers
    return SHORTEST <= len(said.value) < TELLING and answer.may_say(said.value)


def _tells_rows(text: str, start: int, end: int, at: int) -> bool:
    """Return whether a number in the row from ``start`` to ``end`` may be an id or the place of the
    row: each row of the table has another one there. So may one of a table of fewer than three
    rows."""
    cell, rows = len(_CELL.findall(text, start, at)), _rows_like(text, start, end)
    return len(rows) < _FEW_ROWS or len({row[cell] for row in rows}) == len(rows)


@lru_cache(maxsize=64)
def _rows_like(text: str, start: int, end: int) -> Sequence[Sequence[str]]:
    """Return the rows of the table, each as its cells, that have as many as that from ``start`` to
    ``end``."""
    cells = len(_CELL.findall(text, start, end))
    around = text[max(0, start - _MOST_TABLE) : end + _MOST_TABLE]
    rows = (_CELL.findall(row) for row in _ROW.findall(around))
    return [row for row in rows if len(row) == cells]


def words_in_row(change: Change, answer: SeenAnswer, was: Before) -> Iterator[Proof]:
    """Yield a word in the row of a resource that nothing but the change has written in the place of
    another: ``shipped``; or in the row of which a cell has what was sent: ``A2``."""
    earlier = was.same(answer)
    if earlier is None:
        return
    for row in _rows_then(change, answer, earlier, was):
        items = repeated_around(answer.text, row.at)
        fields = {plain(one.field) for one in change.said if one.value in _ON}
        shown = (_changed(answer, earlier, row, item, was, fields) for item in items)
        if (state := next(filter(None, shown), None)) is not None:
            says = f"{short(state.word)} is shown with {row.called}"
            check = TextValidator(state.template, row=row.template, item=state.kind)
            yield Proof(answer.step.index, int(row.resource is None), says, check)


def _rows_then(
    change: Change, answer: SeenAnswer, earlier: SeenAnswer, was: Before
) -> Iterator[ShownRow]:
    """Yield the rows about the change that the same address showed before it, too."""
    for resource in change.resources:
        if resource.given or not earlier.may_say(resource.id):
            continue
        if not was.last(resource, answer) or not was.alone(resource, earlier, answer):
            continue
        found = attributes_with(answer.text, resource, change.resources, page=answer.step.path)
        template, anchor = next(found, ("", ""))
        if anchor and anchor in earlier.text:
            at, called = answer.text.find(anchor), f"the {resource.noun}"
            yield ShownRow(template, anchor, at, called, False, resource)
    texts = [one for one in change.said if one.is_text and answer.may_say(one.value)]
    for said in (*texts, *change.rows) if was.only(earlier, answer) else ():
        now, then = (_cell_of(said, one) for one in (answer, earlier))
        if now is not None and now == then:
            yield ShownRow(*now, answer.text.find(now[1]), short(said.value), False)


def _cell_of(said: Said, page: SeenAnswer) -> tuple[str, str] | None:
    """Return how the one text of the page is written that is what was said, with the ends of the
    tags around it: as a template, and as recorded. None: it is not there, or more than once."""
    value = "|".join({re.escape(said.value), re.escape(in_html(said.value, quote=False))})
    found = [*re.finditer(rf"(>\s*)(?:{value})(\s*<)", page.text)]
    if len(found) != 1:
        return None
    before, behind, shown = found[0][1], found[0][2], found[0][0]
    return escape(shown) if "${" not in said.template else before + said.template + behind, shown


class _ItemState(NamedTuple):
    """The state of an item, how it is written, as a template, and what kind of item that is."""

    word: str
    template: str
    kind: str


def _changed(
    answer: SeenAnswer, earlier: SeenAnswer, row: ShownRow, item: Item, was: Before, on: Set[str]
) -> _ItemState | None:
    """Return the state of an item that is another than it was: its one word, or the name of what
    was switched ``on``, or a number beside a name that the session has given, or else what a class
    or the like of an element in it says; of several texts one that the session has given a name by:
    who pays now, and how much."""
    then = earlier.text.find(row.anchor)
    around = item_around(earlier.text, then, item.kind) if item.kind else None
    before = around or row_around(earlier.text, then)
    now = item.start, item.end
    tags = [_TAG.match(*one) for one in ((answer.text, now[0]), (earlier.text, before[0]))]
    if not before[1] or len({one and one[0].lower() for one in tags}) > 1:
        return None  # it is another element, such as a message with a link to the resource
    cells, marks = (
        (one.findall(answer.text, *now), one.findall(earlier.text, *before))
        for one in (_CELL, _MARK)
    )
    cell = _other(*cells, _in_cell) if len(cells[0]) <= len(cells[1]) else ""  # buttons may be gone
    more = [*(Counter(cells[0]) - Counter(cells[1])).elements()]
    cell = cell or next((one for one in more if plain(unescape(_in_cell(one))) in on), "")
    if not cell and any(was.named(unescape(_in_cell(one))) for one in cells[0]):
        cell = _other_number(*cells)
        if cell and _is_place(answer.text, *now, cells[0].index(cell)):
            return None
    written = _only_now(cell, (answer.text, *now), (earlier.text, *before)) if cell else ""
    if written:
        return _ItemState(_in_cell(cell), escape(written), item.kind)
    mark = _other(*marks, _in_mark) if len(marks[0]) == len(marks[1]) else _added(*marks)
    is_place = not _PLACES.isdisjoint(plain(_in_mark(mark)).split())
    if mark and not is_place:
        return _ItemState(_in_mark(mark), escape(mark), item.kind)
    for cell in more if was.only(earlier, answer) else ():
        name = was.named(unescape(_in_cell(cell)))
        if name is not None and not is_passing(name.value):
            written = _only_now(cell, (answer.text, *now), (earlier.text, *before))
            if written:
                template = escape(written)
                if "${" in name.template:
                    template = template.replace(escape(_in_cell(cell)), name.template)
                return _ItemState(name.value, template, item.kind)
    return None


def _other(now: Sequence[str], before: Sequence[str], word: Callable[[str], str]) -> str:
    """Return the one of some texts that is another than before, if the ``word`` in both is one for
    a state; else nothing."""
    changed = _only_one(now, before)
    if changed is None or (len(now) < len(before) and changed[0] in before):
        return ""  # what comes behind a button that is gone
    now_, then = map(word, changed)
    return changed[0] if _is_state(now_) and (not then or _is_state(then)) else ""


def _only_now(cell: str, now: tuple[str, int, int], before: tuple[str, int, int]) -> str:
    """Return how a text is written that a row had nowhere before: with its own tag, where a list in
    the row offers it, too. Empty: there is nothing."""
    text, start, end = now
    at = text.find(cell, start, end)
    tag = text[text.rfind("<", start, at) : at]
    rows = text[start:end], before[0][before[1] : before[2]]
    return next((one for one in (f"{cell}<", f"{tag}{cell}<") if one not in rows[1]), "")


def _is_place(text: str, start: int, end: int, cell: int) -> bool:
    """Return whether a number in a row may be the place of the row: they count the rows there."""
    column = [_in_cell(row[cell]) for row in _rows_like(text, start, end)]
    places = {str(at) for at in range(len(column) + 1)}
    return len(set(column)) == len(column) and places.issuperset(column)


def _other_number(now: Sequence[str], before: Sequence[str]) -> str:
    """Return the one of some texts that is another than before, if both are numbers."""
    changed = _only_one(now, before) if len(now) == len(before) else None
    is_number = changed is not None and all(_NUMBER.fullmatch(_in_cell(one)) for one in changed)
    return changed[0] if changed is not None and is_number else ""


def _only_one(now: Sequence[str], before: Sequence[str]) -> tuple[str, str] | None:
    """Return the one of some texts that is another than before, and that; None if more are."""
    changed = [pair for pair in zip(now, before, strict=False) if pair[0] != pair[1]]
    return changed[0] if len(changed) == 1 else None


def _added(now: Sequence[str], before: Sequence[str]) -> str:
    """Return the one mark that an item has more than before, if it is one of a state."""
    more = [*(Counter(now) - Counter(before)).elements()]
    one = more[0] if len(more) == 1 == len(now) - len(before) and more[0] not in before else ""
    word = _in_mark(one)
    return one if _CLASSES.fullmatch(word) and not _passes(word) else ""


def _is_state(word: str) -> bool:
    fits = STATE.fullmatch(word) is not None and not _passes(word)
    return fits and len(word) <= LONGEST_STATE


def _in_cell(written: str) -> str:
    return written.strip("> \t\r\n")


def _in_mark(written: str) -> str:
    return written.partition("=")[2].strip("\"'")


def row_gone(change: Change, answer: SeenAnswer, was: Before) -> Iterator[Proof]:
    """Yield the row of a page from which the change sends a value, if it is gone: by the id of
    something of one's own in it, or by its name, which is in doubt if it is not each run's own."""
    earlier = was.same(answer) if change.rows else None
    for name in change.rows:
        cell = _cell_of(name, earlier) if earlier is not None else None
        if cell is None or earlier is None:
            continue
        template, shown = cell
        start, end = row_around(earlier.text, earlier.text.find(shown))
        if not end:
            continue
        if shown in answer.text or f'"{name.value}"' in answer.text:  # it is there to be edited
            continue
        row = earlier.text[start:end]
        own = (one for one in change.resources if one.is_own and not one.given)
        ids = (pair for one in (*own, *was.others) for pair in attributes_with(row, one))
        missing = (template for template, recorded in ids if recorded not in answer.text)
        by_id = next(missing, "")
        check = TextValidator(by_id or template, absent=True)
        doubtful = not by_id and not name.unique
        yield gone(answer.step.index, 1, short(name.value), check, name.value, doubtful=doubtful)


def words_at(text: str, at: int) -> Iterator[tuple[str, str]]:
    """Yield what stands between the tags of the rows around that place, each from its ``>`` on, and
    what the row is."""
    for item in repeated_around(text, at):
        yield from ((word, item.kind) for word in _CELL.findall(text, item.start, item.end))


def _passes(words: str) -> bool:
    """Return whether they are said of a time that goes by."""
    return not _TIMES.isdisjoint(words.lower().split())
