"""Which part of the test case a person means."""

from __future__ import annotations

from pytest_loadtool.console.errors import UsageError
from pytest_loadtool.model.case import Transaction
from pytest_loadtool.workflow.document import Document


def transaction(document: Document, number: int) -> Transaction:
    """Transaction ``number`` as `tree` counts it.

    Raises:
        UsageError: there is none of that number.
    """
    transactions = list(document.case.transactions())
    if not 1 <= number <= len(transactions):
        raise UsageError(
            f"there is no transaction {number}: `tree` numbers them 1 to {len(transactions)}"
        )
    return transactions[number - 1]


def page_index(document: Document, name: str) -> int:
    """The index of the page of that name, or of that number, counted from 1.

    Raises:
        UsageError: there is none.
    """
    names = [page.name for page in document.case.pages]
    if name in names:
        return names.index(name)
    if name.isascii() and name.isdigit() and 1 <= int(name) <= len(names):
        return int(name) - 1
    raise UsageError(f"there is no page {name!r}: `tree --collapse-all` lists the pages")
