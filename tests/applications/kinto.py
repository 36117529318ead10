"""Kinto: buckets, collections and records in JSON, with times as ETags."""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import httpx

from tests.applications.installed import python_environment, run
from tests.applications.serving import serving
from tests.applications.state import State
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "Kinto 26.5"
BROWSER = False
UNIQUE: tuple[str, ...] = ()
#: Credentials of HTTP authentication are no part of a test case: a person says who the users are.
IDENTITY = "test-case-configuration --share admin --password-env TEA_PASSWORD"

_REQUIREMENTS = ("kinto==26.5.0", "setuptools<80")
_TEA = "/v1/buckets/tea"
_PASSWORD = "correct-horse-battery"


def install() -> None:
    """An environment with Kinto."""
    _programs()


def _programs() -> Path:
    return python_environment("kinto", *_REQUIREMENTS)


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """A bucket with a collection of orders; everything is in the process's memory."""
    program, port = str(_programs() / "kinto"), free_port()
    ini = str(state / "kinto.ini")
    memory = ("--backend", "memory", "--cache-backend", "memory")
    run(program, "init", "--ini", ini, *memory, "--host", "127.0.0.1")
    command = (program, "start", "--ini", ini, "--port", str(port))
    os.environ["TEA_PASSWORD"] = _PASSWORD
    with serving(command, f"http://127.0.0.1:{port}/v1/", state=state) as url:
        httpx.put(f"{url}/v1/accounts/admin", json={"data": {"password": _PASSWORD}})
        with _client(url) as client:
            client.put(_TEA).raise_for_status()
            client.put(f"{_TEA}/collections/orders").raise_for_status()
        yield url


def _client(url: str) -> httpx.Client:
    return httpx.Client(base_url=url, auth=("admin", _PASSWORD))


def state(url: str, folder: Path) -> State:
    """The records of all collections, the groups and the names of the collections."""
    with _client(url) as client:

        def all_of(what: str) -> list[dict[str, object]]:
            found: list[dict[str, object]] = client.get(f"{_TEA}/{what}").json()["data"]
            return found

        rows = [
            f"{'orders' if one['id'] == 'orders' else one.get('label')}: {record['title']} "
            f"{record.get('quantity')} {record.get('status')}"
            for one in all_of("collections")
            for record in all_of(f"collections/{one['id']}/records")
        ]
        rows += [f"group {one['label']}: {one['members']}" for one in all_of("groups")]
        rows += [f"collection {one.get('label')}" for one in all_of("collections")]
    return State(Counter(rows))


def use(url: str, folder: Path) -> None:
    """Others have ordered, too; one order is no more."""
    with _client(url) as client:
        records = f"{_TEA}/collections/orders/records"
        for number in range(4):
            sent = {"title": f"Old {number}", "quantity": number, "status": "open"}
            made = client.post(records, json={"data": sent}).raise_for_status().json()["data"]
        client.delete(f"{records}/{made['id']}").raise_for_status()


def drive(url: str) -> None:
    """Orders are created, changed by their ETags, found and deleted; so are a shelf and a group."""
    with _client(url) as client:

        def call(method: str, path: str, data: object = None, **headers: str) -> httpx.Response:
            sent = {"data": data} if data is not None else None
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            return client.request(method, path, json=sent, headers=named).raise_for_status()

        records = f"{_TEA}/collections/orders/records"
        call("GET", "/v1/")
        call("GET", f"{_TEA}/collections")
        call("GET", records)
        order = {"title": "Tea House", "quantity": 1, "status": "open"}
        tea = call("POST", records, order).json()["data"]
        shown = call("GET", f"{records}/{tea['id']}")
        call("PATCH", f"{records}/{tea['id']}", {"quantity": 3}, If_Match=shown.headers["ETag"])
        cups = call("POST", records, {"title": "Cups Ltd", "quantity": 1, "status": "open"}).json()
        listed = call("GET", f"{records}?_sort=-last_modified&status=open").json()["data"]
        mine = next(one for one in listed if one["title"] == "Tea House")
        version = f'"{mine["last_modified"]}"'
        call("PUT", f"{records}/{mine['id']}", order | {"status": "sent"}, If_Match=version)
        call("GET", f"{records}/{tea['id']}")
        known = call("GET", records).headers["ETag"]
        call("DELETE", f"{records}/{cups['data']['id']}")
        call("GET", f"{records}?_since={known}")
        shelf = call("POST", f"{_TEA}/collections", {"label": "Shelf"}).json()["data"]["id"]
        lid = {"title": "Lid", "quantity": 2, "status": "new"}
        call("POST", f"{_TEA}/collections/{shelf}/records", lid)
        call("GET", f"{_TEA}/collections/{shelf}/records")
        group = call("POST", f"{_TEA}/groups", {"label": "Packers", "members": []}).json()["data"]
        call("PATCH", f"{_TEA}/groups/{group['id']}", {"members": ["account:kim"]})
        call("GET", f"{_TEA}/groups/{group['id']}")
        call("GET", records)
