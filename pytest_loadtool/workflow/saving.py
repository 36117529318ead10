"""Saving a document: the test case, its traffic beside it, and what its bodies upload."""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from pytest_loadtool.casefile import save_case, write_decisions
from pytest_loadtool.casefile.files import read_bytes, replace_file
from pytest_loadtool.codec.suffixes import case_name, har_path
from pytest_loadtool.codec.template import with_files
from pytest_loadtool.errors import FileError
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.editing import with_transactions
from pytest_loadtool.model.progress import Told, silent
from pytest_loadtool.recording import folder_of, unused_path
from pytest_loadtool.structure.uses import case_files
from pytest_loadtool.workflow.configuring import (
    decided,
    decisions,
    needs_configuration,
    rules_of,
)
from pytest_loadtool.workflow.document import Document, check, readable
from pytest_loadtool.workflow.files import MASKED, is_recording, place_evidence, write_evidence
from pytest_loadtool.workflow.known import as_known, fingerprint
from pytest_loadtool.workflow.project import Project
from pytest_loadtool.workflow.secrets import SECRETS_CHOICES, move, warnings
from pytest_loadtool.workflow.telling import counted


@dataclass(frozen=True, slots=True)
class Saved:
    """The document as it is on disk now.

    ``moved`` are lines on what was written beside the test case. ``kept`` says that credentials and
    tokens are where they were; if they are not, ``left`` is another file that still has them.
    """

    document: Document
    moved: tuple[str, ...] = ()
    kept: bool = True
    left: Path | None = None


def check_savable(document: Document, case_path: Path) -> None:
    """Make sure that the test case could be replayed and read again.

    Raises:
        CaseError: it could not; the text says why.
    """
    check(document.case)
    readable(document.case, case_path)


def save(
    project: Project,
    document: Document,
    case_path: Path,
    *,
    secrets: str = SECRETS_CHOICES[0],
    own: bool = True,
    layout: str = "",
    placed: Callable[[Path | None], None] = lambda _: None,
    told: Told = silent,
) -> Saved:
    """Write a document that was checked by `check_savable`; files that are there are replaced.

    ``secrets`` is one of `SECRETS_CHOICES`. ``own`` says that the test case was made here, or
    somebody has agreed to replay it. ``layout`` is a text of it whose comments stay, in place of
    those in the file. ``placed`` is called as soon as the traffic is in its place, with its file;
    with None if it was not moved but written anew, and the document that was given has it in memory
    only: what follows may be interrupted.

    Raises:
        FileError: a file cannot be written, or one of rules is wrong.
        OSError: a folder cannot be made.
    """
    before, target = document.evidence, har_path(case_path) if document.exchanges else None
    case_path.parent.mkdir(parents=True, exist_ok=True)
    moved: tuple[str, ...] = ()
    kept = secrets == SECRETS_CHOICES[0]
    if not kept:
        found = move(
            project, document, case_path, secrets, rules_of(project, case_path, document.case)
        )
        document, moved = found.document, found.notes
    document, uploads = written(document, case_path)
    if uploads:
        folder = project.shown(upload_folder(case_path))
        moved += (f"  {folder} has {counted(uploads, 'file')} that it uploads.",)
    if target is not None:
        document = _write_traffic(project, document, case_path, target, placed, told)
    save_case(case_path, document.case, layout)
    if own:
        as_known(fingerprint(case_path))
    document = replace(document, evidence=target)
    if kept or before is None or before == target:
        return Saved(document, moved, kept)
    if is_recording(before):
        before.unlink(missing_ok=True)
        return Saved(document, moved, kept)
    return Saved(document, moved, kept, before)


def reminders(
    project: Project, case_path: Path, saved: Saved, *, told: bool = False
) -> Iterator[str]:
    """Say which credentials and tokens are in the files, unless that was ``told``, and whether
    dynamic values are not connected.

    Raises:
        FileError: a file of rules is wrong.
    """
    document = saved.document
    if saved.kept and not told:
        rules = rules_of(project, case_path, document.case)
        yield from warnings(project, document, case_path, rules)
    elif not saved.kept and saved.left is not None:
        yield f"  {project.shown(saved.left)} still holds the credentials and tokens."
    yield from _unconnected(document)


def _write_traffic(
    project: Project,
    document: Document,
    case_path: Path,
    target: Path,
    placed: Callable[[Path | None], None],
    told: Told,
) -> Document:
    """Bring the traffic to its place, with the decisions on it; return the document with them."""
    anew = document.evidence is None
    if document.evidence is None:
        comment = MASKED if document.masked else ""
        write_evidence(document.exchanges, target, comment, document.troubles, told)
    else:
        place_evidence(document.evidence, target)
    placed(None if anew else target)
    configured = any(one.set_by == "asm" for one in document.case.variables.values())
    if anew and configured and document.configuration is None:
        with suppress(FileError):  # a file of rules is wrong: nothing is known of decisions
            document = decided(project, case_path, document, told)
    if document.configuration is not None or not configured:
        write_decisions(target, decisions(document) if configured else ())
    return document


def _unconnected(document: Document) -> Iterator[str]:
    """Say so if dynamic values are still sent as they were recorded, or may be."""
    if needs_configuration(document) and document.configuration is None:
        yield (
            "  Dynamic values, if there are any, will be sent as recorded: "
            "`configure` finds them, and connects them to the responses that set them."
        )
    elif document.configuration is not None:
        made = {one.variable for one in document.configuration.decisions if one.variable}
        if missing := len(made - set(document.case.variables)):
            yield (
                f"  {counted(missing, 'dynamic value')} will be sent as recorded: "
                "`configure` connects them to the responses that set them."
            )


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
    """Return ``case``, whose files have names relative to the folder ``old``, with names for
    ``new``. Absolute names stay, and those of files that are ``unwritten``."""

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
    """Return ``case`` with what ``named`` makes of the path of each file in a body."""
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
    """Return where the content lies already, or the first place that is free."""
    taken: set[str] = set()
    while True:
        path = folder / unused_path(name, taken)
        if not path.exists() or (path.is_file() and read_bytes(path) == content):
            return path
        taken.add(path.name)
