"""A test of pytest that a file describes, with fixtures that keys of files name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_loadtool.casefile.toml.diagnostics import key_error
from pytest_loadtool.plugin.paths import shown_error
from pytest_loadtool.plugin.tracebacks import without_values

if TYPE_CHECKING:
    from pytest_loadtool.casefile.toml.positions import KeyPath


class FileItem(pytest.Function):
    """A function for pytest: fixtures, marks and other plugins work on it."""

    fixture_keys: Mapping[str, tuple[Path, KeyPath]]
    """For each fixture that the test wants, the file and the key that ask for it."""

    def reportinfo(self) -> tuple[Path, int, str]:
        """File, line (from 0) and name for pytest's output."""
        return self.path, 0, self.name

    # As pytest's own override does, without a style.
    def repr_failure(  # type: ignore[override]
        self, excinfo: pytest.ExceptionInfo[BaseException]
    ) -> Any:
        """pytest's usual traceback, without what may be secret."""
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
