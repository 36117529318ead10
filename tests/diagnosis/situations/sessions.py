"""What people do at the shop, recorded by a client that speaks HTTP to it."""

from __future__ import annotations

import time

from tests.correlation.client import Client


def by_pages(client: Client, who: str = "username") -> None:
    """Log in, look at the account, order something, see the orders; ``who`` is how the form calls
    the user."""
    page = client.open("/login")
    client.submit(page, {who: "ann", "password": "ann-password"})
    client.send("GET", "/static/logo.png", headers={"Accept": "image/*"})
    page = client.open("/order/new")
    client.submit(page, {"title": "Tea for two", "quantity": "2"}, action="/order")
    client.open("/orders")


def by_new_pages(client: Client) -> None:
    """The same at the next version of the shop."""
    by_pages(client, "mail_or_name")


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


def by_notes(client: Client) -> None:
    """Change a note, of the state that was read, and a task, of the version that was read."""
    lines = {"Accept": "application/json", "Content-Type": "application/json"}
    etag = client.send("GET", "/notes/1", headers=lines).header("etag") or ""
    client.send("PUT", "/notes/1", b'{"text": "new"}', {**lines, "If-Match": etag})
    version = client.json("GET", "/tasks/1")["version"]
    client.json("PUT", "/tasks/1", {"text": "newer", "version": version})


def by_key(client: Client) -> None:
    """Ask for the stock with the key of a program, from a script."""
    lines = {"Accept": "application/json", "X-API-Key": "key-of-a-program"}
    client.send("GET", "/stock", headers={**lines, "X-Requested-With": "XMLHttpRequest"})


def by_links(client: Client) -> None:
    """Read two pages."""
    client.open("/home")
    client.open("/about/team")


def by_failing_links(client: Client) -> None:
    """Read two pages, of which the second one fails."""
    client.open("/home")
    client.send("GET", "/about/team", headers={"Accept": "text/html"}, expected=500)


def by_time(client: Client) -> None:
    """Call an API that wants to know when it is called."""
    for _ in range(2):
        client.json("GET", "/signed", X_Timestamp=str(int(time.time())))


def by_fastapi(client: Client) -> None:
    """Log in with OAuth2's password flow, ask who one is, order."""
    form = b"grant_type=password&username=ann&password=ann%27s"
    lines = {"Content-Type": "application/x-www-form-urlencoded"}
    token = client.send("POST", "/token", form, lines).json()["access_token"]
    client.json("GET", "/me", Authorization=f"Bearer {token}")
    client.json("POST", "/orders", Authorization=f"Bearer {token}")


def by_django(client: Client) -> None:
    """Log in to Django's admin, and add a group."""
    page = client.open("/admin/login/?next=/admin/")
    client.submit(page, {"username": "admin", "password": "correct-horse-battery"})
    page = client.open("/admin/auth/group/add/")
    client.submit(page[page.index("<form") :], {"name": "Editors"})
