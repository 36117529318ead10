"""FastAPI with OAuth2's password flow: bearer tokens, a refresh token, ids that calls return."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import httpx

from tests.applications.installed import python_environment
from tests.applications.serving import serving_asgi
from tests.applications.state import State

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "FastAPI with OAuth2"
BROWSER = False
UNIQUE: tuple[str, ...] = ()

_REQUIREMENTS = (
    "fastapi==0.165.0",
    "uvicorn==0.54.0",
    "pyjwt==2.15.1",
    "pwdlib[argon2]==0.3.1",
    "python-multipart>=0.0.20",
)


def install() -> None:
    """An environment with FastAPI and uvicorn."""
    _programs()


def _programs() -> Path:
    return python_environment("fastapi-oauth2", *_REQUIREMENTS)


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """Everything is in the process's memory, its secret key too."""
    with serving_asgi(_programs(), "fastapi_oauth2:app", state=state) as url:
        yield url


def state(url: str, folder: Path) -> State:
    """What was done to items and comments."""
    return State(Counter(httpx.get(f"{url}/journal").json()))


def use(url: str, folder: Path) -> None:
    """Somebody else's items, of which one is no more, and a comment."""
    with httpx.Client(base_url=url) as client:
        typed = {"grant_type": "password", "username": "johndoe", "password": "secret"}
        token = client.post("/token", data=typed).json()["access_token"]
        client.headers["Authorization"] = f"Bearer {token}"
        for title in ("Saucer", "Spoon", "Sieve"):
            item = client.post("/items/", json={"title": title, "price": 2}).json()["id"]
        client.post("/comments/", json={"text": "Shiny", "item_id": 1})
        client.delete(f"/items/{item}")


def drive(url: str) -> None:
    """Two items and a comment: created, read, changed and deleted, with a refresh in between."""
    with httpx.Client(base_url=url) as client:

        def call(method: str, path: str, status: int = 200, **arguments: object) -> httpx.Response:
            response = client.request(method, path, **arguments)  # type: ignore[arg-type]
            assert response.status_code == status, f"{method} {path}: {response.text}"
            return response

        def authorize(response: httpx.Response) -> str:
            tokens = response.json()
            client.headers["Authorization"] = f"Bearer {tokens['access_token']}"
            return str(tokens["refresh_token"])

        call("GET", "/openapi.json")
        call("GET", "/users/me/", 401)
        typed = {"grant_type": "password", "username": "johndoe", "password": "secret"}
        refresh = authorize(call("POST", "/token", data=typed))
        call("GET", "/users/me/")
        call("GET", "/users/me/items/")
        teapot = call("POST", "/items/", 201, json={"title": "Teapot", "price": 29.5}).json()["id"]
        call("GET", f"/items/{teapot}")
        call("PUT", f"/items/{teapot}", json={"title": "Large teapot", "price": 34})
        cup = call("POST", "/items/", 201, json={"title": "Cup", "price": 4}).json()["id"]
        text = "Keeps warm, 100% of the time"
        sent = {"text": text, "item_id": teapot}
        comment = call("POST", "/comments/", 201, json=sent).json()["comment_id"]
        call("GET", f"/items/{teapot}/comments/{comment}")
        refresh = authorize(call("POST", "/token/refresh", json={"refresh_token": refresh}))
        call("GET", "/users/me/items/")
        call("GET", f"/items/{cup}")
        call("DELETE", f"/comments/{comment}", 204)
        call("DELETE", f"/items/{cup}", 204)
        call("GET", "/users/me/items/")
        call("DELETE", f"/items/{teapot}", 204)
        call("GET", f"/items/{teapot}", 404)
        call("POST", "/logout", 204, json={"refresh_token": refresh})
        call("GET", "/users/me/", 401)
