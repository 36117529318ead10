"""json-server: a REST API of small numbers, in a file."""

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

TITLE = "json-server 0.17"
BROWSER = False
UNIQUE: tuple[str, ...] = ()

_REQUIREMENTS = ("json-server@0.17.4",)
_DATABASE = {
    "posts": [
        {"id": 1, "title": "Welcome", "likes": 1, "author": "Kim"},
        {"id": 2, "title": "Opening hours", "likes": 2, "author": "Dana"},
    ],
    "comments": [{"id": 1, "body": "Nice", "postId": 1}],
}


def install() -> None:
    """The package from npm."""
    node_modules("json-server", *_REQUIREMENTS)


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """Two posts of others, and a comment."""
    (state / "db.json").write_text(json.dumps(_DATABASE))
    program = node_modules("json-server", *_REQUIREMENTS) / ".bin" / "json-server"
    port = free_port()
    command = ("node", str(program), "--host", "127.0.0.1", "--port", str(port), "db.json")
    with serving(command, f"http://127.0.0.1:{port}/posts", state=state) as url:
        yield url


def state(url: str, folder: Path) -> State:
    """The posts, and the comments with what they are about."""
    posts = {one.pop("id"): one for one in httpx.get(f"{url}/posts").json()}
    comments = httpx.get(f"{url}/comments").json()
    return State(
        Counter(
            (
                *(json.dumps(one, sort_keys=True) for one in posts.values()),
                *(f"{one['body']}, on {posts[one['postId']]['title']}" for one in comments),
            )
        )
    )


def use(url: str, folder: Path) -> None:
    """More posts and comments; one of each is no more."""
    for number in range(3, 8):
        httpx.post(f"{url}/posts", json={"title": f"Old {number}", "likes": 3, "author": "Dana"})
        httpx.post(f"{url}/comments", json={"body": f"Seen {number}", "postId": number})
        httpx.post(f"{url}/comments", json={"body": f"Seen {number} again", "postId": 1})
    httpx.delete(f"{url}/posts/4")
    httpx.delete(f"{url}/comments/2")


def drive(url: str) -> None:
    """Two posts and two comments; some are changed, the others deleted."""
    with httpx.Client(base_url=url) as client:

        def call(method: str, path: str, **sent: object) -> httpx.Response:
            return client.request(method, path, json=sent or None).raise_for_status()

        call("GET", "/posts")
        tea = call("POST", "/posts", title="Tea House", likes=1, author="Kim").json()["id"]
        call("GET", f"/posts/{tea}")
        body = call("POST", "/comments", body="Green & black", postId=tea).json()["id"]
        call("GET", f"/posts/{tea}/comments")
        call("PATCH", f"/posts/{tea}", likes=2)
        call("GET", f"/posts/{tea}")
        cups = call("POST", "/posts", title="Cups", likes=1, author="Kim").json()["id"]
        second = call("POST", "/comments", body="Only two", postId=cups).json()["id"]
        call("PUT", f"/comments/{body}", body="Green, black & white", postId=tea)
        call("GET", f"/comments?postId={tea}")
        found = client.get("/posts", params={"title": "Tea House", "_sort": "id"}).json()
        call("GET", f"/posts/{found[-1]['id']}?_embed=comments")
        call("PUT", f"/posts/{cups}", title="Cups and saucers", likes=1, author="Kim")
        call("GET", f"/posts/{cups}")
        call("DELETE", f"/comments/{second}")
        call("GET", f"/posts/{tea}/comments")
        call("GET", "/posts?_sort=id&_order=desc&_limit=3")
