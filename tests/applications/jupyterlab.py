"""JupyterLab: `_xsrf` from a cookie into a header, files by the contents API, kernels aside."""

from __future__ import annotations

import contextlib
import json
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Page

from tests.applications.browsing import recorded_page
from tests.applications.installed import python_environment
from tests.applications.serving import serving
from tests.applications.state import State
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "JupyterLab 4.6"
BROWSER = True
UNIQUE: tuple[str, ...] = ("notes.txt", "copy.txt", "archive")

_REQUIREMENTS = ("jupyterlab==4.6.6",)
_PASSWORD = "correct-horse-battery"
#: The contents manager that does one thing after the other. The default, its asynchronous twin, is
#: for one person: when somebody deletes a file while it lists the folder, there is no such folder.
_CONTENTS = "jupyter_server.services.contents.largefilemanager.LargeFileManager"


def install() -> None:
    """An environment with JupyterLab; takes a minute or two."""
    _programs()


def _programs() -> Path:
    return python_environment("jupyterlab", *_REQUIREMENTS)


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """An empty root folder, and a cookie secret, a server id and settings of its own."""
    programs, port = _programs(), free_port()
    files, config = state / "files", state / "config"
    files.mkdir()
    (config / "labconfig").mkdir(parents=True)
    # It would ask jupyterlab.readthedocs.io for news.
    (config / "labconfig" / "page_config.json").write_text(
        json.dumps({"disabledExtensions": {"@jupyterlab/apputils-extension:announcements": True}})
    )
    # Nor ask for a better name when a file is saved.
    documents = state / "settings" / "@jupyterlab" / "docmanager-extension"
    documents.mkdir(parents=True)
    (documents / "plugin.jupyterlab-settings").write_text('{"renameUntitledFileOnSave": false}')
    hashed = subprocess.run(
        [programs / "python", "-c", _HASH, _PASSWORD], capture_output=True, text=True, check=True
    )
    settings = {
        "ServerApp": {
            "root_dir": str(files),
            "ip": "127.0.0.1",
            "port": port,
            "allow_root": True,
            "contents_manager_class": _CONTENTS,
        },
        "ExtensionApp": {"open_browser": False},
        "IdentityProvider": {"token": ""},
        "PasswordIdentityProvider": {"hashed_password": hashed.stdout.strip()},
    }
    (config / "jupyter_lab_config.json").write_text(json.dumps(settings))
    environment = {
        "HOME": str(state),
        "JUPYTER_CONFIG_DIR": str(config),
        "JUPYTER_DATA_DIR": str(state / "data"),
        "JUPYTER_RUNTIME_DIR": str(state / "runtime"),
        "JUPYTERLAB_SETTINGS_DIR": str(state / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(state / "workspaces"),
        "PYTHONWARNINGS": "ignore",
    }
    command = (str(programs / "jupyter-lab"), "--no-browser")
    url = f"http://127.0.0.1:{port}/login"
    with serving(command, url, state=state, environment=environment) as base:
        yield base


def state(url: str, folder: Path) -> State:
    """The files, with what they hold, and folders."""
    files = folder / "files"
    return State(
        Counter(
            f"{one.relative_to(files)}: {one.read_text() if one.is_file() else 'folder'}"
            for one in files.rglob("*")
            if ".ipynb_checkpoints" not in one.parts
        )
    )


def use(url: str, folder: Path) -> None:
    """Somebody has files, with the names that new ones would have."""
    for name in ("untitled.txt", "untitled1.txt", "a.txt"):
        (folder / "files" / name).write_text("Somebody's")


def drive(url: str) -> None:
    """Write a text file, name and duplicate it, make a folder, delete two of them, log out."""
    with recorded_page() as page:
        page.goto(f"{url}/lab")
        page.fill("#password_input", _PASSWORD)
        page.click("#login_submit")
        page.click(".jp-LauncherCard[title='Create a new text file']", timeout=90_000)
        page.click(".cm-content")
        page.keyboard.type("Tea & cups\n100% of them")
        # Saving lists the folder, and a file that is renamed meanwhile is an error there.
        with page.expect_response("**/api/contents?content=1*"):
            page.keyboard.press("Control+s")
        files = page.locator(".jp-DirListing-content")
        files.get_by_text("untitled.txt", exact=True).click()
        page.keyboard.press("F2")
        _type_name(page, "notes.txt")
        page.keyboard.press("Control+d")
        files.get_by_text("notes-Copy1.txt", exact=True).click()
        page.keyboard.press("F2")
        _type_name(page, "copy.txt")
        page.click("[data-command='filebrowser:create-new-directory']")
        _type_name(page, "archive")
        for name in ("copy.txt", "archive"):
            one = files.get_by_text(name, exact=True)
            one.click()
            page.keyboard.press("Delete")
            page.click(".jp-Dialog .jp-mod-accept")
            one.wait_for(state="detached")
        page.goto(f"{url}/logout")


def _type_name(page: Page, name: str) -> None:
    page.fill(".jp-DirListing-editor", name)
    page.keyboard.press("Enter")
    page.locator(".jp-DirListing-content").get_by_text(name, exact=True).wait_for()


_HASH = "import sys; from jupyter_server.auth import passwd; print(passwd(sys.argv[1]))"
