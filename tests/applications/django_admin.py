"""Django's admin as ``django-admin startproject`` makes it: users, groups, a password change."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from tests.applications.browsing import recorded_page
from tests.applications.installed import python_environment, run
from tests.applications.serving import serving
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve"]

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
