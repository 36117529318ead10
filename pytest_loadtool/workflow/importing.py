"""Documents of other tools become test cases, and files beside them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from pytest_loadtool import CASE_SUFFIX, LOAD_SUFFIX
from pytest_loadtool.casefile import format_case, format_dataset, format_load, parse_load
from pytest_loadtool.casefile.files import read_text, replace_file
from pytest_loadtool.casefile.foreign.building import DataFile, Foreign
from pytest_loadtool.casefile.foreign.postman import read_postman
from pytest_loadtool.casefile.foreign.table import READERS, reader_of
from pytest_loadtool.casefile.foreign_csv import read_table
from pytest_loadtool.errors import FileError
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.dataset import Dataset
from pytest_loadtool.model.editing import with_transactions
from pytest_loadtool.model.load import CaseShare
from pytest_loadtool.recording.filter.domains import with_recorded_hosts
from pytest_loadtool.recording.request.header_sets import share
from pytest_loadtool.workflow.document import readable

#: How a file of traffic begins, as far as that tells it from other documents.
_HAR = re.compile(rb'\A(?:\xef\xbb\xbf)?\s*\{\s*"log"\s*:')
_HEAD = 4096


@dataclass(frozen=True, slots=True)
class Imported:
    """The files that a document gave: ``kind`` is what it is, and ``files`` what is to stand beside
    its test cases, by name; ``left`` has a line for each thing that was left out."""

    kind: str
    cases: tuple[TestCase, ...]
    left: tuple[str, ...]
    files: tuple[tuple[str, str], ...]


def is_traffic(path: Path) -> bool:
    """Return whether a file is read as HAR."""
    if path.suffix.lower() == ".har" or not path.is_file():
        return True  # whoever reads it says what is wrong
    with path.open("rb") as file:
        return _HAR.match(file.read(_HEAD)) is not None


def import_document(path: Path, server: str = "", environment: Path | None = None) -> Imported:
    """Read a document of another tool.

    ``server`` is where requests go whose own server it does not say; ``environment`` is an exported
    environment of Postman.

    Raises:
        FileError: it cannot be read, or nobody knows what it is.
        CaseError: what comes of it could not be read again.
    """
    text = read_text(path)
    reader = reader_of(text)
    if reader is None:
        kinds = ", ".join(f"{one.kind}s" for one in READERS)
        raise FileError(str(path), 0, "", f"expected a HAR file, or one of {kinds}")
    if environment is not None:
        foreign = read_postman(text, str(path), server, read_text(environment))
    else:
        foreign = reader.read(text, str(path), server)
    named = _file_names(foreign)
    cases = tuple(_tidied(one) for one in foreign.cases)
    for case in cases:
        readable(case, path)
    left = [str(one) for one in foreign.left]
    files = [(f"{named[one.name]}{CASE_SUFFIX}", format_case(one)) for one in cases]
    for name, load in foreign.loads.items():
        own = replace(load, cases=(CaseShare(f"{named[name]}{CASE_SUFFIX}"),))
        files.append((f"{named[name]}{LOAD_SUFFIX}", format_load(own)))
    for table in foreign.tables:
        if not any(use.name == table.dataset for case in cases for use in case.datasets):
            continue
        dataset, why = _dataset(table, path.parent)
        left += [why] if why else []
        if dataset is not None:
            files.append((f"{table.dataset}.csv", format_dataset(dataset)))
    return Imported(reader.kind, cases, tuple(left), tuple(files))


def write_files(imported: Imported, folder: Path) -> list[Path]:
    """Write the files of an import into a folder, which is made; return their paths.

    Raises:
        FileError: one cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in imported.files:
        replace_file(folder / name, text.encode())
    return [folder / name for name, _ in imported.files]


def write_beside(path: Path, text: str, case_path: Path) -> None:
    """Write a file of an import beside its test case; a load configuration is one of that.

    Raises:
        FileError: it cannot be written.
    """
    if path.name.endswith(LOAD_SUFFIX):
        load = replace(parse_load(text, str(path)), cases=(CaseShare(case_path.name),))
        text = format_load(load)
    replace_file(path, text.encode())


def folder_of(path: Path, beside: Path) -> Path:
    """Return the folder that the files of an import go to."""
    return beside / (_plain(path.name.partition(".")[0]) or "imported")


def _tidied(case: TestCase) -> TestCase:
    """Return ``case`` with the headers that its requests share written once."""
    steps = list(case.transactions())
    shared = share([one.request.headers for one in steps])
    made = (
        replace(one, request=replace(one.request, header_set=header_set, headers=own))
        for one, (header_set, own) in zip(steps, shared.requests, strict=True)
    )
    case = replace(
        with_transactions(case, made),
        headers=shared.headers,
        header_sets=MappingProxyType(shared.header_sets),
    )
    return with_recorded_hosts(case)


def _file_names(foreign: Foreign) -> dict[str, str]:
    """Return what the files of the test cases are called, by the names of these."""
    found: dict[str, str] = {}
    for case in foreign.cases:
        plain = _plain(case.name) or "case"
        number = sum(re.fullmatch(rf"{plain}(-\d+)?", one) is not None for one in found.values())
        found[case.name] = plain if not number else f"{plain}-{number + 1}"
    return found


def _plain(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", name).strip("-.")[:80]


def _dataset(table: DataFile, folder: Path) -> tuple[Dataset | None, str]:
    """Return the dataset of a file of another tool, and why there is none."""
    columns = ",".join(table.columns)
    wanted = f"the dataset {table.dataset}.csv" + (
        f" (its first line: {columns})" if columns else ""
    )
    path = folder / table.file.replace("\\", "/")
    if not path.is_file():
        return None, f"{table.file}: it is not there, so {wanted} is still to be written"
    try:
        found = read_table(path, delimiter=table.delimiter, header=not table.columns)
    except FileError as error:
        return None, f"{error}: {wanted} is still to be written"
    rows = found.dataset.rows[1:] if table.columns and table.skipped else found.dataset.rows
    names = table.columns or found.dataset.columns
    if len(names) > len(found.dataset.columns):
        return None, f"{path}: expected {len(names)} columns, so {wanted} is still to be written"
    return Dataset(names, tuple(row[: len(names)] for row in rows)), ""
