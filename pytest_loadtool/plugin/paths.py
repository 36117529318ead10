"""How files and tests are called in pytest's output."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from pytest_loadtool.errors import FileError, LoadToolError

# Other characters in a name break --lf ("[", "]") or selection by node id ("::").
_NOT_IN_SLUG = re.compile(r"[^A-Za-z0-9_.-]+")


def slug(text: str) -> str:
    """Return ``text`` as a name that every part of pytest can handle."""
    return _NOT_IN_SLUG.sub("-", text).strip("-") or "case"


def shown_path(path: Path, config: pytest.Config) -> str:
    """Return ``path`` as a person in the directory where pytest was started would write it."""
    start = config.invocation_params.dir
    return os.path.relpath(path, start) if path.is_relative_to(start) else str(path)


def shown_error(error: LoadToolError, config: pytest.Config) -> str:
    """Return the text of ``error``, with the file that it is about called as `shown_path` does."""
    text = str(error)
    if isinstance(error, FileError):
        return text.replace(error.path, shown_path(Path(error.path), config))
    return text


def target_file(config: pytest.Config, option: str) -> Path | None:
    """Return where an option such as ``--load-json`` (``load_json``) wants the results; None:
    nowhere.

    Raises:
        pytest.UsageError: nothing can be written there. Said now, and not after an hour of load.
    """
    found = _target(config, option)
    if found is None:
        return None
    path, name, spelled = found
    if path.is_dir():
        raise pytest.UsageError(f"{spelled}: {name} is a directory: name a file in it")
    _check_writable(path, name, spelled)
    return path


def target_folder(config: pytest.Config, option: str) -> Path | None:
    """Return the directory that an option such as ``--load-csv`` (``load_csv``) wants files in,
    which is made with them; None: there is none.

    Raises:
        pytest.UsageError: nothing can be written there. Said now, and not after an hour of load.
    """
    found = _target(config, option)
    if found is None:
        return None
    path, name, spelled = found
    if path.is_dir():
        _check_writable(path / "file", name, spelled)
    elif path.exists():
        raise pytest.UsageError(f"{spelled}: {name} is a file: name a directory")
    else:
        _check_writable(path, name, spelled)
    return path


def _target(config: pytest.Config, option: str) -> tuple[Path, str, str] | None:
    """Return the path that an option names, what was written, and how the option is spelled."""
    name = config.getoption(option)
    if not name:
        return None
    return Path(config.invocation_params.dir, name), name, "--" + option.replace("_", "-")


def _check_writable(path: Path, name: str, spelled: str) -> None:
    if path.exists() and not path.is_file():
        raise pytest.UsageError(f"{spelled}: {name} is no ordinary file: name one to be replaced")
    folder = Path(os.path.realpath(path)).parent
    if not folder.is_dir():
        raise pytest.UsageError(f"{spelled}: there is no directory {folder}: make it first")
    if not os.access(folder, os.W_OK):
        raise pytest.UsageError(f"{spelled}: nothing can be written to {folder}")
