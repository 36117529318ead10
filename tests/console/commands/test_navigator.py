"""What belongs to the project, and another test case in the same console."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_loadtool.console.errors import CommandError, UsageError
from pytest_loadtool.console.opening import open_file
from pytest_loadtool.console.session import Console
from tests.console.listener import Listener, do
from tests.plugin.serving import case

URL = "http://127.0.0.1:9"
DATASET = '[datasets.users]\nfile = "users.csv"\nsharable = false\n'
LOGIN = '[[identity]]\nusername = "${users.username}"\npassword = "${users.password}"\n'
LOAD = 'format = 1\nname = "rush"\nusers = 5\nduration = "10s"\n[[case]]\nfile = "shop.case.toml"\n'
RESULTS = {
    "format": 1,
    "name": "rush",
    "started": "2026-11-22T16:30:56+00:00",
    "verdict": "failed",
    "reasons": ["error rate 3 % (0 % allowed)"],
    "configuration": {"load": "5 users for 10 s"},
    "totals": {"requests": 1200, "errors": 36, "response_time_ms": {"mean": 12.5, "p95": 40.0}},
    "pages": [{"name": "Home", "count": 600, "failed": 3, "duration_ms": {"mean": 20.0}}],
}


@pytest.fixture
def project(session: Console, tmp_path: Path) -> Console:
    """A console with a test case and what belongs to it."""
    text = case(URL, "GET /?u=${users.username}", head=DATASET)
    session.case_path.write_text(text)
    (tmp_path / "users.csv").write_text("username,password\nann,a\nben,b\n")
    (tmp_path / "api").mkdir()
    (tmp_path / "api" / "api.case.toml").write_text(case(URL, "GET /1", "GET /2"))
    (tmp_path / "rush.load.toml").write_text(LOAD)
    (tmp_path / "rush.json").write_text(json.dumps(RESULTS))
    (tmp_path / "package.json").write_text('{"name": "shop"}')
    open_file(session)
    return session


def test_navigator_lists_the_project(project: Console, listener: Listener) -> None:
    """Each with the command that opens it; what is no part of it is not there."""
    listener.said.clear()
    do(project, "navigator")
    assert listener.said == [
        "Test cases",
        "> shop.case.toml     1 page, 1 transaction  `tree`",
        "  api/api.case.toml  `open-case api/api.case.toml`",
        "Datasets",
        "  users  users.csv, 2 rows, next: row 1, 3 missing for a load  `dataset-show users`",
        "Load configurations",
        "  rush.load.toml  5 users for 10 s  `load rush.load.toml`",
        "Results of load tests",
        "  rush.json  rush, 2026-11-22T16:30:56+00:00: failed  `load-result rush.json`",
    ]
    for line in ("tree", "dataset-show users", "load rush.load.toml", "load-result rush.json"):
        do(project, line.replace("rush.load", f"{project.settings.directory}/rush.load"))


@pytest.mark.promise(19)
def test_authentication_is_there_once_it_is_configured(
    project: Console, listener: Listener
) -> None:
    """And not before."""
    do(project, "navigator")
    assert "Authentication" not in listener.said
    text = project.case_path.read_text()
    project.case_path.write_text(text.replace("[[page]]", LOGIN + "[[page]]", 1))
    do(project, "reload")
    do(project, "navigator")
    at = listener.said.index("Authentication")
    assert listener.said[at + 1] == (
        "  127.0.0.1:9  a row of users.csv for each virtual user  `user-identity`"
    )


def test_replays_that_were_kept_are_listed(project: Console, listener: Listener) -> None:
    """By their numbers, with what failed."""
    project.stranger = ""
    with pytest.raises(CommandError):
        do(project, "play --fast")
    do(project, "navigator")
    at = listener.said.index("Replays")
    assert "1 of 1 transaction, 1 failed  `replays 1`" in listener.said[at + 1]
    do(project, "replays 1")


def test_another_test_case_is_opened(project: Console, listener: Listener, tmp_path: Path) -> None:
    """As if the console had been opened for it; `undo` knows nothing of the other one."""
    do(project, "break 1")
    do(project, "open-case api/api")
    assert project.case_path == tmp_path / "api" / "api.case.toml"
    assert [one.request.target for one in project.opened().case.transactions()] == ["/1", "/2"]
    assert listener.said[-1] == "api/api.case.toml: 1 page, 2 transactions."
    assert project.breakpoints == set()
    with pytest.raises(CommandError, match="there is nothing to undo"):
        do(project, "undo")


def test_what_is_not_saved_is_not_dropped_unasked(
    project: Console, listener: Listener, tmp_path: Path
) -> None:
    """A script has to say so, a person agrees; a no keeps all as it is."""
    do(project, "open-case api/api.case.toml")
    do(project, "delete 1")
    edited = project.document
    with pytest.raises(CommandError, match=r"not saved: `save` it, or give `open-case shop.* --di"):
        do(project, "open-case shop")
    assert project.document is edited
    listener.answers = [True]
    do(project, "open-case shop")
    assert project.case_path == tmp_path / "shop.case.toml"


def test_test_case_that_cannot_be_read_leaves_the_open_one(
    project: Console, tmp_path: Path
) -> None:
    """With its path, its history and what is not saved."""
    (tmp_path / "bad.case.toml").write_text("format = 1\nname = ")
    do(project, "break 1")
    before = project.document
    with pytest.raises(CommandError, match=r"bad\.case\.toml:2"):
        do(project, "open-case bad")
    assert project.document is before
    assert project.case_path.name == "shop.case.toml"
    assert len(project.breakpoints) == 1


def test_name_that_is_none_tells_what_is_there(project: Console) -> None:
    """All test cases of the project."""
    there = r"; there are shop\.case\.toml, api/api\.case\.toml$"
    with pytest.raises(CommandError, match=r"there is no shap\.case\.toml" + there):
        do(project, "open-case shap")
    with pytest.raises(UsageError, match=there):
        do(project, "open-case users.csv")


@pytest.mark.promise(4)
def test_results_of_a_load_test_are_shown(project: Console, listener: Listener) -> None:
    """Verdict, reasons, all requests, pages; what is no result is told."""
    listener.said.clear()
    do(project, "load result rush.json")
    assert listener.said[:4] == [
        "rush  FAILED",
        "started 2026-11-22T16:30:56+00:00",
        "* error rate 3 % (0 % allowed)",
        "5 users for 10 s",
    ]
    assert [line.split() for line in listener.said[5:]] == [
        ["all", "requests", "1,200", "36", "12.5", "40.0"],
        ["Home", "600", "3", "20.0", "\u2013"],
    ]
    with pytest.raises(CommandError, match=r"package\.json holds no results of a load test"):
        do(project, "load result package.json")


def test_empty_project_says_how_to_begin(session: Console, listener: Listener) -> None:
    """There is nothing to list."""
    do(session, "navigator")
    assert listener.said == ["There is nothing yet: `record` or `import` makes a test case."]
