"""Rows that are edited as a whole: a script makes fields of the cells of a row, and sends all."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from urllib.parse import unquote_plus

from pytest_loadtool.codec.entities import WRITTEN, unescape
from pytest_loadtool.codec.template import escape
from pytest_loadtool.correlation.classify import is_short_number
from pytest_loadtool.correlation.index.traffic import Traffic
from pytest_loadtool.correlation.producer import Producer
from pytest_loadtool.correlation.proposals import Proposal, fitting
from pytest_loadtool.correlation.requests.slots import FIELDS, Slot
from pytest_loadtool.correlation.strategies.strategy import Settled, Turn
from pytest_loadtool.extraction.row_search import row_around
from pytest_loadtool.model.extractor import InItem, RegularExpression
from pytest_loadtool.model.rule import ProducerKind, Rule

_RULE = Rule(
    "edited-row",
    "{field} goes back with all of a row that {producer} shows, and is what stands there.",
    confidence=0.75,
)
_CELL = r"<td[^<>]*>([^<>]*)</td>"
_CELLS = re.compile(_CELL, re.IGNORECASE)
#: How many responses before the request are looked at.
_MOST_PAGES = 5
#: A shorter text tells no row from another.
_SHORTEST = 3


@dataclass(frozen=True, slots=True)
class _Cell:
    """The place of a value: in the response ``at``, the ``number``-th cell of the row with a
    text."""

    at: int
    text: str
    number: int


class EditedRows:
    """The numbers in rows that requests send back whole."""

    name = "edited-rows"
    why = "The fields are the cells of one row of a page, in their order, but for what was changed."
    source = "H2's console: @edit; tables that scripts make editable in place"
    turns = frozenset({Turn.IN_ORDER})

    def propose(self, slots: Sequence[Slot], traffic: Traffic, _: Settled) -> Iterator[Proposal]:
        """Yield the proposals on numbers that a change sends between the other cells of their row,
        of which one has a text that the user sent before: the ``1`` of
        ``id=1&title=Tea&quantity=3``."""
        cells: dict[int, Mapping[Slot, _Cell]] = {}
        for slot in slots:
            if slot.depth or slot.place not in FIELDS or not is_short_number(slot.value):
                continue
            at = slot.transaction
            if not traffic.steps[at].changes_state or _is_control(slot, traffic):
                continue
            if at not in cells:
                cells[at] = _cells_sent(at, traffic)
            if (cell := cells[at].get(slot)) is None:
                continue
            producer = Producer(cell.at, ProducerKind.TEXT, "", slot.value)
            fits = fitting(slot, producer)
            if fits is not None:
                source = InItem(RegularExpression(escape(_CELL)), escape(cell.text))
                yield Proposal(fits, producer, _RULE, source, cell.number)


def _cells_sent(transaction: int, traffic: Traffic) -> Mapping[Slot, _Cell]:
    """Return the fields of a request that are cells of a row which it sends back, each with its
    cell in the nearest response."""
    tables = traffic.responses.tables
    before = reversed(tables[: bisect_left(tables, transaction)])
    pages = (traffic.steps[at] for at in before)
    found: dict[Slot, _Cell] = {}
    nearest = next(pages, None)
    if nearest is None:
        return found
    own = [
        one
        for one in traffic.slots_of(transaction)
        if one.part == "body" and not one.depth and one.place in FIELDS
    ]
    values = [one.value for one in own]
    texts = [
        (index, one)
        for index, one in enumerate(values)
        if len(one) >= _SHORTEST and any(map(str.isalpha, one))
    ]
    for step in islice(chain((nearest,), pages), _MOST_PAGES if texts else 0):
        page: _Page | None = None
        written = traffic.response(step.index).text
        settled: set[tuple[int, int]] = set()
        for anchor, text in texts:
            if not _may_have(written, text):
                continue
            page = _Page.of(written) if page is None else page
            if (row := page.row_with(text)) is None:
                continue
            start, cells = row
            first = anchor - cells.index(text)  # the field of the first cell
            if (start, first) in settled:
                continue
            whole = _is_sent_back(cells, values[first : first + len(cells)] if first >= 0 else [])
            if whole and not _was_sent(text, step.index, traffic):
                continue
            settled.add((start, first))
            for number, cell in enumerate(cells if whole else ()):
                if cell == values[first + number]:
                    found.setdefault(own[first + number], _Cell(step.index, text, number + 1))
    return found


def _is_sent_back(cells: Sequence[str], fields: Sequence[str]) -> bool:
    """Return whether fields are those of a row: as many, and most are as it has them."""
    same = sum(mine == theirs for mine, theirs in zip(fields, cells, strict=False))
    return len(fields) == len(cells) and 2 * same >= len(cells) and same > 1


@dataclass(frozen=True, slots=True)
class _Page:
    """A page, and where the texts of its cells stand."""

    text: str
    places: Mapping[str, Sequence[int]]

    @classmethod
    def of(cls, text: str) -> _Page:
        """Read it."""
        places: dict[str, list[int]] = {}
        for one in _CELLS.finditer(text):
            places.setdefault(unescape(one[1]).strip(), []).append(one.start(1))
        return cls(text, places)

    def row_with(self, text: str) -> tuple[int, list[str]] | None:
        """Return the place and the cells of the row with that text; None if there is none, or if
        several have it."""
        rows = {row_around(self.text, at) for at in self.places.get(text, ())}
        whole = [(start, end) for start, end in rows if end]
        if len(whole) != 1:
            return None
        ((start, end),) = whole
        return start, [unescape(one[1]).strip() for one in _CELLS.finditer(self.text, start, end)]


def _may_have(page: str, text: str) -> bool:
    """Return whether the page may say the text: some are written in other ways."""
    return text in page or not text.isascii() or WRITTEN.search(text) is not None


def _is_control(slot: Slot, traffic: Traffic) -> bool:
    """Return whether a page had such a field, or one with that value: no script has made it of a
    cell."""
    controls = traffic.responses.producers.get(slot.value, {}).get(ProducerKind.CONTROL, ())
    return slot.name in traffic.responses.typed or any(one.name == slot.name for one in controls)


def _was_sent(text: str, before: int, traffic: Traffic) -> bool:
    """Return whether the user has sent the text before that response, be it in a longer one, as in
    SQL."""
    if traffic.requests.written.get(text, before + 1) <= before:
        return True
    return any(
        text in unquote_plus(step.exchange.request_body.decode(errors="replace"))
        for step in traffic.steps[: before + 1]
        if step.exchange is not None and step.exchange.request_body
    )
