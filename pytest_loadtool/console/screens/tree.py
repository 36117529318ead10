"""The tree of a test case: pages and transactions in rows, folding, marking and filtering them."""

from __future__ import annotations

import shlex
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby

from pytest_loadtool.model.case import Page, Transaction
from pytest_loadtool.model.same import Same
from pytest_loadtool.workflow.document import Document
from pytest_loadtool.workflow.filtering import is_expression, matching, parsed


@dataclass(frozen=True, slots=True)
class TreeRow:
    """A row of the tree: a page, by its index; or a transaction of it, by its number from 1."""

    page: int
    number: int = 0


@dataclass(frozen=True, slots=True)
class CaseTree:
    """The rows of the test case that are shown, and where the cursor is.

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
    failed: frozenset[int] = frozenset()
    """The indexes of the transactions that failed in the replay, for filters."""

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
        first = numbers_by_page(Same(self.document))[self.row.page].start
        return page.transactions[max(0, self.row.number - first)]

    @property
    def number(self) -> int:
        """The number of that transaction; 0 in an empty tree."""
        if self.row is None:
            return 0
        return self.row.number or numbers_by_page(Same(self.document))[self.row.page].start

    @property
    def selected(self) -> str:
        """Return what commands do something to, as they read it: what is marked, else what is at
        the cursor. Whole pages are ``P2``, others are transactions: ``4-7,9``."""
        if self.row is not None and self.row.number and not self.marked:
            return str(self.row.number)
        chosen, whole, loose = self.marked or self._at_cursor, [], list[int]()
        for page, numbers in enumerate(numbers_by_page(Same(self.document)), 1):
            if chosen.issuperset(numbers):
                whole.append(page)
            else:
                loose += sorted(chosen.intersection(numbers))
        return ",".join((*_spans(whole, "P"), *_spans(loose)))

    @property
    def pages(self) -> str:
        """Return the pages of what is marked, else that at the cursor, as commands read them:
        ``P1-P3``."""
        chosen = self.marked or self._at_cursor
        each = enumerate(numbers_by_page(Same(self.document)), 1)
        return ",".join(_spans([page for page, mine in each if chosen.intersection(mine)], "P"))

    @property
    def _at_cursor(self) -> frozenset[int]:
        """Return the transaction at the cursor; of a page, what is shown of it."""
        if self.row is None:
            return frozenset()
        if self.row.number:
            return frozenset({self.row.number})
        numbers = numbers_by_page(Same(self.document))[self.row.page]
        if not self.query:
            return frozenset(numbers)
        return frozenset(row.number for row in self.rows if row.number in numbers)

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
        open_ = tree_of(self.document, frozenset(), self.marked, failed=self.failed)
        return open_.goto(number, rows) if any(r.number == number for r in open_.rows) else self

    def next_page(self, step: int, rows: int) -> CaseTree:
        """Go to the next page, or to the one before."""
        at = self.cursor + step
        while 0 <= at < len(self.rows) and self.rows[at].number:
            at += step
        return self.at(at, rows)

    def toggled_mark(self) -> CaseTree:
        """Mark or unmark what is at the cursor; of a page, all that is shown of it."""
        numbers = self._at_cursor
        all_are = numbers <= self.marked
        return replace(self, marked=self.marked - numbers if all_are else self.marked | numbers)

    def toggled_fold(self, *, every: bool = False) -> CaseTree:
        """Fold or unfold the page at the cursor, or every page."""
        if self.row is None:
            return self
        names = {page.name for page in self.document.case.pages}
        mine = names if every else {self.document.case.pages[self.row.page].name}
        folded = self.folded - mine if mine <= self.folded else self.folded | mine
        made = tree_of(self.document, frozenset(folded), self.marked, self.query, self.failed)
        return _where(self, made)

    def filtered(self, query: str) -> CaseTree:
        """Show only what has all words, in its method, path, name, status or page; or what an
        expression means, such as ``~m POST``.

        Raises:
            ValueError: it is no expression, and begins like one.
        """
        return _where(self, tree_of(self.document, self.folded, self.marked, query, self.failed))

    def of(self, document: Document) -> CaseTree:
        """Return the tree of another state of the test case: cursor and marks stay with what they
        were on, as far as it is still there."""
        if document is self.document:
            return self
        old = [_known_by(one) for one in self.document.case.transactions()]
        new = {_known_by(one): n for n, one in enumerate(document.case.transactions(), 1)}
        marked = {new[old[number - 1]] for number in self.marked if old[number - 1] in new}
        made = tree_of(document, self.folded, frozenset(marked), self.query, self.failed)
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
    failed: frozenset[int] = frozenset(),
) -> CaseTree:
    """Return the tree of a test case, with the cursor on its first row."""
    rows = []
    number = 0
    words = query.lower().split()
    meant = _meant(document, query, failed) if any(map(is_expression, words)) else None
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
    return CaseTree(document, tuple(rows), folded=folded, marked=marked, query=query, failed=failed)


def _meant(document: Document, query: str, failed: frozenset[int]) -> frozenset[int]:
    return frozenset(matching(document, parsed(shlex.split(query)), failed=failed))


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
    """Return what a transaction stays known by when others go: its recorded exchange, or itself."""
    if one.recorded is not None and one.recorded.entry is not None:
        return one.recorded.entry
    return one.title


@lru_cache(maxsize=8)
def numbers_by_page(document: Same[Document]) -> tuple[range, ...]:
    """Return the numbers of the transactions of each page."""
    numbers, number = [], 1
    for page in document.it.case.pages:
        numbers.append(range(number, number + len(page.transactions)))
        number += len(page.transactions)
    return tuple(numbers)


def _spans(numbers: Sequence[int], before: str = "") -> Iterator[str]:
    """Yield ascending numbers as commands read them, those that follow each other as one:
    ``4-7``."""
    for _, group in groupby(enumerate(numbers), lambda one: one[1] - one[0]):
        first, *others = (number for _, number in group)
        yield f"{before}{first}-{before}{others[-1]}" if others else f"{before}{first}"
