"""OpenRefine from Debian, in Java on Jetty: tables that scripts import and edit by commands."""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
from playwright.sync_api import Page

from tests.applications.browsing import recorded_page
from tests.applications.installed import run
from tests.applications.serving import serving
from tests.applications.state import State
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "OpenRefine 3.6, Java"
BROWSER = True
UNIQUE: tuple[str, ...] = ()

_ROOT = Path(__file__).parents[2]
_CODE = Path("/usr/share/openrefine")
_TABLE = "name,kind,price\nEarl Grey,black,4\nSencha,green,6\nAssam,black,3\n"


def install() -> None:
    """OpenRefine and Java as Debian packages, for the whole machine."""
    if not _CODE.exists():
        run("bash", ".ci/apt.sh", "default-jre-headless", "openrefine", folder=_ROOT)


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """No projects."""
    port = free_port()
    program = ("cd /usr/share/openrefine && exec ./refine", "-i 127.0.0.1", f"-p {port}")
    options = (f"-d {state / 'projects'}", "-x refine.headless=true")
    command = ("bash", "-c", " ".join((*program, *options)))
    with serving(command, f"http://127.0.0.1:{port}/", state=state) as url:
        yield url


def _ask(url: str, what: str, **query: str) -> Any:
    asked = httpx.post(f"{url}/command/core/{what}", params=query, timeout=60)
    return asked.raise_for_status().json()


def state(url: str, folder: Path) -> State:
    """The projects with their columns and rows."""
    known = httpx.get(f"{url}/command/core/get-all-project-metadata", timeout=60).json()
    rows: list[str] = []
    for number, project in known["projects"].items():
        called = project["name"]
        models = httpx.get(f"{url}/command/core/get-models", params={"project": number}, timeout=60)
        columns = [one["name"] for one in models.json()["columnModel"]["columns"]]
        found = _ask(url, "get-rows", project=number, start="0", limit="50")
        rows.append(f"{called}: {columns}")
        for one in found["rows"]:
            cells = [cell and cell["v"] for cell in one["cells"]]
            rows.append(f"{called}: {cells}, starred: {one['starred']}")
    return State(Counter(rows))


def use(url: str, folder: Path) -> None:
    """Somebody else has a project."""
    with httpx.Client(base_url=f"{url}/command/core", timeout=60) as client:
        token = client.get("/get-csrf-token").json()["token"]
        data = {"project-name": "Old cups"}
        file = {"project-file": ("cups.csv", "cup,price\nlarge,3\n", "text/csv")}
        asked = {"csrf_token": token}
        answer = client.post("/create-project-from-upload", params=asked, data=data, files=file)
        assert answer.status_code < 400, answer.text


def drive(url: str) -> None:
    """Two tables are pasted; cells and a row of each are changed, and some of it taken back."""
    with recorded_page() as page:
        for name in ("Kinds of tea", "More teas"):
            page.goto(url)
            page.click("text=Clipboard")
            page.fill("textarea >> visible=true", _TABLE)
            page.click("button:has-text('Next') >> visible=true")
            page.wait_for_selector("text=Sencha")
            page.wait_for_load_state("networkidle")
            page.fill("input[bind=projectNameInput]", name)
            with page.expect_navigation(url=re.compile("/project[?]project=")):
                page.click("button:has-text('Create project') >> visible=true")
            page.wait_for_selector("text=Sencha")
            _edit(page, "Sencha", f"Sencha, {name}")
            page.locator("a.data-table-star-off").first.click()
            page.wait_for_selector("a.data-table-star-on")
            _edit(page, "Assam", "Assam, large leaves")
            page.wait_for_load_state("networkidle")
            page.click("text=Undo / Redo")
            page.wait_for_selector("a.history-entry:has-text('row 3')")
            page.wait_for_timeout(500)
            page.click("a.history-entry:has-text('Star row 1')")
            page.wait_for_selector("text=Undo / Redo 2 / 3")
            page.wait_for_load_state("networkidle")
        page.goto(f"{url}/#open-project")
        page.wait_for_load_state("networkidle")


def _answer(page: Page, command: str) -> contextlib.AbstractContextManager[Any]:
    return page.expect_response(lambda one: f"/{command}?" in one.url)


def _edit(page: Page, old: str, new: str) -> None:
    cell = page.locator(f".data-table-cell-content:has-text('{old}')").first
    cell.hover()
    cell.locator(".data-table-cell-edit").click()
    page.fill("textarea.data-table-cell-editor-editor", new)
    with _answer(page, "edit-one-cell"):
        page.click("button:has-text('Apply') >> nth=0")
    page.wait_for_selector(f"text={new}")
