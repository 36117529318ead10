"""Credentials and tokens of a test case: named, moved out of its files, or kept beside it.

What a program has recorded nobody is asked about: its credentials go into one private dataset for
all of its folder, and the test case logs in as the same users. Several processes may record into
one folder.
"""

from __future__ import annotations

import fcntl
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from secrets import token_bytes

from pytest_loadtool.auth.recorded import recorded_identities
from pytest_loadtool.casefile import read_dataset
from pytest_loadtool.codec.suffixes import case_name, har_path
from pytest_loadtool.codec.template import Reference, escape
from pytest_loadtool.correlation.requests.fields import CONSTANT, Field, fields_of
from pytest_loadtool.editing.bulk_edit import with_references
from pytest_loadtool.model.case import TestCase, Variable
from pytest_loadtool.model.dataset import Dataset, DatasetUse
from pytest_loadtool.model.rule import NamePatterns, Rule
from pytest_loadtool.workflow.accounts import unconfigured, with_account
from pytest_loadtool.workflow.credentials import Placed, env_name, unused, with_users
from pytest_loadtool.workflow.document import Document
from pytest_loadtool.workflow.files import write_private
from pytest_loadtool.workflow.project import Project
from pytest_loadtool.workflow.telling import account as told_of
from pytest_loadtool.workflow.telling import counted

#: What can be done with them. The first is what is done with nobody to ask.
SECRETS_CHOICES = ("keep", "dataset", "env")


def dataset_path(case_path: Path) -> Path:
    """Return where the dataset of a test case's credentials lies."""
    return case_path.with_name(f"{case_name(case_path)}.users.csv")


@dataclass(frozen=True, slots=True)
class Moved:
    """A document without its credentials and tokens, and lines on where they are now."""

    document: Document
    notes: tuple[str, ...]


def warnings(
    project: Project, document: Document, case_path: Path, rules: Sequence[Rule]
) -> Iterator[str]:
    """Say which credentials and tokens are in the files as they are."""
    from pytest_loadtool.masking.found_secrets import captured, typed

    sessions = _sessions(document, rules)
    credentials = typed(document.case, sessions)
    if credentials:
        names = ", ".join(dict.fromkeys(one.field.name for one in credentials))
        yield f"  {project.shown(case_path)} holds what was typed: {names}."
    tokens = captured(document.case, document.exchanges, sessions)
    proofs = recorded_identities(document.exchanges)
    if document.exchanges and not document.masked and (tokens or credentials or proofs):
        what = f" and {counted(len(tokens), 'token')}" if tokens else ""
        yield f"  {project.shown(har_path(case_path))} holds what was typed{what}."


def move(
    project: Project, document: Document, case_path: Path, how: str, rules: Sequence[Rule]
) -> Moved:
    """Move them to a dataset, which is written, or to the environment of this process: ``how`` is
    one of `SECRETS_CHOICES`, but not the first. The traffic gets stand-ins.

    Raises:
        FileError: the dataset cannot be written.
    """
    from pytest_loadtool.masking.case import masked
    from pytest_loadtool.masking.found_secrets import moved, typed

    sessions = _sessions(document, rules)
    credentials = typed(document.case, sessions)
    values = {one.column: one.field.value for one in credentials}
    case, note = document.case, ""
    if values and how == "dataset":
        path = dataset_path(case_path)
        case, use = with_users(case, path.name)
        names = {column: f"{use.name}.{column}" for column in values}
        write_private(path, Dataset(tuple(values), (tuple(values.values()),)))
        note = (
            f"Moved {', '.join(values)} to {project.shown(path)}, which .gitignore names. "
            "Add a row for each virtual user."
        )
    elif values:
        names = {column: unused(column, case.variables) for column in values}
        own = {column: env_name(case_path, column) for column in values}
        variables = {names[one]: Variable(names[one], env=own[one]) for one in values}
        case = replace(case, variables={**case.variables, **variables})
        # This process knows them from now on; elsewhere somebody has to say them.
        os.environ.update({own[one]: value for one, value in values.items()})
        said = ", ".join(own.values())
        note = f"Set {said} wherever it is replayed; this console has them set."
    if values:
        case = moved(case, credentials, names)
    case, exchanges = masked(case, document.exchanges, credentials, token_bytes(32), sessions)
    # What was decided tells the values that are to go: the masked traffic is decided on anew.
    document = replace(
        document, case=case, exchanges=exchanges, evidence=None, masked=True, configuration=None
    )
    return Moved(document, (note,) if note else ())


def _sessions(document: Document, rules: Sequence[Rule]) -> NamePatterns:
    """Return the cookies that carry the session or a credential, by the rules of the test case."""
    from pytest_loadtool.masking.found_secrets import session_cookies

    return session_cookies(document.exchanges, rules)


_FILE = "credentials.csv"


def keep_credentials(project: Project, document: Document, case_path: Path) -> Moved:
    """Have the test case log in as the recorded users did: passwords of HTTP authentication and
    constant bearer tokens move into the dataset of its folder.

    Raises:
        FileError: the dataset cannot be read or written.
    """
    accounts = [one for one in unconfigured(document) if one.known.username]
    tokens = dict(_tokens(document.case))
    if not accounts and not tokens:
        return Moved(document, ())
    path = case_path.with_name(_FILE)
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
            who = told_of(document.case, account)
            kept = f"{project.shown(path)}, column {column}"
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
            kept = f"{project.shown(path)}, column {column}"
            notes.append(f"  a token that no response gave out is in {kept}")
        _write(path, columns)
    return Moved(replace(document, case=with_references(case, uses)), tuple(notes))


def _tokens(case: TestCase) -> Iterator[tuple[str, list[tuple[int, Field]]]]:
    """Yield the constant tokens in Authorization headers, each with its places."""
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
    """Return the column with that value, which is noted; what nobody knows a person may have
    written."""
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
    """Write the columns into the first row: what a person has added in further rows stays; a new
    column is the same in all of them."""
    further = read_dataset(path) if path.exists() else Dataset((), ())
    rows = [dict(zip(further.columns, row, strict=True)) for row in further.rows[1:]]
    every = (columns, *({**columns, **row} for row in rows))
    dataset = Dataset(tuple(columns), tuple(tuple(row.values()) for row in every))
    if not path.exists() or dataset != further:
        write_private(path, dataset)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep other processes from doing this in the folder while entered."""
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
