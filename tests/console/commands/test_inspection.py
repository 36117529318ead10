"""Looking at a replay: responses, differences, commands of curl, and bodies in the browser."""

from __future__ import annotations

import json
import re
import stat
import subprocess
import webbrowser
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_loadtool.console.errors import CommandError, UsageError
from pytest_loadtool.console.session import Console
from tests.console.listener import Listener, do
from tests.console.traffic import exchange, sign_in, write_har
from tests.plugin.serving import Server, serving


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """An application that lets nobody in with yesterday's token."""
    with serving() as server:
        server.token = "zY9xW8vU7tS6rQ5pO4"
        yield server


@pytest.fixture
def played(session: Console, server: Server, tmp_path: Path, listener: Listener) -> Console:
    """A console in which a sign-in was played."""
    do(session, f"import {write_har(tmp_path / 'in.har', *sign_in(server.url))}")
    do(session, "configure")
    do(session, "play --fast")
    listener.said.clear()
    return session


def test_response(played: Console, listener: Listener) -> None:
    """What came, laid out; with --sent what was sent, too, without the password unless it is
    asked for."""
    do(played, "response 2")
    assert listener.said[0] == "POST /login  passed"
    assert "    <title>Home</title>" in listener.said
    assert "token=" not in listener.text
    listener.said.clear()
    do(played, "response POST /login --sent")
    assert "token=zY9xW8vU7tS6rQ5pO4" in listener.said
    assert "password=corr…" in listener.said
    listener.said.clear()
    do(played, "response 2 --sent --raw --secrets")
    assert "token=zY9xW8vU7tS6rQ5pO4&user=ann&password=correct+horse+7" in listener.said


def test_diff(played: Console, listener: Listener) -> None:
    """The token is expected to differ; a constant that a person sets is pointed out."""
    do(played, "diff 2")
    assert "    + token=zY9xW8vU7tS6rQ5pO4   (csrf_token[1])" in listener.said
    assert "Request body: as recorded, but for 1 expected difference" in listener.said
    assert "correct" not in listener.text
    do(played, "set-field 2 token --constant stale")
    with pytest.raises(CommandError):
        do(played, "play --fast")
    listener.said.clear()
    do(played, "diff 2")
    assert "  ! + token=stale" in listener.said
    assert "Request body: 1 difference" in listener.said
    assert "  ! + 403 Forbidden" in listener.said


def test_what_was_not_sent(played: Console) -> None:
    """Each command says so, and why."""
    do(played, "play --fast --to 1")
    for line in ("response 2", "open 2", "curl 2 --replayed"):
        with pytest.raises(CommandError, match="transaction 2 was not sent in that replay: it was"):
            do(played, line)
    with pytest.raises(CommandError, match="2 cannot be compared: it was not sent"):
        do(played, "diff 2")


def test_curl(played: Console, listener: Listener, server: Server) -> None:
    """As recorded it is refused today, as replayed it is let in; secrets are cut unless asked
    for."""
    do(played, "curl 2")
    assert "password=corr…" in listener.text
    statuses = []
    for line in ("curl 2 --secrets", "curl 2 --replayed --secrets"):
        listener.said.clear()
        do(played, line)
        shell = f"{listener.text} --silent --output /dev/null --write-out '%{{http_code}}'"
        done = subprocess.run(["/bin/sh", "-c", shell], capture_output=True, check=True, timeout=60)
        statuses.append(done.stdout)
    assert statuses == [b"403", b"200"]


def test_what_is_escaped_is_found_as_it_is_read(
    session: Console, tmp_path: Path, listener: Listener
) -> None:
    """In JSON and in HTML, and is seen so."""
    url = "http://127.0.0.1:1"
    kind = "application/json"
    recorded = (
        exchange("GET", f"{url}/api", 0, content_type=kind, answer=r'{"note": "f\u00fcr zwei"}'),
        exchange("GET", f"{url}/page", 1, answer="<p>f&uuml;r zwei</p>"),
    )
    do(session, f"import {write_har(tmp_path / 'in.har', *recorded)}")
    do(session, "search 'für zwei'")
    assert listener.said[-1] == "Found in 2 places."


def test_curl_of_a_body_that_is_no_text(session: Console, tmp_path: Path) -> None:
    """Nobody finds the secrets in it, so it has to be asked for with them."""
    picture = replace(sign_in("http://127.0.0.1:1")[2], request_body=b"\x89PNG\xff")
    do(session, f"import {write_har(tmp_path / 'in.har', picture)}")
    with pytest.raises(CommandError, match="its body is no text, and may hold secrets: --secrets"):
        do(session, "curl 1")
    do(session, "curl 1 --secrets")


