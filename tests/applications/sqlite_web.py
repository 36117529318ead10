"""sqlite-web: the tables of a database on pages, with keys of rows in base64 in addresses."""

from __future__ import annotations

import contextlib
import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.applications.browsing import follow, recorded_page
from tests.applications.installed import python_environment
from tests.applications.serving import serving
from tests.applications.state import State
from tests.applications.used import count_on_in_sqlite
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "sqlite-web 0.8"
BROWSER = True
UNIQUE: tuple[str, ...] = ("Tea House", "Cups Ltd", "Spoon Shop")
#: SQLite takes one user at a time.
SESSIONS = 1

_REQUIREMENTS = ("sqlite-web==0.8.2",)
_TABLE = """CREATE TABLE orders (
    id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT UNIQUE, quantity INTEGER)"""


def install() -> None:
    """An environment with sqlite-web."""
    _programs()


def _programs() -> Path:
    return python_environment("sqlite-web", *_REQUIREMENTS)


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """A database with an empty table of orders."""
    with _database(state) as database:
        database.execute(_TABLE)
    port = free_port()
    where = ("--host", "127.0.0.1", "--port", str(port), "--no-browser")
    command = (str(_programs() / "sqlite_web"), *where, str(state / "tea.db"))
    with serving(command, f"http://127.0.0.1:{port}/", state=state) as url:
        yield url


@contextlib.contextmanager
def _database(folder: Path) -> Iterator[sqlite3.Connection]:
    with contextlib.closing(sqlite3.connect(folder / "tea.db")) as database, database:
        yield database


def state(url: str, folder: Path) -> State:
    """The orders."""
    with _database(folder) as database:
        return State(Counter(map(repr, database.execute("SELECT title, quantity FROM orders"))))


def use(url: str, folder: Path) -> None:
    """Others have ordered."""
    with _database(folder) as database:
        old = [(f"Old {number}", number) for number in range(7)]
        database.executemany("INSERT INTO orders (title, quantity) VALUES (?, ?)", old)
        database.execute("DELETE FROM orders WHERE title = 'Old 6'")
    count_on_in_sqlite(folder / "tea.db")


def drive(url: str) -> None:
    """Three orders by the form; one is edited, one deleted, one changed by SQL."""
    with recorded_page() as page:
        page.goto(url)
        follow(page, "a[href='/orders/'] >> nth=0")
        for title, quantity in (("Tea House", 1), ("Cups Ltd", 2), ("Spoon Shop", 6)):
            follow(page, "a[href='/orders/insert/'] >> nth=0")
            page.fill("[name=title]", title)
            page.fill("[name=quantity]", str(quantity))
            follow(page, "form[role=form] button[type=submit]")
        page.goto(f"{url}/orders/content/")
        follow(page, "tr:has-text('Tea House') a[href*='/update/']")
        page.check("[name=chk_quantity]")
        page.fill("[name=quantity]", "30")
        follow(page, "form[role=form] button[type=submit]")
        page.goto(f"{url}/orders/content/")
        follow(page, "tr:has-text('Cups Ltd') a[href*='/delete/']")
        follow(page, "form[role=form] button[type=submit]")
        page.goto(f"{url}/orders/content/?ordering=-title")
        page.goto(f"{url}/orders/")
        page.goto(f"{url}/orders/content/")
