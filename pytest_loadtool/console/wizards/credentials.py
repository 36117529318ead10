"""What wizards ask about a virtual user's credentials, as far as options do not say it."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from types import MappingProxyType

from pytest_loadtool.casefile import read_dataset
from pytest_loadtool.console.arguments import OptionGroup
from pytest_loadtool.console.errors import UsageError
from pytest_loadtool.console.session import Console
from pytest_loadtool.console.wizard import Wizard, choice, question
from pytest_loadtool.engine.prepare.keyrings import in_keyring
from pytest_loadtool.errors import FileError
from pytest_loadtool.model.case import Variable
from pytest_loadtool.model.dataset import Dataset
from pytest_loadtool.workflow.credentials import CredentialChoice, CredentialSource, Known, env_name

#: Datasets that are to be written, each with its first user.
Planned = Mapping[Path, str]
NOTHING_PLANNED: Planned = MappingProxyType({})

#: The columns of a dataset of credentials. The last need not be there.
COLUMNS = ("username", "password", "domain")
RECOMMENDATION = (
    "A username of its own for each virtual user is recommended: many servers end a user's earlier "
    "sessions, limit how many a user may have, or mix them up."
)
WHY_OWN = "With a dataset each virtual user logs in as somebody else, as real users do."
_CHOICES = {
    "dataset": "a CSV or JSON file; each virtual user has a row of its own",
    "share": "one username for all virtual users",
}
#: Where the value of a password can be kept.
KEEPERS = {
    "env": "a value that you type, kept in an environment variable",
    "keyring": "a value that you type, kept in the system's keyring",
}
_WHY_KEPT = "No password is written into the test case, which others read and keep in repositories."
_WHY_TYPED = "It is what the server is told; what you type is not shown, and is in no log."
_WHY_SERVICE = "A keyring has its passwords by the names of a service and of a user."
_WHY_NAME = "It is what the virtual users log in as."
_SERVICE = "pytest-loadtool"


@dataclass(frozen=True, slots=True, kw_only=True)
class Given(OptionGroup):
    """The answers that a command was given in its options; empty where there are none."""

    dataset: Path | None = None
    share: str = ""
    password_env: str = ""
    keyring: str = ""

    def __post_init__(self) -> None:
        """Raise `UsageError` for what excludes each other."""
        if self.dataset is not None and self.share:
            raise UsageError("--dataset and --share exclude each other")
        if self.password_env and self.keyring:
            raise UsageError("--password-env and --keyring exclude each other")
        if self.keyring and self.dataset is not None:
            raise UsageError("--keyring goes with --share: a dataset has the passwords itself")

    @property
    def anything(self) -> bool:
        """Return whether there is an answer to some question."""
        return self != NOTHING_GIVEN


NOTHING_GIVEN = Given()


def ask_credentials(
    session: Console, given: Given, known: Known, hint: str, planned: Planned = NOTHING_PLANNED
) -> Wizard[CredentialChoice]:
    """Ask whether to use a dataset or to share a username, and what that takes. ``hint`` is what a
    script may say instead."""
    kept_as = _given_choice(given)
    if not kept_as:
        kept_as = yield from choice(
            "Use a dataset, or Share a username", _CHOICES, "dataset", unattended=hint,
            about=RECOMMENDATION, why=WHY_OWN,
        )  # fmt: skip
    if kept_as == "share":
        return (yield from _shared(session, given, known))
    return (yield from ask_dataset(session, given, known, planned))


def ask_dataset(
    session: Console, given: Given, known: Known, planned: Planned = NOTHING_PLANNED
) -> Wizard[CredentialChoice]:
    """Use a dataset: one that there is, or a new one with the recorded user in its first row."""
    if given.dataset is not None:
        path = session.settings.directory / given.dataset.expanduser()
    else:
        path = yield from question(
            f"A CSV or JSON file with the columns {', '.join(COLUMNS)}; made if there is none?",
            session.shown(_proposed(session, known, planned)),
            lambda answer: _usable(session.settings.directory / Path(answer).expanduser()),
            why="Its rows are the users; one that is made has the recorded user in its first row.",
        )
    columns = _columns(path)
    new = None
    if not columns:
        shown = session.shown(path)
        username = known.username or (yield from ask_name(known, f"{shown} is not there: write it"))
        password = os.environ.get(given.password_env) or known.password
        if not password:
            password = yield from _secret(
                f"Password of {username} (for {shown}):",
                f"{shown} is not there, and the recording does not tell the password of "
                f"{username}: write the file, with the columns {', '.join(COLUMNS)}, or say "
                "--password-env NAME for its first row",
            )
        columns = COLUMNS
        domain = f"{known.domain}\\{username}" if known.domain else ""
        new = Dataset(COLUMNS, ((username, password, domain),))
    user, secret, domain_too = (CredentialSource(column=one) for one in COLUMNS)
    return CredentialChoice(user, secret, domain_too if COLUMNS[2] in columns else None, path, new)


def _proposed(session: Console, known: Known, planned: Planned) -> Path:
    """Return a file that no other user's dataset is about to be written to."""
    names = (f"users{'' if n == 1 else f'-{n}'}.csv" for n in count(1))
    paths = (session.case_path.with_name(name) for name in names)
    return next(one for one in paths if planned.get(one) in (None, known.username))


