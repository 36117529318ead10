"""Credentials that a recording of tests has seen: one private dataset for all of its folder.

Nobody is there to ask, and the tests go on logging in as they do: the test case logs in as the same
user. Several processes may record into one folder.
"""

from __future__ import annotations

import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from pytest_loadtool.casefile import read_dataset
from pytest_loadtool.codec.template import Reference, escape
from pytest_loadtool.console.accounts import unconfigured, with_account
from pytest_loadtool.console.placing import Placed
from pytest_loadtool.console.private import write_private
from pytest_loadtool.console.secrets import unused
from pytest_loadtool.console.session import Session
from pytest_loadtool.console.views import identity as views
from pytest_loadtool.correlation.fields import CONSTANT, Field, fields_of
from pytest_loadtool.editing.bulk_edit import with_references
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.dataset import Dataset, DatasetUse

_FILE = "credentials.csv"


def keep_credentials(session: Session) -> list[str]:
    """Have the open test case log in as the recorded users did: passwords of HTTP authentication
    and constant bearer tokens move into the dataset of its folder. What there is to say of it.

    Raises:
        FileError: the dataset cannot be read or written.
    """
    document = session.opened()
    accounts = [one for one in unconfigured(document) if one.known.username]
    tokens = dict(_tokens(document.case))
    if not accounts and not tokens:
        return []
    path = session.case_path.with_name(_FILE)
    with _alone(path.parent):
        columns = dict(_first_row(path))
        case, name = _with_dataset(document.case)
        notes: list[str] = []
        for account in accounts:
            user = account.known
            column = _column(columns, f"{user.username}_password", user.password)
            password = str(Reference(f"{name}.{column}"))
            templates = (escape(user.username), password, escape(user.domain))
            case = with_account(Placed(case, templates), account)
            who = views.account(document.case, account)
            kept = f"{session.shown(path)}, column {column}"
            notes.append(
                f"  {who}: its password is in {kept}"
                if columns[column]
                else f"  {who}: no recording knows its password. Write it into {kept}"
            )
        uses: dict[int, list[tuple[Field, str]]] = {}
        for token, places in tokens.items():
            column = _column(columns, "token", token)
            for index, field in places:
                uses.setdefault(index, []).append((field, f"{name}.{column}"))
            kept = f"{session.shown(path)}, column {column}"
            notes.append(f"  a token that no response gave out is in {kept}")
        _write(path, columns)
    session.document = replace(document, case=with_references(case, uses))
    return notes


def _tokens(case: TestCase) -> Iterator[tuple[str, list[tuple[int, Field]]]]:
    """The constant tokens in Authorization headers, each with its places."""
    found: dict[str, list[tuple[int, Field]]] = {}
    for index, _ in enumerate(case.transactions()):
        for field in fields_of(case, index):
            named = field.slot is not None and field.wire_name.lower() == "authorization"
            if named and field.section == "HEADERS" and field.datasource == CONSTANT:
                found.setdefault(field.value, []).append((index, field))
    yield from found.items()


def _with_dataset(case: TestCase) -> tuple[TestCase, str]:
    known = next((one.name for one in case.datasets if one.file == _FILE), "")
    if known:
        return case, known
    use = DatasetUse(unused("credentials", [one.name for one in case.datasets]), _FILE)
    return replace(case, datasets=(*case.datasets, use)), use.name


def _column(columns: dict[str, str], name: str, value: str) -> str:
    """The column with that value, which is noted; what nobody knows a person may have written."""
    base = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_")
    base = f"_{base}" if base[:1].isdigit() else base
    taken = [one for one, known in columns.items() if value and known not in ("", value)]
    column = unused(base, taken)
    columns[column] = columns.get(column) or value
    return column


def _first_row(path: Path) -> Iterator[tuple[str, str]]:
    if path.exists():
        dataset = read_dataset(path)
        yield from zip(dataset.columns, dataset.rows[0], strict=True)


def _write(path: Path, columns: dict[str, str]) -> None:
    """What a person has added in further rows stays; a new column is the same in all of them."""
    further = read_dataset(path) if path.exists() else Dataset((), ())
    rows = [dict(zip(further.columns, row, strict=True)) for row in further.rows[1:]]
    every = (columns, *({**columns, **row} for row in rows))
    dataset = Dataset(tuple(columns), tuple(tuple(row.values()) for row in every))
    if not path.exists() or dataset != further:
        write_private(path, dataset)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """While no other process does this in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
