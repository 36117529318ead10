"""The session log, run again: the same files."""

from __future__ import annotations

import shutil
import stat
from pathlib import Path

import pytest

from example_suite.server import ShopServer
from pytest_loadtool.console.session_log import LogEntry, SessionLog, log_file, without_secrets
from tests.console.running import recording, run, run_script
from tests.console.traffic import sign_in, write_har

EDITS = (
    "set-field 2 user --constant ben",
    "set-field 2 user --dataset people.username",
    "undo",
    "unique ben",
    "mark-dangerous 2",
)


def again(directory: Path, *kept: str) -> tuple[Path, str]:
    """Run the log of a session in a folder that has only those of its files; the folder, and what
    the log is."""
    fresh = directory.with_name("again")
    fresh.mkdir()
    for name in kept:
        shutil.copy(directory / name, fresh)
    log = (directory / "log.txt").read_text()
    run_script(fresh, log)
    return fresh, log


def test_log_of_an_import_runs_again(tmp_path: Path) -> None:
    """Import, configure, edits, undo, save: the same test case, to the byte."""
    first = tmp_path / "first"
    first.mkdir()
    write_har(first / "in.har", *sign_in("http://shop.test"))
    (first / "people.csv").write_text("username\nann\nben\n")
    lines = ["import in.har", "configure", *EDITS, "save", "log --save log.txt"]
    run_script(first, "\n".join(lines))
    fresh, log = again(first, "in.har", "people.csv")
    assert "configure --hosts none" in log.splitlines()
    for name in ("shop.case.toml", "shop.har"):
        assert (fresh / name).read_bytes() == (first / name).read_bytes()


def test_log_of_a_recording_runs_again(tmp_path: Path, shop: ShopServer) -> None:
    """What was recorded is imported from where it is now; recording and programs are comments."""
    first = tmp_path / "first"
    first.mkdir()
    client = f"curl -s -o x {shop.url}/"
    run_script(first, recording(client, "configure", "save", "log --save log.txt"))
    fresh, log = again(first, "shop.har")
    assert f"# not repeated: run {client}" in log
    assert "import shop.har" in log.splitlines()
    assert (fresh / "shop.case.toml").read_bytes() == (first / "shop.case.toml").read_bytes()
    assert stat.S_IMODE((first / "log.txt").stat().st_mode) == 0o600


def test_a_traffic_file_is_imported(tmp_path: Path) -> None:
    """`pytest --record shop.har` makes shop.case.toml of it; when that is there, it is opened."""
    write_har(tmp_path / "shop.har", *sign_in("http://shop.test"))
    (tmp_path / "script.txt").write_text("tree\nsave\n")
    for first in (True, False):
        done = run(tmp_path, "--record", "shop.har", "--record-script", "script.txt")
        assert ("`configure` finds its dynamic values" in done.stdout) is first
        assert "Saved shop.case.toml" in done.stdout


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("set-field 3 password --constant hunter2", "set-field 3 password --constant …"),
        ("set-field 3 password constant='a b'", "set-field 3 password constant=…"),
        ("set-field 3 user --constant ben", "set-field 3 user --constant ben"),
        ("dataset set users 2 password hunter2", "dataset set users 2 password …"),
        ("dataset fill u password 1 9 --pattern s{}", "dataset fill u password 1 9 --pattern …"),
        ("dataset new u name password --rows 5", "dataset new u name password --rows 5"),
        ("dataset new u --fill password=x --rows 5", "dataset new u --fill password=… --rows 5"),
        ("play --server http://ann:pw@shop.test/", "play --server http://…@shop.test/"),
        ("search 'sesame street'", "search …"),
        ("show x-sesame street", "show x-sesame street"),
        ("dataset add row users ann 4711", "dataset add row users ann …"),
        ("think P1 47110", "think P1 47110"),
        ("save --secrets keep", "save --secrets keep"),
        ("save secrets=keep", "save secrets=keep"),
        ("user-identity 2 --password-env SHOP", "user-identity 2 --password-env SHOP"),
        ("explain csrf_token[1]", "explain csrf_token[1]"),
        ("import 'a b.har'", "import 'a b.har'"),
    ],
)  # fmt: skip
def test_a_line_without_its_secrets(line: str, kept: str) -> None:
    """What was typed as one, and the value of a field or column whose name says so; nothing else
    changes, not even how it is quoted."""
    assert without_secrets(line, ["sesame street", "4711"]) == kept


def test_a_change_that_is_undone_is_told_without_its_secrets(tmp_path: Path) -> None:
    """Neither the log nor what is printed when a password is taken back, and set again, has it."""
    write_har(tmp_path / "in.har", *sign_in("http://shop.test"))
    changed = ["set-field 2 password --constant geheim-77", "undo", "redo"]
    lines = ["import in.har", "configure", *changed, "save", "log --save log.txt"]
    done = run_script(tmp_path, "\n".join(lines))
    log = (tmp_path / "log.txt").read_text()
    assert "#   Undid `set-field 2 password --constant …`." in log
    assert "#   Did `set-field 2 password --constant …` again." in log
    assert "geheim-77" not in log
    assert done.stdout.count("geheim-77") == 1, "the script's own line"


def test_log_is_kept_for_this_user_alone(tmp_path: Path) -> None:
    """In the private state folder, from the moment that a command ends, session after session."""
    case = tmp_path / "shop.case.toml"
    for day in ("Monday", "Tuesday"):
        SessionLog(log_file(case, day)).add(LogEntry("play --fast", "2 transactions passed."))
    path = log_file(case, "Wednesday")
    assert path is not None
    assert path.read_text() == (
        f"\n# {case}, Monday\nplay --fast\n#   2 transactions passed.\n"
        f"\n# {case}, Tuesday\nplay --fast\n#   2 transactions passed.\n"
        f"\n# {case}, Wednesday\n"
    )
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    other = log_file(tmp_path / "other" / "shop.case.toml", "Monday")
    assert other != path
