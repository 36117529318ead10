"""Credentials and tokens of a test case that is saved: kept in its files, or moved elsewhere."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from secrets import token_bytes

from pytest_loadtool.auth.recorded import recorded_identities
from pytest_loadtool.console.errors import CommandError, UsageError
from pytest_loadtool.console.files import case_name, har_path
from pytest_loadtool.console.private import write_private
from pytest_loadtool.console.rules import rules_of
from pytest_loadtool.console.session import Document, Session
from pytest_loadtool.console.views.text import counted
from pytest_loadtool.console.wizard import question
from pytest_loadtool.model.case import TestCase, Variable
from pytest_loadtool.model.dataset import Dataset, DatasetUse
from pytest_loadtool.model.rule import Names

#: What can be done with them. The first is what is done with nobody to ask.
WAYS = ("keep", "dataset", "env")


def dataset_path(case_path: Path) -> Path:
    """Where the dataset of a test case's credentials lies."""
    return case_path.with_name(f"{case_name(case_path)}.users.csv")


async def way(session: Session, document: Document, wanted: str) -> str:
    """What to do with the credentials and tokens; ``wanted`` is what the command said.

    Raises:
        UsageError: that is none of `WAYS`.
        CommandError: dynamic values are not configured yet.
    """
    if wanted:
        return _understood(wanted, document)
    if not document.case.configured or not list(warnings(session, document, session.case_path)):
        return WAYS[0]
    return await session.consult(
        question(
            "Credentials and tokens: keep them in the files, or move them to a dataset or to "
            "environment variables (keep, dataset, env)?",
            WAYS[0],
            lambda answer: _understood(answer, document),
        )
    )


def warnings(session: Session, document: Document, case_path: Path) -> Iterator[str]:
    """Which credentials and tokens are in the files as they are."""
    from pytest_loadtool.masking.found_secrets import captured, typed

    sessions = _sessions(session, document)
    credentials = typed(document.case, sessions)
    if credentials:
        names = ", ".join(dict.fromkeys(one.field.name for one in credentials))
        yield f"  {session.shown(case_path)} holds what was typed: {names}."
    tokens = captured(document.case, document.exchanges, sessions)
    proofs = recorded_identities(document.exchanges)
    if document.exchanges and not document.masked and (tokens or credentials or proofs):
        what = f" and {counted(len(tokens), 'token')}" if tokens else ""
        yield f"  {session.shown(har_path(case_path))} holds what was typed{what}."


def move(session: Session, document: Document, case_path: Path, how: str) -> Document:
    """The document without them; the dataset is written, or the environment of this process set.

    Raises:
        FileError: the dataset cannot be written, or a file of rules is wrong.
    """
    from pytest_loadtool.masking.case import masked
    from pytest_loadtool.masking.found_secrets import moved, typed

    sessions = _sessions(session, document)
    credentials = typed(document.case, sessions)
    values = {one.column: one.field.value for one in credentials}
    case = document.case
    if values and how == "dataset":
        case, use = with_users(case, dataset_path(case_path).name)
        names = {column: f"{use.name}.{column}" for column in values}
        _write(session, dataset_path(case_path), Dataset(tuple(values), (tuple(values.values()),)))
    elif values:
        names = {column: unused(column, case.variables) for column in values}
        variables = {
            names[column]: Variable(names[column], env=env_name(case_path, column))
            for column in values
        }
        case = replace(case, variables={**case.variables, **variables})
        _set(session, {env_name(case_path, column): value for column, value in values.items()})
    if values:
        case = moved(case, credentials, names)
    case, exchanges = masked(case, document.exchanges, credentials, token_bytes(32), sessions)
    return replace(document, case=case, exchanges=exchanges, evidence=None, masked=True)


def _sessions(session: Session, document: Document) -> Names:
    """The cookies that carry the session or a credential, by the rules of the test case."""
    from pytest_loadtool.masking.found_secrets import session_cookies

    return session_cookies(document.exchanges, rules_of(session, document.case))


def _understood(answer: str, document: Document) -> str:
    answer = answer.strip().lower()
    if answer not in WAYS:
        raise UsageError(f"{answer!r} is none of {', '.join(WAYS)}")
    if answer != WAYS[0] and document.exchanges and not document.case.configured:
        raise CommandError(
            "`configure` first: only then the tokens that the server gives out are told from yours"
        )
    return answer


def _write(session: Session, path: Path, dataset: Dataset) -> None:
    write_private(path, dataset)
    session.say(
        f"Moved {', '.join(dataset.columns)} to {session.shown(path)}, which .gitignore names. "
        "Add a row for each virtual user."
    )


def _set(session: Session, variables: dict[str, str]) -> None:
    """This console knows them from now on; elsewhere somebody has to say them."""
    os.environ.update(variables)
    session.say(f"Set {', '.join(variables)} wherever it is replayed; this console has them set.")


def env_name(case_path: Path, column: str) -> str:
    """The environment variable of a test case for one of its columns: ``SHOP_PASSWORD``."""
    name = re.sub(r"\W+", "_", f"{case_name(case_path)}_{column}", flags=re.ASCII).upper()
    return f"_{name}" if name[:1].isdigit() else name


def with_users(case: TestCase, file: str) -> tuple[TestCase, DatasetUse]:
    """The case with the dataset ``file`` of who its users are, and how it uses that: each virtual
    user has a row for itself, for life. A login that two of them share would be one user's."""
    known = next((one for one in case.datasets if one.file == file), None)
    use = known or DatasetUse(unused("users", [one.name for one in case.datasets]), file)
    own = replace(use, lifespan="virtual user", sharable=False)
    if known is None:
        return replace(case, datasets=(*case.datasets, own)), own
    datasets = tuple(own if one is known else one for one in case.datasets)
    return replace(case, datasets=datasets), own


def unused(name: str, taken: Iterable[str]) -> str:
    """``name``, with a number if it is taken."""
    known = set(taken)
    names = (name if n == 1 else f"{name}_{n}" for n in count(1))
    return next(one for one in names if one not in known)
