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
    """``text`` as a name that every part of pytest can handle."""
    return _NOT_IN_SLUG.sub("-", text).strip("-") or "case"


def shown_path(path: Path, config: pytest.Config) -> str:
    """``path`` as a person in the directory where pytest was started would write it."""
    start = config.invocation_params.dir
    return os.path.relpath(path, start) if path.is_relative_to(start) else str(path)


def shown_error(error: LoadToolError, config: pytest.Config) -> str:
    """The text of ``error``, with the file that it is about called as `shown_path` does."""
    text = str(error)
    if isinstance(error, FileError):
        return text.replace(error.path, shown_path(Path(error.path), config))
    return text