def _usable(path: Path) -> Path:
    """Return the path, if a dataset of credentials is there, or could be.

    Raises:
        UsageError: something else is there.
    """
    try:
        _columns(path)
    except FileError as error:
        raise UsageError(str(error)) from None
    return path


def _secret(text: str, unattended: str) -> Wizard[str]:
    """Ask for a password."""

    def understand(answer: str) -> str:
        if not answer:
            raise UsageError("a password is needed")
        return answer

    return question(text, "", understand, secret=True, unattended=unattended, why=_WHY_TYPED)


def ask_password(
    session: Console, given: Given, username: str, known: str, keeper: str = ""
) -> Wizard[tuple[CredentialSource, str]]:
    """Ask where the password of ``username`` is, and for it if it has to be put there. ``keeper``
    is one of `KEEPERS`, if somebody has said so."""
    keeper = "env" if given.password_env else "keyring" if given.keyring else keeper
    if not keeper:
        keeper = yield from choice(
            "The password from an environment variable, or from the system's keyring",
            KEEPERS,
            "env",
            unattended=f"give the place of the password of {username}: --password-env NAME or "
            "--keyring SERVICE",
            why=_WHY_KEPT,
        )
    if keeper == "env":
        name = given.password_env or (
            yield from question(
                "Name of the environment variable?",
                env_name(session.case_path, "password"),
                _env,
                why="Set it wherever the test case is replayed; this console sets it for itself.",
            )
        )
        variable = Variable(_env(name), env=name)
        there = bool(os.environ.get(name))
    else:
        service = given.keyring or (
            yield from question("Service in the keyring?", _SERVICE, _filled, why=_WHY_SERVICE)
        )
        variable = Variable("password", keyring=service, username=username)
        # A keyring may ask to be unlocked: that is for the command, and not for its wizard.
        there = bool(given.keyring) and in_keyring(service, username) is not None
    if there or known:
        return CredentialSource(variable=variable), "" if there else known
    # Who cannot be asked puts it there later: nothing is wrong with that before it is replayed.
    about = "Enter alone, if the keyring has it already." if keeper == "keyring" else ""
    secret = yield from question(
        f"Password of {username}:", "", str, secret=True, about=about, why=_WHY_TYPED
    )
    return CredentialSource(variable=variable), secret


def _shared(session: Console, given: Given, known: Known) -> Wizard[CredentialChoice]:
    """Share a username."""
    username = given.share or (yield from ask_name(known, "give --share USERNAME"))
    same = username in (known.username, known.name)
    source, secret = yield from ask_password(
        session, given, username, known.password if same else ""
    )
    domain = CredentialSource(known.domain) if username == known.username and known.domain else None
    return CredentialChoice(CredentialSource(username), source, domain, secret=secret)


def _given_choice(given: Given) -> str:
    if given.dataset is not None:
        return "dataset"
    return "share" if given.share or given.password_env or given.keyring else ""


def ask_name(known: Known, unattended: str) -> Wizard[str]:
    """Return the name of a user; ``unattended`` is for a script, where the recording does not tell
    it."""
    hint = "" if known.name else unattended
    return question("Username?", known.name, _filled, unattended=hint, why=_WHY_NAME)


def _filled(answer: str) -> str:
    if not answer.strip():
        raise UsageError("an answer is needed")
    return answer.strip()


def _env(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII):
        raise UsageError(f"{name!r} is not the name of an environment variable")
    return name


def _columns(path: Path) -> tuple[str, ...]:
    """Return the columns of a dataset of credentials; none if there is no such file.

    Raises:
        UsageError: it has not the columns that are needed, or no row.
        FileError: it is no dataset.
    """
    if not path.exists():
        if not path.parent.is_dir():
            raise UsageError(f"{path.parent} is not a folder")
        return ()
    dataset = read_dataset(path)
    missing = [one for one in COLUMNS[:2] if one not in dataset.columns]
    if missing:
        raise UsageError(
            f"{path.name} has no column {' and no column '.join(missing)}: it has "
            f"{', '.join(dataset.columns)}; credentials are in {', '.join(COLUMNS)}"
        )
    if not dataset.rows:
        raise UsageError(f"{path.name} has no rows: write one for each virtual user")
    return dataset.columns
