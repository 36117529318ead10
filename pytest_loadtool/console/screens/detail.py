"""What is shown of one transaction: its tabs, as lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import lru_cache

from pytest_loadtool.codec.printable import on_one_line, printable
from pytest_loadtool.console.screens.actor_rows import actor_lines
from pytest_loadtool.console.screens.cells import (
    columns_of,
    joined,
    padded,
    shallow,
    shortened,
    wrapped,
)
from pytest_loadtool.console.screens.content import content
from pytest_loadtool.console.screens.field_rows import SCOPES, fields_seen
from pytest_loadtool.console.views.line import Kind, ViewLine
from pytest_loadtool.console.views.replays import OUTCOME_KINDS
from pytest_loadtool.console.views.text import status_kind
from pytest_loadtool.console.views.transaction import mask_of
from pytest_loadtool.diagnosis.kept import matched
from pytest_loadtool.masking.carried import recorded_in
from pytest_loadtool.masking.text import Mask, Unmasked
from pytest_loadtool.model.case import TestCase, Transaction
from pytest_loadtool.model.exchange import Exchange, HeaderList
from pytest_loadtool.model.kept_replay import KeptTransaction
from pytest_loadtool.model.same import Same
from pytest_loadtool.recording import Note, fidelity
from pytest_loadtool.recording.notes import RECORDING_ERROR
from pytest_loadtool.workflow.document import Document
from pytest_loadtool.workflow.replays import OpenReplay, secrets_in

#: The tabs, in the order of the keys 1, 2 …
TABS = ("Content", "Headers", "Fields", "Actors", "Errors", "Variables")
#: The sides of an exchange that Content shows, in the order of the keys [ and ].
SIDES = ("request", "response", "replayed")
#: Lines of a body up to which recorded and replayed ones are compared.
LONGEST_COMPARED = 3000


@dataclass(frozen=True, slots=True)
class Presentation:
    """The way in which a tab is looked at: which side of the exchange, in how many columns."""

    side: str
    columns: int
    raw: bool = False
    replay: OpenReplay | None = None


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
    replay: Same[OpenReplay] | None = None,
) -> tuple[ViewLine, ...]:
    """Return the lines of a tab of transaction ``number``, wrapped at so many columns.

    With a ``replay`` that has the transaction, lines of its content that differ from those of the
    other side begin with ~.
    """
    it = document.it
    transaction, kept, mask = _looked_at(it, number, replay, secrets=secrets)
    columns = max(columns, 8)
    shown_as = Presentation(side, columns, raw, replay.it if replay else None)
    in_columns = shallow if tab == "Content" and not raw else lambda lines, _: lines
    compared = tab == "Content" and side in COMPARED and kept is not None and kept.exchange
    if not compared:
        made = _TABS[tab](it, number, transaction, mask, shown_as)
        laid_out = in_columns(list(made), columns)
        return tuple(piece for line in laid_out for piece in wrapped(line, columns))
    other = replace(shown_as, side=COMPARED[COMPARED.index(side) - 1])
    both = [list(_content(it, number, transaction, mask, one)) for one in (shown_as, other)]
    return tuple(
        joined((ViewLine(("~" if differs else " ", "bad")), piece))
        for differs, line in zip(differing(*both), in_columns(both[0], columns), strict=True)
        for piece in wrapped(line, columns - 1)
    )


@lru_cache(maxsize=4)
def actors_of(
    document: Same[Document],
    number: int,
    columns: int,
    *,
    secrets: bool,
    replay: Same[OpenReplay] | None,
) -> tuple[tuple[int | None, ViewLine], ...]:
    """Return the lines of the actors of transaction ``number``, wrapped at so many columns, each
    with the index of its row."""
    transaction, _, mask = _looked_at(document.it, number, replay, secrets=secrets)
    return tuple(
        (index, piece)
        for index, line in actor_lines(transaction, mask)
        for piece in wrapped(line, max(columns, 8))
    )


@lru_cache(maxsize=8)
def body_of(
    document: Same[Document],
    number: int,
    side: str,
    *,
    raw: bool,
    secrets: bool,
    replay: Same[OpenReplay] | None,
) -> tuple[ViewLine, ...]:
    """Return the lines of a body as they are, however long."""
    transaction, _, mask = _looked_at(document.it, number, replay, secrets=secrets)
    shown_as = Presentation(side, 0, raw, replay.it if replay else None)
    return tuple(_content(document.it, number, transaction, mask, shown_as))


#: The sides that are compared with each other.
COMPARED = ("response", "replayed")


def differing(lines: list[ViewLine], others: list[ViewLine]) -> list[bool]:
    """Return for each line whether the other side does not have it at that place."""
    same: set[int] = set()
    if max(len(lines), len(others)) <= LONGEST_COMPARED:
        matcher = SequenceMatcher(None, list(map(str, lines)), list(map(str, others)), False)
        for block in matcher.get_matching_blocks():
            same.update(range(block.a, block.a + block.size))
    else:
        same = {at for at, (one, two) in enumerate(zip(lines, others, strict=False)) if one == two}
    return [at not in same for at in range(len(lines))]


@lru_cache(maxsize=4)
def kept_in(case: Same[TestCase], replay: Same[OpenReplay] | None) -> Mapping[int, KeptTransaction]:
    """Return what a replay has kept of the transactions, by their indexes today."""
    return matched(case.it, replay.it.replay) if replay is not None else {}


def _looked_at(
    document: Document, number: int, replay: Same[OpenReplay] | None, *, secrets: bool
) -> tuple[Transaction, KeptTransaction | None, Mask]:
    """Return a transaction, what the replay has kept of it, and what of both may be seen."""
    transaction = list(document.case.transactions())[number - 1]
    kept = kept_in(Same(document.case), replay).get(number - 1)
    return transaction, kept, Unmasked() if secrets else _mask(document, transaction, kept, replay)


def _mask(
    document: Document,
    transaction: Transaction,
    kept: KeptTransaction | None,
    replay: Same[OpenReplay] | None,
) -> Mask:
    if kept is None or kept.exchange is None or replay is None:
        return mask_of(document, transaction)
    exchanges = [kept.exchange, *kept.negotiation, *document.negotiation_of(transaction)]
    if (recorded := document.evidence_of(transaction)) is not None:
        exchanges.append(recorded)
    carried = {secret for one in exchanges for secret in recorded_in(one)}
    return Mask({*carried, *secrets_in(document.case, replay.it)})


def _kept(document: Document, number: int, shown_as: Presentation) -> KeptTransaction | None:
    replay = Same(shown_as.replay) if shown_as.replay is not None else None
    return kept_in(Same(document.case), replay).get(number - 1)


def _content(
    document: Document, number: int, transaction: Transaction, mask: Mask, shown_as: Presentation
) -> Iterable[ViewLine]:
    side, raw = shown_as.side, shown_as.raw
    exchange = document.evidence_of(transaction)
    if side == "replayed":
        kept = _kept(document, number, shown_as)
        exchange = kept.exchange if kept is not None else None
        if exchange is None:
            return [ViewLine(("Not replayed: F5 plays.", "dim"))]
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
    document: Document, number: int, transaction: Transaction, mask: Mask, shown_as: Presentation
) -> Iterator[ViewLine]:
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
    kept = _kept(document, number, shown_as)
    replayed = (*kept.negotiation, kept.exchange) if kept is not None else ()
    if any(replayed):
        yield ViewLine(("Recorded", "heading"))
    yield from _head(exchange, mask)
    for one in filter(None, replayed):
        yield ViewLine(("Replayed", "heading"))
        yield from _head(one, mask)


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
    document: Document, number: int, transaction: Transaction, mask: Mask, shown_as: Presentation
) -> Iterator[ViewLine]:
    del transaction
    secrets = isinstance(mask, Unmasked)
    shown = fields_seen(Same(document), number, SCOPES[0], "", shown_as.columns, secrets=secrets)
    yield from [line for _, line in shown] or [ViewLine(("It sends no fields.", "dim"))]


def _actors(
    document: Document, _: int, transaction: Transaction, mask: Mask, shown_as: Presentation
) -> Iterator[ViewLine]:
    del document, shown_as
    yield from (line for _, line in actor_lines(transaction, mask))


def _errors(
    document: Document, number: int, transaction: Transaction, mask: Mask, shown_as: Presentation
) -> Iterator[ViewLine]:
    kept = _kept(document, number, shown_as)
    if kept is not None:
        yield ViewLine(("In the replay", "heading"))
        for failure in kept.failures:
            yield ViewLine(("  ", ""), (printable(mask.text(failure.message)), "bad"))
        if kept.not_as_recorded:
            yield ViewLine(("  not as recorded: ", "name"), (kept.not_as_recorded, ""))
        if not kept.failures and not kept.not_as_recorded:
            yield ViewLine((f"  {kept.outcome}", OUTCOME_KINDS[kept.outcome]))
        elif kept.failures:
            yield ViewLine((f"  `why {number}` says more", "dim"))
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


def _variables(
    document: Document, number: int, transaction: Transaction, mask: Mask, shown_as: Presentation
) -> Iterator[ViewLine]:
    """Yield what variables held at the end of the replay, and which transactions had set them."""
    del transaction
    if shown_as.replay is None:
        yield ViewLine(("Nothing was replayed yet: F5 plays.", "dim"))
        return
    kept = kept_in(Same(document.case), Same(shown_as.replay))
    today = {one.index: at + 1 for at, one in kept.items()}
    width = max((columns_of(one.name) for one in shown_as.replay.replay.variables), default=0)
    width = min(max(width, len("Variable")), shown_as.columns // 2)
    yield ViewLine((padded("Variable", width), "heading"), ("  Where Set  now", "dim"))
    for one in shown_as.replay.replay.variables:
        numbers = ",".join(str(today[at]) for at in one.set_by if at in today)
        mine: Kind = "found" if number in {today.get(at) for at in one.set_by} else "name"
        value = on_one_line(mask.value(one.name, one.value))
        room = max(shown_as.columns - width - 13, 4)
        yield ViewLine(
            (padded(one.name, width), mine),
            (f"  {numbers:<9}  ", "number"),
            (shortened(value, room), ""),
        )


@lru_cache(maxsize=4)
def _notes(document: Same[Document]) -> tuple[Note, ...]:
    return tuple(fidelity(document.it.case, document.it.exchanges))


_TABS: dict[str, Callable[[Document, int, Transaction, Mask, Presentation], Iterable[ViewLine]]] = {
    "Content": _content,
    "Headers": _headers,
    "Fields": _fields,
    "Actors": _actors,
    "Errors": _errors,
    "Variables": _variables,
}
