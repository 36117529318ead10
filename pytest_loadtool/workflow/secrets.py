"""Credentials and tokens of a test case: named, moved out of its files, or kept beside it.

What a program has recorded nobody is asked about: its credentials go into one private dataset for
all of its folder, and the test case logs in as the same users. Several processes may record into
one folder.
"""

from __future__ import annotations

import fcntl
import os
import re
from collections.abc import Iterator, Mapping, Sequence
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
from pytest_loadtool.editing.datasets import with_column
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
    one of `SECRETS_CHOICES`, but not the first. The traffic gets stand-ins, unless it has them
    already: then what they stand for is known to whoever has moved it before, and it is said where
    it is to be.

    Raises:
        FileError: the dataset cannot be read or written.
    """
    from pytest_loadtool.masking.case import masked
    from pytest_loadtool.masking.found_secrets import is_masked, moved, typed

    sessions = _sessions(document, rules)
    credentials = typed(document.case, sessions)
    recorded = _recorded(document) if document.masked else frozenset()
    values = {
        one.column: ""
        if is_masked(one) and (one.field.wire_name, one.field.value) in recorded
        else one.field.value
        for one in credentials
    }
    case, notes = document.case, []
    if values and how == "dataset":
        path = dataset_path(case_path)
        case, use = with_users(case, path.name)
        names = {column: f"{use.name}.{column}" for column in values}
        notes = list(_in_dataset(path, values, project.shown(path), written=document.masked))
    elif values:
        names = {column: unused(column, case.variables) for column in values}
        own = {column: env_name(case_path, column) for column in values}
        variables = {names[one]: Variable(names[one], env=own[one]) for one in values}
        case = replace(case, variables={**case.variables, **variables})
        # This process knows them from now on; elsewhere somebody has to say them.
        os.environ.update({own[one]: value for one, value in values.items() if value})
        lacking = [own[one] for one in values if not os.environ.get(own[one])]
        here = f"this console has no {', '.join(lacking)}" if lacking else "this console has them"
        notes = [f"Set {', '.join(own.values())} wherever it is replayed; {here} set."]
    if values:
        case = moved(case, credentials, names)
    exchanges = document.exchanges
    if not document.masked:
        case, exchanges = masked(case, exchanges, credentials, token_bytes(32), sessions)
    # What was decided tells the values that are to go: the masked traffic is decided on anew.
    document = replace(
        document, case=case, exchanges=exchanges, evidence=None, masked=True, configuration=None
    )
    return Moved(document, tuple(notes))


def _recorded(document: Document) -> frozenset[tuple[str, str]]:
    """Return the names and values of the fields in the traffic."""
    from pytest_loadtool.masking.found_secrets import recorded_slots

    return frozenset(
        (slot.name, slot.value) for one in document.exchanges for slot in recorded_slots(one)
    )


def _in_dataset(
    path: Path, values: Mapping[str, str], shown: str, *, written: bool
) -> Iterator[str]:
    """Write the dataset of who logs in, with a row of these values, and yield what is said of it.
    ``written`` says that it may be there from before: what it has then stays. An empty value nobody
    knows here."""
    dataset = read_dataset(path) if written and path.exists() else None
    if dataset is None:
        dataset = Dataset(tuple(values), (tuple(values.values()),))
        columns = ", ".join(one for one, value in values.items() if value)
        if columns:
            yield (
                f"Moved {columns} to {shown}, which .gitignore names. "
                "Add a row for each virtual user."
            )
    else:
        yield f"{shown} has who logs in from before, and stays."
        for column in values.keys() - set(dataset.columns):
            dataset = with_column(dataset, column, values[column])
    write_private(path, dataset)
    cells = (dataset.rows[0][dataset.columns.index(one)] if dataset.rows else "" for one in values)
    if lacking := [one for one, cell in zip(values, cells, strict=True) if not cell]:
        yield (
            f"The traffic has stand-ins for {', '.join(lacking)}: write what was typed into row 1 "
            f"of {shown}, as only who typed it knows it."
        )


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
