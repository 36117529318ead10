"""Decisions are kept with the document: only `configure` correlates."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_loadtool.casefile import read_case
from pytest_loadtool.console.commands import COMMANDS
from pytest_loadtool.console.errors import CommandError
from pytest_loadtool.console.opening import open_file
from pytest_loadtool.console.session import Console, Settings
from pytest_loadtool.correlation import configuration
from tests.console.listener import Listener, do
from tests.console.traffic import RECORDED_TOKEN, exchange, sign_in, write_har

SERVER = "http://127.0.0.1:9"


@pytest.fixture
def listener() -> Listener:
    return Listener()


@pytest.fixture
def session(tmp_path: Path, listener: Listener) -> Console:
    """A console with a recorded sign-in."""
    settings = Settings(directory=tmp_path, browser="none")
    session = Console(settings, listener, COMMANDS, tmp_path / "shop.case.toml")
    do(session, f"import {write_har(tmp_path / 'in.har', *sign_in(SERVER))}")
    return session


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many transactions each run of the engine has correlated."""
    counted: list[int] = []
    engine = configuration.configure

    def configure(case: Any, exchanges: Any, **options: Any) -> Any:
        counted.append(len(list(case.transactions())))
        return engine(case, exchanges, **options)

    monkeypatch.setattr(configuration, "configure", configure)
    return counted


def decisions(folder: Path) -> list[dict[str, Any]]:
    """Those beside the saved traffic."""
    found: list[dict[str, Any]] = json.loads((folder / "shop.har").read_text())["log"]["_asm"]
    return found


def test_configuring_alone_correlates(
    session: Console, listener: Listener, runs: list[int], tmp_path: Path
) -> None:
    """Explaining, saving and taking a decision back read what was decided, in any order."""
    do(session, "configure")
    do(session, "explain")
    do(session, "save")
    saved = decisions(tmp_path)
    assert [one["variable"] for one in saved if one["variable"]] == ["csrf_token[1]"]
    do(session, "undo-decision csrf_token[1]")
    listener.said.clear()
    do(session, "explain")
    assert "token is to be ignored" in listener.text
    assert "csrf_token" not in listener.text
    do(session, "undo")
    do(session, "explain csrf_token[1]")
    do(session, "redo")
    do(session, "save")
    assert RECORDED_TOKEN in (tmp_path / "shop.case.toml").read_text()
    assert runs == [2]


def test_decisions_follow_what_is_edited(
    session: Console, listener: Listener, runs: list[int]
) -> None:
    """They have the numbers of now; transactions that are gone are in none."""
    other = exchange("GET", f"{SERVER}/other", -9, ("Accept", "text/html"), answer="hello")
    form, pixel, login = sign_in(SERVER)
    again = exchange(
        "POST", f"{SERVER}/again", 6, *login.request_headers[1:],
        body=f"token={RECORDED_TOKEN}", answer="again",
    )  # fmt: skip
    har = write_har(session.case_path.with_name("more.har"), other, form, pixel, login, again)
    do(session, f"import --discard {har}")
    do(session, "configure")
    do(session, "explain csrf_token[1]")
    assert "set by 2 GET /form, used by 3 POST /login, 4 POST /again" in listener.text
    do(session, "delete 1")
    do(session, "delete 3")
    listener.said.clear()
    do(session, "explain csrf_token[1]")
    assert "set by 1 GET /form, used by 2 POST /login\n" in listener.text + "\n"
    assert '"1 GET /form" gives it out' in listener.text
    assert runs == [4]


def test_nothing_is_explained_before_it_is_decided(session: Console, runs: list[int]) -> None:
    """What to do is said; saving says what an unconfigured test case does."""
    for command in ("explain", "undo-decision 1"):
        with pytest.raises(CommandError, match="nothing is decided yet: `configure` finds"):
            do(session, command)
    do(session, "save")
    assert isinstance(session.frontend, Listener)
    assert "Dynamic values, if there are any, will be sent as recorded" in session.frontend.text
    assert runs == []


def test_opened_again_it_is_as_decided(
    session: Console, listener: Listener, runs: list[int], tmp_path: Path
) -> None:
    """What was decided is read from the traffic file, and follows what is edited; if it is of
    other transactions than the test case has now, it is decided once more."""
    do(session, "configure")
    do(session, "save")
    before = decisions(tmp_path)
    session.document = session.saved = None
    open_file(session)
    runs.clear()
    do(session, "mark-dangerous 2")
    do(session, "save")
    assert runs == []
    assert decisions(tmp_path) == before
    listener.said.clear()
    do(session, "explain")
    assert "1. csrf_token[1]" in listener.text
    assert not session.unsaved
    do(session, "undo-decision 1")
    do(session, "explain")
    assert runs == []
    assert [one["variable"] for one in decisions(tmp_path) if one["variable"]] == ["csrf_token[1]"]
    path = session.case_path
    path.write_text(
        path.read_text().replace("[[page.transaction]]", '[[page.transaction]]\nname = "x"', 1)
    )
    session.document = session.saved = None
    open_file(session)
    do(session, "explain")
    do(session, "explain")
    assert runs == [2]


def test_decisions_go_with_traffic_that_is_written_anew(
    session: Console, runs: list[int], tmp_path: Path
) -> None:
    """A page that is added to a test case that was opened: the file has the decisions on it."""
    do(session, "configure")
    do(session, "save")
    session.document = session.saved = None
    open_file(session)
    (tmp_path / "a.txt").write_text("GET /more HTTP/1.1\nHost: 127.0.0.1:9\n\n")
    (tmp_path / "b.txt").write_text("HTTP/1.1 200 OK\nContent-Type: text/plain\n\nmore")
    do(session, f"import-page {tmp_path}/a.txt {tmp_path}/b.txt")
    runs.clear()
    do(session, "save")
    assert runs == [3]
    assert [one["variable"] for one in decisions(tmp_path) if one["variable"]] == ["csrf_token[1]"]
    assert len(list(read_case(session.case_path).transactions())) == 3


def test_an_outcome_is_taken_back(session: Console, listener: Listener, runs: list[int]) -> None:
    """Nothing is asserted of that change any more, and nothing else is touched."""
    json_type = "application/json"
    add = exchange(
        "POST", f"{SERVER}/items", 0, ("Content-Type", json_type), body='{"name": "Blue cups"}',
        content_type=json_type, answer='{"done": true}',
    )  # fmt: skip
    listed = exchange(
        "GET", f"{SERVER}/items", 1, content_type=json_type, answer='[{"name": "Blue cups"}]'
    )
    do(session, f"import --discard {write_har(session.case_path.with_name('x.har'), add, listed)}")
    do(session, "configure")
    listener.said.clear()
    do(session, "explain")
    assert "  1. outcome: Blue cups is listed" in listener.said
    before = session.opened().case
    do(session, "undo-decision 1")
    case = session.opened().case
    assert case.asm.ignore == ("POST /items: outcome",)
    outcomes = [one.outcome for each in case.transactions() for one in each.validators]
    assert not any(outcomes)
    listener.said.clear()
    do(session, "explain")
    assert "outcome" not in listener.text
    do(session, "undo")
    assert session.opened().case == before
    do(session, "redo")
    do(session, "configure")
    assert session.opened().case == case
    assert runs == [2, 2]
