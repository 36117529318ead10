"""Fossil from Debian, in C: tickets, forum and wiki in one file, things named by SHA3 hashes."""

from __future__ import annotations

import contextlib
import re
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Page

from tests.applications.browsing import follow, recorded_page
from tests.applications.installed import run
from tests.applications.serving import serving
from tests.applications.state import State
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "Fossil 2.21, C"
BROWSER = True
UNIQUE: tuple[str, ...] = ("Kinds of tea", "Kettle leaks", "Cups chipped", "Spoon missing")

_ROOT = Path(__file__).parents[2]
_PROGRAM = Path("/usr/bin/fossil")
_SERVED = Path(__file__).parent / "served" / "fossil_inetd.py"
_PASSWORD = "correct-horse-battery"
#: Of an event, without the hash of what it is about.
_HASH = re.compile(r"\[?\b[0-9a-f]{8,64}\b(?:\|[0-9a-f]+)?\]?")


def install() -> None:
    """Fossil as a Debian package, for the whole machine."""
    if not _PROGRAM.exists():
        run("bash", ".ci/apt.sh", "fossil", folder=_ROOT)


def _fossil(folder: Path, *arguments: str, text: str = "") -> str:
    done = subprocess.run(
        ("fossil", *arguments, "-R", "tea.fossil"),
        cwd=folder,
        env={"HOME": str(folder), "USER": "admin", "PATH": "/usr/bin:/bin"},
        input=text,
        text=True,
        capture_output=True,
        check=True,
    )
    return done.stdout


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """A new repository with one user, which answers one request after the other."""
    port, home = free_port(), {"HOME": str(state), "USER": "admin"}
    run("fossil", "init", "--admin-user", "admin", "tea.fossil", folder=state, environment=home)
    _fossil(state, "user", "password", "admin", _PASSWORD)
    command, home = (sys.executable, str(_SERVED)), {**home, "TEA_PORT": str(port)}
    with serving(command, f"http://127.0.0.1:{port}/login", state=state, environment=home) as url:
        yield url


def state(url: str, folder: Path) -> State:
    """The tickets and the pages as they stand, and all that happened."""
    with contextlib.closing(sqlite3.connect(folder / "tea.fossil")) as database:
        tickets = database.execute("SELECT title, status, severity FROM ticket").fetchall()
        events = database.execute("SELECT type, comment FROM event").fetchall()
    told = [f"{kind}: {_HASH.sub('#', comment)}" for kind, comment in events]
    told += [f"ticket {one}" for one in tickets]
    for name in _fossil(folder, "wiki", "list").splitlines():
        told.append(f"{name} has {_fossil(folder, 'wiki', 'export', name)}")
    return State(Counter(told))


def use(url: str, folder: Path) -> None:
    """There are other tickets and another page."""
    for number in range(3):
        _fossil(folder, "ticket", "add", "title", f"Old {number}", "status", "Open")
    _fossil(folder, "wiki", "create", "Old page", text="Old text")


def drive(url: str) -> None:
    """Three tickets, of which one is fixed and one renamed; a page in the wiki, twice; a thread."""
    with recorded_page() as page:
        page.goto(f"{url}/login")
        page.fill("#u", "admin")
        page.fill("#p", _PASSWORD)
        follow(page, "[name=in]")
        page.goto(f"{url}/rptview/1")
        for title in ("Kettle leaks", "Cups chipped", "Spoon missing"):
            page.goto(f"{url}/tktnew")
            page.fill("[name=title]", title)
            page.fill("[name=icomment]", f"About {title}")
            _send(page)
        _edit(page, url, "Kettle leaks")
        page.select_option("[name=status]", "Fixed")
        _send(page)
        _edit(page, url, "Spoon missing")
        page.fill("[name=title]", "Spoon & fork missing")
        _send(page)
        page.goto(f"{url}/rptview/1")
        page.goto(f"{url}/forumnew")
        page.fill("[name=title]", "Which water?")
        page.fill("[name=content]", "Soft or hard")
        _send(page)
        page.goto(f"{url}/forum")
        for text in ("Green and black", " and white"):
            _write(page, f"{url}/wikiedit?name=Kinds+of+tea", text)
        page.goto(f"{url}/wiki?name=Kinds+of+tea")
        page.goto(f"{url}/wcontent")
        page.goto(f"{url}/logout")


def _send(page: Page) -> None:
    follow(page, "[name=preview]")
    follow(page, "[name=submit]")


def _edit(page: Page, url: str, title: str) -> None:
    page.goto(f"{url}/rptview/1")
    follow(page, f"tr:has-text('{title}') a")
    follow(page, "a:text-is('Edit')")


def _write(page: Page, address: str, text: str) -> None:
    page.goto(address)
    editor = page.locator("#wikiedit-content-editor")
    page.wait_for_load_state("networkidle")
    editor.press("Control+End")
    editor.type(text)
    editor.blur()  # it is told of what was typed, and lets it be saved
    page.wait_for_selector(".wikiedit-save:not([disabled])")
    with page.expect_response("**/wikiajax/save"):
        page.click(".wikiedit-save")
