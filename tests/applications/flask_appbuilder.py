"""Flask-AppBuilder in Chromium: lists, forms and related lists that it makes of two models."""

from __future__ import annotations

import contextlib
import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Page

from tests.applications.browsing import follow, recorded_page
from tests.applications.installed import python_environment
from tests.applications.serving import serving
from tests.applications.state import State
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "Flask-AppBuilder 5.3"
BROWSER = True
#: The names of shops are taken once; orders are found by their titles.
UNIQUE: tuple[str, ...] = (
    *("Tea House", "Cups Ltd", "Cups & Co"),
    *("Green tea", "Black tea", "Saucers"),
)

_REQUIREMENTS = ("flask-appbuilder==5.3.0",)
_SERVED = Path(__file__).parent / "served" / "flask_appbuilder_shop.py"
_STATE = """
SELECT 'order', title, quantity, name FROM orders LEFT JOIN shop ON shop.id = shop_id
UNION ALL SELECT 'shop', name, '', '' FROM shop
"""
_USE = """
INSERT INTO shop (name) VALUES ('Old shop'), ('Attic'), ('Zoo');
DELETE FROM shop WHERE name = 'Old shop';
INSERT INTO orders (title, quantity, shop_id) SELECT 'Old order', 1, id FROM shop;
"""


def install() -> None:
    """An environment with Flask-AppBuilder."""
    _programs()


def _programs() -> Path:
    return python_environment("flask-appbuilder", *_REQUIREMENTS)


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """Two tables, and one user."""
    port = free_port()
    environment = {"TEA_STATE": str(state), "TEA_PORT": str(port)}
    command = (str(_programs() / "python"), str(_SERVED))
    url = f"http://127.0.0.1:{port}/login/"
    with serving(command, url, state=state, environment=environment) as base:
        yield base


def state(url: str, folder: Path) -> State:
    """The orders, each with its shop, and the shops."""
    with contextlib.closing(sqlite3.connect(folder / "tea.db")) as database:
        return State(Counter(map(repr, database.execute(_STATE))))


def use(url: str, folder: Path) -> None:
    """Others have ordered."""
    with contextlib.closing(sqlite3.connect(folder / "tea.db")) as database:
        database.executescript(_USE)


def drive(url: str) -> None:
    """Two shops and their orders: made, edited from lists, and deleted; log out."""
    with recorded_page() as page:
        page.goto(f"{url}/login/")
        page.fill("#username", "admin")
        page.fill("#password", "correct-horse-battery")
        follow(page, "[type=submit]")
        for shop in ("Tea House", "Cups Ltd"):
            page.goto(f"{url}/shopview/list/")
            follow(page, "a[href*='/shopview/add']")
            page.fill("#name", shop)
            follow(page, "button[type=submit]")
        for title, quantity, shop in (
            *(("Green tea", "2", "Tea House"), ("Black tea", "30", "Tea House")),
            ("Saucers", "6", "Cups Ltd"),
        ):
            page.goto(f"{url}/orderview/list/")
            follow(page, "a[href*='/orderview/add']")
            page.fill("#title", title)
            page.fill("#quantity", quantity)
            page.select_option("#shop", label=shop, force=True)
            follow(page, "button[type=submit]")
        _row(page, "Green tea", "a[href*='/edit/']")
        page.fill("#quantity", "5")
        follow(page, "button[type=submit]")
        _row(page, "Saucers", "a[href*='/edit/']")
        page.fill("#title", "Saucers & cups")
        page.select_option("#shop", label="Tea House", force=True)
        follow(page, "button[type=submit]")
        _row(page, "Black tea", "a[href*='/show/']")
        page.goto(f"{url}/orderview/list/")
        page.click("tr:has-text('Black tea') a[id^='btn-delete']")
        follow(page, "#modal-confirm-ok")
        page.goto(f"{url}/shopview/list/")
        _row(page, "Cups Ltd", "a[href*='/edit/']")
        page.fill("#name", "Cups & Co")
        follow(page, "button[type=submit]")
        page.goto(f"{url}/shopview/list/")
        _row(page, "Tea House", "a[href*='/show/']")
        page.goto(f"{url}/logout/")


def _row(page: Page, text: str, link: str) -> None:
    follow(page, f"tr:has-text('{text}') {link}")
