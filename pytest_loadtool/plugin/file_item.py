"""A test of pytest that a file describes, with fixtures that keys of files name.

It also has tracebacks that may be shown and kept: what our own functions hold is not in them.

Requests, values and credentials of virtual users are plain texts in their variables and arguments.
pytest prints the arguments always, and the variables with ``--showlocals``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_loadtool.casefile.toml.diagnostics import key_error
from pytest_loadtool.plugin.paths import shown_error

if TYPE_CHECKING:
    from pytest_loadtool.casefile.toml.positions import KeyPath

_PACKAGE = Path(__file__).parent.parent
#: This room sets fixtures up, and what these hold is their authors' business.
_PLUGIN = Path(__file__).parent


def without_values(representation: Any) -> Any:
    """Return what pytest makes of an exception, without the arguments and variables of our
    functions, and of all that these have called. An exception that another one caused may begin
    below them."""
    tracebacks = [one for one, *_ in getattr(representation, "chain", ())]
    every: list[Sequence[Any]] = [getattr(one, "reprentries", ()) for one in tracebacks]
    started = any(_is_replay(entry) for entries in every for entry in entries)
    for entries in every:
        below = started and not any(map(_is_replay, entries))
        for entry in entries:
            below = below or _is_replay(entry)
            if below or _is_in(entry, _PACKAGE):
                entry.reprlocals = entry.reprfuncargs = None
    return representation


def _is_replay(entry: Any) -> bool:
    return _is_in(entry, _PACKAGE) and not _is_in(entry, _PLUGIN)


def _is_in(entry: Any, folder: Path) -> bool:
    location = getattr(entry, "reprfileloc", None)
    return location is not None and folder in Path(location.path).absolute().parents


class FileItem(pytest.Function):
    """A function for pytest: fixtures, marks and other plugins work on it."""

    fixture_keys: Mapping[str, tuple[Path, KeyPath]]
    """For each fixture that the test wants, the file and the key that ask for it."""

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return file, line (from 0) and name for pytest's output."""
        return self.path, 0, self.name

    # As pytest's own override does, without a style.
    def repr_failure(  # type: ignore[override]
        self, excinfo: pytest.ExceptionInfo[BaseException]
    ) -> Any:
        """Return pytest's usual traceback, without what may be secret."""
        return without_values(super().repr_failure(excinfo))

    def setup(self) -> None:
        """Set the fixtures up. Of one that does not exist, say who asks for it: not a function."""
        missing = ""
        try:
            super().setup()
        except pytest.FixtureLookupError as error:
            missing = self._missing_fixture(error)
            if not missing:
                raise
        if missing:  # not in the handler: pytest would show its traceback, too
            pytest.fail(missing, pytrace=False)

    def _missing_fixture(self, error: pytest.FixtureLookupError) -> str:
        """Return what to say of a fixture that a file names; nothing if it is another fixture's."""
        name = error.argname
        if error.fixturestack or name is None or name not in self.fixture_keys:
            return ""
        path, key = self.fixture_keys[name]
        lines = error.formatrepr().errorstring.split("\n")
        message = "\n".join(line.strip() for line in lines)
        return shown_error(key_error(path, key, message), self.config)
