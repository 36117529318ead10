"""Credentials and tokens of a test case: named, moved out of its files, or kept beside it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from secrets import token_bytes

from pytest_loadtool.auth.recorded import recorded_identities
from pytest_loadtool.model.case import Variable
from pytest_loadtool.model.dataset import Dataset
from pytest_loadtool.model.rule import Names, Rule
from pytest_loadtool.workflow.credentials import env_name, unused, with_users
from pytest_loadtool.workflow.document import Document
from pytest_loadtool.workflow.files import case_name, har_path, write_private
from pytest_loadtool.workflow.project import Project
from pytest_loadtool.workflow.telling import counted

#: What can be done with them. The first is what is done with nobody to ask.
WAYS = ("keep", "dataset", "env")


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
    one of `WAYS`, but not the first. The traffic gets stand-ins.

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


def _sessions(document: Document, rules: Sequence[Rule]) -> Names:
    """The cookies that carry the session or a credential, by the rules of the test case."""
    from pytest_loadtool.masking.found_secrets import session_cookies

    return session_cookies(document.exchanges, rules)
