"""The tree of a test case: pages and transactions in rows, folding, marking and filtering them."""

from __future__ import annotations

import shlex
from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import lru_cache

from pytest_loadtool.codec.printable import on_one_line
from pytest_loadtool.codec.uses import used_by
from pytest_loadtool.console.screens.cells import columns_of, joined, padded, shortened
from pytest_loadtool.console.screens.same import Same
from pytest_loadtool.console.views.line import Kind, ViewLine
from pytest_loadtool.console.views.text import status_kind
from pytest_loadtool.masking.text import BY_NAME
from pytest_loadtool.model.case import Page, TestCase, Transaction
from pytest_loadtool.workflow.document import Document
from pytest_loadtool.workflow.filtering import is_expression, matching, parsed

#: Seconds: a shorter think time is a client's own pace.
_NOTICEABLE = 0.05


@dataclass(frozen=True, slots=True)
class TreeRow:
    """A row of the tree: a page, by its index; or a transaction of it, by its number from 1."""

    page: int
    number: int = 0


@dataclass(frozen=True, slots=True)
class CaseTree:
    """What of the test case is shown, and where the cursor is.

    ``marked`` has the numbers of transactions, ``folded`` the names of pages; ``top`` is the first
    row that is seen. ``rows`` follow from the others.
    """

    document: Document
    rows: tuple[TreeRow, ...] = ()
    cursor: int = 0
    top: int = 0
    folded: frozenset[str] = frozenset()
    marked: frozenset[int] = frozenset()
    query: str = ""

    @property
    def row(self) -> TreeRow | None:
        """The row that the cursor is on; None in an empty tree."""
        return self.rows[self.cursor] if self.rows else None

    @property
    def transaction(self) -> Transaction | None:
        """The transaction that the cursor is on, or the first one of the page."""
        if self.row is None:
            return None
        page = self.document.case.pages[self.row.page]
        first = _first_numbers(Same(self.document))[self.row.page]
        return page.transactions[max(0, self.row.number - first)]

    @property
    def number(self) -> int:
        """The number of that transaction; 0 in an empty tree."""
        if self.row is None:
            return 0
        return self.row.number or _first_numbers(Same(self.document))[self.row.page]

    @property
    def selected(self) -> str:
        """What commands do something to, as they read it: the marked transactions, ``4,7``, else
        that at the cursor, or its page, ``P2``."""
        if self.marked:
            return ",".join(map(str, sorted(self.marked)))
        if self.row is None:
            return ""
        return str(self.row.number or f"P{self.row.page + 1}")

    def moved(self, by: int, rows: int) -> CaseTree:
        """Move the cursor by so many rows, where ``rows`` are seen."""
        return self.at(self.cursor + by, rows)

    def at(self, cursor: int, rows: int) -> CaseTree:
        """Put the cursor on a row, or on the nearest there is."""
        cursor = max(0, min(cursor, len(self.rows) - 1))
        top = max(0, cursor - rows + 1, min(self.top, cursor, len(self.rows) - rows))
        return replace(self, cursor=cursor, top=top)

    def goto(self, number: int, rows: int) -> CaseTree:
        """Put the cursor on a transaction; a page that hides it is unfolded."""
        wanted = next((at for at, row in enumerate(self.rows) if row.number == number), None)
        if wanted is not None:
            return self.at(wanted, rows)
        open_ = tree_of(self.document, frozenset(), self.marked)
        return open_.goto(number, rows) if any(r.number == number for r in open_.rows) else self

    def next_page(self, step: int, rows: int) -> CaseTree:
        """Go to the next page, or to the one before."""
        at = self.cursor + step
        while 0 <= at < len(self.rows) and self.rows[at].number:
            at += step
        return self.at(at, rows)

    def toggled_mark(self) -> CaseTree:
        """Mark or unmark what is at the cursor, all of a page; and go on to the next row."""
        if self.row is None:
            return self
        count = len(self.document.case.pages[self.row.page].transactions)
        numbers = (
            {self.row.number} if self.row.number else {*range(self.number, self.number + count)}
        )
        all_are = numbers <= self.marked
        marked = self.marked - numbers if all_are else self.marked | numbers
        return replace(self, marked=frozenset(marked))

    def toggled_fold(self, *, every: bool = False) -> CaseTree:
        """Fold or unfold the page at the cursor, or every page."""
        if self.row is None:
            return self
        names = {page.name for page in self.document.case.pages}
        mine = names if every else {self.document.case.pages[self.row.page].name}
        folded = self.folded - mine if mine <= self.folded else self.folded | mine
        made = tree_of(self.document, frozenset(folded), self.marked, self.query)
        return _where(self, made)

    def filtered(self, query: str) -> CaseTree:
        """Show only what has all words, in its method, path, name, status or page; or what an
        expression means, such as ``~m POST``.

        Raises:
            ValueError: it is no expression, and begins like one.
        """
        return _where(self, tree_of(self.document, self.folded, self.marked, query))

    def of(self, document: Document) -> CaseTree:
        """Return the tree of another state of the test case: cursor and marks stay with what they
        were on, as far as it is still there."""
        if document is self.document:
            return self
        old = [_known_by(one) for one in self.document.case.transactions()]
        new = {_known_by(one): n for n, one in enumerate(document.case.transactions(), 1)}
        marked = {new[old[number - 1]] for number in self.marked if old[number - 1] in new}
        made = tree_of(document, self.folded, frozenset(marked), self.query)
        if self.row is not None and self.row.number:
            number = new.get(old[self.row.number - 1])
            at = next((i for i, row in enumerate(made.rows) if row.number == number), None)
            if at is not None:
                return replace(made, cursor=at, top=max(0, at - self.cursor + self.top))
        return replace(made, top=self.top).at(self.cursor, max(1, self.cursor - self.top + 1))


