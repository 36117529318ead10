"""Datasette's API that writes: a token that a form gives out, rows one by one and many at once."""

from __future__ import annotations

import contextlib
import json
import re
import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

from tests.applications.installed import python_environment
from tests.applications.serving import serving
from tests.applications.state import State
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "Datasette 1.0a19"
BROWSER = False
UNIQUE: tuple[str, ...] = ()

_REQUIREMENTS = ("datasette==1.0a19", "datasette-auth-passwords==1.1.1")
#: Of the password "tea", with 1,000 rounds.
_HASH = "pbkdf2_sha256$1000$c2FsdHNhbHQ$NOCvq8OhODC9ct6GO1JnWEA/mdoYaVRtakXXL41k3BU="
_SETTINGS = {
    "plugins": {"datasette-auth-passwords": {"kim_password_hash": _HASH}},
    "permissions": dict.fromkeys(
        ("insert-row", "update-row", "delete-row", "create-table", "drop-table"), True
    ),
}
_TABLES = """
CREATE TABLE shops (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT);
CREATE TABLE orders (id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT, quantity INTEGER,
    shop INTEGER REFERENCES shops (id));
"""
_STATE = """
SELECT 'order', title, quantity, name FROM orders LEFT JOIN shops ON shops.id = shop
UNION ALL SELECT 'shop', name, '', '' FROM shops
"""
_USE = """
INSERT INTO shops (name) VALUES ('Old shop'), ('Older shop');
INSERT INTO orders (title, quantity, shop) VALUES ('Old 1', 1, 1), ('Old 2', 2, 1), ('Old 3', 3, 2);
DELETE FROM orders WHERE title = 'Old 2';
"""


def install() -> None:
    """An environment with Datasette."""
    _programs()


def _programs() -> Path:
    return python_environment("datasette", *_REQUIREMENTS)


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """Two empty tables."""
    with contextlib.closing(sqlite3.connect(state / "tea.db")) as database:
        database.executescript(_TABLES)
    (state / "settings.json").write_text(json.dumps(_SETTINGS))
    port = free_port()
    options = ("-c", str(state / "settings.json"), "--port", str(port))
    command = (str(_programs() / "datasette"), "serve", str(state / "tea.db"), *options)
    with serving(command, f"http://127.0.0.1:{port}/", state=state) as url:
        yield url


def state(url: str, folder: Path) -> State:
    """The orders, each with its shop, and the shops."""
    with contextlib.closing(sqlite3.connect(folder / "tea.db")) as database:
        return State(Counter(map(repr, database.execute(_STATE))))


def use(url: str, folder: Path) -> None:
    """Others have ordered; one order is no more."""
    with contextlib.closing(sqlite3.connect(folder / "tea.db", timeout=60)) as database:
        database.executescript(_USE)


def _token(client: httpx.Client) -> str:
    """Log in by the form, and have a token made by another."""

    def submit(path: str, **data: str) -> str:
        page = client.get(path).raise_for_status().text
        found = re.search(r'name="csrftoken" value="([^"]+)"', page)
        assert found is not None, page
        answer = client.post(path, data={"csrftoken": found[1], **data})
        return answer.text

    submit("/-/login", username="kim", password="tea")
    made = re.search(r"dstok_[\w.-]+", submit("/-/create-token", expire_type=""))
    assert made is not None
    return made[0]


def drive(url: str) -> None:
    """A shop and its orders: made one by one and together, changed, found, deleted."""
    with httpx.Client(base_url=url, timeout=60) as client:
        client.headers["Authorization"] = f"Bearer {_token(client)}"

        def post(path: str, sent: object) -> Any:
            return client.post(f"/tea/{path}", json=sent).raise_for_status().json()

        def rows(path: str) -> Any:
            return client.get(f"/tea/{path}").raise_for_status().json()["rows"]

        (shop,) = post("shops/-/insert", {"row": {"name": "Tea House"}, "return": True})["rows"]
        orders = [
            {"title": title, "quantity": quantity, "shop": shop["id"]}
            for title, quantity in (("Green tea", 2), ("Black tea", 3), ("Cups", 12))
        ]
        green, black, cups = post("orders/-/insert", {"rows": orders, "return": True})["rows"]
        post(f"orders/{green['id']}/-/update", {"update": {"quantity": 5}})
        rows(f"orders.json?_shape=objects&shop={shop['id']}")
        (found,) = rows("orders.json?_shape=objects&title=Black+tea&_sort_desc=id&_size=1")
        assert found["id"] == black["id"]
        post(
            f"orders/{found['id']}/-/update", {"update": {"title": "Black & white"}, "return": True}
        )
        rows(f"orders/{black['id']}.json?_shape=objects")
        post(f"orders/{cups['id']}/-/delete", {})
        changed = {"id": green["id"], "title": "Green, loose", "shop": shop["id"], "quantity": 6}
        post("orders/-/upsert", {"rows": [changed], "return": True})
        rows(f"orders/{green['id']}.json?_shape=objects")
        sent = {"name": "Tea House & Sons"}
        post(f"shops/{shop['id']}/-/update", {"update": sent, "return": True})
        rows(f"shops/{shop['id']}.json?_shape=objects")
        post("orders/-/insert", {"row": {"title": "Spoons", "shop": shop["id"]}})
        rows(f"orders.json?_shape=objects&shop={shop['id']}")
