"""The files that transactions of a test case name: whether they are there."""

from __future__ import annotations

from pathlib import Path

from pytest_loadtool.casefile.files import check_file
from pytest_loadtool.casefile.toml.diagnostics import Problems
from pytest_loadtool.casefile.trust import Trust, named_path
from pytest_loadtool.codec.uses import named_files
from pytest_loadtool.errors import FileError
from pytest_loadtool.model.case import TestCase


def check_contents(case: TestCase, path: Path, trust: Trust, problems: Problems) -> None:
    """Add to ``problems`` which files that transactions of the file ``path`` name are missing, or
    may not or cannot be read."""
    for outer, page in enumerate(case.pages):
        for inner, transaction in enumerate(page.transactions):
            for where, file in named_files(transaction):
                try:
                    check_file(named_path(path, file, trust))
                except FileError as error:
                    at = ("page", outer, "transaction", inner, *where)
                    problems.add(at, f"{file}: {error.message}{_remedy(file)}")


def _remedy(file: str) -> str:
    folder = file.rpartition("/")[0]
    if not folder.endswith(".files") or "/" in folder:
        return ""
    return f" (the folder {folder} belongs to the test case: copy it, too)"
