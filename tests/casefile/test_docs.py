"""The examples in docs/formats.md: each is read, and wrong ones get the error that is shown."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from pytest_loadtool.casefile import parse_case, parse_dataset, parse_load
from pytest_loadtool.casefile.actors import EXTRACTOR, VALIDATOR
from pytest_loadtool.casefile.case_reader import TABLES as CASE_TABLES
from pytest_loadtool.casefile.load_reader import TABLES as LOAD_TABLES
from pytest_loadtool.errors import FileError

PAGE = Path(__file__).parents[2] / "docs" / "formats.md"
TEXT = PAGE.read_text()

#: Line, kind ("toml case") and content of each example.
EXAMPLES = [
    (TEXT.count("\n", 0, match.start()) + 1, match[1], match[2])
    for match in re.finditer(r"^```(\S[^\n]*)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
]

TOP = 'format = 1\nname = "x"\nserver = "http://h"\n'
HOME = '\n[[page]]\nname = "Home"\n\n[[page.transaction]]\n'
DATASET = '\n[datasets.users]\nfile = "users.csv"\n'


def fragment_at_top(text: str) -> object:
    """What stands in the first part of a case; tables come before or after the pages."""
    return parse_case(f'{TOP}{text}{HOME}request = "GET /"\n', "x")


def fragment_of_transaction(text: str) -> object:
    """The keys of a transaction."""
    return parse_case(f"{TOP}{DATASET}{HOME}{text}", "x")


def wrong(text: str) -> object:
    """A file whose errors are shown in the next example."""
    shown = next(after for _, kind, after in EXAMPLES[_index_of(text) + 1 :] if kind == "text")
    with pytest.raises(FileError) as caught:
        parse_case(text, "shop.case.toml")
    assert f"{caught.value}\n" == shown
    return None


def _index_of(text: str) -> int:
    return [content for _, _, content in EXAMPLES].index(text)


READERS: Mapping[str, Callable[[str], object]] = {
    "toml case": lambda text: parse_case(text, "x"),
    "toml load": lambda text: parse_load(text, "x"),
    "toml top": fragment_at_top,
    "toml transaction": fragment_of_transaction,
    "toml wrong": wrong,
    "csv": lambda text: parse_dataset(text, "x"),
}


@pytest.mark.promise(137)
@pytest.mark.parametrize(
    ("kind", "text"),
    [
        pytest.param(kind, text, id=f"line-{line}")
        for line, kind, text in EXAMPLES
        if kind != "text"
    ],
)
def test_every_example_is_true(kind: str, text: str) -> None:
    """Examples are files that can be used, or parts of one; errors are shown to the letter."""
    READERS[kind](text)


@pytest.mark.promise(137)
def test_every_key_is_documented() -> None:
    """Each key that a file may have stands in a table of the page."""
    rows = re.findall(r"^\|.*\|$", TEXT, re.MULTILINE)
    code = re.findall(r"`(.*?)`", "\n".join(rows))
    documented = {word for piece in code for word in re.findall(r"\w+", piece)}
    keys = {
        key for table in (EXTRACTOR, VALIDATOR, *CASE_TABLES, *LOAD_TABLES) for key in table.keys
    }
    assert keys - documented == set()


def test_every_link_leads_to_a_heading() -> None:
    """The links inside the page lead somewhere."""
    headings = {
        re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        for heading in re.findall(r"^#+ (.*)$", TEXT, re.MULTILINE)
    }
    assert set(re.findall(r"\]\(#(.*?)\)", TEXT)) <= headings
