"""The questions of the wizards for who the virtual users are. They end in command lines."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from pytest_loadtool.console.guiding import Lines
from pytest_loadtool.console.session import Console
from pytest_loadtool.console.views import identity as views
from pytest_loadtool.console.wizard import choice
from pytest_loadtool.console.wizards.credentials import (
    KEEPERS,
    NOTHING_GIVEN,
    RECOMMENDATION,
    WHY_OWN,
    ask_credentials,
    ask_dataset,
    ask_name,
    ask_password,
)
from pytest_loadtool.console.wizards.identity import ADVICE, CHANGE, typed
from pytest_loadtool.editing.login_forms import LoginForm
from pytest_loadtool.workflow.accounts import NeededAccount
from pytest_loadtool.workflow.credentials import CredentialChoice, CredentialSource, Known
from pytest_loadtool.workflow.telling import account as told_of

_YES, _NO = "yes", "no"
_USERNAME = {
    "dataset": "the column username of a CSV file: each virtual user has a row of its own",
    "value": "a name that you type, for all virtual users",
    "keep": "as it is now",
}
_PASSWORD = {
    "dataset": "the column password of a CSV file: each virtual user has a row of its own",
    **KEEPERS,
    "keep": "as it is now",
}
_WHY_CHANGE = "It has credentials already; yes asks what comes in their place."
_WHY_CONFIGURE = (
    "The server asked for HTTP authentication when it was recorded, and asks again on replay: "
    "the test case has to know who answers."
)
_WHY_FIELD = "Left alone, all virtual users log in as the one who was recorded."


def account_lines(session: Console, found: Sequence[NeededAccount]) -> Lines:
    """Ask who the virtual users are to servers that ask by HTTP authentication."""
    return identity_lines(session, found, ())


def identity_lines(
    session: Console, found: Sequence[NeededAccount], forms: Sequence[LoginForm]
) -> Lines:
    """Ask what becomes of accounts, and of the fields of login forms."""
    planned: dict[Path, str] = {}
    names = {one.known.name for one in found}
    lines: list[str] = []
    for one in found:
        lines += yield from _account(session, one, planned, several=len(names) > 1)
    for form in forms:
        lines += yield from _form(session, form, planned)
    return tuple(lines)


def _account(
    session: Console, one: NeededAccount, planned: dict[Path, str], *, several: bool
) -> Lines:
    about = f"  {told_of(session.opened().case, one)}"
    if one.configured:
        agreed = yield from choice(
            "Change it", (_YES, _NO), _NO, unattended=CHANGE, about=about, why=_WHY_CHANGE
        )
    else:
        agreed = yield from choice(
            "Configure user identity for connection authentication",
            (_YES, _NO),
            _YES,
            unattended=f"{about.strip()}: nobody is here to ask who the users are. {ADVICE}",
            about=about,
            why=_WHY_CONFIGURE,
        )
    if agreed == _NO:
        return ()
    found = yield from ask_credentials(session, NOTHING_GIVEN, one.known, CHANGE, planned)
    if found.dataset is not None and found.new is not None:
        planned.setdefault(found.dataset, one.known.username)
    user = ("--user", one.known.name) if several else ()
    return (shlex.join(["test-case-configuration", *_options(session, found), *user]),)


def _form(session: Console, form: LoginForm, planned: dict[Path, str]) -> Lines:
    """Ask of a login form: what becomes of the field of the username, and of that of the
    password."""
    case = session.opened().case
    known = typed(form)
    about = f"  {views.login(case, form)}\n{RECOMMENDATION}"
    options: dict[str, list[str]] = {}
    way, file = "dataset", ""
    for role, field, ways in (
        ("username", form.username, _USERNAME),
        ("password", form.password, _PASSWORD),
    ):
        if field is None:
            continue
        default = way if way in ways else "env"
        way = yield from choice(
            f"{field.name}: a dataset, a value, or as it is", ways, default,
            unattended=CHANGE, about=about, why=f"{_WHY_FIELD} {WHY_OWN}",
        )  # fmt: skip
        about = ""
        if way == "dataset":
            if not file:
                found = yield from ask_dataset(session, NOTHING_GIVEN, known, planned)
                file = _shown(session, found)
            options[role] = ["--dataset", file]
        elif way == "value":
            name = yield from ask_name(known, CHANGE)
            known = known if name == known.username else Known(name)
            options[role] = ["--share", name]
        elif way != "keep":
            source, _ = yield from ask_password(
                session, NOTHING_GIVEN, known.name, known.password, keeper=way
            )
            options[role] = _kept(source)
    command = ["user-identity", str(form.transaction + 1)]
    user, password = options.get("username", []), options.get("password", [])
    if user == password:
        return (shlex.join([*command, *user]),) if options else ()
    if user[:1] == ["--share"] and password[:1] in (["--password-env"], ["--keyring"]):
        return (shlex.join([*command, *user, *password]),)
    return tuple(shlex.join([*command, "--field", role, *given]) for role, given in options.items())


def _options(session: Console, found: CredentialChoice) -> list[str]:
    """Return the options of a command that say what was chosen."""
    if found.dataset is not None:
        return ["--dataset", _shown(session, found)]
    name = found.username.text if found.username is not None else ""
    return ["--share", name, *_kept(found.password)]


def _kept(password: CredentialSource | None) -> list[str]:
    variable = password.variable if password is not None else None
    if variable is None:
        return []
    if variable.env is not None:
        return ["--password-env", variable.env]
    return ["--keyring", variable.keyring or ""]


def _shown(session: Console, found: CredentialChoice) -> str:
    return session.shown(found.dataset) if found.dataset is not None else ""
