"""Datasets as JSON and JSON Lines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given

from pytest_loadtool.casefile import format_dataset, parse_dataset, read_dataset, save_dataset
from pytest_loadtool.errors import FileError
from pytest_loadtool.model.dataset import Dataset
from tests.casefile.models import FILES, datasets


@FILES
@pytest.mark.parametrize("path", ["x.json", "x.jsonl"])
@given(datasets())
def test_a_dataset_reads_back_as_it_was_written(path: str, dataset: Dataset) -> None:
    """So does what is written over it, in its layout and types."""
    text = format_dataset(dataset, path)
    assert parse_dataset(text, path) == dataset
    assert parse_dataset(format_dataset(dataset, path, text), path) == dataset
    arrays = json.dumps([dataset.columns, *dataset.rows])
    if path == "x.json":
        assert parse_dataset(format_dataset(dataset, path, arrays), path) == dataset


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("users.json", '[{"n": "a", "v": 1.50},\n {"v": {"b": [1e3, null]}, "n": "true"}]'),
        ("users.json", ' [["n", "v"],["a", 1.50],["true", {"b" : [1e3, null]}]]\n'),
        ("USERS.JSON", '\ufeff[{"n": "a", "v": "1.50"}, {"n": true, "v": {"b": [1e3,null]}}]'),
        ("users.jsonl", '{"n": "a", "v": 1.50}\r\n\r\n{"v": {"b": [1e3,null]}, "n": "true"}'),
        ("users.ndjson", '["n", "v"]\n["a", 1.50]\n["true", {"b": [1e3, null]}]\n'),
    ],
)
def test_all_layouts_say_the_same(tmp_path: Path, name: str, text: str) -> None:
    """A string is itself, anything else its JSON without blanks, numbers as they are written."""
    path = tmp_path / name
    path.write_bytes(text.encode())
    expected = Dataset(("n", "v"), (("a", "1.50"), ("true", '{"b":[1e3,null]}')))
    assert read_dataset(path) == expected


def test_a_saved_file_keeps_layout_and_types(tmp_path: Path) -> None:
    """Digits in quotes stay in quotes; a number that is changed stays a number."""
    path = tmp_path / "users.json"
    path.write_text('[["pin", "age", "note"],\n\n ["0012", 3.0, null], ["7", 4, "null"]]')
    rows = (("0013", "3.0", "null"), ("7", "5", "x"), ("1", "old", "{}"))
    save_dataset(path, Dataset(("pin", "age", "note", "new"), tuple((*one, "1") for one in rows)))
    assert path.read_text() == (
        '[\n["pin", "age", "note", "new"],\n["0013", 3.0, "null", "1"],\n'
        '["7", 5, "x", "1"],\n["1", "old", "{}", "1"]\n]\n'
    )


@pytest.mark.parametrize(
    ("name", "text", "line", "message"),
    [
        ("x.json", "", 0, "the dataset is empty"),
        ("x.json", "\n[]", 0, "the dataset is empty"),
        ("x.json", "[{}]", 1, "the dataset is empty"),
        ("x.json", '\n{"a": 1}\n{"a": 2}', 2, "expected an array of rows"),
        ("x.json", '[\n{"a": 1},\n\n{"a": 1,}]', 4, "not valid JSON"),
        ("x.json", '[{"a":\n\n1}\n{"a": 2}]', 4, "expected a comma, or ] at the end"),
        ("x.json", '[{"a": 1}', 1, "expected a comma, or ] at the end"),
        ("x.json", '[{"a": 1},\n]', 2, "not valid JSON"),
        ("x.json", '[{"a": 1}]\n;', 2, "expected nothing after the ]"),
        ("x.json", '[{"a": 1},\n{"b": 2}]', 2, "unknown column 'b': the first row has a"),
        ("x.json", '[{"name": 1},\n{"nam": 2}]', 2, "unknown column 'nam': did you mean 'name'"),
        ("x.json", '[{"a": 1, "b": 2},\n{"a": 2}]', 2, "no 'b': write \"\" or null"),
        ("x.json", '[{"a": 1},\n\n{"a": 1, "a": 2}]', 3, "'a' stands twice in one object"),
        ("x.json", '[{"a": 1},\n["b"]]', 2, "expected an object, as the first row is one"),
        ("x.json", '[["a"],\n[1, 2]]', 2, "expected 1 values (a), got 2"),
        ("x.json", '[["a"],\n{"a": 1}]', 2, "expected an array, as the first row is one"),
        ("x.json", "[1]", 1, "expected an object or an array, got 1"),
        ("x.json", '[["a", 7]]', 1, "the first array names the columns, got 7"),
        ("x.json", '[["a", "a"]]', 1, "column 'a' stands twice"),
        ("x.json", '[{" ": 1}]', 1, "column 1 has no name"),
        ("x.json", '[{"a": NaN}]', 1, "NaN is no JSON"),
        ("x.json", '[["a"],\n["\\ud800"]]', 2, "half of a character"),
        ("x.json", '[["a"],\n[' + "[" * 100_000, 2, "nested too deeply"),
        ("x.jsonl", '["a"]\n\n[1] [2]', 3, "expected one row on each line"),
        ("x.jsonl", '["a"]\n[1', 2, "not valid JSON"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(name: str, text: str, line: int, message: str) -> None:
    """Nothing is guessed: who is sent a load of wrong values does not notice."""
    with pytest.raises(FileError) as refused:
        parse_dataset(text, name)
    assert (refused.value.line, message in refused.value.message) == (line, True), refused.value
