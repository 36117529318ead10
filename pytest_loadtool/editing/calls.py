"""The functions that a test case calls between its transactions."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.editing import page_span


def with_calls(case: TestCase, indexes: Collection[int], names: Sequence[str]) -> TestCase:
    """Return ``case`` that calls these functions, and no others, before these transactions."""
    pages = []
    for number, page in enumerate(case.pages):
        mine = zip(page_span(case, number), page.transactions, strict=True)
        changed = (replace(one, call=tuple(names)) if at in indexes else one for at, one in mine)
        pages.append(replace(page, transactions=tuple(changed)))
    return replace(case, pages=tuple(pages))
