"""Tables of other programs."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_loadtool.casefile.foreign_csv import ForeignTable, read_table
from pytest_loadtool.console.views.datasets import understood
from pytest_loadtool.errors import FileError


def table(tmp_path: Path, content: bytes, **said: object) -> ForeignTable:
    path = tmp_path / "table.txt"
    path.write_bytes(content)
    return read_table(path, **said)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("content", "encoding", "delimiter", "header", "rows"),
    [
        (b"name,age\nanna,30\n", "utf-8", ",", True, (("anna", "30"),)),
        (b"\xef\xbb\xbfname\tage\r\nanna\t30\r\n", "utf-8-sig", "\t", True, (("anna", "30"),)),
        ("name|age\nJörg|30".encode("utf-16"), "utf-16", "|", True, (("Jörg", "30"),)),
        ("name;text\nJörg;a,b".encode("cp1252"), "cp1252", ";", True, (("Jörg", "a,b"),)),
        (b"anna,30\nbert,40\n", "utf-8", ",", False, (("anna", "30"), ("bert", "40"))),
        (b"anna\nbert\n", "utf-8", ",", True, (("bert",),)),
        (b'name;text\n"B; C, Ann";"a\n,b"\n', "utf-8", ";", True, (("B; C, Ann", "a\n,b"),)),
        (b'name,text\nanna,"a ""b"",\nc"\n', "utf-8", ",", True, (("anna", 'a "b",\nc'),)),
    ],
)
def test_how_it_is_written_is_found_out(
    tmp_path: Path,
    content: bytes,
    encoding: str,
    delimiter: str,
    header: bool,
    rows: tuple[tuple[str, ...], ...],
) -> None:
    """Encoding, delimiter, quotes, and whether the first row has names."""
    found = table(tmp_path, content)
    assert (found.encoding, found.delimiter, found.header) == (encoding, delimiter, header)
    assert found.dataset.rows == rows


def test_columns_get_names_that_placeholders_can_use(tmp_path: Path) -> None:
    """Each once; what they were called is told."""
    found = table(tmp_path, "User name,,Größe,User_name\na,b,c,d\n".encode())
    assert found.header is False  # one has no name
    assert found.dataset.columns == ("column1", "column2", "column3", "column4")
    found = table(tmp_path, "User name,,Größe,User_name\na,b,c,d\n".encode(), header=True)
    assert found.dataset.columns == ("User_name", "column2", "Grosse", "User_name_2")
    assert found.renamed[0] == ("User name", "User_name")


def test_rows_of_other_width_are_left_out(tmp_path: Path) -> None:
    """They are told by their lines, and so are those without a value."""
    found = table(tmp_path, b"a,b\n1,2\n3\n4,5,6\n\n7,8\n,\n , \n")
    assert found.dataset.rows == (("1", "2"), ("7", "8"))
    assert found.skipped == (3, 4)
    assert found.empty == (7, 8)
    assert list(understood(found))[-1] == "  left out, as they have no value: lines 7, 8"


@pytest.mark.parametrize(
    ("content", "said", "message"),
    [
        (b"", {}, "there is nothing in it"),
        (b"\xff\xfe\xff", {"encoding": "utf-8"}, "it is not utf-8: say --encoding"),
        (b"a,b", {"encoding": "klingon"}, "there is no encoding 'klingon'"),
        (b"a,b", {"delimiter": "::"}, "no table of values: --delimiter must be"),
        (b'a,"b', {}, "no table of values: unexpected end of data; --delimiter says another"),
    ],
)
def test_what_is_no_table_is_said(
    tmp_path: Path, content: bytes, said: dict[str, str], message: str
) -> None:
    """With what could be said of it to make it one."""
    with pytest.raises(FileError, match=message):
        table(tmp_path, content, **said)
