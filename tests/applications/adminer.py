"""Adminer from Debian on PHP's own web server, with a MariaDB: rows edited in forms."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Page

from tests.applications.browsing import follow, recorded_page
from tests.applications.installed import run
from tests.applications.mariadb import PACKAGE, SOCKET, rows, with_database
from tests.applications.serving import serving
from tests.applications.state import State
from tests.applications.used import count_on_in_mariadb
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "Adminer 4.8, PHP"
BROWSER = True
#: The rows are found by their titles.
UNIQUE: tuple[str, ...] = ("Tea & milk", "Tea & cream", "Cups", "Spoons")

_CODE = Path("/usr/share/adminer")
_ROOT = Path(__file__).parents[2]
_PACKAGES = ("php-cli", "php-cgi", "php-mysql", PACKAGE, "adminer")
_PASSWORD = "correct-horse-battery"
_PREPARE = f"""
CREATE USER kim IDENTIFIED BY '{_PASSWORD}'; GRANT ALL ON *.* TO kim; USE app;
CREATE TABLE orders (id INT AUTO_INCREMENT PRIMARY KEY, title VARCHAR(80), quantity INT);
"""


def install() -> None:
    """Adminer, PHP and MariaDB as Debian packages, for the whole machine."""
    if not _CODE.exists() or not Path("/usr/sbin/mariadbd").exists():
        run("bash", ".ci/apt.sh", *_PACKAGES, folder=_ROOT)


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """A MariaDB of its own with one empty table. Up to ten requests at once."""
    host = f"127.0.0.1:{free_port()}"
    (state / "sessions").mkdir()
    socket = state / SOCKET
    settings = {"mysqli.default_socket": socket, "session.save_path": state / "sessions"}
    options = (text for name, value in settings.items() for text in ("-d", f"{name}={value}"))
    command = with_database(
        state,
        ("mariadb", "--no-defaults", f"--socket={socket}", "--user=root", "-e", _PREPARE),
        ("php", *options, "-S", host, str(_CODE / "adminer.php")),
    )
    workers = {"PHP_CLI_SERVER_WORKERS": "10", "TMPDIR": str(state)}
    with serving(command, f"http://{host}/", state=state, environment=workers) as url:
        yield url


def state(url: str, folder: Path) -> State:
    """The orders."""
    return State(Counter(rows(folder, "SELECT title, quantity FROM orders").splitlines()))


def use(url: str, folder: Path) -> None:
    """There are orders of others, and were more."""
    rows(folder, "INSERT INTO orders (title, quantity) VALUES ('Old tea', 1), ('Old cup', 2)")
    count_on_in_mariadb(folder)


def drive(url: str) -> None:
    """Three orders: one is edited, one copied, one deleted."""
    with recorded_page() as page:
        page.on("dialog", lambda dialog: dialog.accept())
        page.goto(url)
        page.fill("[name='auth[server]']", "localhost")
        page.fill("[name='auth[username]']", "kim")
        page.fill("[name='auth[password]']", _PASSWORD)
        page.fill("[name='auth[db]']", "app")
        follow(page, "[type=submit][value=Login]")
        follow(page, "a[href*='select=orders']")
        for title, quantity in (("Tea & milk", "2"), ("Cups", "30"), ("Spoons", "6")):
            follow(page, "a[href*='edit=orders']:text-is('New item')")
            _type(page, title, quantity)
            follow(page, "[type=submit][value=Save]")
        _row(page, "Tea & milk")
        _type(page, "Tea & cream", "5")
        follow(page, "[type=submit][value=Save]")
        _row(page, "Cups")
        follow(page, "[type=submit][value=Delete]")
        _row(page, "Spoons")
        _type(page, "Spoons", "60")
        follow(page, "[type=submit][value=Save]")
        follow(page, "[name=logout]")


def _type(page: Page, title: str, quantity: str) -> None:
    page.fill("[name='fields[title]']", title)
    page.fill("[name='fields[quantity]']", quantity)


def _row(page: Page, title: str) -> None:
    follow(page, f"#table tr:has-text('{title}') a.edit, #table tr:has-text('{title}') a")
