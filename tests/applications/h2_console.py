"""H2's console from Debian, in Java: frames, the session in each address, rows edited in place."""

from __future__ import annotations

import contextlib
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Frame, Page

from tests.applications.browsing import recorded_page
from tests.applications.installed import run
from tests.applications.serving import serving
from tests.applications.state import State
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "H2 console 2.1, Java"
BROWSER = True
UNIQUE: tuple[str, ...] = ("Tea House", "Cups Ltd", "Spoon & Co")

_ROOT = Path(__file__).parents[2]
_JAR = Path("/usr/share/java/h2.jar")
_TABLE = "CREATE TABLE orders (id IDENTITY, title VARCHAR(40) UNIQUE, quantity INT)"
_OLD = """INSERT INTO orders (title, quantity) SELECT 'Old ' || x, x FROM SYSTEM_RANGE(1, 20);
DELETE FROM orders WHERE title = 'Old 20'"""


def install() -> None:
    """H2 and Java as Debian packages, for the whole machine."""
    if not _JAR.exists():
        run("bash", ".ci/apt.sh", "default-jre-headless", "libh2-java", folder=_ROOT)


def _java(what: str, *arguments: str) -> tuple[str, ...]:
    return ("java", "-cp", str(_JAR), f"org.h2.tools.{what}", *arguments)


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """A database with an empty table of orders."""
    web, tcp = str(free_port()), str(free_port())
    (state / "tcp").write_text(tcp)
    _ask(f"jdbc:h2:{state / 'tea'}", _TABLE)
    ports = ("-web", "-webPort", web, "-tcp", "-tcpPort", tcp)
    home = ("-baseDir", str(state), "-properties", str(state))
    url = f"http://127.0.0.1:{web}/"
    with serving(_java("Server", *ports, *home), url, state=state) as base:
        yield base


def _ask(database: str, sql: str) -> list[str]:
    """Run it; the lines of the answer."""
    command = _java("Shell", "-url", database, "-user", "sa", "-password", "", "-sql", sql)
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def _database(folder: Path) -> str:
    return f"jdbc:h2:tcp://127.0.0.1:{(folder / 'tcp').read_text()}/./tea"


def state(url: str, folder: Path) -> State:
    """The orders."""
    query = "SELECT title || ': ' || quantity AS one FROM orders"
    return State(Counter(line for line in _ask(_database(folder), query) if ": " in line))


def use(url: str, folder: Path) -> None:
    """There are orders of others; one is no more."""
    _ask(_database(folder), _OLD)


def drive(url: str) -> None:
    """Three orders: one is edited in the table of the result, one by SQL, one deleted there."""
    with recorded_page() as page:
        page.goto(url)
        page.wait_for_selector("input[name=url]")
        page.fill("input[name=url]", "jdbc:h2:./tea")
        page.fill("input[name=user]", "sa")
        page.click("input[value=Connect]")
        page.frame_locator("[name=h2query]").locator("#sql").first.wait_for()
        for title in ("Tea House", "Cups Ltd", "Spoon & Co"):
            quantity = len(title)
            _run(page, f"INSERT INTO orders (title, quantity) VALUES ('{title}', {quantity})")
        _run(page, "SELECT * FROM orders ORDER BY title")
        _run(page, "UPDATE orders SET quantity = 12 WHERE title = 'Cups Ltd'")
        result = _run(page, "@edit SELECT * FROM orders WHERE title = 'Tea House'")
        result.click("img[title=Edit]")
        result.fill("[name=r1c3]", "30")
        with page.expect_response("**/editResult.do*"):
            result.click("img[title=Save]")
        result = _run(page, "@edit SELECT * FROM orders WHERE title = 'Spoon & Co'")
        result.click("img[title=Delete]")
        with page.expect_response("**/editResult.do*"):
            result.click("img[title=Delete]")
        _run(page, "SELECT * FROM orders ORDER BY title")
        page.frame_locator("[name=header]").locator("img[title=Disconnect]").click()
        page.wait_for_selector("input[name=url]")


def _run(page: Page, sql: str) -> Frame:
    """The frame with what was answered."""
    page.frame_locator("[name=h2result]").locator("body").wait_for(state="attached")
    query, result = page.frame("h2query"), page.frame("h2result")
    assert query is not None
    assert result is not None
    query.fill("#sql", sql)
    with page.expect_response("**/query.do*"):
        query.click("input[value=Run]")
    result.wait_for_load_state()
    result.wait_for_selector("#output")
    return result
