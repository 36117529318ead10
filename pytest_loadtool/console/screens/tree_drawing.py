"""The tree drawn: a line for each row that is seen, with marks."""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType

from pytest_loadtool.codec.printable import on_one_line
from pytest_loadtool.console.screens.cells import columns_of, joined, padded, shortened
from pytest_loadtool.console.screens.tree import CaseTree, TreeRow, numbers_by_page
from pytest_loadtool.console.views.line import Kind, ViewLine
from pytest_loadtool.console.views.text import size, status_kind
from pytest_loadtool.console.views.tree import bodies
from pytest_loadtool.masking.text import BY_NAME
from pytest_loadtool.model.case import Page, Transaction
from pytest_loadtool.model.kept_replay import KeptTransaction, Outcome
from pytest_loadtool.model.same import Same
from pytest_loadtool.workflow.document import Document
from pytest_loadtool.workflow.marks import MARKS as KNOWN_MARKS
from pytest_loadtool.workflow.marks import Marking
from pytest_loadtool.workflow.replaying import breakpoint_of

NOTHING: Mapping[int, KeptTransaction] = MappingProxyType({})

#: Seconds: a shorter think time is a client's own pace.
_NOTICEABLE = 0.05


def first_row(tree: CaseTree, rows: int) -> int:
    """Return the first row that is seen where there are so many."""
    highest = min(tree.top, tree.cursor, len(tree.rows) - rows)
    return max(0, tree.cursor - rows + 1, highest)


def drawn(
    tree: CaseTree,
    columns: int,
    rows: int,
    *,
    focused: bool,
    outcomes: Mapping[int, KeptTransaction] = NOTHING,
    breakpoints: Container[Hashable] = (),
) -> list[ViewLine]:
    """Return the rows of the tree that are seen, with what became of transactions (by their
    indexes) in a replay, and the ones that `play` is held before."""
    if not tree.rows:
        missing = f"nothing has {tree.query!r}" if tree.query else "no test case"
        return [ViewLine((f" {missing}", "dim"))]
    top = first_row(tree, rows)
    digits = len(str(sum(len(page.transactions) for page in tree.document.case.pages)))
    lines = []
    for at in range(top, min(top + rows, len(tree.rows))):
        row = tree.rows[at]
        page = tree.document.case.pages[row.page]
        if row.number:
            line = _transaction_line(tree, page, row, columns, digits, outcomes, breakpoints)
        else:
            line = _page_line(tree, page, row, columns, outcomes)
        if at == tree.cursor:
            line = ViewLine((str(line), "cursor" if focused else "heading"))
        lines.append(line)
    return lines


def _outcome(outcomes: Mapping[int, KeptTransaction], indexes: range) -> str:
    """Return the worst of what became of some transactions."""
    found = {outcomes[index].outcome for index in indexes if index in outcomes}
    return next((OUTCOMES[one] for one in OUTCOMES if one in found), " ")


def _page_line(
    tree: CaseTree,
    page: Page,
    row: TreeRow,
    columns: int,
    outcomes: Mapping[int, KeptTransaction],
) -> ViewLine:
    folded = page.name in tree.folded and not tree.query
    think = f" {page.think_time:.1f}s" if page.think_time >= _NOTICEABLE else ""
    count = f" {page.once}" if page.once else ""
    count += f" {page.flow}" if page.flow else ""
    count += (
        f" ({len(page.transactions)}{received(Same(tree.document), Same(page))})" if folded else ""
    )
    head = f"{'▸' if folded else '▾'} P{row.page + 1} "
    name = shortened(on_one_line(page.name), columns - columns_of(head) - len(count + think) - 3)
    first = numbers_by_page(Same(tree.document))[row.page].start - 1
    end = _outcome(outcomes, range(first, first + len(page.transactions))) if folded else " "
    end = f" {end} " if outcomes else " "
    gap = columns - columns_of(head + name + count + think + end)
    return ViewLine((head, ""), (name, "heading"), (count + " " * gap + think, "dim"), (end, "bad"))


def _transaction_line(
    tree: CaseTree,
    page: Page,
    row: TreeRow,
    columns: int,
    digits: int,
    outcomes: Mapping[int, KeptTransaction],
    breakpoints: Container[Hashable],
) -> ViewLine:
    first = numbers_by_page(Same(tree.document))[row.page].start
    one = page.transactions[row.number - first]
    status = str(one.recorded.status or "---") if one.recorded else "---"
    marks = letters(Same(tree.document), Same(one))
    marks += "b" if breakpoint_of(one) in breakpoints else ""
    end = _outcome(outcomes, range(row.number - 1, row.number))
    mark = "*" if row.number in tree.marked else " "
    head = ViewLine(
        (mark, "found" if mark == "*" else ""),
        (f"{row.number:>{digits}} ", "number"),
        (f"{one.request.method:<4} ", "name"),
        (f"{status} ", status_kind(status)),
    )
    behind = bool(outcomes)  # a column for what became of it
    room = columns - columns_of(head) - len(marks) - 2 - 2 * behind
    text = one.name or BY_NAME.text(one.request.target)
    text += f"  ({one.flow})" if one.flow else ""
    text += f"  (calls {', '.join(one.call)})" if one.call else ""
    path: Kind = "bad" if one.dangerous else ""
    return joined(
        (
            head,
            ViewLine((padded(on_one_line(text), room), path), (f" {marks} ", "attribute")),
            ViewLine((f"{end} ", "bad")) if behind else ViewLine(),
        )
    )


#: What stands last, by what became of it when it was replayed, the worst first.
OUTCOMES: Mapping[Outcome, str] = MappingProxyType(
    {"failed": "f", "never sent": "-", "not as recorded": "~", "passed": " "}
)

#: What stands behind a transaction, and what it means: failures have a place of their own.
MARKS = {
    **{letter: meaning for letter, meaning in KNOWN_MARKS.items() if letter != "f"},
    "!": "is marked as dangerous",
    "b": "has a breakpoint: a replay is held before it",
}


def mark_help() -> Iterator[ViewLine]:
    """Yield what the letters behind transactions mean."""
    yield ViewLine(("What stands behind a transaction", "heading"))
    ends = {letter: f"{end} in the replay" for end, letter in OUTCOMES.items() if letter.strip()}
    for letter, text in (*MARKS.items(), *ends.items()):
        yield ViewLine((f"  {letter}  ", "name"), (text, ""))


@lru_cache(maxsize=4096)
def received(document: Same[Document], page: Same[Page]) -> str:
    """Return how large the bodies are that came for a page, behind a comma."""
    moved = bodies(document.it, page.it)
    return f", {size(moved[1])}" if moved else ""


@lru_cache(maxsize=4096)
def letters(document: Same[Document], transaction: Same[Transaction]) -> str:
    """Return the letters of `MARKS` that are true of a transaction."""
    one = transaction.it
    return _marking(document).letters(one) + ("!" if one.dangerous else "")


@lru_cache(maxsize=4)
def _marking(document: Same[Document]) -> Marking:
    return Marking.of(document.it)
