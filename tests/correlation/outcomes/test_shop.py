"""Real sessions with a shop whose changes can be made to do nothing: that is red, and named."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from pytest_loadtool.editing.unique_values import make_unique
from pytest_loadtool.engine.functional import replay_once
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.recording import build_case
from pytest_loadtool.replay import compile_case
from tests.correlation.client import Client
from tests.correlation.outcomes.shop import Shop, serving
from tests.correlation.talk import configure
from tests.observed import Observed

JSON = {"Content-Type": "application/json"}


def by_api(client: Client) -> None:
    """Orders something, changes it, ships it, drops it; looks at it after each."""

    def send(method: str, path: str, value: object = None, *, expected: int = 0) -> bytes:
        body = b"" if value is None else json.dumps(value).encode()
        return client.send(method, path, body, JSON, expected=expected).text.encode()

    send("GET", "/api/orders")
    number = json.loads(send("POST", "/api/orders", {"name": "Tea House", "quantity": 2}))["id"]
    send("GET", f"/api/orders/{number}")
    send("PATCH", f"/api/orders/{number}", {"quantity": 3})
    send("GET", "/api/orders")
    send("POST", f"/api/orders/{number}/ship")
    send("GET", "/api/orders")
    send("DELETE", f"/api/orders/{number}")
    send("GET", "/api/orders")


def by_pages(client: Client) -> None:
    """The same as a browser does it."""
    client.open("/orders")
    page = client.open("/orders/new")
    client.submit(page, {"name": "Tea & Cups"}, action="/orders")
    number = client.page.rpartition("/")[2]
    client.open("/orders")
    page = client.open(f"/orders/{number}")
    client.submit(page, {"name": "O'Neill's"}, action=f"/orders/{number}/edit")
    page = client.open(f"/orders/{number}")
    client.submit(page, {}, action=f"/orders/{number}/delete")


SESSIONS: dict[str, Callable[[Client], None]] = {"api": by_api, "pages": by_pages}
#: By session and what does nothing: the change that is to blame.
SABOTAGE = {
    ("api", "add"): "POST /api/orders",
    ("api", "change"): "PATCH /api/orders/${order_id[1]}",
    ("api", "ship"): "POST /api/orders/${order_id[1]}/ship",
    ("api", "drop"): "DELETE /api/orders/${order_id[1]}",
    ("pages", "add"): "POST /orders",
    ("pages", "change"): "POST /orders/${order_id[1]}/edit",
    ("pages", "drop"): "POST /orders/${order_id[1]}/delete",
}


@pytest.fixture(scope="module")
def cases() -> dict[str, TestCase]:
    """The sessions, recorded on a fresh server and configured."""
    made = {}
    for name, session in SESSIONS.items():
        with serving(Shop()) as url:
            client = Client(url)
            session(client)
            client.close()
        exchanges = tuple(client.exchanges)
        made[name] = configure(build_case(exchanges, name=name).case, exchanges).case
    return made


def failures(case: TestCase, shop: Shop) -> list[str]:
    observed = Observed()
    with serving(shop) as url:
        replay_once(compile_case(case, server=url), observer=observed)
    return [failure.message for each in observed.failures for failure in each]


def used() -> Shop:
    """A shop in which others have ordered."""
    shop = Shop(first_id=71)
    for name in ("Milk", "Tea House", "Tea & Cups", "O'Neill's"):
        shop.add(name)
    return shop


@pytest.mark.parametrize("make", [Shop, used], ids=["fresh", "used"])
@pytest.mark.parametrize("name", SESSIONS)
def test_green_where_it_happened(
    name: str, make: Callable[[], Shop], cases: dict[str, TestCase]
) -> None:
    """Twice on the same server, too; which is as it was before."""
    shop = make()
    before = dict(shop.orders)
    assert failures(cases[name], shop) == []
    assert failures(cases[name], shop) == []
    assert shop.orders == before


@pytest.mark.parametrize("make", [Shop, used], ids=["fresh", "used"])
@pytest.mark.parametrize(("name", "idle"), SABOTAGE)
def test_a_change_that_does_nothing_is_red(
    name: str, idle: str, make: Callable[[], Shop], cases: dict[str, TestCase]
) -> None:
    """The first failure is that of the change, whatever its answer said."""
    shop = make()
    shop.idle.add(idle)
    told = failures(cases[name], shop)
    assert told
    assert told[0].startswith(f"{SABOTAGE[name, idle]} did not take effect: not so: ")


@pytest.mark.parametrize("name", SESSIONS)
def test_outcomes_follow_what_is_sent(name: str, cases: dict[str, TestCase]) -> None:
    """A name of each user's own is looked for, not the one that was recorded."""
    unique = make_unique(cases[name], {"api": "Tea House", "pages": "Tea & Cups"}[name])
    assert unique is not None
    assert failures(unique.case, used()) == []
    shop = used()
    shop.idle.add("add")
    assert failures(unique.case, shop)[0].startswith(SABOTAGE[name, "add"])
