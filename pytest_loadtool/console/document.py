"""What is wrong with a test case."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pytest_loadtool.console.errors import CommandError
from pytest_loadtool.model.case import Request, TestCase, used_names
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
        missing |= _names(_sent(case, transaction.request), case) - known
        known.update(extractor.variable for extractor in transaction.extractors)
        missing |= _names(map(expected_text, transaction.validators), case) - known
    return missing


def _names(texts: Iterable[str], case: TestCase) -> frozenset[str]:
    """The variables among the placeholders of some templates."""
    references = map(Reference, used_names(texts, case.variables))
    return frozenset(one.name for one in references if one.dataset is None) - BUILTIN_NAMES


def _sent(case: TestCase, request: Request) -> Iterator[str]:
    yield request.target
    for header in case.wire_headers(request):
        yield header.value or ""
    if isinstance(request.body, str):
        yield request.body
