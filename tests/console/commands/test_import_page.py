"""Import, As New Web Page."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from shlex import quote

import pytest

from pytest_loadtool.casefile import read_case, read_har
from pytest_loadtool.console.errors import CommandError
from pytest_loadtool.console.execution import execute
from pytest_loadtool.console.session import Console
from tests.console.listener import Listener
from tests.plugin.serving import serving

TOKEN = "zY9xW8vU7tS6rQ5pO4"


def do(session: Console, line: str) -> None:
    asyncio.run(execute(session, line))


def files(folder: Path, name: str, request: str, response: str) -> str:
    """The two files of a page, as arguments."""
    (folder / f"{name}.request.txt").write_text(request)
    (folder / f"{name}.response.txt").write_text(response)
    return f"{folder}/{name}.request.txt {folder}/{name}.response.txt"


@pytest.mark.promise(43)
@pytest.mark.promise(67)
def test_pages_from_text_files_replay(session: Console, listener: Listener, tmp_path: Path) -> None:
    """A test case made of text files alone: correlated, saved with its traffic, and played."""
    with serving() as server:
        host = server.url.removeprefix("http://")
        server.token = TOKEN
        form = files(
            tmp_path,
            "form",
            f"GET /form HTTP/1.1\nHost: {host}\nAccept: text/html\n",
            "HTTP/1.1 200 OK\nContent-Type: text/html\n\n"
            '<form><input type="hidden" name="token" value="aB3dE6gH9jK2mN5pQ8"></form>\n',
        )
        sent = files(
            tmp_path,
            "login",
            f"POST /login HTTP/1.1\nHost: {host}\n"
            "Content-Type: application/x-www-form-urlencoded\n\ntoken=aB3dE6gH9jK2mN5pQ8\n",
            "HTTP/1.1 200 OK\nContent-Type: text/html\n\n<title>Home</title>\n",
        )
        do(session, f"import-page {form} --name Form")
        do(session, f"import page {sent}")
        assert "Added the page Home: POST /login, 200." in listener.text
        do(session, "play --fast")
        do(session, "save")
        assert server.requests == ["GET /form", "POST /login"]
    case = read_case(session.case_path)
    assert [page.name for page in case.pages] == ["Form", "Home"]
    assert case.server == server.url
    assert [one.url for one in read_har(tmp_path / "shop.har")] == [
        f"{server.url}/form",
        f"{server.url}/login",
    ]
    assert re.search(r"^body = \"token=\$\{\w+\[1\]\}\"$", session.case_path.read_text(), re.M)


@pytest.mark.promise(67)
def test_page_joins_a_recorded_test_case(session: Console, tmp_path: Path) -> None:
    """Its traffic is added to the evidence; without it at hand, only the request is kept."""
    api = Path(__file__).parents[3] / "example_suite" / "cases" / "api.har"
    do(session, f"import {quote(str(api))}")
    count = len(session.opened().exchanges)
    pair = files(
        tmp_path,
        "extra",
        "PUT /api/extra HTTP/1.1\nContent-Type: application/json\n\n" + json.dumps({"a": 1}),
        "HTTP/1.1 200 OK\nContent-Type: application/json\n\n{}",
    )
    do(session, f"import-page {pair}")
    added = list(session.opened().case.transactions())[-1]
    assert added.request.target == "/api/extra"
    assert added.recorded is not None
    assert added.recorded.entry == count
    do(session, "save")
    assert len(read_har(tmp_path / "shop.har")) == count + 1
    do(session, "undo")
    assert len(session.opened().exchanges) == count


def test_malformed_file_changes_nothing(session: Console, tmp_path: Path) -> None:
    """The file and the line are named."""
    pair = files(tmp_path, "bad", "GET /x HTTP/1.1\nHost: a\nno colon\n", "HTTP/1.1 200 OK\n\n")
    with pytest.raises(CommandError, match=r"bad\.request\.txt:3: expected a header"):
        do(session, f"import-page {pair}")
    with pytest.raises(CommandError, match=r"nowhere\.txt: no such file"):
        do(session, "import-page nowhere.txt nowhere.txt")
    assert session.document is None
