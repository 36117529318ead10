"""What becomes of credentials and tokens when a test case is saved."""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_loadtool.casefile import read_case, read_dataset, read_har
from pytest_loadtool.console.errors import CommandError, UsageError
from pytest_loadtool.console.execution import execute
from pytest_loadtool.console.opening import open_file
from pytest_loadtool.console.session import Console
from tests.console.listener import Listener
from tests.console.traffic import RECORDED_TOKEN, sign_in, write_har
from tests.plugin.serving import Server, serving


def do(session: Console, line: str) -> None:
    asyncio.run(execute(session, line))


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """An application that lets nobody in with yesterday's token."""
    with serving() as server:
        server.token = "zY9xW8vU7tS6rQ5pO4"
        yield server


@pytest.fixture
def configured(session: Console, server: Server, tmp_path: Path, listener: Listener) -> Console:
    """A console with a recorded sign-in, configured; its traffic is in a recording's file."""
    write_har(tmp_path / "shop.recording.har", *sign_in(server.url))
    do(session, f"import {tmp_path}/shop.recording.har")
    do(session, "configure")
    listener.said.clear()
    listener.asked.clear()
    return session


def everything(folder: Path, *but: str) -> str:
    """What is in the files of a folder."""
    return "\n".join(one.read_text() for one in folder.iterdir() if one.name not in but)


def test_script_keeps_them_and_is_told(configured: Console, listener: Listener) -> None:
    """What is in which file is named; the files are as recorded."""
    do(configured, "save")
    assert "  shop.case.toml holds what was typed: user, password." in listener.said
    assert "  shop.har holds what was typed and 1 token." in listener.said
    assert "correct+horse+7" in configured.case_path.read_text()


def test_dataset_takes_them(
    configured: Console, server: Server, listener: Listener, tmp_path: Path
) -> None:
    """A file for its owner alone, which git ignores; neither test case nor traffic has them, and
    the test case plays."""
    (tmp_path / ".gitignore").write_text("*.log")
    do(configured, "save --secrets dataset")
    path = tmp_path / "shop.users.csv"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert read_dataset(path).columns == ("username", "password")
    assert read_dataset(path).rows == (("ann", "correct horse 7"),)
    assert (tmp_path / ".gitignore").read_text() == "*.log\n/shop.users.csv\n"
    assert "user=${users.username}&password=${users.password}" in configured.case_path.read_text()
    files = everything(tmp_path, path.name)
    for secret in (RECORDED_TOKEN, "correct+horse+7", "correct horse 7"):
        assert secret not in files
    assert not (tmp_path / "shop.recording.har").exists()
    listener.said.clear()
    do(configured, "play --fast")
    assert "2 transactions passed, but 1 not as recorded." in listener.text
    assert server.requests[-1] == "POST /login"


def test_a_login_is_of_one_user(configured: Console, server: Server, tmp_path: Path) -> None:
    """Each virtual user has a row for itself, as with `user-identity --dataset`: a load with more
    users than rows is refused before anything is sent."""
    do(configured, "save --secrets dataset")
    (use,) = read_case(configured.case_path).datasets
    assert (use.file, use.lifespan, use.sharable) == ("shop.users.csv", "virtual user", False)
    do(configured, "create-load-configuration users=3 duration=1s")
    before = len(server.requests)
    with pytest.raises(CommandError, match=r"has 1 row for 3 users, .*: add 2 more"):
        do(configured, "start")
    assert len(server.requests) == before


def test_masked_traffic_is_known_again(configured: Console, listener: Listener) -> None:
    """Opened again, it correlates like before, nobody is asked a second time, and nothing moves."""
    do(configured, "save --secrets dataset")
    case = read_case(configured.case_path)
    configured.document = configured.saved = None
    open_file(configured)
    assert configured.opened().masked
    before = configured.case_path.with_name("shop.har").read_bytes()
    do(configured, "application-state")
    assert configured.opened().case == case
    listener.said.clear()
    listener.asked.clear()
    do(configured, "save")
    assert listener.asked == []
    assert "holds what was typed" not in listener.text
    assert configured.case_path.with_name("shop.har").read_bytes() == before


def test_environment_takes_them(
    configured: Console, listener: Listener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Variables are named after the test case; this console has them set, so it plays."""
    for name in ("SHOP_USERNAME", "SHOP_PASSWORD"):
        monkeypatch.setenv(name, "")  # what the command sets is gone after the test
    do(configured, "save secrets=env")
    assert os.environ["SHOP_PASSWORD"] == "correct horse 7"
    variables = read_case(configured.case_path).variables
    assert (variables["username"].env, variables["password"].env) == (
        "SHOP_USERNAME",
        "SHOP_PASSWORD",
    )
    assert "Set SHOP_USERNAME, SHOP_PASSWORD wherever it is replayed" in listener.text
    assert "correct" not in everything(tmp_path)
    do(configured, "play --fast")


def test_person_is_asked(configured: Console, listener: Listener, tmp_path: Path) -> None:
    """Once it is configured; a slip is asked again, and `?` says what the words mean."""
    listener.lines = ["?", "csv", "data"]
    do(configured, "save")
    assert listener.text.count("shop.case.toml holds what was typed: ") == 1
    assert "`env` to environment variables, as CI keeps secrets." in listener.text
    assert len(listener.asked) == 3
    assert "'csv' is none of keep, dataset, env" in listener.text
    assert (tmp_path / "shop.users.csv").exists()


def test_moving_is_undone(configured: Console, tmp_path: Path, server: Server) -> None:
    """The test case and its traffic are as they were, and are saved so."""
    before = configured.opened()
    do(configured, "save --secrets dataset")
    do(configured, "undo")
    assert configured.opened().case == before.case
    assert not configured.opened().masked
    do(configured, "save")
    assert read_har(tmp_path / "shop.har") == sign_in(server.url)
    do(configured, "redo")
    do(configured, "save")
    assert RECORDED_TOKEN not in (tmp_path / "shop.har").read_text()


def test_what_cannot_be_done_is_said(session: Console, server: Server, tmp_path: Path) -> None:
    """Before it is configured a token of the server's would be taken for a person's; somebody's
    file is not written over; a way that there is not."""
    write_har(tmp_path / "in.har", *sign_in(server.url))
    do(session, f"import {tmp_path}/in.har")
    with pytest.raises(CommandError, match="`configure` first: only then the tokens"):
        do(session, "save --secrets dataset")
    with pytest.raises(UsageError, match="'file' is none of keep, dataset, env"):
        do(session, "save --secrets file")
    do(session, "configure")
    (tmp_path / "shop.users.csv").write_text("name\nben\n")
    with pytest.raises(CommandError, match=r"shop\.users\.csv would be written over"):
        do(session, "save --secrets dataset")
    assert not session.case_path.exists()
    do(session, "save --secrets dataset --replace")
    assert isinstance(session.frontend, Listener)
    assert "in.har still holds the credentials and tokens." in session.frontend.text
