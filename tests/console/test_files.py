"""Names of files, and how traffic gets to its place."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path
from typing import IO

import pytest

from pytest_loadtool.codec.suffixes import har_path
from pytest_loadtool.workflow.errors import PathError
from pytest_loadtool.workflow.files import (
    as_case_path,
    new_recording_path,
    place_evidence,
    recordings_left,
    untitled,
)


def test_suffix_may_be_left_out(tmp_path: Path) -> None:
    """`save shop` means shop.case.toml, which pytest collects."""
    assert as_case_path(tmp_path / "shop") == tmp_path / "shop.case.toml"
    assert as_case_path(tmp_path / "shop.case.toml") == tmp_path / "shop.case.toml"


@pytest.mark.parametrize("name", ["shop.toml", "shop.har", "", ".case.toml"])
def test_names_that_pytest_would_not_collect_are_refused(tmp_path: Path, name: str) -> None:
    """A test case under a name that pytest does not collect would never be run."""
    with pytest.raises(PathError):
        as_case_path(tmp_path / name)


def test_directory_is_refused(tmp_path: Path) -> None:
    """`pytest --record tests` says that a file is meant, and shows one."""
    with pytest.raises(PathError, match=r"shop\.case\.toml"):
        as_case_path(tmp_path)


def test_traffic_lies_next_to_the_test_case() -> None:
    """shop.case.toml and shop.har."""
    assert har_path(Path("cases/shop.case.toml")) == Path("cases/shop.har")


def test_recording_never_takes_a_file_that_exists(tmp_path: Path) -> None:
    """Each recording has a file of its own until one is saved."""
    case = tmp_path / "shop.case.toml"
    first = new_recording_path(case)
    first.touch()
    second = new_recording_path(case)
    second.touch()
    assert [first.name, second.name] == ["shop.recording.har", "shop.recording-2.har"]
    assert recordings_left(case) == sorted([first, second])


def test_only_recordings_of_this_test_case_are_left_over(tmp_path: Path) -> None:
    """Saved traffic and other cases' recordings are not taken for an interrupted one."""
    for name in ("shop.har", "shop2.recording.har", "shop.recording.har.part", "shop.recorded.har"):
        (tmp_path / name).touch()
    assert recordings_left(tmp_path / "shop.case.toml") == []
    assert recordings_left(tmp_path / "no-such-directory" / "shop.case.toml") == []


def test_console_without_a_name_takes_a_free_one(tmp_path: Path) -> None:
    """Neither a test case nor its traffic is in the way of an untitled one."""
    (tmp_path / "recording.case.toml").touch()
    (tmp_path / "recording-2.har").touch()
    assert untitled(tmp_path) == tmp_path / "recording-3.case.toml"


def test_recording_is_moved_and_an_export_is_copied(tmp_path: Path) -> None:
    """What the console recorded goes to its place; somebody else's file stays where it is."""
    recording = tmp_path / "shop.recording.har"
    recording.write_text("recorded")
    export = tmp_path / "downloads.har"
    export.write_text("exported")
    place_evidence(recording, tmp_path / "shop.har")
    assert not recording.exists()
    assert (tmp_path / "shop.har").read_text() == "recorded"
    place_evidence(export, tmp_path / "shop.har")
    assert export.exists()
    assert (tmp_path / "shop.har").read_text() == "exported"


def test_recording_is_moved_to_another_directory(tmp_path: Path) -> None:
    """Saving elsewhere leaves nothing behind."""
    recording = tmp_path / "shop.recording.har"
    recording.write_text("recorded")
    (tmp_path / "cases").mkdir()
    place_evidence(recording, tmp_path / "cases" / "shop.har")
    assert list(tmp_path.iterdir()) == [tmp_path / "cases"]
    assert [path.name for path in (tmp_path / "cases").iterdir()] == ["shop.har"]


def test_a_copy_is_for_its_owner_alone_from_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not only once all of it is there."""
    modes: list[int] = []

    def copy(old: IO[bytes], new: IO[bytes]) -> None:
        modes.append(stat.S_IMODE(os.fstat(new.fileno()).st_mode))
        new.write(old.read())

    export, target = tmp_path / "export.har", tmp_path / "shop.har"
    export.write_text("exported")
    (tmp_path / "shop.har.part").write_text("what an earlier copy left behind, for everybody")
    monkeypatch.setattr(shutil, "copyfileobj", copy)
    place_evidence(export, target)
    assert modes == [0o600] == [stat.S_IMODE(target.stat().st_mode)]
    assert target.read_text() == "exported"


def test_traffic_that_is_in_its_place_stays(tmp_path: Path) -> None:
    """Saving an imported shop.har as shop does not touch it."""
    har = tmp_path / "shop.har"
    har.write_text("exported")
    place_evidence(har, har)
    assert har.read_text() == "exported"
