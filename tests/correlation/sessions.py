"""What a person does with the real application, to be recorded."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from tests.correlation.client import Client

__all__ = ["SESSIONS"]


def found(pattern: str, page: str) -> str:
    """The first group of the first match: a link that a person clicks, a value a script reads."""
    match = re.search(pattern, page)
    assert match is not None, f"{pattern} is not in {page}"
    return match[1]


def admin(client: Client) -> None:
    """Log in to the Django admin, add a user, edit it, add a group, edit that, log out."""
    page = client.open("/admin/")
    client.submit(page, {"username": "admin", "password": "secret pass"})
    page = client.open("/admin/auth/user/add/")
    password = {"password1": "long enough 7", "password2": "long enough 7"}
    page = client.submit(page, {"username": "bob", "usable_password": "true", **password})
    client.submit(page, {"first_name": "Bob & Co", "email": "bob@example.com", "_save": "Save"})
    client.open("/admin/auth/group/")
    page = client.open("/admin/auth/group/add/")
    page = client.submit(page, {"name": "editors", "_save": "Save"})
    page = client.open(found(r'href="(/admin/auth/group/\d+/change/)"', page))
    client.submit(page, {"name": "chief editors", "_save": "Save"})
    page = client.open("/admin/")
    client.submit(page[: page.index("</form>")], {}, action="/admin/logout/")


def api(client: Client) -> None:
    """Get tokens, create an item, read, change and ship it, renew the token, list the items."""
    login = {"username": "admin", "password": "secret pass"}
    tokens = client.json("POST", "/api/token", login)
    client.headers["Authorization"] = f"Bearer {tokens['access_token']}"
    created = client.json("POST", "/api/items", {"name": "Tëapot", "quantity": 3, "size": "xl"})
    item = created["data"]
    target = f"/api/items/{item['id']}"
    client.json("GET", target)
    client.json("PUT", target, {"quantity": 4})
    client.json("POST", "/api/shipments", {"item_id": item["id"], "ref": item["ref"]})
    del client.headers["Authorization"]
    tokens = client.json("POST", "/api/token", {"refresh_token": tokens["refresh_token"]})
    client.headers["Authorization"] = f"Bearer {tokens['access_token']}"
    client.json("GET", "/api/items")


def board(client: Client) -> None:
    """Open the board, like it from a script, submit its form, follow a link."""
    page = client.open("/board/")
    key = found(r'"key": "([^"]+)"', page)
    client.json("POST", "/board/like", {"board": key}, X_CSRFToken=client.cookie("csrftoken"))
    page = client.open("/board/")
    token = found(r'name="csrf-token" content="([^"]+)"', page)
    client.json("POST", "/board/like", {"board": key}, X_CSRFToken=token)
    client.submit(page, {"title": "Plan for 2026", "note": "first line", "color": "blue"})
    page = client.open("/board/")
    client.open(found(r'<a href="([^"]+)"', page))


SESSIONS: Mapping[str, Callable[[Client], None]] = MappingProxyType(
    {"admin": admin, "api": api, "board": board}
)
