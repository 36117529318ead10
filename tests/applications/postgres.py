"""A PostgreSQL of its own for an application, on a socket in its folder."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from pathlib import Path

from tests.applications.installed import run

__all__ = ["install", "rows", "with_database"]

_ROOT = Path(__file__).parents[2]


def install() -> None:
    """PostgreSQL as a Debian package, for the whole machine."""
    if not list(Path("/usr/lib/postgresql").glob("*/bin/postgres")):
        run("bash", ".ci/apt.sh", "postgresql", folder=_ROOT)


def _program(name: str) -> str:
    return str(sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))[-1])


def with_database(state: Path, command: tuple[str, ...], schema: str = "") -> tuple[str, ...]:
    """A command that makes a database with that schema, and serves it while it runs ``command``.

    Anybody on the machine is its user ``postgres``. PostgreSQL refuses to be root's.
    """
    (state / "schema.sql").write_text(schema)
    (state / "data").mkdir()
    for one in (state, state / "data"):
        shutil.chown(one, "postgres", "postgres")
    as_postgres = ("setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups")
    made = (*as_postgres, _program("initdb"), "--no-sync", "-A", "trust", "-D")
    server = (
        *(*as_postgres, _program("postgres"), "-D", str(state / "data"), "-k", str(state)),
        *("-c", "listen_addresses=", "-c", "fsync=off"),
    )
    ask = ("psql", "-q", "-h", str(state), "-U", "postgres", "-v", "ON_ERROR_STOP=1")
    script = (
        "set -e",
        f"chmod a+x {shlex.quote(str(state.parent))}",
        shlex.join((*made, str(state / "data"))),
        f"{shlex.join(server)} &",
        f"until {shlex.join((*ask, '-c', 'SELECT 1'))}; do sleep 0.1; done",
        shlex.join((*ask, "-f", str(state / "schema.sql"))),
        f"exec {shlex.join(command)}",
    )
    return ("bash", "-c", "\n".join(script))


def dumping(state: Path, command: tuple[str, ...]) -> tuple[str, ...]:
    """That command, for `with_database`: what then is in the database is in ``dumped.sql``, as a
    schema for others, and the database is stopped."""
    dump = ("pg_dump", "-h", str(state), "-U", "postgres", "-f", str(state / "dumped.sql"))
    as_postgres = ("setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups")
    stop = (*as_postgres, _program("pg_ctl"), "stop", "-m", "fast", "-D", str(state / "data"))
    return ("bash", "-c", " && ".join(map(shlex.join, (command, dump, stop))))


def rows(state: Path, query: str) -> str:
    """What a query finds in a database that is served from that folder, a line for each row."""
    command = ("psql", "-h", str(state), "-U", "postgres", "-t", "-A", "-c", query)
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
