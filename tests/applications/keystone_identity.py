"""Keystone, OpenStack's identities, asked by its own client: tokens come and go in headers."""

from __future__ import annotations

import base64
import contextlib
import os
import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.applications.installed import once, python_environment, run
from tests.applications.serving import serving
from tests.applications.state import State
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "OpenStack Keystone 28"
BROWSER = False
#: A domain is there once.
UNIQUE: tuple[str, ...] = ("tea-company",)

_REQUIREMENTS = ("keystone==28.0.0", "python-keystoneclient==6.0.0", "waitress==3.0.2")
_CLIENT = str(Path(__file__).parent / "served" / "keystone_client.py")
_PASSWORD = "correct-horse-battery"
_SETTINGS = """\
[database]
connection = sqlite:///{state}/keystone.sqlite?timeout=120
[fernet_tokens]
key_repository = {state}/tokens
[credential]
key_repository = {state}/credentials
"""
#: It reads the arguments of the command line itself, and SQLite has one writer at a time.
_SERVER = """\
import sys, waitress
port = sys.argv.pop()
from keystone.wsgi.api import application
waitress.serve(application, host="127.0.0.1", port=port, threads=1)
"""
_ROWS = (
    "SELECT 'domain', name, description, '' FROM project WHERE is_domain",
    "SELECT 'project', one.name, one.description, all_of.name FROM project AS one"
    " JOIN project AS all_of ON all_of.id = one.domain_id WHERE NOT one.is_domain",
    "SELECT 'user', local_user.name, user.extra, project.name FROM local_user"
    " JOIN user ON user.id = user_id JOIN project ON project.id = local_user.domain_id",
    "SELECT 'group', \"group\".name, description, (SELECT group_concat(name) FROM"
    " (SELECT name FROM user_group_membership AS one JOIN local_user ON local_user.user_id ="
    ' one.user_id WHERE one.group_id = "group".id ORDER BY name)) FROM "group"',
    'SELECT assignment.type, role.name, project.name, coalesce(local_user.name, "group".name)'
    " FROM assignment JOIN role ON role.id = role_id JOIN project ON project.id = target_id"
    " LEFT JOIN local_user ON local_user.user_id = actor_id"
    ' LEFT JOIN "group" ON "group".id = actor_id',
    "SELECT 'credential', type, local_user.name, '' FROM credential"
    " JOIN local_user ON local_user.user_id = credential.user_id",
)


def install() -> None:
    """An environment with Keystone and its client."""
    _programs()


def _programs() -> Path:
    return python_environment("keystone", *_REQUIREMENTS)


def _database() -> Path:
    """One with an administrator alone, which takes a while to make."""

    def make(folder: Path) -> None:
        settings = _configured(folder)
        manage = (str(_programs() / "keystone-manage"), "--config-file", str(settings))
        run(*manage, "db_sync")
        run(*manage, "bootstrap", "--bootstrap-password", _PASSWORD)

    return once("keystone-database", "\n".join(_REQUIREMENTS), make) / "keystone.sqlite"


def _configured(folder: Path) -> Path:
    """The settings there, with new keys for tokens and credentials."""
    for name in ("tokens", "credentials"):
        (folder / name).mkdir(mode=0o700)
        for number in "01":
            (folder / name / number).write_bytes(base64.urlsafe_b64encode(os.urandom(32)))
    settings = folder / "keystone.conf"
    settings.write_text(_SETTINGS.format(state=folder))
    return settings


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """Keystone with an administrator alone."""
    shutil.copy(_database(), state)
    _configured(state)
    port = free_port()
    command = (str(_programs() / "python"), "-c", _SERVER, str(port))
    environment = {"OS_KEYSTONE_CONFIG_DIR": str(state)}
    where = f"http://127.0.0.1:{port}/v3"
    with serving(command, where, state=state, environment=environment) as url:
        yield url


def state(url: str, folder: Path) -> State:
    """Domains, projects, users, groups with their members, and what they may."""
    with contextlib.closing(sqlite3.connect(folder / "keystone.sqlite", timeout=60)) as database:
        return State(Counter(str(row) for query in _ROWS for row in database.execute(query)))


def use(url: str, folder: Path) -> None:
    """Others have a domain, a project and a user."""
    run(str(_programs() / "python"), _CLIENT, url, "use")


def drive(url: str) -> None:
    """A domain with projects, a group, users and what they may; one of them looks, one goes."""
    run(str(_programs() / "python"), _CLIENT, url, "session")
