"""Datasets as CSV."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given

from pytest_loadtool.casefile import format_dataset, parse_dataset, read_dataset, save_dataset
from pytest_loadtool.errors import FileError
from pytest_loadtool.model.dataset import Dataset
from tests.casefile.models import FILES, datasets


@FILES
@given(datasets())
def test_a_dataset_reads_back_as_it_was_written(dataset: Dataset) -> None:
    """Commas, quotes, line breaks of all kinds and empty values survive."""
    assert parse_dataset(format_dataset(dataset), "x.csv") == dataset


def test_a_spreadsheet_s_file_is_read(tmp_path: Path) -> None:
    """A byte order mark, CRLF line ends and empty lines do not count."""
    path = tmp_path / "users.csv"
    path.write_bytes(b'\xef\xbb\xbfusername,password\r\nanna,"a ""b"", c"\r\n\r\nj\xc3\xb6rg,\r\n')
    assert read_dataset(path) == Dataset(
        ("username", "password"), (("anna", 'a "b", c'), ("jörg", ""))
    )


def test_a_saved_dataset_is_plain_csv(tmp_path: Path) -> None:
    """Any CSV reader understands what is saved, and a diff shows one line per row."""
    path = tmp_path / "users.csv"
    save_dataset(path, Dataset(("a", "b"), (("1", "x,y"), ("2", 'say "hi"\n'))))
    assert path.read_bytes() == b'a,b\n1,"x,y"\n2,"say ""hi""\n"\n'
    with path.open(newline="") as file:
        assert list(csv.reader(file)) == [["a", "b"], ["1", "x,y"], ["2", 'say "hi"\n']]


@pytest.mark.parametrize("row", [",", " , ", "\t,", "  "])
def test_a_row_without_a_value_is_refused(row: str) -> None:
    """As a spreadsheet leaves them at the end: nobody is to log in as nobody, and not know it."""
    columns = "username,password\nanna,a\n" if "," in row else "username\nanna\n"
    with pytest.raises(FileError) as refused:
        parse_dataset(f"{columns}{row}\n", "users.csv")
    assert str(refused.value).startswith("users.csv:3: the row has no value: delete the line")


def test_values_that_are_meant_to_be_empty_are_quoted() -> None:
    """They are read, and written so that they are read again."""
    empty = Dataset(("username", "password"), (("", ""), ("anna", "")))
    assert format_dataset(empty) == 'username,password\n"",""\nanna,\n'
    assert parse_dataset('username,password\n"",\nanna,\n', "x.csv") == empty
