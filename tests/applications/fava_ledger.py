"""Fava: a single page over a ledger in a file, where each change names the hash of what it read."""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Page

from tests.applications.browsing import recorded_page
from tests.applications.installed import python_environment
from tests.applications.serving import serving
from tests.applications.state import State
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "Fava 1.30, Svelte"
BROWSER = True
UNIQUE: tuple[str, ...] = ("Tea house", "Cup maker", "Spoon market")

_REQUIREMENTS = ("fava==1.30.16",)
_LEDGER = """option "title" "Tea"
option "operating_currency" "EUR"
2020-01-01 open Assets:Cash EUR
2020-01-01 open Expenses:Tea EUR
2020-01-01 open Expenses:Cups EUR
2020-01-01 open Equity:Opening EUR

2020-01-02 * "Opening" "Money"
  Assets:Cash  1000 EUR
  Equity:Opening
"""
_CHANGED = """2020-02-02 * "Cup maker" "Porcelain, two"
  Expenses:Cups  44 EUR
  Assets:Cash
"""


def install() -> None:
    """An environment with Fava."""
    _programs()


def _programs() -> Path:
    return python_environment("fava", *_REQUIREMENTS)


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """A ledger with one entry, whose path is the same in each folder: pages send it."""
    port = free_port()
    (state / "tea.beancount").write_text(_LEDGER)
    command = (
        *(str(_programs() / "fava"), "--host", "127.0.0.1", "--port", str(port)),
        "/proc/self/cwd/tea.beancount",
    )
    with serving(command, f"http://127.0.0.1:{port}/", state=state) as url:
        yield url


def state(url: str, folder: Path) -> State:
    """The entries with their postings."""
    text = (folder / "tea.beancount").read_text()
    entries = re.split(r"\n(?=\S)", text)
    return State(Counter(re.sub(r"\s+", " ", one).strip() for one in entries))


def use(url: str, folder: Path) -> None:
    """Others have spent something."""
    with (folder / "tea.beancount").open("a") as file:
        file.write('\n2020-03-01 * "Old shop" "Shelf"\n  Expenses:Cups  30 EUR\n  Assets:Cash\n')


def drive(url: str) -> None:
    """Three entries; the text of one is changed, one is deleted, and reports are looked at."""
    with recorded_page() as page:
        page.goto(f"{url}/tea/income_statement/")
        page.wait_for_selector("text=Net Profit")
        _add(page, "2020-02-01", "Tea house", "Oolong", "Expenses:Tea", "12.50 EUR")
        _add(page, "2020-02-02", "Cup maker", "Porcelain", "Expenses:Cups", "40 EUR")
        _add(page, "2020-02-03", "Spoon market", "Silver", "Expenses:Cups", "25 EUR")
        page.goto(f"{url}/tea/journal/")
        page.wait_for_selector("text=Cup maker")
        _open(page, "Porcelain")
        page.locator(".cm-content").click()
        page.keyboard.press("Control+a")
        page.keyboard.insert_text(_CHANGED)
        with _answer(page, "PUT", "source_slice"):
            page.locator("form:has(.cm-content) button:has-text('Save')").click()
        page.wait_for_selector(".cm-content", state="detached")
        page.goto(f"{url}/tea/journal/")
        _open(page, "Silver")
        with _answer(page, "DELETE", "source_slice"):
            page.locator("form:has(.cm-content) button:has-text('Delete')").click()
        page.wait_for_load_state("networkidle")
        page.goto(f"{url}/tea/journal/")
        _open(page, "Oolong")
        page.goto(f"{url}/tea/account/Expenses:Cups/")
        page.wait_for_selector("text=Porcelain, two")
        page.goto(f"{url}/tea/balance_sheet/")
        page.wait_for_load_state("networkidle")


def _open(page: Page, called: str) -> None:
    page.locator(f"li:has-text('{called}') .datecell a").first.click()
    page.wait_for_selector(".cm-content")


def _answer(page: Page, method: str, path: str) -> contextlib.AbstractContextManager[object]:
    return page.expect_response(
        lambda one: one.request.method == method and f"/api/{path}" in one.url
    )


def _add(page: Page, *entry: str) -> None:
    """An entry by its form: day, payee, narration, account and amount; the rest is cash."""
    day, payee, narration, account, amount = entry
    page.keyboard.press("n")
    form = page.locator("form:has([name=flag])")
    form.locator("[type=date]").fill(day)
    form.locator("[placeholder=Payee]").fill(payee)
    form.locator("[placeholder=Narration]").fill(narration)
    form.locator("[placeholder=Account]").nth(0).fill(account)
    form.locator("[placeholder=Amount]").nth(0).fill(amount)
    form.locator("[placeholder=Account]").nth(1).fill("Assets:Cash")
    with _answer(page, "PUT", "add_entries"):
        form.locator("[type=submit]").click()
    form.wait_for(state="detached")
    page.wait_for_load_state("networkidle")
