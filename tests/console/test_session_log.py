"""The session log, run again: the same files."""

from __future__ import annotations

import shutil
import stat
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from example_suite.server import ShopServer
from pytest_loadtool.console.session_log import LogEntry, SessionLog, log_file, without_secrets
from tests.console.running import recording, run, run_script
from tests.console.traffic import sign_in, write_har
from tests.served import answer, served

EDITS = (
    "set-field 2 user --constant ben",
    "set-field 2 user --dataset people.username",
    "undo",
    "unique ben",
    "mark-dangerous 2",
)


def copied(directory: Path, *kept: str) -> Path:
    """A folder that has only those of its files."""
    fresh = directory.with_name("again")
    fresh.mkdir()
    for name in kept:
        shutil.copy(directory / name, fresh)
    return fresh


def again(directory: Path, *kept: str) -> tuple[Path, str]:
    """Run the log of a session in a folder that has only those of its files; the folder, and what
    the log is."""
    fresh, log = copied(directory, *kept), (directory / "log.txt").read_text()
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


def test_log_of_a_generated_dataset_runs_again(tmp_path: Path) -> None:
    """How names and passwords are made is a rule, and no secret: the same rows come of it."""
    first = tmp_path / "first"
    first.mkdir()
    write_har(first / "in.har", *sign_in("http://shop.test"))
    made = [
        "dataset new users username password --rows 3 --fill password=p{:02}",
        "dataset fill users username 1 5 --pattern user{:03}",
        "dataset fill users password 4 5 --pattern q{}",
    ]
    lines = ["import in.har", "configure", *made, "save", "log --save log.txt"]
    run_script(first, "\n".join(lines))
    fresh, log = again(first, "in.har")
    assert "not repeated" not in log
    for name in ("users.csv", "shop.case.toml"):
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


class _Door(BaseHTTPRequestHandler):
    """Gives out a token, and lets nobody in without it and the password."""

    def do_GET(self) -> None:
        form = b'<title>Sign in</title><form><input type="hidden" name="token" value="t0kEn9x8w7">'
        answer(self, 200, form, ("Content-Type", "text/html"))

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        sent = parse_qs(body, keep_blank_values=True)
        good = (sent["token"], sent["password"]) == (["t0kEn9x8w7"], ["correct horse 7"])
        answer(self, 200 if good else 403, b"<title>Home</title>", ("Content-Type", "text/html"))

    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture
def door() -> Iterator[str]:
    with served(_Door) as url:
        yield url


def moved(first: Path, url: str, how: str) -> Path:
    """A session that plays, moves its secrets, and plays again."""
    first.mkdir()
    write_har(first / "shop.recording.har", *sign_in(url))
    played = ["configure --hosts none --replay", "play --fast", f"save --secrets {how}"]
    later = ["mark-dangerous 2", "play --fast", "save", "log --save log.txt"]
    run_script(first, "\n".join(["import shop.recording.har", *played, *later]))
    return first


@pytest.mark.parametrize(("how", "there"), [("dataset", ("shop.users.csv",)), ("env", ())])
def test_log_whose_secrets_were_moved_runs_again(
    tmp_path: Path, door: str, how: str, there: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the traffic with stand-ins, which nobody sends to the server; whoever typed what they
    stand for has it in the dataset, or in the environment."""
    first = moved(tmp_path / "first", door, how)
    if how == "env":
        monkeypatch.setenv("SHOP_PASSWORD", "correct horse 7")
    fresh, log = again(first, "shop.har", *there)
    lines = log.splitlines()
    assert "# not repeated: configure --hosts none --replay" in lines
    assert (lines.count("# not repeated: play --fast"), lines.count("play --fast")) == (1, 1)
    for name in ("shop.case.toml", "shop.har", *there):
        assert (fresh / name).read_bytes() == (first / name).read_bytes()


def test_a_log_without_its_dataset_says_what_is_to_be_written(tmp_path: Path, door: str) -> None:
    """A stand-in goes into no dataset: the password is left empty, that is said, and the server
    refuses it."""
    first = moved(tmp_path / "first", door, "dataset")
    fresh = copied(first, "shop.har")
    done = run_script(fresh, (first / "log.txt").read_text(), status=1)
    assert (
        "The traffic has stand-ins for password: write what was typed into row 1 of "
        "shop.users.csv, as only who typed it knows it." in done.stdout
    )
    assert (fresh / "shop.users.csv").read_text() == "username,password\nann,\n"
    assert "403" in done.stdout


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
        ("dataset fill u password 1 9 --pattern so", "dataset fill u password 1 9 --pattern …"),
        ("dataset fill u password 1 9 --pattern s{}", "dataset fill u password 1 9 --pattern s{}"),
        ("dataset fill u password pattern=s{}", "dataset fill u password pattern=s{}"),
        ("dataset new u name password --rows 5", "dataset new u name password --rows 5"),
        ("dataset new u --fill password=x --rows 5", "dataset new u --fill password=… --rows 5"),
        ("dataset new u --fill password=x{}", "dataset new u --fill password=x{}"),
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
