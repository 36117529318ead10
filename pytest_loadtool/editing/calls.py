"""The functions that a test case calls between its transactions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.editing import with_transactions


def with_calls(case: TestCase, index: int, names: Sequence[str]) -> TestCase:
    """Return ``case`` that calls these functions, and no others, before a transaction."""
    every = list(case.transactions())
    every[index] = replace(every[index], call=tuple(names))
    return with_transactions(case, every)
