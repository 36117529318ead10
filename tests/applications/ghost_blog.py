"""Ghost on MariaDB, by its REST API: who changes something sends the time that it had last."""

from __future__ import annotations

import contextlib
import json
import tarfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

from tests.applications.installed import once, run
from tests.applications.mariadb import SOCKET, rows, with_database
from tests.applications.serving import serving
from tests.applications.state import State
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "Ghost 5.130"
BROWSER = False
#: A member is known by the address, tags and labels by their names.
UNIQUE: tuple[str, ...] = ("lou@example.com", "max@example.com", "Green teas", "Tasters")

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
SELECT type, title, status, visibility, featured, plaintext FROM posts
  WHERE type = 'post' AND slug <> 'coming-soon' ORDER BY id;
SELECT 'tag', name, slug, description FROM tags;
SELECT 'tagged', title, name FROM posts_tags JOIN posts ON posts.id = post_id
  JOIN tags ON tags.id = tag_id;
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
    (content / "themes").symlink_to(program / "content" / "themes")
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
            while client.get("/ghost/api/admin/site/").is_server_error:
                time.sleep(0.5)  # it makes its tables
            client.post(where, json=sent, headers={"Origin": url}).raise_for_status()
        yield url


def state(url: str, folder: Path) -> State:
    """Posts with their tags, and members."""
    return State(Counter(rows(folder, _STATE).splitlines()))


def use(url: str, folder: Path) -> None:
    """Others have posts and members, before and behind."""
    with contextlib.closing(_Client(url)) as client:
        for title in ("Aa old", "Zz old"):
            client.add("posts", title=title, status="published")
            client.add("members", name=title, email=f"{title[:2].lower()}@example.com")


class _Client(httpx.Client):
    """A client that is logged in, and sends each kind of thing in a list of its own."""

    def __init__(self, url: str) -> None:
        super().__init__(base_url=f"{url}/ghost/api/admin", timeout=120, headers={"Origin": url})
        self.ask("POST", "/session/", {"username": "kim@example.com", "password": _PASSWORD})

    def ask(self, method: str, path: str, sent: object = None) -> Any:
        """Ask, and return what is answered."""
        answer = self.request(method, path, json=sent).raise_for_status()
        return answer.json() if answer.content[:1] == b"{" else None

    def add(self, kind: str, **fields: object) -> Any:
        """A new thing."""
        return self.ask("POST", f"/{kind}/", {kind: [fields]})[kind][0]

    def change(self, kind: str, one: Any, **fields: object) -> Any:
        """A thing that nobody has changed meanwhile, changed."""
        sent = {**fields, "updated_at": one["updated_at"]}
        return self.ask("PUT", f"/{kind}/{one['id']}/", {kind: [sent]})[kind][0]


def _text(words: str) -> str:
    """A paragraph, as the editor writes it."""
    text = {"text": words, "type": "extended-text", "version": 1, "format": 0, "mode": "normal"}
    one = {"direction": "ltr", "format": "", "indent": 0, "version": 1}
    paragraph = one | {"type": "paragraph", "children": [text | {"detail": 0, "style": ""}]}
    return json.dumps({"root": one | {"type": "root", "children": [paragraph]}})


def drive(url: str) -> None:
    """Posts with a tag, one of which is published, changed and taken back; members; one of each is
    deleted."""
    with contextlib.closing(_Client(url)) as client:
        client.ask("GET", "/users/me/?include=roles")
        tag = client.add("tags", name="Green teas", description="All that is green")
        tags = [{"id": tag["id"]}]
        first = client.add("posts", title="Kinds of tea", lexical=_text("Many"), tags=tags)
        second = client.add("posts", title="Cups of all sizes", lexical=_text("Small ones first"))
        third = client.add("posts", title="Water and how to boil it", lexical=_text("Hot"))
        client.ask("GET", "/posts/?limit=15&include=tags&order=updated_at%20desc")
        first = client.change("posts", first, lexical=_text("Many, and more each year"))
        first = client.change("posts", first, status="published", featured=True)
        second = client.change("posts", second, tags=tags, status="published")
        listed = client.ask("GET", "/posts/?limit=15&filter=status:published")["posts"]
        mine = next(one for one in listed if one["title"] == "Cups of all sizes")
        client.change("posts", mine, status="draft", title="Cups of glass")
        client.change("tags", tag, description="All that is green, and white")
        client.ask("DELETE", f"/posts/{third['id']}/")
        labels = [{"name": "Tasters"}]
        lou = client.add("members", name="Lou", email="lou@example.com", labels=labels)
        other = client.add("members", name="Max", email="max@example.com", note="Comes on Fridays")
        client.ask("PUT", f"/members/{lou['id']}/", {"members": [{"name": "Lou the second"}]})
        client.ask("GET", "/members/?limit=50&include=labels")
        client.ask("DELETE", f"/members/{other['id']}/")
        client.ask("GET", f"/members/{lou['id']}/")
        client.ask("GET", f"/posts/{first['id']}/?formats=html,mobiledoc,lexical")
        client.ask("GET", "/tags/?include=count.posts&limit=50")
        client.ask("GET", "/posts/?limit=15&include=tags&order=updated_at%20desc")
        client.ask("DELETE", "/session/")
