"""The Test Case Editor as lines: pages, under each its transactions, with their marks."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from pytest_loadtool.console.views.case import summary
from pytest_loadtool.console.views.columns import cell_len, clipped, middle
from pytest_loadtool.console.views.flows import flow_notes
from pytest_loadtool.console.views.identity import authentication, offered
from pytest_loadtool.console.views.line import ViewLine
from pytest_loadtool.console.views.text import size, status_kind
from pytest_loadtool.masking.text import BY_NAME
from pytest_loadtool.model.case import Page, Transaction
from pytest_loadtool.model.editing import page_span
from pytest_loadtool.recording import paused
from pytest_loadtool.workflow.document import Document
from pytest_loadtool.workflow.marks import MARKS, marks_of
from pytest_loadtool.workflow.telling import counted

#: Seconds: a shorter think time is a client's own pace and only clutters the tree.
_NOTICEABLE = 0.05
#: Columns from which on there is room for long words; below them they are shortened.
_ROOMY = 100
_SHORT = {"JavaScript": "JS"}
#: Characters of a path where nobody tells how many columns there are, and the fewest.
_PATH, _SHORTEST_PATH = 100, 20


@dataclass(frozen=True, slots=True)
class _TransactionLine:
    """A transaction: its number and what its columns show."""

    number: int
    method: str
    status: str
    kind: str
    weight: str
    marks: str
    asked: str
    notes: str
    bad: bool
    negotiated: tuple[tuple[str, str], ...]
    """What negotiated its authentication: the method, and the status with the schemes."""

    @property
    def cells(self) -> tuple[str, ...]:
        """The columns before what is asked for."""
        return self.method, self.status, self.kind, self.weight, self.marks


def tree(
    document: Document,
    *,
    folded: Collection[str] = frozenset(),
    only: Collection[int] | None = None,
    failed: Collection[int] = frozenset(),
    width: int | None = None,
) -> Iterator[str]:
    """Yield the tree, its pages and transactions numbered through the test case.

    ``folded`` are the names of pages that are one line. With ``only``, the indexes of transactions,
    the others are left out. ``failed`` failed when they were last replayed. Lines are cut to
    ``width`` columns, if that is known.

    Once authentication is configured, it has a folder; and the exchanges that only negotiate it are
    left out, unless the Properties want them.
    """
    case = document.case
    server = f"  {case.server}" if case.server else ""
    counts = summary(document)
    if only is not None:
        counts = f"{len(only)} of {counted(len(list(case.transactions())), 'transaction')}"
    yield ViewLine((case.name, "heading"), (f"{server}  ({counts})", ""))
    names = {page.name for page in case.pages}
    closed = names <= set(folded)
    if case.identities and only is None:
        yield f"{_sign(closed)} Authentication"
        yield from (f"       {line}" for line in authentication(case) if not closed)
    marks = marks_of(document, failed)
    of_pages, of_transactions = flow_notes(case)
    used: set[str] = set()
    pages = []
    for index, page in enumerate(case.pages):
        span = page_span(case, index)
        numbers = [at for at in span if only is None or at in only]
        is_folded = page.name in folded and only is None
        used.update(*(marks[at] for at in numbers))
        mine = list(zip(span, page.transactions, strict=True))
        rows = [
            _row(document, at, one, marks[at], width, of_transactions.get(at, ""))
            for at, one in (mine if not is_folded else ())
            if only is None or at in only
        ]
        own = "".join(letter for letter in MARKS if any(letter in marks[at] for at in span))
        if numbers:
            pages.append((index, page, rows, own if is_folded else None))
    widths = [
        max((len(row.cells[column]) for _, _, rows, _ in pages for row in rows), default=0)
        for column in range(5)
    ]
    for index, page, rows, letters in pages:
        yield _page_line(document, index, page, letters, width, of_pages.get(index, ""))
        for row in rows:
            yield from _lines(row, widths, width)
    if used:
        said = "; ".join(f"{letter} {MARKS[letter]}" for letter in MARKS if letter in used)
        yield ViewLine(("marks: ", "number"), (said, "number"))


def _row(
    document: Document, index: int, one: Transaction, marks: str, width: int | None, flow: str
) -> _TransactionLine:
    recorded = one.recorded
    exchange = document.evidence_of(one)
    kind = recorded.kind.value if recorded else "-"
    notes = (
        f"({one.name})" if one.name else "",
        "(dangerous)" if one.dangerous else "",
        f"(refreshes {one.refreshes})" if one.refreshes else "",
        f"({flow})" if flow else "",
        f"(calls {', '.join(one.call)})" if one.call else "",
    )
    negotiated = document.case.show_negotiation or not document.case.identities
    return _TransactionLine(
        number=index + 1,
        method=one.request.method,
        status=str(recorded.status) if recorded else "-",
        kind=_SHORT.get(kind, kind) if width is not None and width < _ROOMY else kind,
        weight=size(exchange.response_size) if exchange else "-",
        marks=marks,
        asked=BY_NAME.text(one.request.target),
        notes="".join(f"  {note}" for note in notes if note),
        bad=one.dangerous or "f" in marks,
        negotiated=tuple(
            (each.method, f"{each.status}  {offered(each)}")
            for each in (document.negotiation_of(one) if negotiated else ())
        ),
    )


def _lines(row: _TransactionLine, widths: Sequence[int], width: int | None) -> Iterator[ViewLine]:
    for method, rest in row.negotiated:
        yield ViewLine((f"  CAN  {method:<{widths[0]}}  {rest}", ""))
    marks = f"{row.marks:<{widths[4]}}  " if widths[4] else ""
    before = f"{row.kind:<{widths[2]}}  {row.weight:>{widths[3]}}  "
    left = 5 + 2 + widths[0] + 2 + widths[1] + 2 + len(before) + len(marks) + cell_len(row.notes)
    room = _PATH if width is None else max(_SHORTEST_PATH, width - left)
    yield ViewLine(
        (f"{row.number:5}", "number"),
        (f"  {row.method:<{widths[0]}}", "name"),
        (f"  {row.status:>{widths[1]}}  ", status_kind(row.status)),
        (before, ""),
        (marks, "good"),
        (middle(row.asked, room) + row.notes, "bad" if row.bad else ""),
    )


def _page_line(
    document: Document, index: int, page: Page, letters: str | None, width: int | None, flow: str
) -> ViewLine:
    """Return the line of a page; ``letters`` are the marks of one that is folded."""
    count = f"  ({_content(document, page)})" if letters is not None else ""
    inside = paused(page)
    pauses = f"  pauses {inside:.1f}s" if inside >= _NOTICEABLE else ""
    think = f"  think {page.think_time:.1f}s" if page.think_time >= _NOTICEABLE else ""
    marks = f"  {letters}" if letters else ""
    once = f"  once, at the {page.once}" if page.once else ""
    once += f"  ({flow})" if flow else ""
    number, rest = f"P{index + 1}", f"{once}{count}{pauses}{think}"
    room = (
        _PATH if width is None else max(_SHORTEST_PATH, width - len(number) - 3 - len(rest + marks))
    )
    return ViewLine(
        (f"{_sign(letters is not None)} ", ""),
        (f"{number} ", "number"),
        (clipped(page.name, room), "heading"),
        (rest, ""),
        (marks, "good"),
    )


def _content(document: Document, page: Page) -> str:
    """Return how many transactions a page has, and how large the recorded bodies of all are."""
    moved = bodies(document, page)
    weight = f", {size(moved[0])} sent, {size(moved[1])} received" if moved else ""
    return f"{counted(len(page.transactions), 'transaction')}{weight}"


def bodies(document: Document, page: Page) -> tuple[int, int] | None:
    """Return how large the recorded bodies of a page are, those sent and those received; None if
    nothing of it was recorded."""
    found = [one for one in map(document.evidence_of, page.transactions) if one is not None]
    if not found:
        return None
    return sum(one.request_size for one in found), sum(one.response_size for one in found)


def _sign(folded: bool) -> str:
    return "▸" if folded else "▾"