def tree_of(
    document: Document,
    folded: frozenset[str] = frozenset(),
    marked: frozenset[int] = frozenset(),
    query: str = "",
) -> CaseTree:
    """Return the tree of a test case, with the cursor on its first row."""
    rows = []
    number = 0
    words = query.lower().split()
    meant = _meant(document, query) if any(map(is_expression, words)) else None
    for index, page in enumerate(document.case.pages):
        shown = []
        for one in page.transactions:
            number += 1
            held = _holds(words, page, one) if meant is None else number - 1 in meant
            if held:
                shown.append(TreeRow(index, number))
        if shown or not words:
            rows.append(TreeRow(index))
            if page.name not in folded or words:
                rows.extend(shown)
    return CaseTree(document, tuple(rows), folded=folded, marked=marked, query=query)


def _meant(document: Document, query: str) -> frozenset[int]:
    return frozenset(matching(document, parsed(shlex.split(query))))


def _holds(words: list[str], page: Page, one: Transaction) -> bool:
    status = str(one.recorded.status) if one.recorded else ""
    text = " ".join((page.name, one.request.method, status, one.request.target, one.name)).lower()
    return all(word in text for word in words)


def _where(old: CaseTree, made: CaseTree) -> CaseTree:
    """Put the cursor of ``made`` where it was in ``old``, or on the page that it was in."""
    row = old.row
    if row is None or not made.rows:
        return made
    known = {one: at for at, one in enumerate(made.rows)}
    at = known.get(row, known.get(TreeRow(row.page), 0))
    return replace(made, cursor=at, top=max(0, at - (old.cursor - old.top)))


def _known_by(one: Transaction) -> Hashable:
    """What a transaction stays known by when others go: its recorded exchange, or itself."""
    if one.recorded is not None and one.recorded.entry is not None:
        return one.recorded.entry
    return one.title


@lru_cache(maxsize=8)
def _first_numbers(document: Same[Document]) -> tuple[int, ...]:
    """The number of the first transaction of each page."""
    numbers, number = [], 1
    for page in document.it.case.pages:
        numbers.append(number)
        number += len(page.transactions)
    return tuple(numbers)


def first_row(tree: CaseTree, rows: int) -> int:
    """Return the first row that is seen where there are so many."""
    highest = min(tree.top, tree.cursor, len(tree.rows) - rows)
    return max(0, tree.cursor - rows + 1, highest)


def drawn(tree: CaseTree, columns: int, rows: int, *, focused: bool) -> list[ViewLine]:
    """Return the rows of the tree that are seen."""
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
            line = _transaction_line(tree, page, row, columns, digits)
        else:
            line = _page_line(tree, page, row, columns)
        if at == tree.cursor:
            line = ViewLine((str(line), "cursor" if focused else "heading"))
        lines.append(line)
    return lines


def _page_line(tree: CaseTree, page: Page, row: TreeRow, columns: int) -> ViewLine:
    folded = page.name in tree.folded and not tree.query
    think = f" {page.think_time:.1f}s" if page.think_time >= _NOTICEABLE else ""
    count = f" ({len(page.transactions)})" if folded else ""
    head = f"{'▸' if folded else '▾'} P{row.page + 1} "
    name = shortened(on_one_line(page.name), columns - columns_of(head) - len(count + think) - 1)
    gap = columns - columns_of(head + name + count + think) - 1
    return ViewLine((head, ""), (name, "heading"), (count + " " * gap + think, "dim"))


def _transaction_line(
    tree: CaseTree, page: Page, row: TreeRow, columns: int, digits: int
) -> ViewLine:
    first = _first_numbers(Same(tree.document))[row.page]
    one = page.transactions[row.number - first]
    status = str(one.recorded.status or "---") if one.recorded else "---"
    marks = marks_of(tree.document.case, one)
    mark = "*" if row.number in tree.marked else " "
    head = ViewLine(
        (mark, "found" if mark == "*" else ""),
        (f"{row.number:>{digits}} ", "number"),
        (f"{one.request.method:<4} ", "name"),
        (f"{status} ", status_kind(status)),
    )
    room = columns - columns_of(head) - len(marks) - 2
    text = one.name or BY_NAME.text(one.request.target)
    path: Kind = "bad" if one.dangerous else ""
    return joined(
        (head, ViewLine((padded(on_one_line(text), room), path), (f" {marks} ", "attribute")))
    )


#: What stands behind a transaction, and what it means.
MARKS = {
    "e": "takes values from the response (extractors)",
    "v": "expects something of the response (validators)",
    "g": "sends values that application state management found (gray fields)",
    "d": "sends values of a dataset",
    "!": "is marked as dangerous",
}


def marks_of(case: TestCase, one: Transaction) -> str:
    """Return the letters of `MARKS` that are true of a transaction."""
    return _marks(Same(case), Same(one))


@lru_cache(maxsize=4096)
def _marks(case: Same[TestCase], transaction: Same[Transaction]) -> str:
    one, variables = transaction.it, case.it.variables
    names = used_by(case.it, one.request)
    known = {
        "e": bool(one.extractors),
        "v": bool(one.validators),
        "g": any(name in variables and variables[name].set_by == "asm" for name in names),
        "d": any("." in name for name in names),
        "!": one.dangerous,
    }
    return "".join(letter for letter, true in known.items() if true)
