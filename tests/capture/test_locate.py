"""Finding a browser on PATH."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_loadtool.capture import browsers, find_browser
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


@pytest.mark.promise(48)
def test_browsers_to_choose_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each that can be launched, the plain one first, and one of two names once."""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert browsers() == ()
    brave, chrome = program(tmp_path, "brave-browser"), program(tmp_path, "google-chrome")
    (tmp_path / "chrome").symlink_to(chrome)
    chromium = program(tmp_path, "chromium")
    assert browsers() == (chromium, chrome, brave)


def test_firefox_is_told_how_to_be_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not launched, and it is said how it is recorded all the same."""
    monkeypatch.setenv("PATH", str(tmp_path))
    firefox = program(tmp_path, "firefox")
    for path in (firefox, "firefox", None):
        with pytest.raises(RecordingError, match=r"Firefox is not launched.*--browser none"):
            find_browser(path)
