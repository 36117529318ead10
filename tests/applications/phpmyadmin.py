"""phpMyAdmin from Debian on PHP's own web server, with a MariaDB: a database, a table, its rows."""

from __future__ import annotations

import contextlib
import re
import secrets
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Page

from tests.applications.browsing import recorded_page
from tests.applications.installed import run
from tests.applications.mariadb import PACKAGE, SOCKET, rows, with_database
from tests.applications.serving import serving
from tests.applications.state import State
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "phpMyAdmin 5.2"
BROWSER = True
UNIQUE: tuple[str, ...] = ("garden",)

_CODE = Path("/usr/share/phpmyadmin")
_ROOT = Path(__file__).parents[2]
#: With php-cgi, `phpmyadmin` does not bring Apache.
_PACKAGES = ("php-cli", "php-cgi", "php-mysql", PACKAGE, "phpmyadmin")
_IDLE = "window.AJAX && !AJAX.active && !jQuery.active"
#: What is asked for besides, at any time.
_BESIDES = re.compile("route=/(?:navigation|config)|[.](?:js|css|png|svg)")
_PASSWORD = "correct-horse-battery"
_USER = f"CREATE USER kim IDENTIFIED BY '{_PASSWORD}'; GRANT ALL ON *.* TO kim"
#: phpMyAdmin takes a ROOT_PATH that is there, and asks this file in it where the others are.
_PLACES = """<?php
$places = require '{code}/libraries/vendor_config.php';
return ['configFile' => '{state}/config.php', 'tempDir' => '{state}/tmp/'] + $places;
"""
_TABLES = """
SELECT table_schema, table_name, column_name, column_type FROM information_schema.columns
WHERE table_schema NOT IN ('mysql', 'sys', 'information_schema', 'performance_schema')
"""
_CONFIGURATION = """<?php
$cfg['blowfish_secret'] = '{secret}';
$cfg['Servers'][1] = [
    'auth_type' => 'cookie', 'host' => 'localhost', 'socket' => '{socket}', 'verbose' => 'tea',
];
"""


def install() -> None:
    """phpMyAdmin, PHP and MariaDB as Debian packages, for the whole machine."""
    if not _CODE.exists() or not Path("/usr/sbin/mariadbd").exists():
        run("bash", ".ci/apt.sh", *_PACKAGES, folder=_ROOT)


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """phpMyAdmin with a secret and an empty MariaDB of its own. The code stays where Debian has it.

    Every request has a process of its own, up to ten at once.
    """
    host = f"127.0.0.1:{free_port()}"
    (state / "tmp").mkdir()
    (state / "sessions").mkdir()
    places = _new_root(state)
    places.write_text(_PLACES.format(code=_CODE, state=state))
    (state / "first.php").write_text(f"<?php define('ROOT_PATH', '{state}/root/');\n")
    (state / "config.php").write_text(
        _CONFIGURATION.format(secret=secrets.token_hex(16), socket=state / SOCKET)
    )
    settings = {
        "auto_prepend_file": state / "first.php",
        "opcache.enable_cli": 1,
        "session.save_path": state / "sessions",
    }
    options = (text for name, value in settings.items() for text in ("-d", f"{name}={value}"))
    command = with_database(
        state,
        ("mariadb", "--no-defaults", f"--socket={state / SOCKET}", "--user=root", "-e", _USER),
        ("php", *options, "-S", host, "-t", str(_CODE)),
    )
    workers = {"PHP_CLI_SERVER_WORKERS": "10"}
    with serving(command, f"http://{host}/", state=state, environment=workers) as url:
        yield url


def _new_root(state: Path) -> Path:
    """A folder with the code as Debian has it. The value is the one file that it lacks."""
    libraries = state / "root" / "libraries"
    libraries.mkdir(parents=True)
    for one in (*_CODE.iterdir(), *(_CODE / "libraries").iterdir()):
        if one.name not in ("libraries", "vendor_config.php"):
            (state / "root" / one.relative_to(_CODE)).symlink_to(one)
    return libraries / "vendor_config.php"


def state(url: str, folder: Path) -> State:
    """The databases, their tables with the columns, and the rows of the plants."""
    tables = rows(folder, _TABLES).splitlines()
    plants = (
        f"{name}: {row}"
        for name in {line.split("\t")[0] for line in tables if "\tplants\t" in line}
        for row in rows(folder, "SELECT id, name, height FROM plants", name).splitlines()
    )
    return State(Counter((*tables, *plants)))


def use(url: str, folder: Path) -> None:
    """Somebody has another database."""
    rows(folder, "CREATE DATABASE orchard; CREATE TABLE orchard.trees (id INT, name VARCHAR(9))")


def drive(url: str) -> None:
    """Make a database and a table, add, edit and delete rows in several ways, log out."""
    with recorded_page() as page:
        page.on("dialog", lambda dialog: dialog.accept())
        page.goto(f"{url}/")
        page.fill("#input_username", "kim")
        page.fill("#input_password", _PASSWORD)
        page.click("#input_go")
        click(page, "#topmenu >> text=Databases")
        page.fill("#text_create_db", "garden")
        click(page, "#buttonGo")

        page.fill("#createTableNameInput", "plants")
        page.fill("#createTableNumFieldsInput", "3")
        click(page, "#createTableMinimalForm input[type=submit]")
        page.fill("#field_0_1", "id")
        page.check("#field_0_9")
        page.fill("#field_1_1", "name")
        page.select_option("#field_1_2", "VARCHAR")
        page.fill("#field_1_3", "40")
        page.fill("#field_2_1", "height")
        click(page, "input[name=do_save_data]")

        for name, height in (("Mint & lime", "30"), ("Sage", "45")):
            click(page, "#topmenu >> text=Insert")
            page.fill("#field_2_3", name)
            page.fill("#field_3_3", height)
            click(page, "#insertForm input[type=submit] >> nth=0")
        click(page, "#topmenu >> text=Browse")
        click(page, "tr:has-text('Sage') .edit_row_anchor a")
        page.fill("#field_3_3", "50")
        click(page, "#insertForm input[type=submit] >> nth=-1")
        page.dblclick("tr:has-text('Mint') td:has-text('30')")
        page.keyboard.press("Control+A")
        page.keyboard.type("35")
        with page.expect_response(lambda answer: "/table/replace" in answer.url):
            page.keyboard.press("Enter")

        click(page, "#topmenu >> text=SQL")
        page.click("#sqlqueryform .CodeMirror")
        page.keyboard.press("Control+A")
        page.keyboard.type("INSERT INTO plants (name, height) VALUES ('Dill', 60)")
        page.keyboard.press("Escape")
        click(page, "#button_submit_query")
        click(page, "#topmenu >> text=Search")
        page.fill("#fieldID_1", "Sage")
        click(page, "#tbl_search_form input[name=submit]")
        click(page, "#topmenu >> text=Browse")
        page.click("tr:has-text('Dill') a.delete_row")
        click(page, "button:text-is('OK'):visible")
        click(page, "#topmenu >> text=Structure")
        click(page, "#topmenu >> text=Operations")
        page.click("a.logout, #navipanellinks a[title='Log out']")
        page.wait_for_selector("#input_username")


def click(page: Page, selector: str) -> None:
    """Click there, and wait until the scripts have put what is answered into the page; meanwhile
    they ignore clicks."""
    page.wait_for_function(_IDLE)
    with page.expect_response(lambda answer: _BESIDES.search(answer.url) is None):
        page.click(selector)
    page.wait_for_function(_IDLE)
