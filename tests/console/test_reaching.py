"""What a test case that was not made here would do is shown, and asked about, before it does it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_loadtool.casefile.trust import Trust
from pytest_loadtool.console.commands import COMMANDS
from pytest_loadtool.console.errors import CommandError
from pytest_loadtool.console.opening import open_file
from pytest_loadtool.console.session import Console, Settings
from pytest_loadtool.errors import FileError
from tests.console.listener import Listener, do
from tests.plugin.serving import Server, case, serving, transaction

FILE = "users.csv"


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where what was agreed to is kept."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("SHOP_TOKEN", "t0ken")
    return tmp_path / "state"


@pytest.fixture
def server() -> Iterator[Server]:
    """The server that the test case sends to."""
    with serving() as found:
        yield found


@pytest.fixture
def shop(tmp_path: Path, server: Server) -> Path:
    """A test case out of a file."""
    (tmp_path / FILE).write_text("name\nann\n")
    path = tmp_path / "shop.case.toml"
    sent = transaction("POST /echo", 'body = "${users.name} ${token}"')
    tail = f'[datasets.users]\nfile = "{FILE}"\n[variables]\ntoken = {{ env = "SHOP_TOKEN" }}\n'
    path.write_text(case(server.url, sent) + tail)
    return path


def opened(path: Path, listener: Listener, trust: Trust | None = None) -> Console:
    settings = Settings(path.parent, browser="none", trust=trust or Trust(path.parent))
    session = Console(settings, listener, COMMANDS, path)
    open_file(session)
    return session


def test_shown_and_asked_once(shop: Path, server: Server) -> None:
    """After a yes neither this console nor a later one asks again, until the file has changed; `?`
    says why it is asked."""
    first = Listener(lines=["?", "yes"])
    session = opened(shop, first)
    do(session, "play")
    lines = first.text.splitlines()
    start = lines.index("A visit to the shop was made or changed elsewhere. To replay it")
    assert lines[start + 1 : start + 4] == [
        f"  reads the file {FILE}",
        "  reads the environment variable SHOP_TOKEN",
        f"  sends to {server.url}",
    ]
    do(session, "play")
    later = Listener(lines=["no"])
    do(opened(shop, later), "play")
    assert [*first.asked, *later.asked] == ["Replay it (yes, no)?"] * 2
    assert "A test case that somebody else has written may read" in first.text
    assert server.requests == ["POST /echo"] * 3
    shop.write_text(shop.read_text() + "# changed\n")
    with pytest.raises(CommandError, match="not replayed"):
        do(opened(shop, later), "play")
    assert len(server.requests) == 3


def test_one_that_was_saved_before_is_asked_about_once(shop: Path, server: Server) -> None:
    """What is agreed to is the file as it was saved, which a later console finds."""
    session = opened(shop, Listener(lines=["yes"]))
    for line in ("think P1 0s", "save", "play"):
        do(session, line)
    later = Listener()
    do(opened(shop, later), "play")
    assert later.asked == []
    assert server.requests == ["POST /echo"] * 2


@pytest.mark.parametrize("command", ["play", "configure --replay", "start"])
def test_a_no_sends_nothing(shop: Path, server: Server, command: str) -> None:
    """Whatever would replay it; the default is a no."""
    listener = Listener(lines=["all", ""] if "configure" in command else [""])
    load = 'format = 1\nname = "x"\nusers = 1\niterations = 1\n[[case]]\nfile = "shop.case.toml"\n'
    shop.with_name("shop.load.toml").write_text(load)
    session = opened(shop, listener)
    if "configure" in command:
        do_import(session, server)
        listener.lines[:] = [""]
    with pytest.raises(CommandError, match="not replayed"):
        do(session, command)
    assert listener.asked[-1] == "Replay it (yes, no)?"
    assert server.requests == []


def do_import(session: Console, server: Server) -> None:
    """Traffic of somebody else's browser."""
    har = session.case_path.with_name("theirs.har")
    har.write_text(
        '{"log": {"version": "1.2", "creator": {"name": "b", "version": "1"}, "entries": [{'
        '"startedDateTime": "2026-01-01T00:00:00.000Z", "time": 1, "request": {"method": "GET", '
        f'"url": "{server.url}/", "httpVersion": "HTTP/1.1", "headers": [], "queryString": [], '
        '"cookies": [], "headersSize": -1, "bodySize": 0}, "response": {"status": 200, '
        '"statusText": "OK", "httpVersion": "HTTP/1.1", "headers": [], "cookies": [], '
        '"content": {"size": 2, "mimeType": "text/html", "text": "hi"}, "redirectURL": "", '
        '"headersSize": -1, "bodySize": 2}, "cache": {}, '
        '"timings": {"send": 0, "wait": 1, "receive": 0}}]}}'
    )
    do(session, f"import {har} --discard")


def test_imported_traffic(tmp_path: Path, server: Server) -> None:
    """Of which only the servers are known."""
    listener = Listener(lines=["y"])
    session = opened(tmp_path / "shop.case.toml", listener)
    do_import(session, server)
    do(session, "play")
    assert f"  sends to {server.url}" in listener.said
    assert server.requests == ["GET /"]


def test_what_is_saved_here_is_known(tmp_path: Path, server: Server) -> None:
    """But not before somebody has agreed to it."""
    path = tmp_path / "shop.case.toml"
    session = opened(path, Listener(lines=["y"]))
    do_import(session, server)
    do(session, "save")
    later = Listener(lines=["no"])
    with pytest.raises(CommandError, match="not replayed"):
        do(opened(path, later), "play")
    do(session, "play")
    do(session, "strip")
    do(session, "save")
    do(opened(path, later), "play")
    assert server.requests == ["GET /"] * 2


def test_a_script_is_told(shop: Path, server: Server, state: Path) -> None:
    """And goes on. Nobody has agreed to anything by that."""
    for _ in range(2):
        listener = Listener()
        do(opened(shop, listener), "play")
        assert f"  reads the file {FILE}" in listener.said
    assert server.requests == ["POST /echo"] * 2
    assert (state / "pytest-loadtool" / "replayed").read_text() == ""


def test_from_elsewhere(shop: Path, server: Server) -> None:
    """With --loadtool-untrusted it is refused by what it wants; else its user names the server."""
    trust = Trust(shop.parent, untrusted=True)
    with pytest.raises(FileError, match=r"users\.csv: --loadtool-untrusted does not allow it"):
        opened(shop, Listener(), trust)
    shop.write_text(case("http://127.0.0.1:9", "GET /"))
    session = opened(shop, Listener(lines=["yes"]), trust)
    with pytest.raises(CommandError, match=r"--loadtool-untrusted: name the server"):
        do(session, "play")
    do(session, f"play --server {server.url}")
    assert server.requests == ["GET /"]


def test_files_elsewhere(shop: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Are refused when the test case is opened."""
    outside = tmp_path_factory.mktemp("outside")
    (shop.parent / FILE).rename(outside / FILE)
    (shop.parent / FILE).symlink_to(outside / FILE)
    with pytest.raises(FileError, match=r"datasets\.users\.file: users\.csv: it is .* outside of"):
        opened(shop, Listener())
    opened(shop, Listener(), Trust(shop.parent, (outside,)))
