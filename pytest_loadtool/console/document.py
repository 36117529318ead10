"""What is wrong with a test case."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_loadtool.console.errors import CommandError
from pytest_loadtool.model.case import TestCase, used_names
from pytest_loadtool.model.template import BUILTIN_NAMES, Reference
from pytest_loadtool.model.validator import expected_text

__all__ = ["check", "unset"]


def check(case: TestCase) -> None:
    """Make sure that every variable has a source.

    Raises:
        CommandError: one has none; the text says which and what to do.
    """
    missing = sorted(unset(case))
    if missing:
        raise CommandError(
            f"{', '.join(missing)}: used, but set by nothing; "
            "`configure` looks for a source, `delete` takes out what uses it"
        )


def unset(case: TestCase) -> set[str]:
    """Variables that are used before anything sets them."""
    known = {name for name, one in case.variables.items() if not one.needs_extractor}
    missing: set[str] = set()
    for transaction in case.transactions():
        missing |= _own(case.used_by(transaction.request)) - known
        known.update(extractor.variable for extractor in transaction.extractors)
        checked = map(expected_text, transaction.validators)
        missing |= _own(used_names(checked, case.variables)) - known
    return missing


def _own(names: Iterable[str]) -> frozenset[str]:
    """The variables of the test case among the names of placeholders."""
    return frozenset(one for one in names if Reference(one).dataset is None) - BUILTIN_NAMES
