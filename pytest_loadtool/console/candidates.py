"""What a word that is being typed may become, where it means transactions or pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from pytest_loadtool.console.selection import ALL, path_of
from pytest_loadtool.console.session import Console
from pytest_loadtool.errors import LoadToolError
from pytest_loadtool.model.case import Transaction
from pytest_loadtool.recording import hostnames
from pytest_loadtool.workflow.datasets import open_dataset
from pytest_loadtool.workflow.document import Document
from pytest_loadtool.workflow.filtering import OPERATORS
from pytest_loadtool.workflow.telling import counted


def known_values(document: Document, operator: str) -> list[str]:
    """Return what may stand behind an operator of a filter expression in this test case; nothing
    for those that take any text."""
    case = document.case
    recorded = [one.recorded for one in case.transactions() if one.recorded is not None]
    found: dict[str, Iterable[str]] = {
        "~m": (one.request.method for one in case.transactions()),
        "~k": (one.kind.value.lower() for one in recorded),
        "~c": sorted(str(one.status) for one in recorded),
        "~d": (use.name for use in hostnames(case, document.exchanges)),
        "~p": (page.name for page in case.pages),
    }
    return list(dict.fromkeys(found.get(operator, ())))


def dataset_columns(session: Console) -> list[str]:
    """Return ``DATASET.COLUMN`` for the datasets whose files can be read."""
    names: list[str] = []
    for use in session.document.case.datasets if session.document else ():
        with suppress(LoadToolError):
            found = open_dataset(session.settings, session.case_path, use).content
            names += (f"{use.name}.{column}" for column in found.columns)
    return names


def candidates(document: Document, start: str, *, pages: bool = True) -> Iterator[tuple[str, str]]:
    """Yield what a word that begins with ``start`` may be, each with what it means.

    A word may be two: ``POST /lo``.
    """
    case = document.case
    before, comma, current = start.rpartition(",") if start[:1].isalnum() else ("", "", start)
    transactions = list(case.transactions())
    if current.startswith("~"):
        for name, operator in OPERATORS.items():
            if name.startswith(current):
                yield name, f"{operator.summary} ({operator.argument or 'alone'})"
        return
    method, blank, path = current.rpartition(" ")
    if path.startswith("/"):
        yield from _paths(transactions, method + blank, path)
        return
    for number, one in enumerate(transactions, 1):
        if str(number).startswith(current):
            yield f"{before}{comma}{number}", one.title
    if not pages:
        return
    for number, page in enumerate(case.pages, 1):
        if f"P{number}".startswith(current.upper()):
            yield f"{before}{comma}P{number}", page.name
    if current:
        if ALL.startswith(current.casefold()):
            yield ALL, counted(len(transactions), "transaction")
        for page in case.pages:
            if page.name.casefold().startswith(current.casefold()):
                yield page.name, counted(len(page.transactions), "transaction")


def _paths(
    transactions: Sequence[Transaction], method: str, start: str
) -> Iterator[tuple[str, str]]:
    """Yield the paths that begin so, each once, with the numbers of those that have them."""
    numbers: dict[str, list[str]] = {}
    for number, one in enumerate(transactions, 1):
        path = path_of(one)
        if path.startswith(start) and method.strip() in ("", one.request.method):
            numbers.setdefault(path, []).append(str(number))
    for path, mine in numbers.items():
        yield method + path, ", ".join(mine[:4]) + (", …" if len(mine) > 4 else "")
