"""Taking transactions and pages out of a test case."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace

from pytest_loadtool.model.case import TestCase

__all__ = ["page_span", "without"]


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
