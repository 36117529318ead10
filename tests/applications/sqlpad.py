"""SQLPad on Node.js: a single page of React over a REST API, with ids of sixteen characters."""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import httpx
from playwright.sync_api import Locator, Page

from tests.applications.browsing import recorded_page
from tests.applications.installed import node_modules
from tests.applications.serving import serving
from tests.applications.state import State
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "SQLPad 3.1, React"
BROWSER = True
UNIQUE: tuple[str, ...] = ()

_NAME = "[placeholder='Query name']"
_USER = {"email": "admin@example.com", "password": "correct-horse-battery"}


def install() -> None:
    """The package from npm."""
    _program()


def _program() -> str:
    return str(node_modules("sqlpad", "sqlpad@3.1.0") / "sqlpad" / "server.js")


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """One user, and a connection to a database that answers by itself."""
    port = free_port()
    names = {"DB_PATH": str(state), "PORT": str(port), "IP": "127.0.0.1"}
    environment = {f"SQLPAD_{name}": value for name, value in names.items()}
    url = f"http://127.0.0.1:{port}/api/app"
    with serving(("node", _program()), url, state=state, environment=environment) as base:
        _call(base, "POST", "/signup", _USER | {"passwordConfirmation": _USER["password"]})
        yield base


def _call(url: str, method: str, path: str, sent: object = None) -> None:
    with httpx.Client(base_url=f"{url}/api", timeout=60) as client:
        if path != "/signup":
            client.post("/signin", json=_USER).raise_for_status()
        client.request(method, path, json=sent).raise_for_status()


def state(url: str, folder: Path) -> State:
    """The queries and connections. Its database is a journal: the last line of an id counts."""
    rows: Counter[str] = Counter()
    for kind, told in (("queries", ("name", "tags", "queryText")), ("connections", ("name",))):
        things = {}
        for line in (folder / f"{kind}.db").read_text().splitlines():
            one = json.loads(line)
            if "_id" in one:
                things[one["_id"]] = one
        left = (one for one in things.values() if not one.get("$$deleted"))
        rows.update(f"{kind}: {[one.get(name) for name in told]}" for one in left)
    return State(rows)


def use(url: str, folder: Path) -> None:
    """Others have queries, too."""
    for number in range(3):
        _call(url, "POST", "/queries", {"name": f"Old {number}", "queryText": "SELECT 0"})


def drive(url: str) -> None:
    """Three queries: one is changed twice and copied, one deleted."""
    with recorded_page() as page:
        page.on("dialog", lambda dialog: dialog.accept())
        page.goto(f"{url}/signin")
        page.fill("input[type=email]", _USER["email"])
        page.fill("input[type=password]", _USER["password"])
        page.keyboard.press("Enter")
        page.wait_for_selector(_NAME)
        for name in ("Tea House", "Cups Ltd", "Spoon & Co"):
            page.goto(f"{url}/queries/new")
            page.wait_for_selector(_NAME)
            _write(page, name, f"SELECT '{name}'")
        _open(page, "Tea House")
        _write(page, None, " AS title")
        _write(page, "Tea, green & black", None)
        _open(page, "Spoon & Co")
        _list(page)
        with page.expect_response(lambda one: one.request.method == "DELETE"):
            _item(page, "Cups Ltd").locator("button").last.click()
            page.click("button:text-is('Delete')")
        page.reload()
        page.wait_for_selector(_NAME)
        page.goto(f"{url}/api/signout")


def _write(page: Page, name: str | None, text: str | None) -> None:
    """Type a name, or some of the text, and save."""
    if name is not None:
        page.fill(_NAME, name)
    if text is not None:
        page.click(".ace_content")
        page.keyboard.press("Control+End")
        page.keyboard.type(text)
    with page.expect_response(lambda one: one.request.method in ("POST", "PUT")):
        page.keyboard.press("Control+s")


def _list(page: Page) -> None:
    page.click("button:has-text('Queries')")


def _item(page: Page, name: str) -> Locator:
    return page.locator(f"[class*=ListItem]:has-text('{name}')").first


def _open(page: Page, name: str) -> None:
    _list(page)
    with page.expect_response("**/api/queries/*"):
        _item(page, name).locator("a").first.click()
