"""Isso: comments below pages, by small numbers; who wrote one has a cookie that says so."""

from __future__ import annotations

import contextlib
import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import httpx

from tests.applications.installed import python_environment
from tests.applications.serving import serving
from tests.applications.state import State
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "Isso 0.14"
BROWSER = False
UNIQUE: tuple[str, ...] = ()

_REQUIREMENTS = ("isso==0.14.0", "setuptools<80")
_PAGE = "/tea/kinds"
_SETTINGS = """[general]
dbpath = {state}/comments.db
host = http://127.0.0.1:{port}/
notify =
[server]
listen = http://127.0.0.1:{port}
[guard]
enabled = false
"""
_STATE = """
SELECT uri, comments.author, text, mode, likes, dislikes,
    (SELECT one.text FROM comments one WHERE one.id = comments.parent)
FROM comments JOIN threads ON threads.id = tid
"""


def install() -> None:
    """An environment with Isso."""
    _programs()


def _programs() -> Path:
    return python_environment("isso", *_REQUIREMENTS)


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """A page without comments."""
    port = free_port()
    (state / "isso.cfg").write_text(_SETTINGS.format(state=state, port=port))
    command = (str(_programs() / "isso"), "-c", str(state / "isso.cfg"), "run")
    with serving(command, f"http://127.0.0.1:{port}/config", state=state) as url:
        yield url


def state(url: str, folder: Path) -> State:
    """The comments, each with what it answers."""
    with contextlib.closing(sqlite3.connect(folder / "comments.db")) as database:
        return State(Counter(map(repr, database.execute(_STATE))))


def _write(client: httpx.Client, text: str, author: str, parent: object = None) -> int:
    sent = {"text": text, "author": author, "parent": parent, "title": "Kinds of tea"}
    made = client.post("/new", params={"uri": _PAGE}, json=sent)
    return int(made.raise_for_status().json()["id"])


def use(url: str, folder: Path) -> None:
    """Others have commented; one comment is no more."""
    with httpx.Client(base_url=url) as client:
        for number in range(5):
            last = _write(client, f"Old remark {number}", "Dana")
        client.delete(f"/id/{last}").raise_for_status()


def drive(url: str) -> None:
    """Three comments: one is edited, one answers it, one is deleted; others are liked."""
    with httpx.Client(base_url=url) as kim:

        def fetch() -> None:
            kim.get("/", params={"uri": _PAGE, "nested_limit": 5}).raise_for_status()

        kim.get("/config").raise_for_status()
        fetch()
        first = _write(kim, "Green is best", "Kim")
        fetch()
        kim.get(f"/id/{first}", params={"plain": 1}).raise_for_status()
        sent = {"text": "Green is **best**, black is good", "author": "Kim"}
        kim.put(f"/id/{first}", json=sent).raise_for_status()
        fetch()
        kim.get(f"/id/{first}").raise_for_status()
        answer = _write(kim, "How about white?", "Lee", parent=first)
        fetch()
        # Kim cannot like what Kim has written, so this leaves the counts.
        kim.post(f"/id/{answer}/like").raise_for_status()
        third = _write(kim, "Only a test", "Kim")
        kim.post("/count", json=[_PAGE]).raise_for_status()
        fetch()
        kim.get(f"/id/{third}", params={"plain": 1}).raise_for_status()
        kim.delete(f"/id/{third}").raise_for_status()
        kim.post("/count", json=[_PAGE]).raise_for_status()
        fetch()
