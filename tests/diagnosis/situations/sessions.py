"""What people do at the shop, recorded by a client that speaks HTTP to it."""

from __future__ import annotations

from tests.correlation.client import Client


def by_pages(client: Client) -> None:
    """Log in, look at the account, order something, see the orders."""
    page = client.open("/login")
    client.submit(page, {"username": "ann", "password": "ann-password"})
    client.send("GET", "/static/logo.png", headers={"Accept": "image/*"})
    page = client.open("/order/new")
    client.submit(page, {"title": "Tea for two", "quantity": "2"}, action="/order")
    client.open("/orders")


def by_api(client: Client) -> None:
    """Get a token, list items, add one, read it."""
    who = {"username": "ann", "password": "ann-password"}
    token = client.json("POST", "/api/token", who)["access_token"]
    bearer = f"Bearer {token}"
    csrf = client.json("GET", "/api/items", Authorization=bearer)["csrf"]
    item = {"name": "Kettle", "quantity": 3}
    added = client.json("POST", "/api/items", item, Authorization=bearer, X_CSRF_Token=csrf)
    client.json("GET", f"/api/items/{added['id']}", Authorization=bearer)


def by_soap(client: Client) -> None:
    """Ask for the stock."""
    body = b"<Envelope><Body><Stock/></Body></Envelope>"
    for _ in range(2):
        client.send("POST", "/soap", body, {"Content-Type": "text/xml"})
