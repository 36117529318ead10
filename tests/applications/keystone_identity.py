"""Keystone of OpenStack: its own client; tokens in headers, three ids in one address."""

from __future__ import annotations

import contextlib
import shlex
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.applications import postgres
from tests.applications.installed import make_environment, once, pip_install, run
from tests.applications.serving import serving
from tests.applications.state import State
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "Keystone 29, OpenStack"
BROWSER = False
UNIQUE: tuple[str, ...] = (
    *("tea-house", "tea-cellar", "lou-packs", "max-packs", "tea-packers", "tea-packing"),
)
SESSIONS = 1

_REQUIREMENTS = (
    *("keystone==29.0.0", "python-keystoneclient==5.8.0"),
    *("psycopg2-binary==2.9.13", "waitress==3.0.2"),
)
_CLIENT = str(Path(__file__).parent / "served" / "keystone_client.py")
_SETTINGS = """\
[database]
connection = postgresql+psycopg2://postgres@/postgres?host={state}
[fernet_tokens]
key_repository = {state}/tokens
[fernet_receipts]
key_repository = {state}/tokens
[credential]
key_repository = {state}/credentials
[identity]
password_hash_rounds = 4
"""
#: It reads the command line itself.
_SERVER = """
import sys
from keystone.server.wsgi import initialize_public_application
from waitress import serve
port = int(sys.argv.pop())
serve(initialize_public_application(), host="127.0.0.1", port=port, threads=10)
"""
_STATE = """
SELECT 'project', name, description, enabled FROM project;
SELECT 'user', local_user.name, "user".enabled, "user".extra, project.name
  FROM "user" JOIN local_user ON local_user.user_id = "user".id
  LEFT JOIN project ON project.id = default_project_id;
SELECT 'role', name, description FROM role;
SELECT 'group', name, description FROM "group";
SELECT 'member', local_user.name, "group".name FROM user_group_membership AS one
  JOIN "group" ON "group".id = one.group_id JOIN local_user ON local_user.user_id = one.user_id;
SELECT 'granted', one.type, role.name,
  coalesce((SELECT name FROM local_user WHERE user_id = actor_id),
    (SELECT name FROM "group" WHERE id = actor_id)),
  (SELECT name FROM project WHERE id = target_id)
  FROM assignment AS one JOIN role ON role.id = role_id;
SELECT 'service', type, enabled, extra FROM service;
SELECT 'endpoint', interface, url, service.type, endpoint.enabled
  FROM endpoint JOIN service ON service.id = service_id WHERE service.type <> 'identity';
"""


def install() -> None:
    """An environment with it, its client and waitress, and an empty database."""
    _folder()


def _manage(folder: Path, settings: Path, *command: str) -> None:
    run(str(folder / "bin" / "keystone-manage"), "--config-file", str(settings), *command)


def _folder() -> Path:
    def make(folder: Path) -> None:
        pip_install(make_environment(folder), *_REQUIREMENTS)
        with tempfile.TemporaryDirectory() as made:  # PostgreSQL sees no folder of root's
            settings = Path(made) / "keystone.conf"
            settings.write_text(_SETTINGS.format(state=made))
            sync = (str(folder / "bin" / "keystone-manage"), "--config-file", str(settings))
            command = postgres.dumping(Path(made), (*sync, "db_sync"))
            run(*postgres.with_database(Path(made), command))
            shutil.copy(Path(made) / "dumped.sql", folder)

    return once("keystone", "\n".join((*_REQUIREMENTS, _SETTINGS)), make)


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """A copy of the empty database, with an administrator and keys of its own."""
    folder, port = _folder(), free_port()
    settings = state / "keystone.conf"
    settings.write_text(_SETTINGS.format(state=state))
    for name in ("tokens", "credentials"):
        (state / name).mkdir(mode=0o700)
    as_root = ("--keystone-user", "root", "--keystone-group", "root")
    _manage(folder, settings, "fernet_setup", *as_root)
    _manage(folder, settings, "credential_setup", *as_root)
    public = f"http://127.0.0.1:{port}/v3/"
    named = ("--bootstrap-password", "correct-horse-battery", "--bootstrap-region-id", "tea")
    bootstrap = ("bootstrap", *named, "--bootstrap-public-url", public)
    server = (str(folder / "bin" / "python"), "-c", _SERVER, str(port))
    begin = (str(folder / "bin" / "keystone-manage"), "--config-file", str(settings), *bootstrap)
    both = ("bash", "-c", f"{shlex.join(begin)} && exec {shlex.join(server)}")
    command = postgres.with_database(state, both, (folder / "dumped.sql").read_text())
    environment = {"OS_KEYSTONE_CONFIG_FILES": str(settings), "OS_KEYSTONE_CONFIG_DIR": str(state)}
    with serving(command, public, state=state, environment=environment) as url:
        yield url


def state(url: str, folder: Path) -> State:
    """Projects, users, groups with members, roles and who has them, services with endpoints."""
    return State(Counter(postgres.rows(folder, _STATE).splitlines()))


def _client(url: str, what: str) -> None:
    run(str(_folder() / "bin" / "python"), _CLIENT, url, what)


def use(url: str, folder: Path) -> None:
    """Others have projects, users and services."""
    _client(url, "use")


def drive(url: str) -> None:
    """Two projects, two users, a group and roles: one is taken back, one user deleted."""
    _client(url, "session")
