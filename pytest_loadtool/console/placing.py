"""Putting credentials where they are to come from, and letting the test case know."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from pytest_loadtool.codec.template import BUILTIN_NAMES, Reference, escape
from pytest_loadtool.console.credentials import Credentials
from pytest_loadtool.console.private import write_private
from pytest_loadtool.console.secrets import unused, with_users
from pytest_loadtool.console.session import Session
from pytest_loadtool.correlation.revert import names_in_use
from pytest_loadtool.engine.prepare.keyrings import in_keyring, store_in_keyring, storing
from pytest_loadtool.model.case import TestCase, Variable


@dataclass(frozen=True, slots=True)
class Placed:
    """The test case that knows the sources, and the templates that stand for the values."""

    case: TestCase
    templates: tuple[str, str, str]
    """Of user name, password and domain; empty where there is none."""


def place(session: Session, case: TestCase, found: Credentials) -> Placed:
    """Put what has to be put somewhere, and let the test case know.

    Raises:
        FileError: the dataset cannot be written.
        ReplayError: the keyring does not take the password.
    """
    if found.dataset is not None and found.new is not None and not found.dataset.exists():
        write_private(found.dataset, found.new)
        session.say(
            f"Wrote {session.shown(found.dataset)}, for you alone; .gitignore names it. "
            "Add a row for each virtual user."
        )
    prefix = ""
    if found.dataset is not None:
        case, prefix = _with_dataset(session, case, found.dataset)
    templates = []
    for one in (found.username, found.password, found.domain):
        if one is None:
            templates.append("")
        elif one.variable is not None:
            case, name = _with_variable(case, one.variable)
            templates.append(str(Reference(name)))
            _keep(session, one.variable, found.secret)
        elif one.column:
            templates.append(str(Reference(f"{prefix}.{one.column}")))
        else:
            templates.append(escape(one.text))
    username, password, domain = templates
    return Placed(case, (username, password, domain))


def _with_dataset(session: Session, case: TestCase, path: Path) -> tuple[TestCase, str]:
    """The case with the dataset, a row of which each virtual user has for itself; its name."""
    file = Path(os.path.relpath(path, session.case_path.parent)).as_posix()
    case, use = with_users(case, file)
    return case, use.name


def _with_variable(case: TestCase, wanted: Variable) -> tuple[TestCase, str]:
    """The case with a variable for the password; its name, perhaps with a number."""
    for name, one in case.variables.items():
        if one == replace(wanted, name=name):
            return case, name
    name = unused(wanted.name, names_in_use(case) | BUILTIN_NAMES)
    variables: Mapping[str, Variable] = {**case.variables, name: replace(wanted, name=name)}
    return replace(case, variables=variables), name


def _keep(session: Session, variable: Variable, secret: str) -> None:
    if variable.env is not None:
        if secret:
            os.environ[variable.env] = secret
            session.say(f"Set {variable.env} wherever it is replayed; this console has it set.")
        elif not os.environ.get(variable.env):
            session.say(f"Set {variable.env} before it is replayed.")
    elif variable.keyring is not None:
        who = f"{variable.username} for {variable.keyring}"
        if secret:
            store_in_keyring(variable.keyring, variable.username, secret)
            session.say(f"The keyring has the password of {who} now.")
        elif in_keyring(variable.keyring, variable.username) is None:
            session.say(
                f"The keyring has no password of {who} yet: "
                f"`{storing(variable.keyring, variable.username)}` asks for it."
            )
