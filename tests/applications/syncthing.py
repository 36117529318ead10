"""Syncthing from Debian, in Go with Angular: a page sends a whole configuration, and a token in
a header that is called after the device, and waits for events."""

from __future__ import annotations

import contextlib
import re
import shutil
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import httpx
from playwright.sync_api import Page

from tests.applications.browsing import recorded_page
from tests.applications.installed import once, run
from tests.applications.serving import serving
from tests.applications.state import State
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "Syncthing 1.19, Go"
BROWSER = True
UNIQUE: tuple[str, ...] = ("Green teas", "Black teas")

_ROOT = Path(__file__).parents[2]
_PROGRAM = Path("/usr/bin/syncthing")
#: It talks to nobody else.
_ALONE = {
    "listenAddress": "tcp://127.0.0.1:0",
    "globalAnnounceEnabled": "false",
    "localAnnounceEnabled": "false",
    "relaysEnabled": "false",
    "natEnabled": "false",
    "crashReportingEnabled": "false",
    "startBrowser": "false",
    "urAccepted": "-1",
    "urSeen": "3",
}


def install() -> None:
    """Syncthing as a Debian package, for the whole machine, and who the device is."""
    _device()


def _device() -> Path:
    """The key of a device, which it keeps: cookies and headers are called after it."""
    if not _PROGRAM.exists():
        run("bash", ".ci/apt.sh", "syncthing", folder=_ROOT)

    def make(folder: Path) -> None:
        options = (f"--home={folder}", "--no-default-folder")
        run(str(_PROGRAM), "generate", *options, environment={"HOME": str(folder)})

    return once("syncthing", TITLE, make)


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """A device of its own, without folders. Its page proposes paths in its home, which is the same
    for each."""
    port, home = free_port(), state / "home"
    environment = {"HOME": "/proc/self/cwd", "STNOUPGRADE": "1"}
    shutil.copytree(_device(), home)
    text = (home / "config.xml").read_text()
    for name, value in _ALONE.items():
        text = re.sub(f"<{name}>[^<]*</{name}>", f"<{name}>{value}</{name}>", text)
    (home / "config.xml").write_text(text)
    options = ("--no-browser", "--no-restart", f"--gui-address=127.0.0.1:{port}")
    command = (str(_PROGRAM), "serve", f"--home={home}", *options)
    url = f"http://127.0.0.1:{port}/"
    with serving(command, url, state=state, environment=environment) as base:
        yield base


def _client(url: str, folder: Path) -> httpx.Client:
    key = ET.parse(folder / "home" / "config.xml").findtext("gui/apikey") or ""
    return httpx.Client(base_url=url, headers={"X-API-Key": key}, timeout=60)


def state(url: str, folder: Path) -> State:
    """The folders, and what the device is called."""
    with _client(url, folder) as client:
        found = client.get("/rest/config").raise_for_status().json()
    rows = [
        f"folder {one['label']} {one['path']} {one['type']} paused: {one['paused']}"
        for one in found["folders"]
    ]
    devices = [f"device {one['name']} {len(found['devices'])}" for one in found["devices"]]
    return State(Counter([*rows, *devices]))


def use(url: str, folder: Path) -> None:
    """Somebody else has a folder."""
    with _client(url, folder) as client:
        attic = {"id": "attic-x", "label": "Attic", "path": "~/attic", "type": "sendonly"}
        client.put("/rest/config/folders/attic-x", json=attic).raise_for_status()


def drive(url: str) -> None:
    """Two folders are made; one is paused and gets another type, the other is removed again."""
    with recorded_page() as page:
        page.goto(url)
        for label in ("Green teas", "Black teas"):
            _click(page, "button[ng-click='addFolder()']")
            page.wait_for_timeout(1_000)
            page.fill("#folderLabel", label)
            _save(page)
            page.wait_for_selector(f"#folders .panel-title:has-text('{label}')")
            page.wait_for_timeout(1_500)
        _of(page, "Green teas", "setFolderPause")
        _of(page, "Green teas", "editFolder")
        _click(page, "#editFolder a:has-text('Advanced')")
        page.select_option(
            "#editFolder select[ng-model='currentFolder.type']", label="Receive Only"
        )
        _save(page)
        page.wait_for_timeout(1_500)
        _of(page, "Black teas", "editFolder")
        _click(page, "#editFolder button:has-text('Remove')")
        page.wait_for_timeout(1_000)
        _click(page, "#remove-folder-confirmation button:has-text('Yes')")
        page.wait_for_timeout(2_500)


def _click(page: Page, what: str) -> None:
    page.click(f"{what} >> visible=true >> nth=0")


def _of(page: Page, label: str, command: str) -> None:
    """A command of a folder, whose panel may be closed."""
    panel = page.locator(f"#folders .panel:has-text('{label}')").first
    panel.locator(f"button[ng-click^='{command}']").first.evaluate("one => one.click()")
    page.wait_for_timeout(1_500)


def _save(page: Page) -> None:
    _click(page, "#editFolder button[ng-click='saveFolder()']")
