"""A MariaDB of its own for an application, on a socket in its folder."""

from __future__ import annotations

import subprocess
from pathlib import Path
from shlex import join, quote

__all__ = ["PACKAGE", "SOCKET", "rows", "with_database"]

PACKAGE = "mariadb-server"
#: In the folder of the application's state; user ``root`` without a password, database ``app``.
SOCKET = "mariadb.sock"


def with_database(state: Path, *commands: tuple[str, ...]) -> tuple[str, ...]:
    """A command that makes an empty database and serves it while it runs ``commands``.

    One after the other, while each succeeds. MariaDB ends with the process group.
    """
    data, socket = state / "database", state / SOCKET
    # Many small databases on one machine: no log of 96 MB in each.
    size = "--innodb-log-file-size=8M"
    as_anybody = ("--no-defaults", "--user=root", f"--datadir={data}", size)
    make = ("mariadb-install-db", "--auth-root-authentication-method=normal", "--skip-test-db")
    server = ("mariadbd", *as_anybody, f"--socket={socket}", "--skip-networking")
    ask = ("mariadb", "--no-defaults", f"--socket={socket}", "--user=root", "-e")
    script = (
        "set -e; PATH=$PATH:/usr/sbin",
        f"export TMPDIR={quote(str(state))}",  # two that are made at once share no table there
        join((make[0], *as_anybody, *make[1:])),
        f"{join(server)} &",
        f"until {join((*ask, 'CREATE DATABASE app'))}; do sleep 0.1; done",
        *map(join, commands),
    )
    return ("bash", "-c", "\n".join(script))


def rows(state: Path, query: str, database: str = "app") -> str:
    """What a query finds in a database that is served from that folder, a line for each row."""
    client = ("mariadb", "--no-defaults", f"--socket={state / SOCKET}", "--user=root")
    command = (*client, "--skip-column-names", database, "-e", query)
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
