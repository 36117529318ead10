"""A test case with other transactions in the place of its own, or with fewer of them."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import replace

from pytest_loadtool.model.case import TestCase, Transaction

__all__ = ["page_span", "with_transactions", "without"]


def with_transactions(case: TestCase, transactions: Iterable[Transaction]) -> TestCase:
    """``case`` with these, as many as it has, on its pages."""
    upcoming = iter(transactions)
    pages = tuple(
        replace(page, transactions=tuple(next(upcoming) for _ in page.transactions))
        for page in case.pages
    )
    return replace(case, pages=pages)


def without(case: TestCase, dropped: Container[int]) -> TestCase:
    """``case`` without the transactions at these indexes, counted from 0; empty pages go too."""
    pages = []
    position = 0
    for page in case.pages:
        kept = tuple(one for at, one in enumerate(page.transactions, position) if at not in dropped)
        position += len(page.transactions)
        if kept:
            pages.append(page if kept == page.transactions else replace(page, transactions=kept))
    return replace(case, pages=tuple(pages))


def page_span(case: TestCase, index: int) -> range:
    """The indexes of the transactions of page ``index``."""
    start = sum(len(page.transactions) for page in case.pages[:index])
    return range(start, start + len(case.pages[index].transactions))
