"""PouchDB Server: documents whose revisions each change has to name, over CouchDB's API."""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import httpx

from tests.applications.installed import node_modules
from tests.applications.serving import serving
from tests.applications.state import State
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "PouchDB Server 4.2"
BROWSER = False
UNIQUE: tuple[str, ...] = ("order-tea-house",)

_REQUIREMENTS = ("pouchdb-server@4.2.0",)


def install() -> None:
    """The package from npm."""
    node_modules("pouchdb-server", *_REQUIREMENTS)


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """A database of orders, in memory."""
    program = node_modules("pouchdb-server", *_REQUIREMENTS) / ".bin" / "pouchdb-server"
    port = free_port()
    options = ("--host", "127.0.0.1", "--port", str(port), "--in-memory", "--no-stdout-logs")
    command = ("node", str(program), *options)
    with serving(command, f"http://127.0.0.1:{port}/", state=state) as url:
        httpx.put(f"{url}/orders").raise_for_status()
        yield url


def state(url: str, folder: Path) -> State:
    """The documents without their ids and revisions."""
    listed = httpx.get(f"{url}/orders/_all_docs?include_docs=true").json()["rows"]
    return State(
        Counter(
            json.dumps(
                {
                    key: value
                    for key, value in one["doc"].items()
                    if key != "_rev" and (key != "_id" or value.startswith("order"))
                },
                sort_keys=True,
            )
            for one in listed
        )
    )


def use(url: str, folder: Path) -> None:
    """Others have ordered; one order is no more."""
    for number in range(4):
        made = httpx.post(f"{url}/orders", json={"title": f"Old {number}"}).json()
    httpx.delete(f"{url}/orders/{made['id']}", params={"rev": made["rev"]}).raise_for_status()


def drive(url: str) -> None:
    """An order under a name of its own, two that the server names, three at once."""
    with httpx.Client(base_url=url) as client:

        def call(method: str, path: str, sent: object = None, **query: str) -> httpx.Response:
            answer = client.request(method, f"/orders{path}", json=sent, params=query or None)
            return answer.raise_for_status()

        client.get("/").raise_for_status()
        call("GET", "")
        call("GET", "/_all_docs")
        order = {"title": "Tea House", "quantity": 1, "status": "open"}
        call("PUT", "/order-tea-house", order)
        shown = call("GET", "/order-tea-house").json()
        call("PUT", "/order-tea-house", shown | {"quantity": 3})
        cups = call("POST", "", {"title": "Cups Ltd", "quantity": 1, "status": "open"}).json()
        spoons = call("POST", "", {"title": "Spoon & Co", "quantity": 6, "status": "open"}).json()
        sent = {"_rev": cups["rev"], "title": "Cups Ltd", "quantity": 1, "status": "sent"}
        call("PUT", f"/{cups['id']}", sent)
        listed = call("GET", "/_all_docs", include_docs="true").json()["rows"]
        mine = next(one["doc"] for one in listed if one["doc"]["title"] == "Spoon & Co")
        call("DELETE", f"/{mine['_id']}", rev=mine["_rev"])
        call("GET", "/_all_docs")
        many = [{"title": f"Saucer {number}", "status": "open"} for number in range(3)]
        made = call("POST", "/_bulk_docs", {"docs": many}).json()
        call("GET", "/_all_docs", include_docs="true")
        changed = [
            {"_id": one["id"], "_rev": one["rev"], "title": old["title"], "status": "packed"}
            for one, old in zip(made, many, strict=True)
        ]
        call("POST", "/_bulk_docs", {"docs": changed})
        call("GET", f"/{spoons['id']}", rev=spoons["rev"])
        call("GET", f"/{cups['id']}")
        call("GET", "/order-tea-house")
        call("POST", "/_all_docs", {"keys": [one["id"] for one in made]}, include_docs="true")
        call("GET", "/_all_docs", include_docs="true")
