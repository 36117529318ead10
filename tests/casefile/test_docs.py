"""The examples in docs/formats.md, docs/load.md and docs/correlation.md: each is read, and wrong
ones get the error that is shown."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from pytest_loadtool.casefile import parse_case, parse_dataset, parse_load, parse_rules
from pytest_loadtool.casefile.case.extractors import EXTRACTOR
from pytest_loadtool.casefile.case.reader import TABLES as CASE_TABLES
from pytest_loadtool.casefile.case.validators import VALIDATOR
from pytest_loadtool.casefile.load.reader import TABLES as LOAD_TABLES
from pytest_loadtool.casefile.rules import TABLES as RULES_TABLES
from pytest_loadtool.errors import FileError

DOCS = Path(__file__).parents[2] / "docs"
TEXT = (DOCS / "formats.md").read_text()


def examples(text: str) -> list[tuple[int, str, str]]:
    """Line, kind ("toml case") and content of each example."""
    return [
        (text.count("\n", 0, match.start()) + 1, match[1], match[2])
        for match in re.finditer(r"^```(\S[^\n]*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    ]


EXAMPLES = examples(TEXT)
LOAD_EXAMPLES = [one for one in examples((DOCS / "load.md").read_text()) if one[1][:4] == "toml"]
CORRELATION_EXAMPLES = examples((DOCS / "correlation.md").read_text())

TOP = 'format = 1\nname = "x"\nserver = "http://h"\n'
MODEL = 'users = 1\nduration = "1s"\n'
SHARE = '\n[[case]]\nfile = "shop.case.toml"\n'
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
    "toml model": lambda text: parse_load(f'format = 1\nname = "x"\n{text}{SHARE}', "x"),
    "toml options": lambda text: parse_load(f'format = 1\nname = "x"\n{MODEL}{text}{SHARE}', "x"),
    "toml top": fragment_at_top,
    "toml transaction": fragment_of_transaction,
    "toml wrong": wrong,
    "toml rules": lambda text: parse_rules(text, "x"),
    "csv": lambda text: parse_dataset(text, "x"),
    "json": lambda text: parse_dataset(text, "x.json"),
    "jsonl": lambda text: parse_dataset(text, "x.jsonl"),
}


@pytest.mark.promise(137)
@pytest.mark.parametrize(
    ("kind", "text"),
    [
        pytest.param(kind, text, id=f"line-{line}")
        for line, kind, text in [*EXAMPLES, *LOAD_EXAMPLES, *CORRELATION_EXAMPLES]
        if kind not in ("text", "ini")
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
        key
        for table in (EXTRACTOR, VALIDATOR, *CASE_TABLES, *LOAD_TABLES, *RULES_TABLES)
        for key in table.keys
    }
    assert keys - documented == set()


@pytest.mark.promise(137)
def test_every_key_of_a_load_configuration_has_an_example() -> None:
    """In a whole file, so that one sees where it stands."""
    shown = {
        key
        for _, kind, text in EXAMPLES
        if kind == "toml load"
        for key in keys_in(tomllib.loads(text))
    }
    keys = {key for table in LOAD_TABLES for key in table.keys}
    assert keys - shown == {"constant", "exponential"}  # they stand below their table


def keys_in(value: object) -> Iterator[str]:
    """All keys, at any depth."""
    if isinstance(value, dict):
        yield from value
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from keys_in(inner)
