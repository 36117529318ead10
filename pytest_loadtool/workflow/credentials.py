"""Where a virtual user's credentials come from, and putting them there.

A password is in a dataset, an environment variable or the system's keyring, never in a test case.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

from pytest_loadtool.codec.suffixes import case_name
from pytest_loadtool.codec.template import BUILTIN_NAMES, Reference, escape
from pytest_loadtool.correlation.writing.revert import names_in_use
from pytest_loadtool.engine.prepare.keyrings import in_keyring, store_in_keyring, storing
from pytest_loadtool.model.case import TestCase, Variable
from pytest_loadtool.model.dataset import Dataset, DatasetUse
from pytest_loadtool.workflow.datasets import FileChange, write_dataset
from pytest_loadtool.workflow.project import Project


@dataclass(frozen=True, slots=True)
class Known:
    """The knowledge that the recording has of a user. ``password`` is known where it was sent as it
    is."""

    username: str = ""
    password: str = ""
    domain: str = ""

    @property
    def name(self) -> str:
        """``DOMAIN\\username``, as far as it is known."""
        return "\\".join(filter(None, (self.domain, self.username)))


NOBODY = Known()


@dataclass(frozen=True, slots=True)
class CredentialSource:
    """The source of one value: a ``column`` of a dataset, a ``variable``, or itself."""

    text: str = ""
    column: str = ""
    variable: Variable | None = None


@dataclass(frozen=True, slots=True)
class CredentialChoice:
    """The source of a virtual user's credentials, and what has to be put there first.

    ``dataset`` is the file of the columns, ``new`` what it is to hold if it has to be written.
    ``secret`` is what the password's variable has to be set to, unless that has been done.
    """

    username: CredentialSource | None
    password: CredentialSource | None
    domain: CredentialSource | None = None
    dataset: Path | None = None
    new: Dataset | None = None
    secret: str = ""


@dataclass(frozen=True, slots=True)
class Placed:
    """The test case that knows the sources, and the templates that stand for the values."""

    case: TestCase
    templates: tuple[str, str, str]
    """Of user name, password and domain; empty where there is none."""
    notes: tuple[str, ...] = ()
    """What was put where, and what somebody has still to put somewhere."""
    written: tuple[FileChange, ...] = ()


def place(project: Project, case_path: Path, case: TestCase, found: CredentialChoice) -> Placed:
    """Put credentials where they are to come from: a dataset that is not there, the environment of
    this process, the keyring. Return the test case that takes them from there.

    Raises:
        FileError: the dataset cannot be written.
        ReplayError: the keyring does not take the password.
    """
    notes: list[str] = []
    written: tuple[FileChange, ...] = ()
    if found.dataset is not None and found.new is not None and not found.dataset.exists():
        written = (write_dataset(found.dataset, found.new),)
        notes.append(
            f"Wrote {project.shown(found.dataset)}, for you alone; .gitignore names it. "
            "Add a row for each virtual user."
        )
    prefix = ""
    if found.dataset is not None:
        file = Path(os.path.relpath(found.dataset, case_path.parent)).as_posix()
        case, use = with_users(case, file)
        prefix = use.name
    templates = []
    for one in (found.username, found.password, found.domain):
        if one is None:
            templates.append("")
        elif one.variable is not None:
            case, name = _with_variable(case, one.variable)
            templates.append(str(Reference(name)))
            notes += _keep(one.variable, found.secret)
        elif one.column:
            templates.append(str(Reference(f"{prefix}.{one.column}")))
        else:
            templates.append(escape(one.text))
    username, password, domain = templates
    return Placed(case, (username, password, domain), tuple(notes), written)


def _with_variable(case: TestCase, wanted: Variable) -> tuple[TestCase, str]:
    """Return the case with a variable for the password; its name, perhaps with a number."""
    for name, one in case.variables.items():
        if one == replace(wanted, name=name):
            return case, name
    name = unused(wanted.name, names_in_use(case) | BUILTIN_NAMES)
    variables: Mapping[str, Variable] = {**case.variables, name: replace(wanted, name=name)}
    return replace(case, variables=variables), name


def _keep(variable: Variable, secret: str) -> Iterator[str]:
    if variable.env is not None:
        if secret:
            os.environ[variable.env] = secret
            yield f"Set {variable.env} wherever it is replayed; this console has it set."
        elif not os.environ.get(variable.env):
            yield f"Set {variable.env} before it is replayed."
    elif variable.keyring is not None:
        who = f"{variable.username} for {variable.keyring}"
        if secret:
            store_in_keyring(variable.keyring, variable.username, secret)
            yield f"The keyring has the password of {who} now."
        elif in_keyring(variable.keyring, variable.username) is None:
            yield (
                f"The keyring has no password of {who} yet: "
                f"`{storing(variable.keyring, variable.username)}` asks for it."
            )


def env_name(case_path: Path, column: str) -> str:
    """Return the environment variable of a test case for one of its columns: ``SHOP_PASSWORD``."""
    name = re.sub(r"\W+", "_", f"{case_name(case_path)}_{column}", flags=re.ASCII).upper()
    return f"_{name}" if name[:1].isdigit() else name


def with_users(case: TestCase, file: str) -> tuple[TestCase, DatasetUse]:
    """Return the case with the dataset ``file`` of who its users are, and how it uses that: each
    virtual user has a row for itself, for life. A login that two of them share would be one
    user's."""
    known = next((one for one in case.datasets if one.file == file), None)
    use = known or DatasetUse(unused("users", [one.name for one in case.datasets]), file)
    own = replace(use, lifespan="virtual user", sharable=False)
    if known is None:
        return replace(case, datasets=(*case.datasets, own)), own
    datasets = tuple(own if one is known else one for one in case.datasets)
    return replace(case, datasets=datasets), own


def unused(name: str, taken: Iterable[str]) -> str:
    """Return ``name``, with a number if it is taken."""
    known = set(taken)
    names = (name if n == 1 else f"{name}_{n}" for n in count(1))
    return next(one for one in names if one not in known)
