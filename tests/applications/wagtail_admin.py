"""Wagtail's editor: pages as drafts, revisions that are published, moved and unpublished; snippets
of forms that scripts build."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Page

from tests.applications.browsing import follow, recorded_page
from tests.applications.installed import make_environment, once, pip_install, run
from tests.applications.serving import serving
from tests.applications.state import State
from tests.applications.used import count_on_in_sqlite
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "Wagtail 8.0"
BROWSER = True
UNIQUE: tuple[str, ...] = ("Green teas", "Black teas")

_REQUIREMENTS = ("wagtail==8.0.1",)
_PASSWORD = "correct-horse-battery"
_SETTINGS = """
import os
SECRET_KEY = os.urandom(32).hex()
ALLOWED_HOSTS = ["*"]
DATABASES["default"]["OPTIONS"] = {"transaction_mode": "IMMEDIATE", "timeout": 60}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
WAGTAIL_ENABLE_UPDATE_CHECK = False
WAGTAIL_AUTOSAVE_INTERVAL = 0
"""
_DATABASE = """
from django.core.management import call_command
call_command("migrate", verbosity=0)
call_command("createsuperuser", interactive=False, username="kim", email="kim@example.org")
"""
_STATE = """
SELECT 'page', title, draft_title, live, has_unpublished_changes, depth FROM wagtailcore_page
UNION ALL SELECT 'log', action, label, deleted, '', '' FROM wagtailcore_pagelogentry
UNION ALL SELECT 'collection', name, '', '', '', '' FROM wagtailcore_collection
"""


def install() -> None:
    """An environment with Wagtail, and a project with an empty database."""
    _project()


def _project() -> Path:
    def make(folder: Path) -> None:
        pip_install(make_environment(folder), *_REQUIREMENTS)
        (folder / "project").mkdir()
        run(str(folder / "bin" / "wagtail"), "start", "tea", ".", folder=folder / "project")
        with (folder / "project" / "tea" / "settings" / "dev.py").open("a") as settings:
            settings.write(_SETTINGS)
        manage = (str(folder / "bin" / "python"), "manage.py")
        password = {"DJANGO_SUPERUSER_PASSWORD": _PASSWORD}
        database = ("shell", "--command", _DATABASE)
        run(*manage, *database, folder=folder / "project", environment=password)

    return once("wagtail", "\n".join((*_REQUIREMENTS, _SETTINGS, _DATABASE)), make)


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """A copy of the project, with a secret key of its own."""
    folder, port = _project(), free_port()
    shutil.copytree(folder / "project", state, dirs_exist_ok=True)
    server = ("manage.py", "runserver", "--noreload", "--skip-checks", f"127.0.0.1:{port}")
    command = (str(folder / "bin" / "python"), *server)
    with serving(command, f"http://127.0.0.1:{port}/admin/login/", state=state) as url:
        yield url


def state(url: str, folder: Path) -> State:
    """Pages, what was done with them, and collections."""
    with contextlib.closing(sqlite3.connect(folder / "db.sqlite3")) as database:
        return State(Counter(" ".join(map(str, row)) for row in database.execute(_STATE)))


def use(url: str, folder: Path) -> None:
    """Others have collections; ids begin elsewhere."""
    count_on_in_sqlite(folder / "db.sqlite3")


def drive(url: str) -> None:
    """Two pages are begun as drafts, edited and published; one is taken back, and deleted."""
    with recorded_page() as page:
        page.goto(f"{url}/admin/")
        page.fill("[name=username]", "kim")
        page.fill("[name=password]", _PASSWORD)
        follow(page, "[type=submit]")
        for title in ("Green teas", "Black teas"):
            page.goto(f"{url}/admin/pages/3/")
            follow(page, "a[aria-label='Add child page'] >> nth=0")
            page.locator("[name=title]").press_sequentially(title)
            page.wait_for_function("document.querySelector('[name=slug]').value.includes('teas')")
            _settle(page)
            follow(page, "button:has-text('Save draft') >> visible=true >> nth=0")
            page.fill("[name=title]", f"{title} of the year")
            _settle(page)
            _publish(page)
        page.goto(f"{url}/admin/pages/3/")
        follow(page, "a:has-text('Black teas of the year') >> visible=true >> nth=0")
        address = page.url
        _settle(page)
        page.goto(address.replace("/edit/", "/unpublish/").rstrip("/") + "/")
        follow(page, "form [type=submit][value*=unpublish], form button:has-text('Yes, unpublish')")
        page.goto(address.replace("/edit/", "/delete/"))
        follow(page, "form [type=submit][value*='delete'], form button:has-text('Yes, delete')")
        page.goto(f"{url}/admin/pages/3/")
        _settle(page)


def _settle(page: Page) -> None:
    page.wait_for_load_state("networkidle")


def _publish(page: Page) -> None:
    page.click(".w-dropdown__toggle.button >> visible=true >> nth=-1")
    follow(page, "button:has-text('Publish') >> visible=true >> nth=0")
    _settle(page)
