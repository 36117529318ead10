"""Edits of a test case, and what is wrong with one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from pytest_loadtool.console.errors import CommandError
from pytest_loadtool.model.case import Request, TestCase
from pytest_loadtool.model.template import BUILTIN_NAMES, Template
from pytest_loadtool.model.validator import JsonValidator, TextValidator, Validator

__all__ = ["check", "removed", "unset"]


def removed(case: TestCase, index: int) -> TestCase:
    """``case`` without its ``index``-th transaction, counted from 0; empty pages go too."""
    pages = []
    position = 0
    for page in case.pages:
        kept = tuple(
            one for offset, one in enumerate(page.transactions) if position + offset != index
        )
        position += len(page.transactions)
        if kept:
            pages.append(page if kept == page.transactions else replace(page, transactions=kept))
    return replace(case, pages=tuple(pages))


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
    known = {name for name, one in case.variables.items() if one.value is not None or one.env}
    missing: set[str] = set()
    for transaction in case.transactions():
        missing |= _names(_sent(case, transaction.request)) - known
        known.update(extractor.variable for extractor in transaction.extractors)
        missing |= _names(_expected(transaction.validators)) - known
    return missing


def _names(texts: Iterable[str]) -> set[str]:
    """The variables among the placeholders of some templates."""
    references = [one for text in texts for one in Template.parse(text).references]
    return {one.name for one in references if one.dataset is None} - BUILTIN_NAMES


def _sent(case: TestCase, request: Request) -> Iterator[str]:
    yield request.target
    for header in case.wire_headers(request):
        yield header.value or ""
    if isinstance(request.body, str):
        yield request.body


def _expected(validators: Iterable[Validator]) -> Iterator[str]:
    for validator in validators:
        match validator:
            case TextValidator(text=text) | JsonValidator(equals=str(text)):
                yield text
            case _:
                pass
