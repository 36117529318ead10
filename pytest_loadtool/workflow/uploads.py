"""Files that a test case names: what its bodies hold, and their names from another folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Container
from dataclasses import replace
from pathlib import Path

from pytest_loadtool.casefile.files import read_bytes, replace_file
from pytest_loadtool.codec.template import with_files
from pytest_loadtool.codec.uses import case_files
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.editing import with_transactions
from pytest_loadtool.recording import folder_of, unused_path
from pytest_loadtool.workflow.document import Document
from pytest_loadtool.workflow.files import case_name


def written(document: Document, case_path: Path) -> tuple[Document, int]:
    """Write the uploads that are still to be written, for the test case at ``case_path``; return
    the document that names them, and how many they were.

    No file is ever written over: where another one has the name, the upload gets a number.

    Raises:
        FileError: a file cannot be written.
        OSError: its folder cannot be made.
    """
    wanted = [name for name in case_files(document.case) if name in document.uploads]
    if not wanted:
        return replace(document, uploads={}), 0
    folder = upload_folder(case_path)
    folder.mkdir(parents=True, exist_ok=True)
    places: dict[str, str] = {}
    for name in wanted:
        content = document.uploads[name].content
        path = _place(folder, name.rpartition("/")[2], content)
        if not path.exists():
            replace_file(path, content)
        places[name] = f"{folder.name}/{path.name}"
    case = _with_file_names(document.case, lambda file: places.get(file, file))
    return replace(document, case=case, uploads={}), len(wanted)


def upload_folder(case_path: Path) -> Path:
    """Return the folder of the files that a test case uploads."""
    return case_path.with_name(folder_of(case_name(case_path)))


def relocated(case: TestCase, old: Path, new: Path, unwritten: Container[str] = ()) -> TestCase:
    """``case``, whose files have names relative to the folder ``old``, with names for ``new``.
    Absolute names stay, and those of files that are ``unwritten``."""

    def named(file: str) -> str:
        if not file or Path(file).is_absolute():
            return file
        return Path(os.path.relpath(old / file, new)).as_posix()

    tls = case.tls
    return replace(
        _with_file_names(case, lambda file: file if file in unwritten else named(file)),
        datasets=tuple(replace(one, file=named(one.file)) for one in case.datasets),
        asm=replace(case.asm, rules=tuple(map(named, case.asm.rules))),
        tls=replace(
            tls,
            ca=named(tls.ca),
            client_certificate=named(tls.client_certificate),
            client_key=named(tls.client_key),
        ),
    )


def _with_file_names(case: TestCase, named: Callable[[str], str]) -> TestCase:
    """``case`` with what ``named`` makes of the path of each file in a body."""
    if not case_files(case):
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


def _place(folder: Path, name: str, content: bytes) -> Path:
    """Where the content lies already, or the first place that is free."""
    taken: set[str] = set()
    while True:
        path = folder / unused_path(name, taken)
        if not path.exists() or (path.is_file() and read_bytes(path) == content):
            return path
        taken.add(path.name)
