"""Ghost on MariaDB: an editor in Chromium that saves by itself; `updated_at` tells of collisions."""

from __future__ import annotations

import contextlib
import json
import os
import tarfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import httpx
from playwright.sync_api import Page

from tests.applications.browsing import recorded_page
from tests.applications.installed import once, run
from tests.applications.mariadb import SOCKET, rows, with_database
from tests.applications.serving import serving
from tests.applications.state import State
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "Ghost 5.130, Ember"
BROWSER = True
UNIQUE: tuple[str, ...] = ()
SESSIONS = 2

_VERSION = "5.130.6"
_PASSWORD = "correct-horse-battery"
_SETTINGS = {
    "NODE_ENV": "production",
    "server__host": "127.0.0.1",
    "database__client": "mysql",
    "database__connection__user": "root",
    "database__connection__database": "app",
    "privacy__useUpdateCheck": "false",
    "privacy__useGravatar": "false",
    "mail__transport": "stub",
    "logging__transports": '["stdout"]',
    "logging__level": "error",
    "security__staffDeviceVerification": "false",
    "spam__user_login__freeRetries": "100000",
}
_STATE = """
SELECT type, title, status, visibility, featured, plaintext FROM posts ORDER BY id;
SELECT 'tag', name, slug, description FROM tags;
SELECT 'tagged', title, name FROM posts_tags JOIN posts ON posts.id = post_id JOIN tags ON tags.id = tag_id;
SELECT 'member', name, email, note FROM members;
SELECT 'label', name FROM labels;
"""


def install() -> None:
    """Ghost from npm, as its own installer does: unpacked, and what it asks for beside it."""
    _program()


def _program() -> Path:
    def make(folder: Path) -> None:
        name = run("npm", "pack", "--silent", f"ghost@{_VERSION}", folder=folder).strip()
        with tarfile.open(folder / name) as packed:
            packed.extractall(folder, filter="data")
        _without_what_only_its_developers_need(folder / "package" / "package.json")
        quiet = ("--no-audit", "--no-fund", "--no-update-notifier", "--silent")
        options = ("--omit=dev", "--omit=optional", "--legacy-peer-deps", "--ignore-scripts")
        run("npm", "install", *quiet, *options, folder=folder / "package")

    return once("ghost", _VERSION, make) / "package"


def _without_what_only_its_developers_need(file: Path) -> None:
    """Of which some is at no registry."""
    package = json.loads(file.read_text())
    for key in ("devDependencies", "optionalDependencies", "scripts"):
        package.pop(key, None)
    file.write_text(json.dumps(package))


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """A new blog with its owner."""
    port, program = free_port(), _program()
    url = f"http://127.0.0.1:{port}"
    content = state / "content"
    for one in ("data", "images", "media", "files", "logs", "public", "settings"):
        (content / one).mkdir(parents=True)
    os.symlink(program / "content" / "themes", content / "themes")
    settings = _SETTINGS | {
        "url": url,
        "server__port": str(port),
        "database__connection__socketPath": str(state / SOCKET),
        "paths__contentPath": str(content),
    }
    # It looks for what it is where it is started.
    command = with_database(state, ("env", "-C", str(program), "node", "index.js"))
    with serving(command, f"{url}/ghost/api/admin/site/", state=state, environment=settings):
        owner = {"name": "Kim", "email": "kim@example.com", "password": _PASSWORD}
        with httpx.Client(base_url=url, timeout=120) as client:
            sent = {"setup": [owner | {"blogTitle": "Tea notes"}]}
            where = "/ghost/api/admin/authentication/setup/"
            while client.get("/ghost/api/admin/site/").status_code == httpx.codes.SERVICE_UNAVAILABLE:
                time.sleep(0.5)  # it makes its tables
            client.post(where, json=sent, headers={"Origin": url}).raise_for_status()
        yield url


def state(url: str, folder: Path) -> State:
    """Posts with their tags, and members."""
    return State(Counter(rows(folder, _STATE).splitlines()))
