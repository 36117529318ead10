"""Node-RED from npm: flows that an editor deploys as one document with a revision, by a token."""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import httpx
from playwright.sync_api import Page

from tests.applications.browsing import recorded_page
from tests.applications.installed import node_modules
from tests.applications.serving import serving
from tests.applications.state import State
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "Node-RED 4.1"
BROWSER = True
UNIQUE: tuple[str, ...] = ()

_PACKAGES = ("node-red@4.1.1", "bcryptjs@3.0.3")
_PASSWORD = "correct-horse-battery"
_SETTINGS = """
const bcrypt = require({bcrypt});
module.exports = {{
    uiHost: "127.0.0.1", flowFile: "flows.json", credentialSecret: false,
    telemetry: {{ enabled: false, updateNotification: false }}, editorTheme: {{ tours: false }},
    adminAuth: {{
        type: "credentials",
        users: [{{username: "kim", password: bcrypt.hashSync({password}, 4), permissions: "*"}}],
    }},
}};
"""


def install() -> None:
    """The package from npm."""
    _modules()


def _modules() -> Path:
    return node_modules("node-red", *_PACKAGES)


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """One user, and no flow but one."""
    port, settings = free_port(), state / "settings.js"
    bcrypt = json.dumps(str(_modules() / "bcryptjs"))
    settings.write_text(_SETTINGS.format(bcrypt=bcrypt, password=json.dumps(_PASSWORD)))
    (state / "flows.json").write_text('[{"id": "f1", "type": "tab", "label": "Flow 1"}]')
    program = str(_modules() / "node-red" / "red.js")
    command = ("node", program, "-s", str(settings), "-u", str(state), "-p", str(port))
    with serving(command, f"http://127.0.0.1:{port}/", state=state) as url:
        yield url


def state(url: str, folder: Path) -> State:
    """The flows and their nodes."""
    flows = json.loads((folder / "flows.json").read_text())
    rows = (f"{one['type']} {one.get('label') or one.get('name')}" for one in flows)
    return State(Counter(rows))


def use(url: str, folder: Path) -> None:
    """There is another flow."""
    with httpx.Client(base_url=url, timeout=60) as client:
        asked = {"client_id": "node-red-admin", "grant_type": "password", "scope": "*"}
        asked |= {"username": "kim", "password": _PASSWORD}
        token = client.post("/auth/token", data=asked).raise_for_status().json()["access_token"]
        client.headers["Authorization"] = f"Bearer {token}"
        client.post("/flow", json={"label": "Old flow", "nodes": []}).raise_for_status()


def drive(url: str) -> None:
    """Two flows are made, one of them renamed; each time all is deployed."""
    with recorded_page() as page:
        page.goto(url)
        page.fill("#node-dialog-login-username", "kim")
        page.fill("#node-dialog-login-password", _PASSWORD)
        page.click("#node-dialog-login-submit")
        page.wait_for_selector("#red-ui-header-button-deploy")
        page.wait_for_selector(".red-ui-tab")
        for name in ("Tea house", "Cups"):
            page.click("#red-ui-workspace .red-ui-tab-button .fa-plus >> visible=true")
            _rename(page, name)
            _deploy(page)
        _rename(page, "Cups & spoons")
        _deploy(page)


def _rename(page: Page, name: str) -> None:
    page.locator("#red-ui-workspace .red-ui-tab.active").dblclick()
    page.wait_for_selector("#node-input-name")
    page.fill("#node-input-name", name)
    page.click("#node-dialog-ok")


def _deploy(page: Page) -> None:
    with page.expect_response(lambda one: one.request.method == "POST" and "/flows" in one.url):
        page.click("#red-ui-header-button-deploy")
