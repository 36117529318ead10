"""A parcel office whose database is a file: it numbers what it gives out, and knows old numbers.

``python -m tests.console.office DATABASE FIRST`` prints its URL and serves until its standard input
is closed; numbers begin at FIRST if the database is new.
"""

from __future__ import annotations

import json
import re
import sqlite3
import sys
from collections.abc import Container, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from pytest_loadtool.workflow.files import write_evidence
from tests.correlation.client import Client
from tests.served import served

__all__ = ["FORM", "Office", "create", "record", "serving"]

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
_TABLES = """
create table parcels (number integer primary key, name text);
create table labels (parcel integer);
create table drawers (number integer primary key, used integer default 0);
create table depots (name text unique);
"""


@dataclass
class Office:
    """Where it is, and its database."""

    url: str
    database: Path
    requests: list[str] = field(default_factory=list)
    refused: Container[int] = ()
    """Which of the requests it answers 503, by their number from 0."""

    def ask(self, question: str) -> list[Any]:
        """The first column of what the database answers."""
        with closing(sqlite3.connect(self.database)) as database:
            return [row[0] for row in database.execute(question)]


def create(database: Path, first: int) -> Path:
    """A new database: the next parcel is ``first``, drawers begin there modulo 10."""
    with closing(sqlite3.connect(database)) as made, made:
        made.executescript(_TABLES)
        made.execute("insert into parcels values (?, 'an old one')", [first - 1])
        made.execute("insert into drawers(number) values (?)", [first % 10])
    return database


def _answer(office: Office, method: str, target: str, body: str) -> tuple[int, Any]:
    path = urlsplit(target).path
    form = {name: values[0] for name, values in parse_qs(body).items()}
    with closing(sqlite3.connect(office.database)) as database, database:
        one = database.execute
        if len(office.requests) - 1 in office.refused:
            return 503, {"error": "closed"}
        if (method, path) == ("POST", "/depots"):
            try:
                one("insert into depots values (?)", [form["name"]])
            except sqlite3.IntegrityError:
                return 409, {"error": "there is a depot of that name"}
            return 201, {"done": True}
        if (method, path) == ("POST", "/desk"):
            number = one("insert into parcels(name) values (?)", [form["name"]]).lastrowid or 0
            (shelf,) = one("select count(*) + 20 from labels").fetchone()
            return 201, {
                "number": number,
                "shelf": shelf,
                "zones": number + 300,
                "gate": number + 600,
            }
        if (method, path) == ("POST", "/rounds"):
            drawer = one("insert into drawers default values").lastrowid
            return 200, {"id": drawer}
        if (method, path) == ("GET", "/rounds"):
            return 200, {"round": {"id": one("select max(number) from drawers").fetchone()[0]}}
        if known := re.fullmatch(r"/parcels/(\d+)/label", path):
            if not one("select * from parcels where number = ?", [known[1]]).fetchall():
                return 404, {"error": "no such parcel"}
            one("insert into labels values (?)", [known[1]])
            return 200, {"done": True}
        if known := re.fullmatch(r"/drawers/(\d+)", path):
            changed = one("update drawers set used = used + 1 where number = ?", [known[1]])
            return (200 if changed.rowcount else 404), {"done": True}
        if path in ("/zones/418", "/zones/718", "/list"):
            return 200, {"done": True}
    return 404, {"error": "nothing here"}


@contextmanager
def serving(database: Path) -> Iterator[Office]:
    """The office on a port of its own."""
    office = Office("", database)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            """Nothing."""

        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
            office.requests.append(f"{self.command} {self.path} {body}".strip())
            status, said = _answer(office, self.command, self.path, body)
            text = json.dumps(said).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        do_GET = do_POST = do_PUT = answer  # noqa: N815  their names are given

    with served(Handler) as office.url:
        yield office


def record(office: Office, har: Path, *requests: str) -> Path:
    """Record what a client does; of each request the line and the form, with what an answer before
    gave out in braces: ``PUT /parcels/{number}/label``."""
    client = Client(office.url)
    known: dict[str, Any] = {}
    for request in requests:
        method, target, *form = request.format(**known).split(" ")
        client.send(method, target, "".join(form).encode(), FORM if form else {})
        answer = json.loads(client.exchanges[-1].response_body)
        known |= answer
    client.close()
    write_evidence(client.exchanges, har)
    return har


if __name__ == "__main__":
    place = Path(sys.argv[1])
    with serving(place if place.exists() else create(place, int(sys.argv[2]))) as one:
        sys.stdout.write(f"{one.url}\n")
        sys.stdout.flush()
        sys.stdin.read()
