"""Finding a browser on PATH."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_loadtool.capture import find_browser
from pytest_loadtool.errors import RecordingError


def program(directory: Path, name: str) -> str:
    """An executable file of that name."""
    path = directory / name
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return str(path)


def test_the_plain_one_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of several browsers on PATH, Chromium is taken."""
    monkeypatch.setenv("PATH", str(tmp_path))
    brave = program(tmp_path, "brave-browser")
    assert find_browser() == brave
    chrome = program(tmp_path, "google-chrome")
    assert find_browser() == chrome
    chromium = program(tmp_path, "chromium")
    assert find_browser(None) == chromium


def test_a_path_or_a_name_can_be_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path is taken as it is, a name is looked up."""
    monkeypatch.setenv("PATH", str(tmp_path))
    mine = program(tmp_path, "my-browser")
    assert find_browser(mine) == mine
    assert find_browser("my-browser") == mine


def test_without_a_browser_it_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error names what was looked for, and the ways out."""
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RecordingError, match=r"chromium.*google-chrome.*install chromium"):
        find_browser()
    with pytest.raises(RecordingError, match="'/no/such/browser' is not a program"):
        find_browser("/no/such/browser")
