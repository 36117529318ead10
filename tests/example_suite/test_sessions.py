"""The sessions that are recorded, driven without a recorder: by a script, by curl, by Chromium."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from example_suite import record_admin, record_api
from example_suite.server import ShopServer
from tests.example_suite.client import Client


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ShopServer]:
    """A fresh shop."""
    with ShopServer(tmp_path / "shop") as running:
        yield running


def test_the_api_session_uses_what_the_answers_give_it(server: ShopServer) -> None:
    """Seven requests, all well, four of them on an order whose id was made for it."""
    record_api.session(server.url)
    lines = [line.split() for line in server.requests()]
    assert [(method, status) for method, _, status in lines] == [
        ("POST", "200"), ("GET", "200"), ("POST", "201"), ("GET", "200"),
        ("PATCH", "200"), ("GET", "200"), ("DELETE", "204"),
    ]  # fmt: skip
    placed = {target for _, target, _ in lines if target.startswith("/api/orders/")}
    assert len(placed) == 1


def test_the_admin_session_edits_a_product_in_chromium(server: ShopServer) -> None:
    """After the session the product has its new name, and no request of it failed."""
    with record_admin.browser_page() as page:
        record_admin.session(page, server.url)
    assert [line for line in server.requests() if int(line.split()[-1]) >= 400] == []
    assert "POST /admin/shop/product/1/change/ 302" in server.requests()
    with Client(server.url) as client:
        assert "Large teapot" in client.get("/").text


def test_a_customer_orders_in_chromium(server: ShopServer) -> None:
    """Login form, the total that a script asks for, order, change, log out: all in the browser."""
    with record_admin.browser_page() as page:
        page.goto(f"{server.url}/products/2/")
        page.click("text=Log in to order")
        page.fill("[name=username]", "bob")
        page.fill("[name=password]", "bob-password")
        page.click("main button")
        assert page.title() == "Mug · Shop"
        page.fill("[name=quantity]", "3")
        page.fill("[name=note]", "Blue, please")
        page.wait_for_selector(".total:text('23.70')")
        page.click("main button")
        page.wait_for_selector(".message:text('Mug (3)')")
        page.fill("[name=quantity]", "4")
        page.click("main button")
        page.wait_for_selector("td:text('Mug (4)')")
        page.click("text=Log out bob")
        page.wait_for_selector("nav >> text=Log in")
    assert "GET /products/2/quote?quantity=3 200" in server.requests()
    assert [line for line in server.requests() if int(line.split()[-1]) >= 400] == []


def curl(*arguments: str) -> tuple[int, str, str]:
    """Status, ``WWW-Authenticate`` header and body of what curl got."""
    write = r"\n%{response_code}\n%header{www-authenticate}"
    run = subprocess.run(
        ["curl", "--silent", "--show-error", "--noproxy", "*", "--write-out", write, *arguments],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    body, status, challenge = run.stdout.rsplit("\n", 2)
    return int(status), challenge, body


def test_the_api_keeps_its_contract_with_curl(server: ShopServer) -> None:
    """Bearer token or 401 with its challenge; 201, 204, 400, 404, 405 where they are due."""
    api = f"{server.url}/api"
    login = '{"username": "carol", "password": "carol-password"}'
    assert curl(f"{api}/products")[:2] == (401, "Bearer")
    assert curl(f"{api}/token", "--data", '{"username": "carol"}')[:2] == (401, "Bearer")
    assert curl(f"{api}/token", "--data", "username=carol")[0] == 400
    status, _, body = curl(f"{api}/token", "--json", login)
    answer = json.loads(body)
    assert (status, answer["token_type"], answer["expires_in"]) == (200, "Bearer", 3600)

    bearer = ("-H", f"Authorization: Bearer {answer['access_token']}")
    assert curl(f"{api}/products", "-H", "Authorization: Bearer x")[:2] == (401, "Bearer")
    assert len(json.loads(curl(f"{api}/products", *bearer)[2])["products"]) == 8
    assert curl(f"{api}/orders", *bearer, "--json", '{"product": 99}')[0] == 400
    status, _, body = curl(f"{api}/orders", *bearer, "--json", '{"product": 3, "quantity": 2}')
    order = json.loads(body)
    assert (status, order["quantity"], order["total"]) == (201, 2, "10.40")

    mine = f"{api}/orders/{order['id']}"
    assert curl(mine)[:2] == (401, "Bearer")
    assert json.loads(curl(mine, *bearer)[2]) == order
    assert curl(mine, *bearer, "-X", "PATCH", "--json", '{"quantity": 100}')[0] == 400
    changed = curl(mine, *bearer, "-X", "PATCH", "--json", '{"note": "Ring twice"}')
    assert (changed[0], json.loads(changed[2])) == (200, order | {"note": "Ring twice"})
    assert curl(mine, *bearer, "-X", "PUT")[0] == 405
    assert curl(mine, *bearer, "-X", "DELETE") == (204, "", "")
    assert curl(mine, *bearer)[0] == 404
    assert json.loads(curl(f"{api}/orders", *bearer)[2]) == {"orders": []}
