"""Temporary directories go when they should, and not before."""

from __future__ import annotations

import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from pytest_loadtool.capture.tempdir import Scratch

_OTHER = """
import sys
from pytest_loadtool.capture.tempdir import Scratch
print(Scratch("other").path, flush=True)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary directories are made, here and in programs started from here."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return tmp_path


def test_it_is_private_and_goes_when_it_is_removed() -> None:
    """Nobody else can enter it, and nothing of it stays."""
    scratch = Scratch("test")
    assert stat.S_IMODE(scratch.path.stat().st_mode) == 0o700
    (scratch.path / "some").mkdir()
    (scratch.path / "some" / "file").write_text("secret")
    scratch.remove()
    assert not scratch.path.exists()


def test_what_a_killed_process_left_is_removed_by_the_next() -> None:
    """And what belongs to a living one is left alone."""
    command = [sys.executable, "-c", _OTHER]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        theirs = Path(other.stdout.readline().strip())
        mine = Scratch("test")
        assert theirs.is_dir()
        other.kill()
    another = Scratch("test")
    assert not theirs.exists()
    assert mine.path.is_dir()
    another.remove()
    mine.remove()


def test_directories_of_others_are_none_of_its_business(directory: Path) -> None:
    """A name that looks alike is not enough."""
    (directory / "loadtool-notes").mkdir()
    Scratch("test").remove()
    assert (directory / "loadtool-notes").is_dir()
