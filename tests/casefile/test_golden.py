"""Broken files and what is said about them, to the letter.

``golden/<name>.<kind>`` is a file of that kind with something wrong, ``golden/<name>.err`` is what
is said. To write the errors anew after a change, and then look at the difference in git:

    LOADTOOL_UPDATE_GOLDEN=1 python -m pytest tests/casefile/test_golden.py
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from pytest_loadtool.casefile import read_case, read_dataset, read_har, read_load, read_rules
from pytest_loadtool.errors import FileError

GOLDEN = Path(__file__).parent / "golden"

READERS: Mapping[str, Callable[[Path], object]] = {
    ".case.toml": read_case,
    ".load.toml": read_load,
    ".csv": read_dataset,
    ".har": read_har,
    ".rules.toml": read_rules,
}

FILES = sorted(path.name for path in GOLDEN.iterdir() if path.is_file() and path.suffix != ".err")


@pytest.mark.parametrize("name", FILES)
def test_what_is_said_about_a_broken_file(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where, which key, what was expected, what to do: exactly as in the ``.err`` file."""
    monkeypatch.chdir(GOLDEN)
    stem, _, kind = name.partition(".")
    with pytest.raises(FileError) as caught:
        READERS[f".{kind}"](Path(name))
    said = f"{caught.value}\n"
    expected = GOLDEN / f"{stem}.err"
    if os.environ.get("LOADTOOL_UPDATE_GOLDEN"):
        expected.write_text(said)
    known = expected.read_text() if expected.exists() else ""
    diff = difflib.unified_diff(
        known.splitlines(keepends=True), said.splitlines(keepends=True), expected.name, "said now"
    )
    assert said == known, "\n" + "".join(diff)


def test_every_error_has_its_file_and_there_are_many() -> None:
    """No ``.err`` is left over, and at least 35 kinds of broken file are covered."""
    stems = [name.partition(".")[0] for name in FILES]
    assert sorted(path.stem for path in GOLDEN.glob("*.err")) == sorted(stems)
    assert len(stems) >= 35


def test_a_directory_and_a_missing_file(tmp_path: Path) -> None:
    """What no file of the repository can be: a directory, a typo, a link to itself."""
    (tmp_path / "dir.case.toml").mkdir()
    with pytest.raises(
        FileError, match=r"dir\.case\.toml: expected a file, but this is a directory"
    ):
        read_case(tmp_path / "dir.case.toml")
    with pytest.raises(
        FileError, match=r"di\.case\.toml: no such file: did you mean 'dir\.case\.toml'\?"
    ):
        read_case(tmp_path / "di.case.toml")
    with pytest.raises(FileError, match=r"nothing/x\.load\.toml: no such file$"):
        read_load(tmp_path / "nothing" / "x.load.toml")
    (tmp_path / "x.csv").symlink_to("x.csv")
    with pytest.raises(
        FileError, match=r"x\.csv: cannot read it: too many levels of symbolic links"
    ):
        read_dataset(tmp_path / "x.csv")