class Browser(webbrowser.BaseBrowser):
    """Notes what it is to open."""

    def __init__(self) -> None:
        super().__init__("noting")
        self.opened: list[str] = []

    def open(self, url: str, new: int = 0, autoraise: bool = True) -> bool:
        self.opened.append(url)
        return True


def test_open(played: Console, listener: Listener, monkeypatch: pytest.MonkeyPatch) -> None:
    """The decoded body is in a file for its owner alone, of the kind that it is."""
    browser = Browser()
    monkeypatch.setattr(webbrowser, "get", lambda: browser)
    do(played, "open 2")
    path = Path(listener.said[-1])
    assert browser.opened == [path.as_uri()]
    assert (path.suffix, stat.S_IMODE(path.stat().st_mode)) == (".html", 0o600)
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert b"<h1>Welcome</h1>" in path.read_bytes()
    do(played, "open 2 --recorded")
    assert Path(listener.said[-1]).read_bytes() == b"<title>Home</title>"


def test_open_without_a_browser(
    played: Console, listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The path is said; a browser for terminals is none, as the console has the terminal."""

    def none() -> None:
        raise webbrowser.Error

    for found in (none, lambda: webbrowser.GenericBrowser("lynx")):
        monkeypatch.setattr(webbrowser, "get", found)
        do(played, "open 1")
        said = re.fullmatch(r"No browser could be opened; the body is in (.*)", listener.said[-1])
        assert said is not None
        assert Path(said[1]).exists()


def test_errors_of_recording_and_replay(played: Console, listener: Listener) -> None:
    """One command for both."""
    do(played, "set-field 2 token --constant stale")
    with pytest.raises(CommandError):
        do(played, "play --fast")
    listener.said.clear()
    do(played, "show errors")
    assert listener.said[:2] == ["While recording", "  No errors."]
    assert listener.said[-2:] == [
        "    2  failed  POST /login",
        "       Status Code is 403, expected 200-399",
    ]


def test_what_failed_can_be_selected(played: Console, listener: Listener) -> None:
    """By --failed, as by ~f."""
    with pytest.raises(UsageError, match="no transaction is like that"):
        do(played, "delete --failed")
    do(played, "set-field 2 token --constant stale")
    with pytest.raises(CommandError):
        do(played, "play --fast")
    do(played, "delete --failed")
    assert [one.title for one in played.opened().case.transactions()] == ["GET /form"]


@pytest.mark.promise(35)
@pytest.mark.promise(34)
def test_variables(played: Console, listener: Listener) -> None:
    """Each user variable with its value, the recorded one, Where Set and its users."""
    do(played, "variables")
    assert listener.said == [
        "csrf_token[1]  zY9xW8vU7tS6rQ5pO4",
        "    recorded   aB3dE6gH9jK2mN5pQ8",
        "    Where Set  1 GET /form",
        "    used by    2 POST /login",
    ]
    with pytest.raises(CommandError, match="no variable is called like 'x'"):
        do(played, "variables x")


def test_search_and_trace(played: Console, listener: Listener) -> None:
    """Places are told by transaction, in the recording and in the replay."""
    do(played, "search zY9x --in replay --in response")
    assert listener.said[0] == "    1  GET /form  (replay)"
    assert listener.said[-1] == "Found in 1 place."
    with pytest.raises(CommandError, match="'nothing of it' is nowhere"):
        do(played, 'search "nothing of it"')
    with pytest.raises(CommandError, match="nothing here is --in response and --in url at once"):
        do(played, "search zY9x --in response --in url")
    with pytest.raises(UsageError, match="--in is one of request, response, recording, replay"):
        do(played, "search x --in body --in answers")
    with pytest.raises(UsageError, match="is no regular expression: "):
        do(played, "search ( --regex")
    listener.said.clear()
    do(played, "trace csrf_token[1]")
    assert listener.said[:3] == [
        "${csrf_token[1]}",
        "In the recording: 2 places",
        "    1  GET /form  (recording)",
    ]
    assert listener.said[3].endswith("(sets it)")
    with pytest.raises(CommandError, match="'nowhere' is nowhere: `variables` lists"):
        do(played, "trace nowhere")


def test_json_is_laid_out(session: Console, listener: Listener, server: Server) -> None:
    """A member on each line; what is compared is so, too."""
    text = f'format = 1\nname = "x"\nserver = "{server.url}"\n[[page]]\nname = "P"\n'
    session.case_path.write_text(f'{text}[[page.transaction]]\nrequest = "GET /echo"\n')
    from pytest_loadtool.console.opening import open_file

    open_file(session)
    listener.lines = ["yes"]
    do(session, "play")
    listener.said.clear()
    do(session, "response 1")
    body = listener.said[listener.said.index("{") :]
    assert json.loads("\n".join(body))["body"] == ""
    assert '  "headers": {' in body
