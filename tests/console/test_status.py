"""How a console ends: exit statuses and messages, from real runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_loadtool.casefile import read_case
from tests.console.running import run, run_script

CASE = """\
format = 1
name = "shop"
server = "http://127.0.0.1:9"

[[page]]
name = "Home"

[[page.transaction]]
request = "GET /"

[[page.transaction]]
request = "GET /api/products"
"""


@pytest.fixture
def case(tmp_path: Path) -> Path:
    path = tmp_path / "shop.case.toml"
    path.write_text(CASE)
    return path


@pytest.mark.promise(5)
def test_saved_edit_is_success(tmp_path: Path, case: Path) -> None:
    """0: a transaction is deleted and the test case saved."""
    run_script(tmp_path, "delete 2\nsave\n")
    assert [one.request.target for one in read_case(case).transactions()] == ["/"]


def test_unchanged_test_case_is_success(tmp_path: Path, case: Path) -> None:
    """0: a test case that was only looked at is as saved as it was before."""
    done = run_script(tmp_path, "tree --collapse-all\n")
    assert "▸ P1 Home  (2 transactions)" in done.stdout
    assert case.read_text() == CASE


def test_failed_command_ends_the_script(tmp_path: Path, case: Path) -> None:
    """1: nothing after the line that failed is run, and its place is named."""
    done = run_script(tmp_path, "# first\n\nshow 1\nplay\nsave other\n", status=1)
    assert "script.txt:4: 2 of 2 transactions failed" in done.stdout
    assert not (tmp_path / "other.case.toml").exists()


@pytest.mark.parametrize("ending", ["", "quit\n"])
def test_unsaved_edit_is_abandoned(tmp_path: Path, case: Path, ending: str) -> None:
    """2: a script that ends or quits without saving; the file is as it was."""
    run_script(tmp_path, f"delete 2\n{ending}", status=2)
    assert case.read_text() == CASE


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("record --browser none\nstpo\n", "script.txt:2: there is no command 'stpo'; did you mean"),
        ("show\n", "script.txt:1: show needs WHICH"),
    ],
)
def test_slip_is_found_before_anything_runs(tmp_path: Path, script: str, message: str) -> None:
    """4: a line that cannot be understood; nothing was recorded for nothing."""
    done = run_script(tmp_path, script, status=4)
    assert message in done.stderr
    assert "Recording through" not in done.stdout


def test_nothing_recorded(tmp_path: Path) -> None:
    """5: a recording without traffic makes no test case; nor does a script without a recording."""
    done = run_script(tmp_path, "record --browser none\nstop\nsave\n", status=5)
    assert "script.txt:2: nothing was recorded" in done.stdout
    assert not list(tmp_path.glob("*.har"))
    run_script(tmp_path, "help\n", status=5)


def test_commands_come_through_a_pipe(tmp_path: Path, case: Path) -> None:
    """With `-` the script is standard input; a slip in it is found when it is reached."""
    done = run(
        tmp_path,
        "--record",
        "shop.case.toml",
        "--record-script",
        "-",
        typed="tree\nsho 1\n",
        status=4,
    )
    assert "▾ P1 Home" in done.stdout
    assert "<stdin>:2: there is no command 'sho'; did you mean 'show'?" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--record"], "--record opens a console and needs a terminal"),
        (["--record", "-n", "2"], "--record opens one console: leave out -n"),
        (["--record", "--record-script", "none.txt"], "none.txt: No such file or directory"),
        (["--record", "shop.toml", "--record-script", "-"], "is not the name of a test case"),
        (["--record", "broken.case.toml", "--record-script", "-"], "broken.case.toml:1: "),
    ],
)
def test_console_that_cannot_be_opened(tmp_path: Path, arguments: list[str], message: str) -> None:
    """4: one line says what is wrong and what to do; no traceback."""
    (tmp_path / "broken.case.toml").write_text("format = \n")
    done = run(tmp_path, *arguments, status=4)
    assert message in done.stderr
    assert "Traceback" not in done.stdout + done.stderr


def test_writing_over_a_test_case_has_to_be_said(tmp_path: Path, case: Path) -> None:
    """A script does not replace files that are not its own, unless it says --replace."""
    (tmp_path / "other.case.toml").write_text("# somebody's\n")
    done = run_script(tmp_path, "delete 2\nsave other\n", status=1)
    assert "other.case.toml would be written over: give `save --replace`" in done.stdout
    assert (tmp_path / "other.case.toml").read_text() == "# somebody's\n"
    run_script(tmp_path, "delete 2\nsave other --replace\n")
    assert len(list(read_case(tmp_path / "other.case.toml").transactions())) == 1
