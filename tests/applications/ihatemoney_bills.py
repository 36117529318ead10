"""I Hate Money: people and bills, whose payers are chosen and whose debtors are ticked."""

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
from tests.applications.used import count_on_in_sqlite
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "I Hate Money 7.2, Flask"
BROWSER = True
#: A project is there once.
UNIQUE: tuple[str, ...] = ("tea-club",)

_REQUIREMENTS = ("ihatemoney==7.2.1", "waitress==3.0.2")
_PASSWORD = "correct-horse-battery"
_SETTINGS = """\
SQLALCHEMY_DATABASE_URI = "sqlite:///{database}"
SQLALCHEMY_ENGINE_OPTIONS = {{"connect_args": {{"timeout": 120}}}}
SECRET_KEY = {secret!r}
ACTIVATE_DEMO_PROJECT = False
SESSION_COOKIE_SECURE = False
"""
_BILLS = """
SELECT payer.project_id, what, amount, date, payer.name,
  (SELECT group_concat(name) FROM (SELECT name FROM billowers JOIN person ON person.id = person_id
   WHERE bill_id = bill.id ORDER BY name))
FROM bill JOIN person AS payer ON payer.id = payer_id
"""


def install() -> None:
    """An environment with it and waitress."""
    _programs()


def _programs() -> Path:
    return python_environment("ihatemoney", *_REQUIREMENTS)


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """A new database, without projects."""
    port, settings = free_port(), state / "settings.py"
    database = state / "bills.sqlite"
    settings.write_text(_SETTINGS.format(database=database, secret=state.name))
    environment = {"IHATEMONEY_SETTINGS_FILE_PATH": str(settings)}
    command = (
        *(str(_programs() / "waitress-serve"), f"--listen=127.0.0.1:{port}"),
        "ihatemoney.wsgi:application",
    )
    url = f"http://127.0.0.1:{port}/"
    with serving(command, url, state=state, environment=environment) as base:
        yield base


def _database(folder: Path) -> contextlib.closing[sqlite3.Connection]:
    return contextlib.closing(sqlite3.connect(folder / "bills.sqlite", timeout=60))


def state(url: str, folder: Path) -> State:
    """The projects with their people, and the bills with who paid and for whom."""
    with _database(folder) as database:
        rows = [f"project {one}" for one in database.execute("SELECT id, name FROM project")]
        people = "SELECT project_id, name, weight, activated FROM person"
        rows += [f"person {one}" for one in database.execute(people)]
        rows += [f"bill {one}" for one in database.execute(_BILLS)]
    return State(Counter(rows))


def use(url: str, folder: Path) -> None:
    """Its ids begin elsewhere: people and bills of others were there."""
    count_on_in_sqlite(folder / "bills.sqlite")
    with _database(folder) as database, database:
        _insert(
            database,
            "project",
            id="attic",
            name="Attic",
            password="x",
            contact_email="attic@example.com",
            default_currency="XXX",
            logging_preference="ENABLED",
        )
        for number in range(1, 8):
            _insert(
                database,
                "person",
                id=number * 31,
                project_id="attic",
                name=f"Old {number}",
                weight=1.0,
                activated=True,
            )
            _insert(
                database,
                "bill",
                id=number * 17,
                payer_id=number * 31,
                amount=4.5,
                date="2026-01-01",
                what=f"Old {number}",
                converted_amount=4.5,
                original_currency="XXX",
                bill_type="EXPENSE",
            )


def _insert(database: sqlite3.Connection, table: str, **values: object) -> None:
    marks = ", ".join("?" * len(values))
    command = f"INSERT INTO {table} ({', '.join(values)}) VALUES ({marks})"
    database.execute(command, tuple(values.values()))


def drive(url: str) -> None:
    """A project, three people, four bills: one is changed, one deleted; somebody is renamed, and
    somebody leaves."""
    with recorded_page() as page:
        page.on("dialog", lambda dialog: dialog.accept())
        page.goto(f"{url}/create")
        page.fill("#id", "tea-club")
        page.fill("#name", "Friends of tea")
        page.fill("#password", _PASSWORD)
        page.fill("#contact_email", "kim@example.com")
        follow(page, "form:has(#contact_email) [type=submit]")
        page.goto(f"{url}/tea-club/")
        for name in ("Kim", "Lou", "Max"):
            page.fill("#add-member-form [name=name]", name)
            follow(page, "#add-member-form [type=submit]")
        _bill(page, url, "Green tea", "Kim", "24", without="Max")
        _bill(page, url, "Cups and pots", "Lou", "60")
        _bill(page, url, "Sugar", "Max", "3")
        _bill(page, url, "Milk", "Kim", "4.5", without="Lou")
        page.goto(f"{url}/tea-club/")
        follow(page, "#bill_table tr:has-text('Cups and pots') a.edit")
        page.fill("#amount", "66")
        page.select_option("#payer", label="Max")
        page.uncheck("label:has-text('Kim') input")
        follow(page, "form:has(#what) #submit")
        _twice(page, "#bill_table tr:has-text('Sugar') form.delete-bill button")
        page.goto(f"{url}/tea-club/settle_bills")
        page.goto(f"{url}/tea-club/?search=tea")
        page.goto(f"{url}/tea-club/")
        _beside(page, "Lou", "edit")
        page.fill("#name", "Lou the second")
        page.fill("#weight", "2")
        follow(page, "form button:has-text('Save')")
        _beside(page, "Max", "delete")
        page.goto(f"{url}/tea-club/statistics")
        page.goto(f"{url}/tea-club/history")


def _bill(page: Page, url: str, what: str, payer: str, amount: str, without: str = "") -> None:
    page.goto(f"{url}/tea-club/add")
    page.fill("#date", "2026-11-02")
    page.fill("#what", what)
    page.select_option("#payer", label=payer)
    page.fill("#amount", amount)
    if without:
        page.uncheck(f"label:has-text('{without}') input")
    follow(page, "form:has(#what) #submit")


def _twice(page: Page, button: str) -> None:
    """It asks whether one is sure."""
    page.click(button)
    follow(page, button)


def _beside(page: Page, name: str, command: str) -> None:
    """The buttons beside somebody's name show when the mouse is there, and one asks twice."""
    button = page.locator(f"#table_overflow tr:has-text('{name}') form.{command} button").first
    if command == "delete":
        button.evaluate("one => one.click()")
    with page.expect_navigation():
        button.evaluate("one => one.click()")
