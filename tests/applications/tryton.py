"""Tryton over JSON-RPC: sessions in base64, arguments by position, arrays of ids and commands."""

from __future__ import annotations

import base64
import contextlib
import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

from tests.applications.installed import make_environment, once, pip_install, run
from tests.applications.serving import serving
from tests.applications.state import State
from tests.applications.used import count_on_in_sqlite
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "Tryton 8.2, JSON-RPC"
BROWSER = False
UNIQUE: tuple[str, ...] = ("Drinks",)

_REQUIREMENTS = ("trytond==8.2.1", "trytond-party==8.2.0")
_PASSWORD = "correct-horse-battery"
_SETTINGS = "[database]\nuri = sqlite://\npath = {state}\n[web]\nlisten = 127.0.0.1:{port}\n"
#: One request after the other: in SQLite, Tryton gives two parties at once the same number.
_SERVER = """
from trytond.application import app
from werkzeug.serving import run_simple
run_simple("127.0.0.1", {port}, app)
"""
_STATE = """
SELECT 'party', name, active, '', '' FROM party_party
UNION ALL SELECT 'address', party_address.party_name, street_unstructured, party_address.active,
    party_party.name FROM party_address JOIN party_party ON party_party.id = party
UNION ALL SELECT 'contact', value, type, '', party_party.name
    FROM party_contact_mechanism JOIN party_party ON party_party.id = party
UNION ALL SELECT 'category', name, '', '', '' FROM party_category
UNION ALL SELECT 'in category', party_category.name, '', '', party_party.name
    FROM "party_party-party_category" JOIN party_party ON party_party.id = party
    JOIN party_category ON party_category.id = category
"""


def install() -> None:
    """An environment with Tryton, and an empty database, which takes ten seconds to make."""
    _installed()


def _installed() -> Path:
    def make(folder: Path) -> None:
        pip_install(make_environment(folder), *_REQUIREMENTS)
        settings = folder / "made.conf"
        settings.write_text(_SETTINGS.format(state=folder, port=0))
        (folder / "password").write_text(_PASSWORD)
        (folder / "tea.sqlite").touch()  # it makes no file by itself
        command = (str(folder / "bin" / "trytond-admin"), "-c", str(settings), "-d", "tea")
        options = ("-u", "party", "--activate-dependencies", "--email", "a@example.com")
        run(*command, *options, environment={"TRYTONPASSFILE": str(folder / "password")})

    return once("tryton", "\n".join(_REQUIREMENTS), make)


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """Parties, addresses and categories, and no one in them."""
    port = free_port()
    shutil.copy(_installed() / "tea.sqlite", state)
    settings = state / "trytond.conf"
    settings.write_text(_SETTINGS.format(state=state, port=port))
    environment = {"TRYTOND_CONFIG": str(settings), "TRYTOND_DATABASE_NAMES": "tea"}
    command = (str(_installed() / "bin" / "python"), "-c", _SERVER.format(port=port))
    url = f"http://127.0.0.1:{port}/"
    with serving(command, url, state=state, environment=environment) as base:
        yield base


def state(url: str, folder: Path) -> State:
    """Parties with what belongs to them, and the categories."""
    with contextlib.closing(sqlite3.connect(folder / "tea.sqlite")) as database:
        return State(Counter(map(repr, database.execute(_STATE))))


def use(url: str, folder: Path) -> None:
    """Others are there, too; one is no more."""
    count_on_in_sqlite(folder / "tea.sqlite")
    with _client(url) as client:
        call = _Session(client)
        sent = [{"name": f"Old {number}", "addresses": _created({})} for number in range(4)]
        made = call("model.party.party.create", sent)
        call("model.party.party.delete", made[-1:])
        call("model.party.category.create", [{"name": "Elsewhere"}])
        call("common.db.logout")


def _client(url: str) -> httpx.Client:
    return httpx.Client(base_url=url, timeout=60)


def _created(*rows: dict[str, object]) -> list[object]:
    return [["create", list(rows)]]


class _Session:
    """Calls of one who has signed in. As Tryton's clients do, each call has a number."""

    def __init__(self, client: httpx.Client) -> None:
        self._client, self._number, self._context = client, 0, None
        user, key, _ = self("common.db.login", "admin", {"password": _PASSWORD}, "en")
        secret = base64.b64encode(f"admin:{user}:{key}".encode()).decode()
        client.headers["Authorization"] = f"Session {secret}"
        self._context = self("model.res.user.get_preferences", True, {})

    def __call__(self, method: str, *parameters: object) -> Any:
        """What the call is answered with."""
        self._number += 1
        context = [self._context] if self._context and method.startswith("model") else []
        sent = {"id": self._number, "method": method, "params": [*parameters, *context]}
        answer = self._client.post("/tea/rpc/", json=sent).raise_for_status().json()
        assert "error" not in answer, answer
        return answer["result"]


def drive(url: str) -> None:
    """Categories and parties; addresses are added and changed; parties are found and deleted."""
    with _client(url) as client:
        call = _Session(client)
        names = ["name", "rec_name", "code", "addresses", "categories", "_timestamp"]

        def read(*ids: int) -> list[dict[str, Any]]:
            found: list[dict[str, Any]] = call("model.party.party.read", list(ids), names)
            return found

        (drinks,) = call("model.party.category.create", [{"name": "Drinks"}])
        (tea,) = call(
            "model.party.party.create",
            [{"name": "Tea House", "addresses": _created({"street": "1 Tea Lane"})}],
        )
        read(tea)
        cups, spoons = call(
            "model.party.party.create", [{"name": "Cups Ltd"}, {"name": "Spoon Co"}]
        )
        call("model.party.party.write", [tea, cups], {"categories": [["add", [drinks]]]})
        shown = read(tea, cups, spoons)
        (address,) = shown[0]["addresses"]
        call("model.party.address.write", [address], {"street": "2 Tea Lane", "party_name": "Kim"})
        call("model.party.address.read", [address], ["street", "party_name", "party"])
        added = {"addresses": _created({"street": "Back door"})}
        call("model.party.party.write", [cups], added, [spoons], {"name": "Spoon & Co"})
        found = call(
            "model.party.party.search", [["name", "=", "Cups Ltd"]], 0, 1, [["id", "DESC"]]
        )
        read(*found)
        contact = {"type": "email", "value": "kim@example.com", "party": tea}
        call("model.party.contact_mechanism.create", [contact])
        call("model.party.party.search_count", [["categories", "=", drinks]])
        (copy,) = call("model.party.party.copy", [tea], {"name": "Tea House, copied"})
        read(copy)
        call("model.party.party.delete", [spoons])
        call("model.party.party.search_read", [["id", "in", [tea, cups, copy]]], 0, 9, None, names)
        call("common.db.logout")
