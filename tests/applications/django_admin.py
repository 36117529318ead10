"""Django's admin as ``django-admin startproject`` makes it: users, groups, a password change."""

from __future__ import annotations

import contextlib
import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.applications.browsing import recorded_page
from tests.applications.installed import python_environment, run
from tests.applications.serving import serving
from tests.applications.state import State
from tests.applications.used import count_on_in_sqlite
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "Django admin 5.2"
BROWSER = True
UNIQUE: tuple[str, ...] = ("Editors", "carol")

_REQUIREMENTS = ("django==5.2.19",)
_PASSWORD = "correct-horse-battery"

#: What Django's documentation advises for SQLite that is written by many at once, and for tests:
#: the usual passwords take half a second of computing each.
_SETTINGS = """
DATABASES["default"]["OPTIONS"] = {"transaction_mode": "IMMEDIATE", "timeout": 60}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
"""

#: Both commands in one process.
_DATABASE = """
from django.core.management import call_command
call_command("migrate", verbosity=0)
call_command("createsuperuser", interactive=False, username="admin", email="")
"""
_STATE = """
SELECT 'user', username, first_name, last_name, email, is_staff FROM auth_user
UNION ALL SELECT 'group', name, '', '', '', '' FROM auth_group
UNION ALL SELECT 'log', model, object_repr, action_flag, change_message, ''
    FROM django_admin_log AS log JOIN django_content_type AS kind ON kind.id = log.content_type_id
"""
_COLLEAGUES = """
INSERT INTO auth_group (name) VALUES ('Auditors'), ('Clerks'), ('Writers');
DELETE FROM auth_group WHERE name = 'Clerks';
INSERT INTO auth_user (password, is_superuser, username, last_name, email, is_staff, is_active,
    date_joined, first_name) SELECT '', 0, 'adam', 'Smith', '', 1, 1, date_joined, 'Adam'
    FROM auth_user;
"""


def install() -> None:
    """An environment with Django."""
    _programs()


def _programs() -> Path:
    return python_environment("django-admin", *_REQUIREMENTS)


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """A new project, whose secret key Django makes up, with an empty database and one user."""
    programs, port = _programs(), free_port()
    run(str(programs / "django-admin"), "startproject", "mysite", ".", folder=state)
    with (state / "mysite" / "settings.py").open("a") as settings:
        settings.write(_SETTINGS)
    manage = (str(programs / "python"), "manage.py")
    password = {"DJANGO_SUPERUSER_PASSWORD": _PASSWORD}
    run(*manage, "shell", "--command", _DATABASE, folder=state, environment=password)
    command = (*manage, "runserver", "--noreload", "--skip-checks", f"127.0.0.1:{port}")
    with serving(command, f"http://127.0.0.1:{port}/admin/", state=state) as url:
        yield url


def state(url: str, folder: Path) -> State:
    """Users, groups, and the admin's own log of what was done to them."""
    with contextlib.closing(sqlite3.connect(folder / "db.sqlite3")) as database:
        return State(Counter(map(repr, database.execute(_STATE))))


def use(url: str, folder: Path) -> None:
    """Other groups and a colleague are there."""
    count_on_in_sqlite(folder / "db.sqlite3")
    with contextlib.closing(sqlite3.connect(folder / "db.sqlite3")) as database, database:
        database.executescript(_COLLEAGUES)


def drive(url: str) -> None:
    """Add a group and a user, edit and delete both, look at the history, log out."""
    with recorded_page() as page:
        page.goto(f"{url}/admin/")
        page.fill("#id_username", "admin")
        page.fill("#id_password", _PASSWORD)
        page.click("input[type=submit]")

        page.click("tr.model-group a.addlink")
        page.fill("#id_name", "Editors")
        page.click("input[name=_save]")
        page.click("#result_list tbody th a")
        page.fill("#id_name", "Editors in chief")
        page.click("input[name=_continue]")
        page.click("a.historylink")
        page.click(".breadcrumbs a >> nth=0")

        page.click("tr.model-user a.addlink")
        page.fill("#id_username", "carol")
        page.fill("#id_password1", _PASSWORD)
        page.fill("#id_password2", _PASSWORD)
        page.click("input[name=_save]")
        page.fill("#id_first_name", "Carol")
        page.fill("#id_last_name", "O'Neill & Söhne")
        page.fill("#id_email", "carol@example.com")
        page.check("#id_is_staff")
        page.click("input[name=_save]")
        page.fill("#searchbar", "carol")
        page.click("#changelist-search input[type=submit]")
        page.click("#result_list tbody th a")
        page.click("a.deletelink")
        page.click("input[type=submit]")

        page.click(".breadcrumbs a >> nth=0")
        page.click("tr.model-group th a")
        page.check("#result_list input.action-select")
        page.select_option("select[name=action]", "delete_selected")
        page.click("button[name=index]")
        page.click("input[type=submit]")
        page.click("#logout-form button")
        page.wait_for_selector("text=Logged out")
