"""Trac: tickets and a wiki on pages that the server makes, with a version of all that is edited."""

from __future__ import annotations

import contextlib
import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.applications.browsing import follow, recorded_page
from tests.applications.installed import python_environment, run
from tests.applications.serving import serving
from tests.applications.state import State
from tests.applications.used import count_on_in_sqlite
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "Trac 1.6"
BROWSER = True
UNIQUE: tuple[str, ...] = ("TeaKinds", "First flush")
#: SQLite takes one user at a time.
SESSIONS = 1

_REQUIREMENTS = ("Trac==1.6", "setuptools<80")
_STATE = """
SELECT 'ticket', summary, description, type, priority, milestone, status, resolution FROM ticket
UNION ALL SELECT 'change', summary, field, oldvalue, newvalue, '', '', ''
    FROM ticket_change JOIN ticket ON ticket.id = ticket WHERE newvalue <> ''
UNION ALL SELECT 'page', name, version, text, comment, '', '', '' FROM wiki
    WHERE author <> 'trac'
UNION ALL SELECT 'milestone', name, description, due, '', '', '', '' FROM milestone
"""
_TICKETS = """
INSERT INTO ticket (type, time, changetime, component, priority, owner, reporter, status,
    summary, milestone)
VALUES ('defect', 0, 0, 'component1', 'major', 'dana', 'dana', 'new', ?, 'milestone1')
"""


def install() -> None:
    """An environment with Trac."""
    _programs()


def _programs() -> Path:
    return python_environment("trac", *_REQUIREMENTS)


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """A new project, in which everybody may do everything."""
    admin, project = str(_programs() / "trac-admin"), str(state / "tea")
    run(admin, project, "initenv", "Tea", "sqlite:db/trac.db?timeout=60")
    run(admin, project, "permission", "add", "anonymous", "TRAC_ADMIN")
    port = free_port()
    where = ("--hostname", "127.0.0.1", "--port", str(port))
    command = (str(_programs() / "tracd"), *where, "--single-env", project)
    with serving(command, f"http://127.0.0.1:{port}/wiki", state=state) as url:
        yield url


def state(url: str, folder: Path) -> State:
    """The tickets with their changes, the pages of the wiki and the milestones."""
    with contextlib.closing(sqlite3.connect(folder / "tea" / "db" / "trac.db")) as database:
        return State(
            Counter(
                repr(row).replace("\\r\\n", "\\n")
                for row in database.execute(_STATE)
                if "'comment'" not in repr(row[:3]) or row[3:]
            )
        )


def use(url: str, folder: Path) -> None:
    """Others have written tickets."""
    path = folder / "tea" / "db" / "trac.db"
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        database.executemany(_TICKETS, [(f"Old {number}",) for number in range(7)])
        database.execute("DELETE FROM ticket WHERE summary = 'Old 3'")
    count_on_in_sqlite(path)


def drive(url: str) -> None:
    """A milestone, two tickets with comments of which one is closed, a page of the wiki."""
    with recorded_page() as page:
        page.on("dialog", lambda dialog: dialog.accept())
        page.goto(f"{url}/roadmap")
        follow(page, "input[value='Add new milestone']")
        page.fill("#name", "First flush")
        page.fill("#description", "In spring")
        follow(page, "input[value='Add milestone']")

        follow(page, "#mainnav >> text=New Ticket")
        page.fill("#field-summary", "Water the seedlings")
        page.fill("#field-description", "Twice a week, 2 l")
        page.select_option("#field-milestone", label="First flush")
        follow(page, "input[name=submit]")
        page.fill("#comment", "Half of them are done")
        page.click("#content >> text='Modify Ticket'")
        page.select_option("#field-priority", label="critical")
        follow(page, "input[name=submit]")

        follow(page, "#mainnav >> text=New Ticket")
        page.fill("#field-summary", "Buy a kettle")
        page.select_option("#field-type", label="task")
        follow(page, "input[name=submit]")

        follow(page, "#mainnav >> text=View Tickets")
        follow(page, "text=Active Tickets >> nth=0")
        follow(page, "td.summary a >> text=Water the seedlings")
        page.fill("#comment", "All of them")
        page.click("#content >> text='Modify Ticket'")
        page.check("#action_resolve")
        follow(page, "input[name=submit]")
        follow(page, "#mainnav >> text=View Tickets")
        follow(page, "text=Active Tickets >> nth=0")
        follow(page, "td.summary a >> text=Buy a kettle")
        page.fill("#comment", "A large one")
        follow(page, "input[name=submit]")

        page.goto(f"{url}/wiki/TeaKinds")
        follow(page, "input[value^='Create this page']")
        page.fill("#text", "= Kinds =\n\n * Green & black, 100 %\n")
        page.fill("#comment", "More than tea")
        follow(page, "input[name=save]")
        follow(page, "input[value^='Edit this page'] >> nth=0")
        page.fill("#text", "= Kinds =\n\n * Green & black, 100 %\n * White\n")
        follow(page, "input[name=save]")
        follow(page, "#ctxtnav >> text=History")
        follow(page, "#mainnav >> text=Timeline")
