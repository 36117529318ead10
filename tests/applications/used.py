"""Servers that have been used before: their databases go on counting elsewhere."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

from tests.applications.mariadb import rows

__all__ = ["count_on_in_mariadb", "count_on_in_sqlite"]

#: The first id of the first table that counts; each further one begins so much later.
_FIRST, _STEP = 217, 1_013


def count_on_in_sqlite(database: Path) -> None:
    """Each table that numbers its rows by AUTOINCREMENT goes on elsewhere."""
    with contextlib.closing(sqlite3.connect(database)) as one, one:
        query = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%AUTOINCREMENT%'"
        for number, (name,) in enumerate(one.execute(query).fetchall()):
            one.execute("DELETE FROM sqlite_sequence WHERE name = ?", (name,))
            first = _FIRST + _STEP * number
            one.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (name, first))


def count_on_in_mariadb(state: Path, database: str = "app") -> None:
    """Each table that numbers its rows goes on elsewhere."""
    query = (
        "SELECT table_name FROM information_schema.tables "
        f"WHERE table_schema = '{database}' AND auto_increment IS NOT NULL ORDER BY table_name"
    )
    names = rows(state, query, database).splitlines()
    change = "; ".join(
        f"ALTER TABLE `{name}` AUTO_INCREMENT = {_FIRST + _STEP * number}"
        for number, name in enumerate(names)
    )
    rows(state, change or "SELECT 1", database)
