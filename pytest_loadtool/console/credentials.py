"""Where a virtual user's credentials come from: what a wizard or options decide.

A password is in a dataset, an environment variable or the system's keyring, never in a test case.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from pytest_loadtool.console.errors import UsageError
from pytest_loadtool.model.case import Variable
from pytest_loadtool.model.dataset import Dataset

#: Datasets that are to be written, each with its first user.
Planned = Mapping[Path, str]
NOTHING_PLANNED: Planned = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Given:
    """What the command was told in its options; empty where it was not."""

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
        """Whether there is an answer to some question."""
        return self != Given()


@dataclass(frozen=True, slots=True)
class Known:
    """What the recording tells of a user. ``password`` is known where it was sent as it is."""

    username: str = ""
    password: str = ""
    domain: str = ""

    @property
    def name(self) -> str:
        """``DOMAIN\\username``, as far as it is known."""
        return "\\".join(filter(None, (self.domain, self.username)))


NOBODY = Known()


@dataclass(frozen=True, slots=True)
class Source:
    """Where one value comes from: a ``column`` of a dataset, a ``variable``, or itself."""

    text: str = ""
    column: str = ""
    variable: Variable | None = None


@dataclass(frozen=True, slots=True)
class Credentials:
    """Where a virtual user's credentials come from, and what has to be put there first.

    ``dataset`` is the file of the columns, ``new`` what it is to hold if it has to be written.
    ``secret`` is what the password's variable has to be set to, unless that has been done.
    """

    username: Source | None
    password: Source | None
    domain: Source | None = None
    dataset: Path | None = None
    new: Dataset | None = None
    secret: str = ""
