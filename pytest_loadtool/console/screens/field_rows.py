"""The Fields View: fields of a transaction, a page or the test case as rows that can be edited."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache

from pytest_loadtool.codec.printable import on_one_line
from pytest_loadtool.console.screens.cells import columns_of, padded, shortened
from pytest_loadtool.console.views.fields import masked_value
from pytest_loadtool.console.views.line import Kind, ViewLine
from pytest_loadtool.correlation.requests.fields import (
    CONSTANT,
    DATASET,
    SERVER_AUTHENTICATION,
    USER_VARIABLE,
    Field,
)
from pytest_loadtool.masking.text import BY_NAME, Mask, Unmasked
from pytest_loadtool.model.editing import page_span
from pytest_loadtool.model.same import Same
from pytest_loadtool.workflow.document import Document
from pytest_loadtool.workflow.fields import Senders, ShownField, senders_in, shown_fields

#: What of the test case is shown, in the order of the key s.
SCOPES = ("transaction", "page", "test case")

#: Names of datasources where there is little room.
_SHORT = {
    CONSTANT: "constant",
    DATASET: "dataset",
    USER_VARIABLE: "variable",
    SERVER_AUTHENTICATION: "server auth",
}
#: What a field has.
_HEADS = ("Name", "Datasource", "Value", "Where Used")
#: Columns from which on there is one for the transactions that have a value, and how wide that is.
_ROOMY, _USED = 70, 12
_ALONE = re.compile(r"\$\{([^{}|]+)[^{}]*\}")


@lru_cache(maxsize=8)
def field_rows(document: Same[Document], number: int, scope: str) -> tuple[ShownField, ...]:
    """Return the fields in the scope of a transaction."""
    pages = document.it.case.pages
    indexes: Collection[int] = [number - 1]
    if scope == "page":
        spans = (page_span(document.it.case, at) for at in range(len(pages)))
        indexes = next(span for span in spans if number - 1 in span)
    elif scope != "transaction":
        indexes = range(sum(len(page.transactions) for page in pages))
    shown = shown_fields(document.it, indexes, senders=_senders(document))
    return tuple(sorted(shown, key=lambda one: one.index))


@lru_cache(maxsize=2)
def _senders(document: Same[Document]) -> Senders:
    return senders_in(document.it.case)


def filtered(rows: Sequence[ShownField], query: str) -> tuple[ShownField, ...]:
    """Return the rows that have all words, in their name, value or datasource."""
    words = query.lower().split()
    return tuple(
        row
        for row in rows
        if all(
            word in f"{row.field.name} {row.field.value} {row.field.datasource}".lower()
            for word in words
        )
    )


@lru_cache(maxsize=4)
def fields_seen(
    document: Same[Document], number: int, scope: str, query: str, columns: int, *, secrets: bool
) -> tuple[tuple[int | None, ViewLine], ...]:
    """Return `field_lines` of what is shown in the scope of a transaction: those of a large test
    case are not made anew for each key."""
    titles = [one.title for one in document.it.case.transactions()] if scope != SCOPES[0] else ()
    rows = filtered(field_rows(document, number, scope), query)
    return tuple(field_lines(rows, Unmasked() if secrets else BY_NAME, columns, titles))


def field_lines(
    rows: Sequence[ShownField], mask: Mask, columns: int, titles: Sequence[str] = ()
) -> Iterator[tuple[int | None, ViewLine]]:
    """Yield headings, with None, and a line per row, with its index: name, datasource and value.

    What application state management set is gray and has a #, what a person edited is green and has
    a +; which transactions have the same value stands behind it, as far as there is room. With
    ``titles``, those of the transactions, each transaction has a heading.
    """
    used_room = _USED if columns >= _ROOMY else 0
    widest = max((columns_of(row.field.name) for row in rows), default=0)
    name_room = min(max(widest, len(_HEADS[0]) if used_room else 0), columns // 3)
    sources = [_SHORT.get(row.field.datasource, row.field.datasource) for row in rows]
    widest = max((len(_HEADS[1]) if used_room else 0, *map(len, sources)))
    source_room = min(widest, max(8, columns // 3))
    room = max(columns - name_room - source_room - 6 - used_room, 4)
    section, number = "", 0
    if used_room and rows:
        rooms = (name_room, source_room, room)
        heads = "  ".join(map(padded, _HEADS, rooms))
        yield None, ViewLine((f"  {heads} {_HEADS[-1]}", "dim"))
    for index, (row, source) in enumerate(zip(rows, sources, strict=True)):
        one = row.field
        if titles and row.number != number:
            number, section = row.number, ""
            title = shortened(on_one_line(titles[number - 1]), columns - 6)
            yield None, ViewLine((f"{number} ", "number"), (title, "heading"))
        if one.section != section:
            section = one.section
            yield None, ViewLine((section, "dim" if titles else "heading"))
        kind: Kind = "correlated" if one.correlated else "edited" if row.edited else ""
        sign = {"correlated": "# ", "edited": "+ "}.get(kind, "  ")
        value = shortened(on_one_line(shown_value(one, mask)), room)
        also = f"  also in {', '.join(map(str, row.also()))}" if 0 < row.others < room else ""
        also = also if columns_of(value + also) <= room else ""
        if used_room:
            value = padded(value, room)
            also = f" {_used_in(row, _USED - 1)}"
        yield (
            index,
            ViewLine(
                (sign, ""),
                (padded(on_one_line(one.name), name_room), kind or "name"),
                (f"  {padded(source, source_room)}  ", kind),
                (value, kind),
                (also, "dim"),
            ),
        )


def _used_in(row: ShownField, room: int) -> str:
    """Return the transactions that send the value, as many as have room: ``1,4,11,…``."""
    first = sorted({row.number, *row.also(room)})
    for count in range(len(first), 0, -1):
        left = row.others + 1 > count
        said = ",".join([*map(str, first[:count]), *(["…"] if left else [])])
        if len(said) <= room:
            return said
    return "…"


def shown_value(one: Field, mask: Mask) -> str:
    """Return the value of a field; of a placeholder that is all of it, the name."""
    return sent_name(one.value) or masked_value(one, mask)


def sent_name(value: str) -> str:
    """Return the name of the placeholder that is all of a value; empty if it is none."""
    alone = _ALONE.fullmatch(value)
    return alone[1] if alone else ""
