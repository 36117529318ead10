"""What is wrong with a test case."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from pytest_loadtool.casefile import format_case, parse_case
from pytest_loadtool.codec.template import BUILTIN_NAMES, Reference
from pytest_loadtool.console.errors import CommandError
from pytest_loadtool.errors import FileError
from pytest_loadtool.model.case import TestCase, used_names
from pytest_loadtool.model.validator import expected_text


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


def readable(case: TestCase, path: Path) -> None:
    """Make sure that what is written of the test case could be read again.

    Raises:
        CommandError: it could not; the text says why.
    """
    try:
        parse_case(format_case(case), str(path))
    except FileError as error:
        first = error.message.partition("\n")[0]
        reason = ": ".join(part for part in (error.key, first) if part)
        raise CommandError(f"the test case cannot be saved as it is: {reason}") from None


def tidied(case: TestCase, before: TestCase) -> TestCase:
    """``case`` without the variables and datasets that ``before`` has used for credentials, and
    that nothing uses any more."""
    used = of_users(case)
    for transaction in case.transactions():
        checked = map(expected_text, transaction.validators)
        used |= case.needed_by(transaction) | used_names(checked, case.variables)
    needless = of_users(before) - used
    datasets = {Reference(name).dataset for name in needless} - {
        Reference(name).dataset for name in used
    }
    return replace(
        case,
        variables={name: one for name, one in case.variables.items() if name not in needless},
        datasets=tuple(one for one in case.datasets if one.name not in datasets),
    )


def of_users(case: TestCase) -> frozenset[str]:
    """The names of the placeholders in identities and in the proxy."""
    owners = (*case.identities, *((case.proxy,) if case.proxy is not None else ()))
    texts = [text for one in owners for text in one.templates]
    return used_names(texts, case.variables)


def unset(case: TestCase) -> set[str]:
    """Variables that are used before anything sets them."""
    known = {name for name, one in case.variables.items() if not one.needs_extractor}
    missing: set[str] = set()
    for transaction in case.transactions():
        missing |= _own(case.needed_by(transaction)) - known
        known.update(extractor.variable for extractor in transaction.extractors)
        checked = map(expected_text, transaction.validators)
        missing |= _own(used_names(checked, case.variables)) - known
    return missing


def _own(names: Iterable[str]) -> frozenset[str]:
    """The variables of the test case among the names of placeholders."""
    return frozenset(one for one in names if Reference(one).dataset is None) - BUILTIN_NAMES
