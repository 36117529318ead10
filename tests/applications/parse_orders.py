"""Parse Server on PostgreSQL, by its own client in Chromium: ids of ten letters, all is POST."""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

from tests.applications import postgres
from tests.applications.browsing import recorded_page
from tests.applications.installed import node_modules
from tests.applications.serving import serving
from tests.applications.state import State
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "Parse Server 9.10, its own client"
BROWSER = True
UNIQUE: tuple[str, ...] = ("kim-orders",)

_REQUIREMENTS = ("parse-server@9.10.0", "express@5")
_SERVED = Path(__file__).parent / "served"
_MASTER = {"X-Parse-Application-Id": "tea", "X-Parse-Master-Key": "master"}
_STEPS = (
    """Parse.User.signUp("kim-orders", "correct-horse-battery", {team: "packers"})""",
    "Parse.User.logOut()",
    """Parse.User.logIn("kim-orders", "correct-horse-battery")""",
    """save("Order", {title: "Green tea", cups: 12, state: "open"})""",
    """save("Order", {title: "Black tea", cups: 4, state: "open"})""",
    """save("Order", {title: "Sugar", cups: 1, state: "open"})""",
    """save("Order", {title: "Milk", cups: 1, state: "open"})""",
    """save("Customer", {title: "Tea House Ltd", city: "London"})""",
    """change("Order", "Green tea", async one => {
        one.set("customer", await mine("Customer", "Tea House Ltd"));
        one.set("state", "packed"); one.increment("cups"); one.add("notes", "Ring twice")})""",
    """list("Order")""",
    """change("Order", "Black tea", one => {
        const acl = new Parse.ACL(Parse.User.current()); acl.setPublicReadAccess(true);
        one.setACL(acl); one.unset("cups")})""",
    """(async () => save("Parcel", {title: "First parcel", order: await mine("Order", "Green tea"),
        by: Parse.User.current(), at: new Parse.GeoPoint(51.5, -0.1)}))()""",
    """change("Parcel", "First parcel", async one => {
        one.relation("beside").add(await mine("Order", "Milk")); one.set("state", "sent")})""",
    """(async () => (await mine("Order", "Sugar")).destroy())()""",
    """(async () => new Parse.Query("Parcel").include("order")
        .equalTo("order", await mine("Order", "Green tea")).first())()""",
    """(async () => new Parse.Query("Order").get((await mine("Order", "Green tea")).id))()""",
    """new Parse.Query("Order").containedIn("title", ["Milk", "Sugar"]).count()""",
    """list("Order")""",
    """Parse.User.current().save({team: "tasters"})""",
    """Parse.User.current().fetch()""",
    "Parse.User.logOut()",
)


def install() -> None:
    """Parse Server from npm, PostgreSQL as a Debian package."""
    _modules()
    postgres.install()


def _modules() -> Path:
    return node_modules("parse-server", *_REQUIREMENTS)


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """A new database, and a page with the client."""
    port, modules = free_port(), _modules()
    (state / "served.mjs").write_text((_SERVED / "parse_server.mjs").read_text())
    (state / "node_modules").symlink_to(modules)
    page = str(_SERVED / "parse_page.html")
    command = ("node", str(state / "served.mjs"), str(port), str(state), page)
    url = f"http://127.0.0.1:{port}/parse/health"
    with serving(postgres.with_database(state, command), url, state=state) as base:
        yield base


def _rest(url: str, method: str, path: str, sent: object = None) -> Any:
    address = f"{url}/parse/{path}"
    answer = httpx.request(method, address, headers=_MASTER, json=sent, timeout=60)
    return answer.raise_for_status().json()


def state(url: str, folder: Path) -> State:
    """All things of the users, with the names of those to which they point."""
    rows: Counter[str] = Counter()
    things = {kind: _rest(url, "GET", f"{kind}?limit=1000")["results"] for kind in _KINDS}
    names = {one["objectId"]: _name(one) for found in things.values() for one in found}
    for kind, found in things.items():
        for one in found:
            kept = {key: value for key, value in one.items() if key not in _OWN}
            kept["acl"] = sorted(names.get(key, key) for key in one.get("ACL", {}))
            if kind.endswith("Parcel"):
                parcel = {"__type": "Pointer", "className": "Parcel", "objectId": one["objectId"]}
                query = json.dumps({"$relatedTo": {"object": parcel, "key": "beside"}})
                beside = _rest(url, "GET", f"classes/Order?where={query}")["results"]
                kept["beside"] = sorted(map(_name, beside))
            for key, value in kept.items():
                if isinstance(value, dict) and value.get("__type") == "Pointer":
                    kept[key] = names.get(value["objectId"], "?")
            rows[f"{kind} {json.dumps(kept, sort_keys=True)}"] += 1
    return State(rows)


_KINDS = ("users", "classes/Order", "classes/Customer", "classes/Parcel")
_OWN = frozenset({"objectId", "createdAt", "updatedAt", "ACL"})


def _name(one: dict[str, Any]) -> str:
    return str(one.get("title") or one.get("username"))


def use(url: str, folder: Path) -> None:
    """Others have orders and parcels, before and behind."""
    for number in range(3):
        for kind in ("Order", "Customer", "Parcel"):
            _rest(url, "POST", f"classes/{kind}", {"title": f"Old {number}", "state": "open"})


def drive(url: str) -> None:
    """Orders, a customer and a parcel are made, changed, joined; one is deleted."""
    with recorded_page() as page:
        page.goto(url)
        for step in _STEPS:
            page.evaluate(f"async () => {{ await {step}; }}")
