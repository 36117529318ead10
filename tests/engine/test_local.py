"""A whole load test in one process, from its file to the verdict."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_loadtool.engine.local import run_alone
from pytest_loadtool.engine.prepare.share import PreparedShare, prepare, read_test
from pytest_loadtool.errors import FileError, ReplayError
from pytest_loadtool.load import Progress, Share, Summary
from tests.plugin.serving import Server, case, serving

LOAD = """\
format = 1
name = "Alone"
users = 2
{more}

[[case]]
file = "shop.case.toml"
"""


@pytest.fixture
def server() -> Iterator[Server]:
    """A running server of its own for the test."""
    with serving() as running:
        yield running


def prepared(folder: Path, more: str) -> PreparedShare:
    """What only has to be started, of two users of ``shop.case.toml``."""
    (folder / "shop.load.toml").write_text(LOAD.format(more=more))
    return prepare(read_test(folder / "shop.load.toml"), [""], Share())


def run(folder: Path, more: str) -> tuple[Summary, list[Progress]]:
    """The outcome, and what was seen on the way."""
    share = prepared(folder, more)
    seen: list[Progress] = []
    configuration = read_test(folder / "shop.load.toml").configuration
    summary = run_alone(share, configuration, interrupted=lambda: False, show=seen.append)
    return summary, seen


def test_numbers_are_those_of_the_server(tmp_path: Path, server: Server) -> None:
    """Each request is counted once, also when the run ends between two looks."""
    (tmp_path / "shop.case.toml").write_text(case(server.url, "GET /", "GET /two"))
    summary, seen = run(tmp_path, "iterations = 3")
    assert summary.verdict.outcome == "passed"
    assert summary.totals.requests == len(server.requests) == 12
    assert seen[0].requests == 0


def test_more_transactions_than_can_be_told_apart(
    tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are refused before the first request."""
    (tmp_path / "shop.case.toml").write_text(case(server.url, "GET /", "GET /two"))
    monkeypatch.setattr("pytest_loadtool.engine.prepare.share.MOST_TRANSACTIONS", 2)
    assert prepared(tmp_path, "iterations = 3")
    monkeypatch.setattr("pytest_loadtool.engine.prepare.share.MOST_TRANSACTIONS", 1)
    with pytest.raises(ReplayError, match="have 2 transactions together, and a load test may have"):
        prepared(tmp_path, "iterations = 3")


def test_threshold_ends_the_run(tmp_path: Path, server: Server) -> None:
    """One that says so stops the users long before their time, and the run has failed."""
    (tmp_path / "shop.case.toml").write_text(case(server.url, "GET /status/500"))
    summary, _ = run(tmp_path, 'duration = "10m"\nthresholds = ["error rate > 50 % for 1 s: stop"]')
    assert summary.verdict.outcome == "failed"
    assert summary.totals.duration_s < 300


def test_application_that_is_not_there_is_told_with_its_place(tmp_path: Path) -> None:
    """Before anything runs, with file, line and key."""
    text = case("", "GET /", head='app = "no_such_module:app"')
    (tmp_path / "shop.case.toml").write_text(text)
    with pytest.raises(FileError, match="no_such_module") as wrong:
        prepared(tmp_path, "iterations = 1")
    assert (wrong.value.line, wrong.value.key) == (4, "app")
