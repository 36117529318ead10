"""One small application of notes, by each of four full-stack frameworks: what they have in common.

Its sources are in ``served/notes``: a folder for each framework, and the store for all of them.
Nobody else's, but what stands between its few lines and the wire is the frameworks' own: how data
is written, what is asked for after a change, how an action is called.
"""

from __future__ import annotations

import contextlib
import json
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from tests.applications.browsing import recorded_page
from tests.applications.installed import node_program, once, run
from tests.applications.serving import serving
from tests.applications.state import State
from tests.ports import free_port

__all__ = ["UNIQUE", "Notes", "drive", "state", "use"]

UNIQUE: tuple[str, ...] = ("Tea House", "Cups Ltd", "Spoon & Co", "Tea Palace")

_SOURCES = Path(__file__).parent / "served" / "notes"
_STORE = _SOURCES / "store.js"
#: Milliseconds after which a page has asked for whatever it asks for after a change, of which
#: nothing on it tells: pages behind its links, too.
_ASKED = 500


@dataclass(frozen=True, slots=True)
class Notes:
    """The application by one framework."""

    framework: str
    """Its folder."""
    store: str
    """Where it has the store."""
    requirements: tuple[str, ...]
    build: tuple[str, ...]
    """The program that builds it, and its arguments."""
    server: tuple[str, ...]
    """The same of its server; ``$PORT`` is the port."""

    def install(self) -> None:
        """Packages from npm, and what they make of the sources."""
        self._built()

    def _built(self) -> Path:
        sources = sorted(one for one in (_SOURCES / self.framework).rglob("*") if one.is_file())
        texts = (f"{one}\n{one.read_text()}" for one in (_STORE, *sources))

        def install(folder: Path) -> None:
            shutil.copytree(_SOURCES / self.framework, folder, dirs_exist_ok=True)
            store = folder / self.store
            store.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(_STORE, store)
            (folder / "package.json").write_text('{"private": true, "type": "module"}')
            quiet = ("--no-audit", "--no-fund", "--no-update-notifier", "--silent")
            run("npm", "install", *quiet, "--prefix", str(folder), *self.requirements)
            run("node", *self.build, folder=folder, environment=_QUIET)

        node_program()
        wanted = (*self.requirements, *self.build, *texts)
        return once(f"notes-{self.framework}", "\n".join(wanted), install)

    @contextlib.contextmanager
    def serve(self, state: Path) -> Iterator[str]:
        """No notes yet, and one password for whoever comes."""
        port = str(free_port())
        url = f"http://127.0.0.1:{port}"
        program = (one.replace("$PORT", port) for one in self.server)
        command = ("env", f"--chdir={self._built()}", "node", *program)
        settings = {"PORT": port, "HOST": "127.0.0.1", "ORIGIN": url, "NODE_ENV": "production"}
        own = settings | {"NOTES": str(state / "notes.json")} | _QUIET
        with serving(command, f"{url}/login", state=state, environment=own) as base:
            yield base


#: They tell nobody that they are used.
_QUIET = {"NEXT_TELEMETRY_DISABLED": "1", "NUXT_TELEMETRY_DISABLED": "1"}


def _kept(folder: Path) -> dict[str, Any]:
    kept = folder / "notes.json"
    found: dict[str, Any] = json.loads(kept.read_text()) if kept.exists() else {"notes": []}
    return found


def state(url: str, folder: Path) -> State:
    """The notes, in the store's file."""
    told = ("title", "body", "done", "version", "owner")
    notes = _kept(folder)["notes"]
    return State(Counter(json.dumps([one[name] for name in told]) for one in notes))


def use(url: str, folder: Path) -> None:
    """Others have notes, and ids go on elsewhere."""
    old = {"body": "x", "done": False, "version": 1, "owner": "ann"}
    notes = [{"id": 38 + one, "title": f"Old {one}", **old} for one in range(3)]
    (folder / "notes.json").write_text(json.dumps({"last": 40, "notes": notes}))


def drive(url: str) -> None:
    """Three notes: one is done, one is edited and opened again, one is removed."""
    with recorded_page() as page:
        page.goto(f"{url}/login")
        page.wait_for_load_state("networkidle")
        page.fill("[name=user]", "ann")
        page.fill("[name=password]", "secret-tea")
        page.click("button")
        page.wait_for_selector("#new")
        for title, body in (
            ("Tea House", "green leaves"),
            ("Cups Ltd", "of clay"),
            ("Spoon & Co", "silver"),
        ):
            page.fill("#new [name=title]", title)
            page.fill("#new [name=body]", body)
            _do(page, "#new button", f"li:has-text('{title}')")
        _do(page, "li:has-text('Cups Ltd') .toggle", "li.done")
        _do(page, "li:has-text('Tea House') a", "#save")
        page.fill("[name=title]", "Tea Palace")
        _do(page, "#save", "li:has-text('Tea Palace')")
        _do(page, "li:has-text('Spoon') .remove", "ul:not(:has-text('Spoon'))")
        _do(page, "li:has-text('Tea Palace') a", "#save")
        page.goto(f"{url}/")
        page.wait_for_load_state("networkidle")


def _do(page: Page, button: str, after: str) -> None:
    """Click there, and wait for what is on the page afterwards."""
    page.click(button)
    page.wait_for_selector(after)
    page.wait_for_timeout(_ASKED)
