"""hledger-web from Debian, in Haskell with Yesod: a journal in a file, by forms with tokens."""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Page

from tests.applications.browsing import follow, recorded_page
from tests.applications.installed import run
from tests.applications.serving import serving
from tests.applications.state import State
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "hledger-web 1.25, Haskell"
BROWSER = True
UNIQUE: tuple[str, ...] = ("Kettle shop", "Tea market", "Cup maker")

_ROOT = Path(__file__).parents[2]
_PROGRAM = Path("/usr/bin/hledger-web")
_OPENING = "2026-01-01 Opening\n    assets:cash      1000\n    equity\n"


def install() -> None:
    """hledger-web as a Debian package, for the whole machine."""
    if not _PROGRAM.exists():
        run("bash", ".ci/apt.sh", "hledger-web", folder=_ROOT)


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """A journal with one entry. Its file, by a path that is the same in each folder, is part of an
    address."""
    port = free_port()
    (state / "tea.journal").write_text(_OPENING)
    url = f"http://127.0.0.1:{port}"
    command = (
        *(str(_PROGRAM), "--serve", "--host", "127.0.0.1", "--port", str(port), "--base-url", url),
        *("-f", "/proc/self/cwd/tea.journal", "--capabilities", "view,add,manage"),
    )
    with serving(command, f"{url}/journal", state=state, environment={"LANG": "C.UTF-8"}) as base:
        yield base


def state(url: str, folder: Path) -> State:
    """The entries."""
    text = (folder / "tea.journal").read_text()
    entries = re.split(r"\n\s*\n|\n(?=\d{4}-)", text.strip())
    return State(Counter(re.sub(r"\s+", " ", one) for one in entries if one.strip()))


def use(url: str, folder: Path) -> None:
    """Others have bought something."""
    with (folder / "tea.journal").open("a") as file:
        file.write("\n2026-01-02 Old shop\n    expenses:shelf    30\n    assets:cash\n")


def drive(url: str) -> None:
    """Three entries are made and looked for, and the file is edited: one is called otherwise."""
    with recorded_page() as page:
        page.goto(f"{url}/journal")
        _add(page, "2026-02-01", "Kettle shop", "expenses:kettles", "40")
        _add(page, "2026-02-02", "Tea market", "expenses:tea", "25")
        _add(page, "2026-02-03", "Cup maker", "expenses:cups", "12")
        page.fill("#searchform [name=q]", "desc:Tea")
        follow(page, "#searchform [type=submit]")
        page.goto(f"{url}/journal")
        follow(page, "a.acct-name:has-text('cups') >> nth=0")
        page.goto(f"{url}/manage")
        follow(page, "a:has-text('Edit') >> nth=0")
        text = page.input_value("textarea")
        page.fill("textarea", text.replace("Cup maker", "Cup maker & co"))
        follow(page, "[type=submit] >> visible=true >> nth=-1")
        page.goto(f"{url}/journal")


def _add(page: Page, day: str, called: str, account: str, amount: str) -> None:
    page.click("#addformlink")
    page.fill("#addform [name=description]", called)
    page.fill("#addform [name=date]", day)
    accounts = page.locator("#addform [name=account]:visible")
    accounts.nth(0).fill(account)
    page.locator("#addform [name=amount]:visible").nth(0).fill(amount)
    accounts.nth(1).fill("assets:cash")
    with page.expect_navigation():
        page.locator("#addform [type=submit]").click()
