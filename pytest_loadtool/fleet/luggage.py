"""What a share of a load test needs on another machine: its files, and what was asked of this one.

Files keep their places relative to each other. Passwords of the keyring travel as values, variables
of the environment by their names.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from pytest_loadtool.casefile.files import read_bytes
from pytest_loadtool.casefile.toml.diagnostics import key_error
from pytest_loadtool.casefile.trust import Reach, Trust, named_path, reached
from pytest_loadtool.engine.prepare.keyrings import keyring_password
from pytest_loadtool.engine.prepare.share import LoadTest
from pytest_loadtool.model.case import TestCase, Variable
from pytest_loadtool.replay.compile.proxies import ENVIRONMENT

#: Where the environment names proxies; each also in capitals.
_PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")


@dataclass(frozen=True, slots=True)
class Luggage:
    """A load test, with all that it reads: files by their path below a folder that is made where
    it arrives, and variables of the environment."""

    test: LoadTest
    """Its path is relative to that folder."""
    files: dict[str, bytes] = field(repr=False)
    environment: dict[str, str] = field(repr=False)
    secret: bool
    """Whether something in it was in no file: of the environment or the keyring."""


def pack(test: LoadTest) -> Luggage:
    """Read what ``test`` needs.

    Raises:
        FileError: a file cannot be read or cannot travel, or a test case asks an application of
            this process.
        ReplayError: the keyring has no such password.
    """
    paths = {test.path: test.path}
    for number, case in enumerate(test.cases):
        by = test.path_of(number)
        if case.app:
            raise key_error(
                by, ("app",), "an application in this process cannot be asked from other machines"
            )
        paths[by] = by
        for one in reached(case):
            if one.kind is Reach.FILE and one.at[0] != "asm":  # rules are for configuring only
                if Path(one.name).is_absolute():
                    raise key_error(
                        by,
                        one.at,
                        "an absolute path is another file on another machine: name it relative to "
                        "the test case",
                    )
                paths[by.parent / one.name] = named_path(by, one.name, test.trust)
    places = {Path(os.path.normpath(path.absolute())): source for path, source in paths.items()}
    root = Path(os.path.commonpath([path.parent for path in places]))
    files = {
        path.relative_to(root).as_posix(): read_bytes(source)
        for path, source in places.items()
        if source.exists()  # of one that is not there the share says so, as without a cluster
    }
    environment = {name: os.environ[name] for name in _variables(test) if name in os.environ}
    cases = tuple(_with_passwords(case) for case in test.cases)
    own = Path(os.path.normpath(test.path.absolute())).relative_to(root)
    return Luggage(
        replace(test, path=own, cases=cases, trust=Trust(untrusted=test.trust.untrusted)),
        files,
        environment,
        secret=bool(environment) or cases != test.cases,
    )


@contextmanager
def unpacked(luggage: Luggage) -> Iterator[LoadTest]:
    """Yield the load test with its files in a folder of its own, which only this user can read,
    and its variables in the environment. Both are gone afterwards."""
    before = dict(os.environ)
    with tempfile.TemporaryDirectory(prefix="loadtool-") as folder:
        for name, content in luggage.files.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        os.environ.update(luggage.environment)
        try:
            yield replace(luggage.test, path=Path(folder, luggage.test.path))
        finally:
            for name in luggage.environment:
                if name in before:
                    os.environ[name] = before[name]
                else:
                    del os.environ[name]


def _variables(test: LoadTest) -> Iterator[str]:
    for case in test.cases:
        yield from (one.name for one in reached(case) if one.kind is Reach.ENVIRONMENT)
        if case.proxy is not None and case.proxy.url == ENVIRONMENT:
            yield from (each for one in _PROXIES for each in (one, one.upper()))


def _with_passwords(case: TestCase) -> TestCase:
    """The test case with passwords in place of what the keyring is asked for."""
    if all(one.keyring is None for one in case.variables.values()):
        return case
    variables = {name: _with_password(one) for name, one in case.variables.items()}
    return replace(case, variables=variables)


def _with_password(one: Variable) -> Variable:
    if one.keyring is None:
        return one
    password = keyring_password(one.keyring, one.username)
    return replace(one, value=password, keyring=None, username="")
