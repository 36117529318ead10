"""The files that bodies of a test case hold: from the traffic to their place beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from pytest_loadtool.casefile.files import read_bytes, replace_file
from pytest_loadtool.codec.template import with_files
from pytest_loadtool.console.files import case_name
from pytest_loadtool.console.session import Document, Session
from pytest_loadtool.console.views.text import counted
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.editing import with_transactions
from pytest_loadtool.recording import folder_of, unused_path


def with_file_names(case: TestCase, named: Callable[[str], str]) -> TestCase:
    """``case`` with what ``named`` makes of the path of each file in a body."""
    if not case.files:
        return case
    return with_transactions(
        case,
        (
            replace(one, request=replace(one.request, body=with_files(body, named)))
            if isinstance(body := one.request.body, str)
            else one
            for one in case.transactions()
        ),
    )


def written(session: Session, document: Document, case_path: Path) -> Document:
    """The document without unwritten uploads, for the test case at ``case_path``.

    No file is ever written over: where another one has the name, the upload gets a number.

    Raises:
        FileError: a file cannot be written.
        OSError: its folder cannot be made.
    """
    wanted = [name for name in document.case.files if name in document.uploads]
    if not wanted:
        return replace(document, uploads={})
    folder = case_path.with_name(folder_of(case_name(case_path)))
    folder.mkdir(parents=True, exist_ok=True)
    places: dict[str, str] = {}
    for name in wanted:
        content = document.uploads[name].content
        path = _place(folder, name.rpartition("/")[2], content)
        if not path.exists():
            replace_file(path, content)
        places[name] = f"{folder.name}/{path.name}"
    session.say(f"  {session.shown(folder)} has {counted(len(wanted), 'file')} that it uploads.")
    case = with_file_names(document.case, lambda file: places.get(file, file))
    return replace(document, case=case, uploads={})


def _place(folder: Path, name: str, content: bytes) -> Path:
    """Where the content lies already, or the first place that is free."""
    taken: set[str] = set()
    while True:
        path = folder / unused_path(name, taken)
        if not path.exists() or (path.is_file() and read_bytes(path) == content):
            return path
        taken.add(path.name)
