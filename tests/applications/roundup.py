"""Roundup: issues on pages that the server makes, with addresses such as ``/tea/issue3``."""

from __future__ import annotations

import contextlib
import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.applications.browsing import follow, recorded_page
from tests.applications.installed import python_environment, run
from tests.applications.serving import serving
from tests.applications.state import State
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "Roundup 2.6"
BROWSER = True
UNIQUE: tuple[str, ...] = ("kettles",)
#: SQLite takes one user at a time.
SESSIONS = 1

_REQUIREMENTS = ("roundup==2.6.0", "waitress==3.0.2")
_PASSWORD = "correct-horse-battery"


def install() -> None:
    """An environment with Roundup and waitress."""
    _programs()


def _programs() -> Path:
    return python_environment("roundup", *_REQUIREMENTS)


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """A new tracker with a user Kim."""
    port = free_port()
    admin, tracker = str(_programs() / "roundup-admin"), str(state / "tea")
    settings = {
        "admin_email": "admin@example.com",
        "tracker_email": "tea@example.com",
        "tracker_web": f"http://127.0.0.1:{port}/tea/",
        "mail_domain": "example.com",
        "mail_host": "127.0.0.1",
        "mail_debug": str(state / "mail.txt"),
    }
    said = ",".join(f"{key}={value}" for key, value in settings.items())
    run(admin, "-i", tracker, "install", "classic", "sqlite", said)
    run(admin, "-i", tracker, "initialise", _PASSWORD)
    kim = ("username=kim", f"password={_PASSWORD}", "address=kim@example.com", "roles=User")
    run(admin, "-i", tracker, "create", "user", *kim)
    where = (f"--listen=127.0.0.1:{port}", "--url-prefix=/tea")
    command = (str(_programs() / "waitress-serve"), *where, "roundup_wsgi:application")
    served = {"TRACKER": tracker, "PYTHONPATH": str(Path(__file__).parent / "served")}
    with serving(command, f"http://127.0.0.1:{port}/tea/", state=state, environment=served) as url:
        yield url


def _database(folder: Path) -> contextlib.closing[sqlite3.Connection]:
    return contextlib.closing(sqlite3.connect(folder / "tea" / "db" / "db"))


def state(url: str, folder: Path) -> State:
    """The issues with their keywords and messages, and the keywords."""
    with _database(folder) as database:

        def rows(query: str, *values: object) -> list[tuple[Any, ...]]:
            return database.execute(query, values).fetchall()

        names: dict[str, dict[int, str]] = {
            kind: dict(rows(f"SELECT id, _name FROM _{kind}"))
            for kind in ("priority", "status", "keyword")
        }
        found = [f"keyword {name}" for name in names["keyword"].values()]
        for key, title, priority, status, retired in rows(
            "SELECT id, _title, _priority, _status, __retired__ FROM _issue"
        ):
            keywords = rows("SELECT linkid FROM issue_keyword WHERE nodeid = ?", key)
            messages = rows(
                "SELECT _summary FROM issue_messages, _msg WHERE nodeid = ? AND _msg.id = linkid",
                key,
            )
            found.append(
                f"{title}: {names['priority'].get(priority)} {names['status'].get(status)} "
                f"{sorted(names['keyword'][one] for (one,) in keywords)} "
                f"{sorted(str(one) for (one,) in messages)} {'retired' if retired else ''}"
            )
    return State(Counter(found))


def use(url: str, folder: Path) -> None:
    """Others have written issues and keywords; one is retired."""
    admin, tracker = str(_programs() / "roundup-admin"), str(folder / "tea")
    for number in range(4):
        sent = ("priority=3", "status=1", f"title=Old {number}")
        run(admin, "-i", tracker, "create", "issue", *sent)
        run(admin, "-i", tracker, "create", "keyword", f"name=old{number}")
    run(admin, "-i", tracker, "retire", "issue2")


def drive(url: str) -> None:
    """Log in, a keyword, two issues with notes; one is resolved, one retired."""
    with recorded_page() as page:
        page.on("dialog", lambda dialog: dialog.accept())
        page.goto(f"{url}/tea/")
        page.fill("input[name=__login_name]", "kim")
        page.fill("input[name=__login_password]", _PASSWORD)
        follow(page, "input[type=submit][value=Login]")

        page.goto(f"{url}/tea/keyword?@template=item")
        page.fill("input[name=name]", "kettles")
        follow(page, "input[name=submit_button]")

        follow(page, "text=Create New >> nth=0")
        page.fill("input[name=title]", "Buy a kettle")
        page.select_option("select[name=priority]", label="feature")
        page.fill("textarea[name='@note']", "The old one leaks")
        follow(page, "input[name=submit_button]")
        page.fill("input[name=keyword]", "kettles")
        page.select_option("select[name=status]", label="in-progress")
        page.fill("textarea[name='@note']", "Three shops have been asked")
        follow(page, "input[name=submit_button]")

        follow(page, "text=Create New >> nth=0")
        page.fill("input[name=title]", "Water the seedlings")
        page.select_option("select[name=priority]", label="bug")
        page.fill("textarea[name='@note']", "Twice a week")
        follow(page, "input[name=submit_button]")

        follow(page, "text=Show All")
        follow(page, "a >> text=Buy a kettle")
        page.select_option("select[name=status]", label="resolved")
        follow(page, "input[name=submit_button]")
        follow(page, "text=Show All")
        follow(page, "a >> text=Water the seedlings")
        page.select_option("select[name=priority]", label="wish")
        follow(page, "input[name=submit_button]")
        follow(page, "text=Show Unassigned")
        follow(page, "text=Logout")
