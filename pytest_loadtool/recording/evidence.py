"""What the recording shows of the answers, for a test case that was made before it was noted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pytest_loadtool.answers.look import answer_of
from pytest_loadtool.model.case import TestCase, Transaction
from pytest_loadtool.model.exchange import Exchange


def with_answers(case: TestCase, exchanges: Sequence[Exchange]) -> TestCase:
    """``case`` with `Recorded.answer` where nothing is known of an answer yet."""

    def noted(one: Transaction) -> Transaction:
        recorded = one.recorded
        if recorded is None or recorded.answer is not None or recorded.entry is None:
            return one
        if recorded.entry >= len(exchanges):
            return one
        answer = answer_of(recorded, exchanges[recorded.entry])
        return replace(one, recorded=replace(recorded, answer=answer))

    pages = (
        replace(page, transactions=tuple(map(noted, page.transactions))) for page in case.pages
    )
    return replace(case, pages=tuple(pages))
