"""From Chromium at a server that wants to know who it is, by way of a person at a terminal, to
plain pytest: the whole way at once, in real processes."""

from __future__ import annotations

import shlex
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from pytest_loadtool.capture import find_browser
from tests.authentication.accounts import USERS
from tests.authentication.peer import Peer
from tests.authentication.recorded_clients import add_pages
from tests.console.running import run
from tests.console.terminal import Terminal, console

USER, PASSWORD = USERS[0]

#: The recorder's own browser, told that at localhost it may log in (Negotiate) as who runs it.
BROWSER = '#!/bin/sh\nexec {browser} --auth-server-allowlist=localhost "$@"\n'

#: What a person does in it. Without a window Chromium asks nobody: what would be typed is said.
BROWSE = """
import os, sys
from playwright.sync_api import sync_playwright

url, *typed = sys.argv[1:]
with sync_playwright() as playwright:
    browser = playwright.chromium.connect_over_cdp(os.environ["LOADTOOL_CDP"])
    given = dict(zip(("username", "password"), typed)) or None
    page = browser.new_context(http_credentials=given).new_page()
    page.goto(url)
    page.wait_for_function("document.title == 'Home with its text'")
"""

AGREED = (r"^Configure user identity for connection authentication \(yes, no\)\? \[yes\]", "")
DATASET = (r"^Use a dataset, or Share a username \(dataset, share\)\? \[dataset\]", "")
SHARE = (DATASET[0], "share")
FILE = r"^A CSV or JSON file with the columns username, password, domain; made if there is none\?"


@dataclass(frozen=True, slots=True)
class Way:
    """How one scheme is recorded, what the wizard asks and is answered, and how its user is known
    when it is replayed.

    ``statuses`` are what the server answers then, ``refused`` is what is said of a wrong password;
    that is in the environment if ``variable`` names one, else in a dataset.
    """

    folder: str
    typed: str
    recorded: str
    questions: tuple[tuple[str, str], ...]
    statuses: tuple[int, ...]
    refused: str
    variable: str = ""


WAYS = {
    # Apache's module wants NTLM under the name of Negotiate, too; the browser takes it first.
    "negotiate": Way(
        "negotiate",
        "",
        r"Negotiate at localhost:\d+, recorded as EXAMPLE\\alice",
        (AGREED, DATASET, (FILE, ""), (r"^Password of alice \(for users\.csv\):", PASSWORD)),
        (401, 401, 200, 200),
        "the server refuses row 1 of users.csv (Negotiate)",
    ),
    "basic": Way(
        "basic/one",
        f"{USER} {PASSWORD}",
        r"Basic at 127\.0\.0\.1:\d+, recorded as alice",
        (AGREED, DATASET, (FILE, "")),
        (401, 200, 200),
        "the server refuses row 1 of users.csv (Basic, realm 'One')",
    ),
    "digest": Way(
        "digest",
        f"{USER} {PASSWORD}",
        r"Digest at 127\.0\.0\.1:\d+, recorded as alice",
        (
            AGREED,
            SHARE,
            (r"^Username\? \[alice\]", ""),
            (r"^The password from an environment variable, or from the system's keyring", "env"),
            (r"^Name of the environment variable\? \[OFFICE_PASSWORD\]", ""),
            (r"^Password of alice:", PASSWORD),
        ),
        (401, 200, 200),
        "the server refuses the user alice (Digest, realm 'Digest')",
        "OFFICE_PASSWORD",
    ),
}


@pytest.mark.promise(3, 57, 58, 65, 89, 91)
@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_recorded_asked_saved_and_replayed(
    way: Way, apache: Peer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first play asks by itself; what is saved then passes, and without what the wizard did it
    fails and names the wizard; with a wrong password it says whose."""
    add_pages(apache)
    monkeypatch.setenv("NTLM_USER_FILE", str(apache.folder / "ntlm"))
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    browser = tmp_path / "browser"
    browser.write_text(BROWSER.format(browser=shlex.quote(find_browser())))
    browser.chmod(0o700)
    host = "localhost" if not way.typed else "127.0.0.1"
    with console(tmp_path, "office.case.toml", str(browser)) as terminal:
        record(terminal, tmp_path, f"http://{host}:{apache.ports['http']}/{way.folder}/home", way)
        terminal.enter("save")
        terminal.wait_for(r"^Saved office\.case\.toml: 1 page, 2 transactions")
        shutil.copy(tmp_path / "office.case.toml", tmp_path / "unconfigured.case.toml")
        mark = apache.log.mark()
        terminal.enter("play --fast")
        for question, answer in way.questions:
            terminal.wait_for(question)
            terminal.enter(answer)
        terminal.wait_for(r"^Run it \(yes, no, back\)")
        terminal.enter("")
        terminal.wait_for(r"^2 transactions passed\.")
        terminal.enter("save --secrets keep")
        terminal.wait_for(r"(?s)^Saved office\.case\.toml.*^Saved office\.case\.toml")
        terminal.enter("quit")
        terminal.wait_for(r"exit status 0")
    logged_in(apache, mark, way)
    replayed(apache, tmp_path, way, monkeypatch)


def record(terminal: Terminal, folder: Path, url: str, way: Way) -> None:
    """Have the recorder's browser show the page, and end the recording."""
    (folder / "browse.py").write_text(BROWSE)
    terminal.enter("record")
    terminal.wait_for(r"^`record` tells how other clients are recorded meanwhile\.")
    terminal.enter(f"run {shlex.quote(sys.executable)} browse.py {url} {way.typed}")
    terminal.wait_for(r"^\d exchanges recorded\.")
    terminal.enter("stop")
    terminal.wait_for(rf"^  {way.recorded}: `test-case-configuration` says who the users are\.")


def replayed(apache: Peer, folder: Path, way: Way, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run what was saved by plain pytest: as it is, then with another password, beside what it was
    before the wizard came."""
    if way.variable:
        monkeypatch.setenv(way.variable, PASSWORD)
    mark = apache.log.mark()
    run(folder, "office.case.toml")
    logged_in(apache, mark, way)
    if way.variable:
        monkeypatch.setenv(way.variable, "mistaken")
    else:
        dataset = folder / "users.csv"
        dataset.write_text(dataset.read_text().replace(PASSWORD, "mistaken"))
    failed = run(folder, status=1).stdout  # both of them
    assert f"wrong user name or password: {way.refused}" in failed
    assert "unconfigured.case.toml:" in failed
    assert "run the Test Case Configuration Wizard (`pytest --record FILE`, " in failed
    assert "mistaken" not in failed


def logged_in(apache: Peer, mark: int, way: Way) -> None:
    """Look up in the server's own log who it was, and at what cost."""
    asked = apache.log.since(mark, len(way.statuses))
    assert [one.status for one in asked] == list(way.statuses)
    assert {one.user.rpartition("\\")[2] for one in asked if one.status == 200} == {USER}
