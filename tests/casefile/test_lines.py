"""Positions and comments of a TOML text."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given

from pytest_loadtool.casefile import format_case
from pytest_loadtool.casefile.toml.positions import KeyPath, Remark, dotted, scan
from pytest_loadtool.model.case import TestCase
from tests.casefile.models import FILES, cases


def paths(data: Any, at: KeyPath = ()) -> set[KeyPath]:
    """The path of every key and element."""
    found: set[KeyPath] = set()
    items = data.items() if isinstance(data, dict) else enumerate(data)
    for part, value in items:
        found.add((*at, part))
        if isinstance(value, dict | list):
            found |= paths(value, (*at, part))
    return found


@FILES
@given(cases())
def test_every_key_and_element_has_a_line(case: TestCase) -> None:
    """The scanner finds exactly what tomllib finds (tables that no header names aside)."""
    text = format_case(case)
    implied = {("page",), ("datasets",), ("flows",), ("identity",), ("profile",)} | {
        ("page", index, "transaction") for index in range(len(case.pages))
    }
    assert set(scan(text).lines) == paths(tomllib.loads(text)) - implied


HARD = """\
title = "a # b"   # behind a string
'quoted key' . "with \\u00e9" = 1979-05-27 07:32:00   # a date with a space
text = \"\"\"
[not.a.table]   # not a comment
\\"\"\" = 1\"\"\"
raw = '''
'x' ''   # no
'''''   # two quotes at the end
list = [ 1, 2,
  { inner = [ "x",   # one
    "y" ] },
]
[[page]]
name = "first"
[[page.transaction]]
request = "GET /"
[page.transaction.recorded]
status = 200
[[page]]
[[page.transaction]]
[[page.transaction]]
[other."page.transaction"]
a.b.c = true
"""


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("title",), 1),
        (("quoted key", "with é"), 2),
        (("text",), 3),
        (("raw",), 6),
        (("list",), 9),
        (("list", 1), 9),
        (("list", 2), 10),
        (("list", 2, "inner", 0), 10),
        (("list", 2, "inner", 1), 11),
        (("page", 0), 13),
        (("page", 0, "transaction", 0, "recorded", "status"), 18),
        (("page", 1), 19),
        (("page", 1, "transaction", 1), 21),
        (("other", "page.transaction", "a", "b", "c"), 23),
        (("page", 1, "transaction", 1, "missing", "deep"), 21),
        (("nowhere",), 1),
    ],
)
def test_lines_of_what_is_hard_to_walk(path: KeyPath, line: int) -> None:
    """Strings over lines, dotted and quoted keys, nested arrays; what is not there."""
    tomllib.loads(HARD)
    assert scan(HARD).line(path) == line


def test_windows_line_ends_count_once() -> None:
    """A file with CRLF line ends has the same lines."""
    assert scan("a = 1\r\n\r\n# c\r\nb = '''\r\nx'''\r\nc = 3\r\n").lines == {
        ("a",): 1,
        ("b",): 4,
        ("c",): 6,
    }


COMMENTS = """\
# licence

# the name
name = "x"   # behind
# below the name

# far above

server = "y"
headers = [   # opening
  # first
  "A",   # behind A
  # below A

  # above B
  "B",
  # at the end
]   # closing
[[page]]   # header
# above the key

title = 1
# tail

# end
"""


def test_each_comment_belongs_to_what_a_reader_would_say() -> None:
    """Above, behind and below; blank lines part what belongs together; the top and the end."""
    layout = scan(COMMENTS)
    assert layout.top == ("# licence",)
    assert layout.end == ("# end",)
    assert layout.remarks == {
        ("name",): Remark(("# the name",), "# behind", ("# below the name",)),
        ("server",): Remark(("# far above", "")),
        ("headers",): Remark(behind="# opening", below=("# closing",)),
        ("headers", 0): Remark(("# first",), "# behind A", ("# below A",)),
        ("headers", 1): Remark(("# above B",), "", ("# at the end",)),
        ("page", 0): Remark(behind="# header"),
        ("page", 0, "title"): Remark(("# above the key", ""), "", ("# tail",)),
    }


@pytest.mark.parametrize(
    ("text", "remark"),
    [
        ("a = [   # one\n]   # two\n", Remark(behind="# one", below=("# two",))),
        ("a = [ 1, 2 ]   # one\n", Remark(behind="# one")),
        ("a = '''\nx'''   # one\n", Remark(behind="# one")),
        ("a = {}# one", Remark(behind="# one")),
        ("\n\n# one\n# two\na = 1", Remark(("# one", "# two"))),
    ],
)
def test_comments_around_one_key(text: str, remark: Remark) -> None:
    """Comments at both ends of a value, with and without a line end at the end of the file."""
    assert scan(text).remarks == {("a",): remark}


def test_a_text_of_comments_only_keeps_them() -> None:
    """Without any key the comments are the document's."""
    assert scan("# one\n\n# two\n").end == ("# one", "", "# two")


def test_dotted_paths_are_written_as_toml_would() -> None:
    """Keys that are not bare are quoted, indices are in brackets."""
    assert dotted(("page", 2, "transaction", 0, "request")) == "page[2].transaction[0].request"
    assert dotted(("variables", "csrf_token[1]")) == 'variables."csrf_token[1]"'
