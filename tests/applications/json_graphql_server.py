"""json-graphql-server: a GraphQL API made of data, with ids that are small numbers."""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

from tests.applications.installed import node_modules
from tests.applications.serving import serving
from tests.applications.state import State
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "json-graphql-server 3.3"
BROWSER = False
UNIQUE: tuple[str, ...] = ()

_REQUIREMENTS = ("json-graphql-server@3.3.2",)
_DATABASE = {
    "users": [{"id": 1, "name": "Kim"}, {"id": 2, "name": "Dana"}],
    "posts": [{"id": 1, "title": "Welcome", "views": 1, "user_id": 2}],
    "comments": [{"id": 1, "post_id": 1, "body": "Nice"}],
}
_USER = "mutation AddUser($name: String!) { createUser(name: $name) { id name } }"
_POST = """mutation AddPost($title: String!, $views: Int!, $user: ID!) {
  createPost(title: $title, views: $views, user_id: $user) { id title User { name } }
}"""
_COMMENT = """mutation AddComment($post: ID!, $body: String!) {
  createComment(post_id: $post, body: $body) { id body }
}"""
_CHANGE = """mutation Change($id: ID!, $title: String, $views: Int) {
  updatePost(id: $id, title: $title, views: $views) { id title views }
}"""
_REMOVE = "mutation Remove($id: ID!) { removePost(id: $id) { id } }"
_POSTS = 'query Posts { allPosts(sortField: "id") { id title User { name } } }'
_ONE = "query One($id: ID!) { Post(id: $id) { id title views Comments { id body } } }"
_OF = "query Of($id: ID!) { User(id: $id) { name Posts { id title } } }"
_STATE = "{ allPosts { title views User { name } Comments { body } } allUsers { name } }"


def install() -> None:
    """The package from npm."""
    node_modules("json-graphql-server", *_REQUIREMENTS)


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """Two users and a post, in the process's memory."""
    (state / "data.json").write_text(json.dumps(_DATABASE))
    modules = node_modules("json-graphql-server", *_REQUIREMENTS)
    port = free_port()
    where = {"NODE_HOST": "127.0.0.1", "NODE_PORT": str(port)}
    command = ("node", str(modules / ".bin" / "json-graphql-server"), "data.json")
    with serving(command, f"http://127.0.0.1:{port}/", state=state, environment=where) as url:
        yield url


def state(url: str, folder: Path) -> State:
    """The posts with their authors and comments, and the users."""
    data = httpx.post(url, json={"query": _STATE}).json()["data"]
    return State(Counter(json.dumps(one) for kind in data.values() for one in kind))


def use(url: str, folder: Path) -> None:
    """More users, posts and comments of theirs; one post is no more."""
    with httpx.Client(base_url=url) as client:
        for number in range(2, 7):
            for query, variables in (
                (_USER, {"name": f"User {number}"}),
                (_POST, {"title": f"Old {number}", "views": number, "user": "2"}),
                (_COMMENT, {"post": str(number), "body": "Seen"}),
                (_COMMENT, {"post": "1", "body": f"Seen {number}"}),
            ):
                client.post("/", json={"query": query, "variables": variables})
        client.post("/", json={"query": _REMOVE, "variables": {"id": "3"}})


def drive(url: str) -> None:
    """A user with two posts and a comment; one is changed, the other removed."""
    with httpx.Client(base_url=url) as client:

        def ask(query: str, **variables: object) -> Any:
            name = query.split()[1].partition("(")[0]
            sent = {"operationName": name, "query": query, "variables": variables}
            answer = client.post("/", json=sent).raise_for_status().json()
            assert "errors" not in answer, answer
            return next(iter(answer["data"].values()))

        ask(_POSTS)
        user = ask(_USER, name="Mary")["id"]
        tea = ask(_POST, title="Tea House", views=1, user=user)["id"]
        ask(_ONE, id=tea)
        cups = ask(_POST, title="Cups", views=1, user=user)["id"]
        ask(_COMMENT, post=tea, body="Green & black")
        ask(_COMMENT, post=cups, body="Only two")
        ask(_ONE, id=tea)
        ask(_CHANGE, id=tea, title="The Tea House", views=2)
        ask(_POSTS)
        ask(_OF, id=user)
        ask(_CHANGE, id=cups, views=3)
        ask(_ONE, id=cups)
        ask(_REMOVE, id=cups)
        ask(_OF, id=user)
        ask(_POSTS)
