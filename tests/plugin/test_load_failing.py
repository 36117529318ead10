"""What failed in a load test, as pytest tells it, and as files that the console opens."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_loadtool.casefile.har.replay import read_replay
from tests.diagnosis.load import shop as of
from tests.plugin.loading import Project


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """Eight users, of whom two have a wrong password; two iterations each."""
    shop = of.Shop()
    head = of.users(shop, tmp_path, 8, wrong=(3, 7))
    with of.serving(shop):
        pages = of.LOGIN + of.page("GET /account", "GET /", name="Account")
        of.written(tmp_path, shop.url, pages, "users = 8\niterations = 2", head)
        yield Project(tmp_path)


def groups(project: Project, *arguments: str) -> Any:
    """The groups of first failures in the results."""
    project.run("--load", "--load-json", "out.json", *arguments)
    found = project.json()["first_failures"]
    shown = ("transaction", "status", "message", "iterations", "consequences", "rows")
    return [{name: one[name] for name in shown} for one in found]


def test_one_process_and_two_workers_tell_the_same(project: Project) -> None:
    """The same groups, with the same counts and rows."""
    alone = groups(project)
    assert groups(project, "-n", "2") == alone
    assert alone == [
        {
            "transaction": "POST /login",
            "status": 401,
            "message": "Status Code is 401, expected 200-399",
            "iterations": 4,
            "consequences": 4,
            "rows": [
                {"dataset": "users", "row": 3, "count": 2},
                {"dataset": "users", "row": 7, "count": 2},
            ],
        }
    ]


@pytest.mark.parametrize("workers", [[], ["-n", "2"]])
def test_what_failed_is_kept_whole_and_opens_in_the_console(
    project: Project, workers: list[str]
) -> None:
    """In files for their owner alone, without a password; the printed command opens one, and `why`
    explains it."""
    done = project.run("--load", "-p", "no:cacheprovider", *workers)
    assert "FIX FIRST  401  Log in" in done.stdout
    folder = project.path / "rush.failures"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert (folder / ".gitignore").read_text() == "*\n"
    files = sorted(folder.glob("*.har"))
    assert [one.name for one in files] == ["1-2.har", "1.har"] or len(files) == 3
    for one in files:
        assert stat.S_IMODE(one.stat().st_mode) == 0o600
        assert "nonsense" not in one.read_text()
        assert "-session" not in one.read_text()
    whole = read_replay(folder / "1.har")
    assert [one.outcome for one in whole.transactions] == ["failed", "failed", "passed"]
    assert [(one.dataset, one.file) for one in whole.rows] == [("users", "users.csv")]
    assert whole.rows[0].row in (3, 7)
    line = next(line for line in done.stdout.splitlines() if line.strip().startswith("sample"))
    script = project.path / "look.txt"
    script.write_text("why\nresponse 1\n")
    command = line.split()[2:]
    assert command == ["--record", "shop.case.toml", "--replay-har", "rush.failures/1.har"]
    shown = subprocess.run(
        [sys.executable, "-m", "pytest", *command, "--record-script", script.name],
        cwd=project.path,
        env=project.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert "FIX FIRST  1 of 3  Log in" in shown.stdout, shown.stdout + shown.stderr
    assert shown.stdout.count("Wrong user name or password") > 1


def test_where_samples_go(project: Project) -> None:
    """Beside the results' file, or where one says, or nowhere; those of the run before are gone."""
    (project.path / "results").mkdir()
    project.run("--load", "--load-json", "results/out.json")
    assert (project.path / "results" / "rush.failures" / "1.har").exists()
    data = project.json("results/out.json")
    assert data["first_failures"][0]["sample"] == "results/rush.failures/1.har"
    kept = project.path / "kept"
    kept.mkdir()
    (kept / "9.har").write_text("of an earlier run")
    (kept / "mine.har").write_text("of somebody")
    project.run("--load", "--load-samples", "kept")
    assert {one.name for one in kept.iterdir()} >= {"1.har", "mine.har", ".gitignore"}
    assert not (kept / "9.har").exists()
    done = project.run("--load", "--load-samples", "no")
    assert "--replay-har" not in done.stdout
    assert not (project.path / "rush.failures").exists()


def test_samples_that_cannot_be_written(project: Project) -> None:
    """Are missed, and the report says why; all else is as it would be."""
    (project.path / "rush.failures").symlink_to(project.path)
    done = project.run("--load")
    assert "samples of what failed were not written: rush.failures: this is a link" in done.stdout
    assert "FIX FIRST  401  Log in" in done.stdout
    assert not list(project.path.glob("*.har"))


def test_the_slowest_transactions(project: Project) -> None:
    """As many as one asks for, with their pages; a wrong number is refused before the run."""
    done = project.run("--load", "--load-top", "1", "--load-samples", "no")
    assert "of 3 transactions the 1 that took most time in sum" in done.stdout
    refused = project.run("--load", "--load-top", "few")
    assert refused.returncode == pytest.ExitCode.USAGE_ERROR
    assert "--load-top few: give a number of transactions, or all" in refused.stdout


def test_without_a_terminal_there_are_120_columns(project: Project) -> None:
    """Where nobody says how wide it is."""
    environment = {key: value for key, value in os.environ.items() if key != "COLUMNS"}
    done = subprocess.run(
        project.command("--load", "--load-samples", "no"),
        cwd=project.path,
        env={key: value for key, value in environment.items() if not key.startswith("PYTEST_")},
        capture_output=True,
        stdin=subprocess.DEVNULL,
        text=True,
        check=False,
    )
    title = next(line for line in done.stdout.splitlines() if line.startswith("Rush "))
    assert len(title) == 120
