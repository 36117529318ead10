"""Verdaccio: npm's own client publishes packages; whole documents are sent back with a revision."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import httpx

from tests.applications.installed import once, run
from tests.applications.serving import serving
from tests.applications.state import State
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "Verdaccio 6.8, npm's client"
BROWSER = False
#: A package belongs to who published it, and a user signs up once.
UNIQUE: tuple[str, ...] = ("tea-cups", "kim-packs")

#: It asks for a node-fetch that there is not.
_PACKAGE = {
    "name": "served",
    "version": "1.0.0",
    "dependencies": {"verdaccio": "6.8.0"},
    "overrides": {"node-fetch": "2.7.0"},
}
_SETTINGS = """\
storage: ./storage
auth:
  htpasswd:
    file: ./htpasswd
    max_users: 100000
    algorithm: sha1
packages:
  "**":
    access: $all
    publish: $authenticated
    unpublish: $authenticated
userRateLimit:
  max: 1000000
log: {type: stdout, format: pretty, level: warn}
"""


def install() -> None:
    """Verdaccio from npm."""
    _program()


def _program() -> Path:
    wanted = json.dumps(_PACKAGE)

    def make(folder: Path) -> None:
        (folder / "package.json").write_text(wanted)
        quiet = ("--no-audit", "--no-fund", "--no-update-notifier", "--silent")
        run("npm", "install", *quiet, folder=folder)

    if shutil.which("npm") is None:
        run("bash", ".ci/apt.sh", "nodejs", "npm", folder=Path(__file__).parents[2])
    return once("verdaccio", wanted, make) / "node_modules" / ".bin" / "verdaccio"


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """An empty registry that asks no other."""
    port = free_port()
    (state / "config.yaml").write_text(_SETTINGS)
    command = (str(_program()), "--config", "config.yaml", "--listen", f"127.0.0.1:{port}")
    with serving(command, f"http://127.0.0.1:{port}/-/ping", state=state) as url:
        yield url


def state(url: str, folder: Path) -> State:
    """The packages: their versions with what is deprecated, their tags, their files."""
    rows: Counter[str] = Counter()
    for one in (folder / "storage").glob("*/package.json"):
        package = json.loads(one.read_text())
        name = package["name"]
        for version, found in package["versions"].items():
            rows[f"{name} {version}: {found.get('description')} {found.get('deprecated', '')}"] += 1
        rows[f"{name} tags {sorted(package['dist-tags'].items())}"] += 1
        rows[f"{name} stars {sorted(package.get('users', {}))}"] += 1
        rows[f"{name} files {sorted(file.name for file in one.parent.glob('*.tgz'))}"] += 1
    return State(members=rows)


def use(url: str, folder: Path) -> None:
    """Somebody else has published something."""
    with tempfile.TemporaryDirectory() as made:
        client = _Client(url, Path(made), "otto")
        client.package("old-pots", "1.0.0", "Pots of old")
        client("publish")


class _Client:
    """The client of a new user, with a folder of its own."""

    def __init__(self, url: str, folder: Path, user: str) -> None:
        sent = {"name": user, "password": "correct-horse-battery", "type": "user"}
        where = f"{url}/-/user/org.couchdb.user:{user}"
        token = httpx.put(where, json=sent, timeout=60).raise_for_status().json()["token"]
        host = url.partition(":")[2]
        settings = f"registry={url}/\n{host}/:_authToken={token}\nupdate-notifier=false\nfund=false"
        (folder / ".npmrc").write_text(f"{settings}\naudit=false\nfetch-retries=0\n")
        self._folder = folder
        # What npm hears of its surroundings is not for it.
        kept = {key: value for key, value in os.environ.items() if not key.startswith("npm_")}
        self._environment = kept | {"HOME": str(folder), "NPM_CONFIG_CACHE": str(folder / "cache")}

    def package(self, name: str, version: str, description: str) -> None:
        """What there is to publish."""
        package = {"name": name, "version": version, "description": description}
        (self._folder / "package.json").write_text(json.dumps(package))
        (self._folder / "index.js").write_text("module.exports = 'tea'\n")

    def __call__(self, *arguments: str) -> None:
        done = subprocess.run(
            ("npm", *arguments),
            cwd=self._folder,
            env=self._environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"npm {' '.join(arguments)}:\n{done.stdout}{done.stderr}")


def drive(url: str) -> None:
    """Sign up, publish three versions, tag one, deprecate one, star it, and take one back."""
    with tempfile.TemporaryDirectory() as made:
        client = _Client(url, Path(made), "kim-packs")
        client.package("tea-cups", "1.0.0", "Cups for tea")
        client("publish")
        client("view", "tea-cups", "versions")
        client.package("tea-cups", "1.1.0", "Cups for green tea")
        client("publish")
        client("dist-tag", "add", "tea-cups@1.0.0", "stable")
        client("deprecate", "tea-cups@1.0.0", "They leak")
        client.package("tea-cups", "2.0.0-beta.1", "Cups of glass")
        client("publish", "--tag", "next")
        client("star", "tea-cups")
        client("unpublish", "tea-cups@1.1.0")
        client("dist-tag", "ls", "tea-cups")
        client("view", "tea-cups")
