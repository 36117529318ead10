"""MediaWiki from Debian on PHP's own web server: a page's revisions, the watchlist, preferences."""

from __future__ import annotations

import contextlib
import shlex
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

TITLE = "MediaWiki 1.39"
BROWSER = True
UNIQUE: tuple[str, ...] = ("Kinds of tea", "All teas")

_CODE = Path("/usr/share/mediawiki")
_ROOT = Path(__file__).parents[2]
#: With php-cgi, `mediawiki` does not bring Apache.
_PACKAGES = ("php-cli", "php-cgi", "php-mysql", "php-gd", PACKAGE, "mediawiki")
_NAME = "Kinds of tea"
_RENAMED = "All teas"
#: Five people may log in from one address in five minutes.
_SETTINGS = """<?php
require '{made}/LocalSettings.php';
$wgPasswordAttemptThrottle = [];
"""
_PASSWORD = "correct-horse-battery"
_CONTENTS = """
SELECT page_title, page_len, rev_minor_edit FROM page JOIN revision ON rev_page = page_id;
SELECT ar_title, ar_len, ar_parent_id = 0 FROM archive ORDER BY ar_rev_id;
SELECT log_action, log_title FROM logging ORDER BY log_id;
"""
#: A page is watched or not: watching one that an earlier session watches adds nothing.
_WATCHED = "SELECT wl_namespace, wl_title FROM watchlist ORDER BY wl_title"


def install() -> None:
    """MediaWiki, PHP and MariaDB as Debian packages, for the whole machine."""
    if not (_CODE / "maintenance").exists() or not Path("/usr/sbin/mariadbd").exists():
        run("bash", ".ci/apt.sh", *_PACKAGES, folder=_ROOT)


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """A new wiki with keys of its own, made by its installer. The code stays where Debian has it.

    Every request has a process of its own, up to ten at once.
    """
    host = f"127.0.0.1:{free_port()}"
    made = state / "made"
    made.mkdir()
    settings = state / "settings.php"
    settings.write_text(_SETTINGS.format(made=made))
    make = (
        *("php", str(_CODE / "maintenance" / "install.php"), "--confpath", str(made)),
        *("--dbtype", "mysql", "--dbserver", f"localhost:{state / SOCKET}", "--dbname", "app"),
        *("--dbuser", "root", "--dbpass", "", "--server", f"http://{host}", "--scriptpath", ""),
        *("--pass", _PASSWORD, "--skins", "Vector", "Tea wiki", "admin"),
    )
    php = ("php", "-d", "opcache.enable_cli=1", "-S", host, "-t", str(_CODE))
    # The installer must not find the settings that it has yet to write.
    command = with_database(
        state,
        ("env", f"MW_CONFIG_FILE={made / 'none'}", *make),
        ("env", f"MW_CONFIG_FILE={settings}", *php),
    )
    workers = {"PHP_CLI_SERVER_WORKERS": "10"}
    with serving(command, f"http://{host}/", state=state, environment=workers) as url:
        yield url


def state(url: str, folder: Path) -> State:
    """The revisions of pages and of what was deleted, what was done, what is watched, who it is."""
    name = rows(folder, "SELECT user_real_name FROM user WHERE user_name = 'Admin'")
    return State(
        Counter(rows(folder, _CONTENTS).splitlines()),
        {"real name": name},
        members=Counter(rows(folder, _WATCHED).splitlines()),
    )


def use(url: str, folder: Path) -> None:
    """Somebody has written a page."""
    count_on_in_mariadb(folder)
    edit = ("php", str(_CODE / "maintenance" / "edit.php"), "--user", "Admin", "Coffee")
    settings = {"MW_CONFIG_FILE": str(folder / "settings.php")}
    run("bash", "-c", f"echo 'Black, no sugar' | {shlex.join(edit)}", environment=settings)


def drive(url: str) -> None:
    """Make a page, edit it, take that back, watch, rename and delete it; preferences."""
    with recorded_page() as page:
        page.goto(f"{url}/index.php/Main_Page")
        follow(page, "#pt-login a")
        page.fill("#wpName1", "admin")
        page.fill("#wpPassword1", _PASSWORD)
        follow(page, "#wpLoginAttempt")
        _write(page)
        _take_back(page)
        _watch(page)
        _move(page)
        follow(page, "#pt-preferences a")
        page.wait_for_selector(".mw-prefs-tabs-infused")
        page.locator("[name=wprealname]").press_sequentially("Kim")
        follow(page, "#prefcontrol button")
        follow(page, "#pt-mycontris a")
        page.click("#pt-logout a")
        page.wait_for_url("**UserLogout**")


def _write(page: Page) -> None:
    """A page that is sought and not there; after a preview it is saved, and then edited."""
    page.fill("#searchInput", _NAME)
    page.press("#searchInput", "Enter")
    follow(page, "a.new >> text=" + _NAME)
    page.fill("#wpSummary", "More than tea")
    page.fill("#wpTextbox1", "Green & black, 100 %\n\n== More ==\n")
    follow(page, "#wpPreview")
    follow(page, "#wpSave")
    follow(page, "#ca-edit a")
    page.fill("#wpTextbox1", "White as well\n")
    follow(page, "#wpDiff")
    follow(page, "#wpSave")


def _take_back(page: Page) -> None:
    """By the history: the last revision is compared with the one before, and undone."""
    follow(page, "#ca-history a")
    follow(page, ".mw-history-histlinks a >> text=prev >> nth=0")
    follow(page, ".mw-diff-undo a")
    follow(page, "#wpSave")


def _watch(page: Page) -> None:
    """Off the watchlist and on it again, by the API."""
    page.click("#ca-unwatch a")
    page.wait_for_selector("#ca-watch:not(:has(.loading))")
    page.click("#ca-watch a")
    page.wait_for_selector("#ca-unwatch:not(:has(.loading))")


def _move(page: Page) -> None:
    """It gets another name, and is deleted under that."""
    page.check("#p-cactions-checkbox")
    follow(page, "#ca-move a")
    page.fill("[name=wpNewTitleMain]", _RENAMED)
    page.uncheck("[name=wpLeaveRedirect]")
    follow(page, "[name=wpMove]")
    follow(page, f"#mw-content-text a >> text={_RENAMED}")
    page.check("#p-cactions-checkbox")
    follow(page, "#ca-delete a")
    follow(page, "#wpConfirmB")
