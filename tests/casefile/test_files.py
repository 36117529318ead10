"""Replacing files: at once, with nothing changed that nobody asked for."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from pytest_loadtool.casefile.files import read_text, replace_file
from pytest_loadtool.errors import FileError


def test_a_replaced_file_keeps_its_permissions(tmp_path: Path) -> None:
    """Who may read a case does not change when it is saved."""
    path = tmp_path / "x"
    path.write_text("old")
    path.chmod(0o640)
    replace_file(path, b"new")
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"new", 0o640)


def test_a_new_file_has_the_usual_permissions(tmp_path: Path) -> None:
    """A new file is as readable as any other that the user makes."""
    (tmp_path / "usual").touch()
    replace_file(tmp_path / "new", b"")
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    """What a symbolic link points to is replaced, not the link."""
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    replace_file(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


def test_a_failed_write_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the disk fails in the middle, the old content is whole and no temporary file stays."""
    path = tmp_path / "x"
    path.write_text("old")

    def fail(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(FileError, match="x: cannot write it: no space left on device"):
        replace_file(path, b"new")
    assert [one.name for one in tmp_path.iterdir()] == ["x"]
    assert path.read_text() == "old"


def test_a_missing_directory_and_one_in_place_of_a_file_say_so(tmp_path: Path) -> None:
    """Both name the path and what is wrong."""
    with pytest.raises(FileError, match="nowhere/x: cannot write it: no such file or directory"):
        replace_file(tmp_path / "nowhere" / "x", b"")
    with pytest.raises(FileError, match="expected a file, but this is a directory"):
        replace_file(tmp_path, b"")


def test_a_byte_order_mark_is_not_part_of_the_text(tmp_path: Path) -> None:
    """Editors on Windows write it; it means nothing."""
    (tmp_path / "x").write_bytes(b"\xef\xbb\xbfa\r\n")
    assert read_text(tmp_path / "x") == "a\r\n"
