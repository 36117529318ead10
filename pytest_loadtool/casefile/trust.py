"""What the files of a project may reach outside of themselves, and what one from elsewhere may not.

A test case of one's own project is trusted as its ``conftest.py`` is: it may use the environment,
the keyring and an application. The files that it names are in the project nevertheless, unless
somebody has said that others may be read; so a slip, or a link that leads elsewhere, sends nothing
that nobody meant.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from pytest_loadtool.casefile.files import file_errors
from pytest_loadtool.casefile.toml.diagnostics import Problems
from pytest_loadtool.casefile.toml.positions import KeyPath
from pytest_loadtool.errors import FileError
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.structure.uses import named_files

OUTSIDE_PATHS = "loadtool_outside_paths"
"""The setting in pytest's configuration file that lets files elsewhere be read."""

UNTRUSTED = "--loadtool-untrusted"
"""The option for test cases from elsewhere."""

FILE_LIMIT = 1 << 30
"""The most bytes of a file that another one names: all of them are held in memory."""

_KINDS = {
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
}


@dataclass(frozen=True, slots=True)
class Trust:
    """The bounds of what files may reach.

    ``root`` is the project's directory; None: no bounds. ``outside`` are the folders, and files,
    that may be read besides. ``untrusted`` says that the test cases are from elsewhere.
    """

    root: Path | None = None
    outside: tuple[Path, ...] = ()
    untrusted: bool = False


#: Where files may be anywhere: what a person has named, not a file.
TRUSTED = Trust()


def named_path(by: Path, name: str, trust: Trust, *, limit: int | None = FILE_LIMIT) -> Path:
    """Return the file that the file ``by`` means by ``name``, if it may be read; it need not exist.

    It may in the root directory, wherever links lead, or in the folder of ``by`` if that is not
    there. Nothing is opened: of a named pipe that would wait for a writer. ``limit`` is the most
    bytes that it may have.

    Raises:
        FileError: it may not, is no regular file, or is too large; the message says what to do.
    """
    path = by.parent / name
    try:
        found = Path(os.path.realpath(path))
    except ValueError:
        raise FileError(str(path), 0, "", "no such file: its name holds a NUL") from None
    if trust.root is not None:
        _check_place(path, found, by, trust.root, trust.outside)
    with file_errors(path, "read"):
        try:
            status = found.stat()
        except (FileNotFoundError, NotADirectoryError):
            return path  # whoever reads it knows what is near
    if kind := _KINDS.get(stat.S_IFMT(status.st_mode)):
        raise FileError(str(path), 0, "", f"this is {kind}: only regular files are read")
    if limit is not None and status.st_size > limit:
        raise FileError(
            str(path),
            0,
            "",
            f"it has {status.st_size >> 20:,} MB, and files of up to {limit >> 20:,} MB "
            "are read: all of it would be held in memory",
        )
    return path


def _check_place(path: Path, found: Path, by: Path, root: Path, outside: tuple[Path, ...]) -> None:
    real = Path(os.path.realpath(root))
    own = Path(os.path.realpath(by.parent))
    home = real if own.is_relative_to(real) else own
    allowed = (home, *(Path(os.path.realpath(one)) for one in outside))
    if any(found.is_relative_to(one) for one in allowed):
        return
    what = "the root directory" if home == real else "the test case's folder"
    raise FileError(
        str(path),
        0,
        "",
        f"it is {found}, outside of {what} {home}: move it there, or allow it by "
        f"{OUTSIDE_PATHS} = {found.parent} in pytest's configuration file",
    )


def check_untrusted(case: TestCase, problems: Problems) -> None:
    """Add to ``problems`` what a test case from elsewhere may not have: all that it would take from
    this machine or run on it, and a way of its own to the server that its user names."""
    for one in reached(case):
        problems.add(one.at, f"{one.kind.value} {one.name}: {UNTRUSTED} does not allow it")


class Reach(Enum):
    """The ways in which a test case reaches for something that is not in its file."""

    FILE = "reads the file"
    ENVIRONMENT = "reads the environment variable"
    KEYRING = "asks the keyring for the password of"
    APPLICATION = "imports"
    FIXTURE = "runs the fixture"
    FUNCTION = "calls"
    PROXY = "sends through the proxy"


@dataclass(frozen=True, slots=True)
class Reached:
    """Something that a test case reaches, and the key that says so."""

    at: KeyPath
    kind: Reach
    name: str


def reached(case: TestCase) -> Iterator[Reached]:
    """Yield all that ``case`` reaches, but for servers. Its ``server_fixture`` is no more than
    that."""
    if case.app:
        yield Reached(("app",), Reach.APPLICATION, case.app)
    for index, fixture in enumerate(case.fixtures):
        yield Reached(("fixtures", index), Reach.FIXTURE, fixture)
    for index, rules in enumerate(case.asm.rules):
        yield Reached(("asm", "rules", index), Reach.FILE, rules)
    for key in ("ca", "client_certificate", "client_key"):
        if file := getattr(case.tls, key):
            yield Reached(("tls", key), Reach.FILE, file)
    if variable := case.tls.client_key_password_env:
        yield Reached(("tls", "client_key_password_env"), Reach.ENVIRONMENT, variable)
    if case.proxy is not None:
        yield Reached(("proxy", "url"), Reach.PROXY, case.proxy.url)
    for use in case.datasets:
        yield Reached(("datasets", use.name, "file"), Reach.FILE, use.file)
    for name, one in case.variables.items():
        if one.env is not None:
            yield Reached(("variables", name, "env"), Reach.ENVIRONMENT, one.env)
        if one.keyring is not None:
            yield Reached(
                ("variables", name, "keyring"), Reach.KEYRING, f"{one.username} for {one.keyring}"
            )
    for outer, page in enumerate(case.pages):
        for inner, transaction in enumerate(page.transactions):
            for name in transaction.call:
                yield Reached(("page", outer, "transaction", inner, "call"), Reach.FUNCTION, name)
            for where, file in named_files(transaction):
                yield Reached(("page", outer, "transaction", inner, *where), Reach.FILE, file)
