"""What is shown of one transaction: its tabs, as lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pytest_loadtool.codec.printable import on_one_line, printable
from pytest_loadtool.console.screens.cells import columns_of, padded, shortened, wrapped
from pytest_loadtool.console.screens.content import content
from pytest_loadtool.console.screens.same import Same
from pytest_loadtool.console.views.line import Kind, ViewLine
from pytest_loadtool.console.views.text import status_kind
from pytest_loadtool.console.views.transaction import mask_of
from pytest_loadtool.correlation.requests.fields import (
    CONSTANT,
    DATASET,
    SERVER_AUTHENTICATION,
    USER_VARIABLE,
    Field,
    fields_of,
)
from pytest_loadtool.masking.text import BY_NAME, Mask, Unmasked
from pytest_loadtool.model.case import Transaction
from pytest_loadtool.model.exchange import Exchange, HeaderList
from pytest_loadtool.model.validator import JsonValidator, RegexValidator, TextValidator, Validator
from pytest_loadtool.recording import fidelity
from pytest_loadtool.recording.notes import RECORDING_ERROR
from pytest_loadtool.workflow.accounts import identity_fields
from pytest_loadtool.workflow.document import Document

#: The tabs, in the order of the keys 1, 2 …
TABS = ("Content", "Headers", "Fields", "Actors", "Errors")
#: The sides of an exchange that Content shows one of.
SIDES = ("request", "response")


@dataclass(frozen=True, slots=True)
class Look:
    """How a tab is looked at: which side of the exchange, in how many columns."""

    side: str
    columns: int
    raw: bool = False


@lru_cache(maxsize=32)
def lines_of(
    document: Same[Document],
    number: int,
    tab: str,
    side: str,
    columns: int,
    *,
    raw: bool = False,
    secrets: bool = False,
) -> tuple[ViewLine, ...]:
    """Return the lines of a tab of transaction ``number``, wrapped at so many columns."""
    it = document.it
    transaction = list(it.case.transactions())[number - 1]
    mask = Unmasked() if secrets else mask_of(it, transaction)
    columns = max(columns, 8)
    made = _TABS[tab](it, number, transaction, mask, Look(side, columns, raw))
    return tuple(piece for line in made for piece in wrapped(line, columns))


def _content(
    document: Document, _: int, transaction: Transaction, mask: Mask, look: Look
) -> Iterable[ViewLine]:
    side, raw = look.side, look.raw
    exchange = document.evidence_of(transaction)
    if exchange is None:
        body = transaction.request.body
        if side == "response":
            return [ViewLine(("The recorded traffic is not at hand.", "dim"))]
        sent = body.encode() if isinstance(body, str) else body or b""
        return content(sent, _planned_type(document, transaction), mask, raw=raw)
    if side == "request":
        media = exchange.request_header("content-type") or ""
        return content(exchange.request_body, media, mask, raw=raw)
    if not exchange.status:
        return [ViewLine((f"no response: {exchange.error or 'the connection ended'}", "bad"))]
    media = exchange.response_header("content-type") or ""
    return content(exchange.response_body, media, mask, raw=raw)


def _planned_type(document: Document, transaction: Transaction) -> str:
    headers = document.case.wire_headers(transaction.request)
    found = (one.value for one in headers if one.name.lower() == "content-type")
    return next(found, None) or ""


def _headers(
    document: Document, _: int, transaction: Transaction, mask: Mask, look: Look
) -> Iterator[ViewLine]:
    del look
    exchange = document.evidence_of(transaction)
    if exchange is None:
        yield ViewLine(("The recorded traffic is not at hand; this is what is sent.", "dim"))
        request = transaction.request
        yield _start(f"{request.method} {mask.text(request.target)}")
        headers = document.case.wire_headers(request)
        yield from _lines(((one.name, one.value or "") for one in headers), mask)
        return
    negotiation = document.negotiation_of(transaction)
    for count, one in enumerate(negotiation, 1):
        title = f"Connection authentication negotiation, {count} of {len(negotiation)}"
        yield ViewLine((title, "heading"))
        yield from _head(one, mask)
    if negotiation:
        yield ViewLine(("Then", "heading"))
    yield from _head(exchange, mask)


def _head(one: Exchange, mask: Mask) -> Iterator[ViewLine]:
    yield _start(f"{one.method} {mask.text(one.url)} {one.http_version}")
    yield from _lines(one.request_headers, mask)
    yield ViewLine(("", ""))
    if not one.status:
        yield ViewLine((f"no response: {one.error or 'the connection ended'}", "bad"))
        return
    status = str(one.status)
    reason = f" {one.reason}".rstrip() + f"  ({one.took * 1000:.0f} ms)"
    yield ViewLine((status, status_kind(status)), (on_one_line(reason), ""))
    yield from _lines(one.response_headers, mask)
    yield ViewLine(("", ""))


def _start(text: str) -> ViewLine:
    return ViewLine((on_one_line(text), "heading"))


def _lines(headers: HeaderList | Iterable[tuple[str, str]], mask: Mask) -> Iterator[ViewLine]:
    for name, value in headers:
        shown = mask.header(name, value)
        yield ViewLine((on_one_line(name), "name"), (f": {on_one_line(shown)}", ""))


def _fields(
    document: Document, number: int, transaction: Transaction, mask: Mask, look: Look
) -> Iterator[ViewLine]:
    found = fields_of(document.case, number - 1, document.evidence_of(transaction))
    found = (*found, *identity_fields(document, transaction))
    secrets = mask if isinstance(mask, Unmasked) else BY_NAME
    lines = list(field_lines(found, secrets, look.columns))
    yield from lines or [ViewLine(("It sends no fields.", "dim"))]


#: Names of datasources where there is little room.
_SHORT = {CONSTANT: "constant", DATASET: "dataset", USER_VARIABLE: "variable",
          SERVER_AUTHENTICATION: "server auth"}  # fmt: skip


def field_lines(fields: Sequence[Field], mask: Mask, columns: int) -> Iterator[ViewLine]:
    """Yield a heading per section, and a line per field: its name, datasource and value. What
    application state management set is gray, and has a # where there is no colour."""
    widest = max((columns_of(one.name) for one in fields), default=0)
    name_room = min(widest, columns // 3)
    source_room = max(
        (len(_SHORT.get(one.datasource, one.datasource)) for one in fields), default=0
    )
    source_room = min(source_room, max(8, columns // 3))
    section = ""
    for one in fields:
        if one.section != section:
            section = one.section
            yield ViewLine((section, "heading"))
        gray: Kind = "correlated" if one.correlated else ""
        source = padded(_SHORT.get(one.datasource, one.datasource), source_room)
        name = padded(on_one_line(one.name), name_room)
        room = columns - name_room - source_room - 5
        value = shortened(on_one_line(_value(one, mask)), max(room, 4))
        yield ViewLine(
            ("# " if one.correlated else "  ", ""), (name, gray or "name"),
            (f"  {source} ", gray), (value, gray),
        )  # fmt: skip


_ALONE = re.compile(r"\$\{([^{}|]+)[^{}]*\}")


def _value(one: Field, mask: Mask) -> str:
    """The value of a field; of a placeholder that is all of it, the name."""
    alone = _ALONE.fullmatch(one.value)
    return alone[1] if alone else mask.field(one)


def _actors(
    document: Document, _: int, transaction: Transaction, mask: Mask, look: Look
) -> Iterator[ViewLine]:
    del document, look
    yield ViewLine(("Validators", "heading"))
    yield ViewLine(("  Status Code  ", "name"), (str(transaction.status), ""))
    for one in transaction.validators:
        kind, text = _validator(one)
        proves = f"  ({one.outcome.name})" if one.outcome else ""
        yield ViewLine((f"  {kind}  ", "name"), (printable(mask.text(text) + proves), ""))
    yield ViewLine(("Extractors", "heading"))
    for each in transaction.extractors:
        yield ViewLine((f"  {each.variable}  ", "name"), (printable(str(each.source)), ""))
    if not transaction.extractors:
        yield ViewLine(("  none", "dim"))


def _validator(one: Validator) -> tuple[str, str]:
    """The kind of a validator, and what it expects."""
    absent = "is absent: " if one.absent else ""
    match one:
        case TextValidator(text=text, row=row):
            return "Search text", f"{absent}{text}" + (f" in the row of {row}" if row else "")
        case RegexValidator(pattern=pattern):
            return "Regular expression", absent + pattern
        case JsonValidator(path=path, equals=equals):
            return "JSON path", absent + path + ("" if equals is None else f" = {equals!r}")


def _errors(
    document: Document, _: int, transaction: Transaction, mask: Mask, look: Look
) -> Iterator[ViewLine]:
    del mask, look
    exchange = document.evidence_of(transaction)
    subject = f"{exchange.method} {exchange.url}" if exchange else ""
    found = [
        one.message
        for one in _notes(Same(document))
        if one.kind == RECORDING_ERROR and one.subject == subject
    ]
    yield ViewLine(("While recording", "heading"))
    yield from (ViewLine((f"  {printable(one)}", "bad")) for one in dict.fromkeys(found))
    if not found:
        yield ViewLine(("  none", "dim"))


@lru_cache(maxsize=4)
def _notes(document: Same[Document]):  # type: ignore[no-untyped-def]
    return fidelity(document.it.case, document.it.exchanges)


_TABS: dict[str, Callable[[Document, int, Transaction, Mask, Look], Iterable[ViewLine]]] = {
    "Content": _content,
    "Headers": _headers,
    "Fields": _fields,
    "Actors": _actors,
    "Errors": _errors,
}
