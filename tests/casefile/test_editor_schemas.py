"""The JSON Schemas that editors have: they take what the readers take, and refuse what they see."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given

from pytest_loadtool.casefile import format_case, format_load, parse_case, save_case
from pytest_loadtool.casefile.editor_schemas import KINDS, editor_schema, write_editor_schemas
from pytest_loadtool.casefile.rules import _PACKAGE
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.load import LoadConfiguration
from tests.casefile.models import FILES, cases, loads
from tests.casefile.test_docs import CORRELATION_EXAMPLES, EXAMPLES, LOAD_EXAMPLES
from tests.casefile.test_golden import GOLDEN

ROOT = Path(__file__).parents[2]
TAPLO = Path(sys.executable).with_name("taplo")
WHOLE = [
    (kind.removeprefix("toml "), text)
    for _, kind, text in [*EXAMPLES, *LOAD_EXAMPLES, *CORRELATION_EXAMPLES]
    if kind in ("toml case", "toml load", "toml rules")
]
SUITE = [
    (path.name.split(".")[-2], path.read_text()) for path in ROOT.glob("example_suite/**/*.toml")
]
#: What is said about what a schema can see.
SEEN = re.compile(
    r"unknown key|has no such key|: missing: write (?!users|limit)|must be at least"
    r"|expected (text in quotes|true or false|a whole number|an array|a table|a number,)"
    r"|must not be empty: write at least one"
)
BROKEN = [
    path
    for path in sorted(GOLDEN.glob("*.*.toml"))
    if SEEN.search(path.with_name(f"{path.name.partition('.')[0]}.err").read_text())
]


@cache
def judge(kind: str) -> Any:
    schema = editor_schema(kind)
    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(schema)


def problems(kind: str, text: str) -> list[str]:
    """What an editor would mark."""
    found = judge(kind).iter_errors(tomllib.loads(text))
    return [f"{one.json_path}: {one.message}"[:200] for one in found]


@pytest.mark.parametrize(("kind", "text"), [*WHOLE, *SUITE, ("rules", _PACKAGE.read_text())])
def test_examples_are_taken(kind: str, text: str) -> None:
    """Those of the documentation, of the example suite, and the package's own rules."""
    assert problems(kind, text) == []


@FILES
@given(cases())
def test_every_case_is_taken(case: TestCase) -> None:
    """Whatever a test case may hold."""
    assert problems("case", format_case(case)) == []


@FILES
@given(loads())
def test_every_load_configuration_is_taken(load: LoadConfiguration) -> None:
    """Likewise."""
    assert problems("load", format_load(load)) == []


@pytest.mark.parametrize("path", BROKEN, ids=lambda path: path.name)
def test_broken_files_are_refused(path: Path) -> None:
    """Each that the reader refuses for its shape."""
    assert problems(path.name.split(".")[-2], path.read_text())


def test_values_are_known() -> None:
    """An editor offers what can stand behind a key."""
    schema = editor_schema("case")
    page = schema["definitions"]["a page"]["properties"]
    assert page["once"] == {"enum": ["start", "end"]}
    assert schema["properties"]["format"] == {"enum": [1]}
    assert set(schema["required"]) == {"format", "name", "page"}
    kinds = schema["definitions"]["a variable"]["properties"]["generate"]["enum"]
    assert {"uuid", "sequence", "faker"} <= set(kinds)


def test_a_file_names_its_schema_where_there_is_one(tmp_path: Path) -> None:
    """In its first line, as often as it is saved; a comment that stood there comes behind it."""
    case = parse_case(WHOLE[0][1], "x")
    path = tmp_path / "cases" / "a.case.toml"
    path.parent.mkdir()
    save_case(path, case)
    assert path.read_text().startswith("format = 1\n")
    path.write_text(f"# Ours.\n\n{path.read_text()}")
    folder = tmp_path / "loadtool-schemas"
    folder.mkdir()
    written = write_editor_schemas(folder)
    assert [one.name for one in written] == [f"{kind}.schema.json" for kind in KINDS]
    assert json.loads(written[0].read_text()) == editor_schema("case")
    for _ in range(2):
        save_case(path, case)
        head = "#:schema ../loadtool-schemas/case.schema.json\n# Ours.\n\nformat = 1\n"
        assert path.read_text().startswith(head)
    other = tmp_path / "b.case.toml"
    save_case(other, case)
    assert other.read_text().startswith("#:schema ./loadtool-schemas/case.schema.json\n\nformat")


@pytest.mark.skipif(not TAPLO.exists(), reason="taplo is not installed")
def test_taplo_says_so(tmp_path: Path) -> None:
    """The editors' own library finds the schema by the line, takes a file and refuses another."""
    (tmp_path / "loadtool-schemas").mkdir()
    write_editor_schemas(tmp_path / "loadtool-schemas")
    path = tmp_path / "a.case.toml"
    save_case(path, parse_case(WHOLE[0][1], "x"))

    def checked() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [TAPLO, "check", path.name], cwd=tmp_path, capture_output=True, text=True, check=False
        )

    assert checked().returncode == 0
    path.write_text(path.read_text().replace("[[page]]\n", '[[page]]\nthinktime = "3s"\n'))
    refused = checked()
    assert refused.returncode != 0
    assert "thinktime" in refused.stderr
