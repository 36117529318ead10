"""Strawberry: GraphQL queries and mutations, with ids in variables, in lists and in the query."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

from tests.applications.installed import python_environment
from tests.applications.serving import serving_asgi
from tests.applications.state import State

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "Strawberry GraphQL"
BROWSER = False
UNIQUE: tuple[str, ...] = ()

_REQUIREMENTS = ("strawberry-graphql[asgi]==0.341.2", "uvicorn==0.54.0")

_LOGIN = """mutation Login($username: String!, $password: String!) {
  login(username: $username, password: $password) { token username }
}"""
_ADD_AUTHOR = "mutation AddAuthor($name: String!) { addAuthor(name: $name) { id name } }"
_ADD_BOOK = "mutation AddBook($data: BookInput!) { addBook(data: $data) { id title revision } }"
_RENAME = """mutation Rename($id: ID!, $title: String!) {
  renameBook(id: $id, title: $title) { id title revision }
}"""
_DELETE = "mutation Delete($id: ID!) { deleteBook(id: $id) }"
_LIST = "query Books { books { id title author { id name } } }"
_BOOK = "query Book($id: ID!) { book(id: $id) { title revision author { name } } }"
_AUTHOR = "query Author($id: ID!) { author(id: $id) { name books { id title } } }"
_INLINE = 'query Inline { book(id: "%s") { title author { id } } }'
_LOGOUT = "mutation Logout($token: String!) { logout(token: $token) }"


def install() -> None:
    """An environment with Strawberry and uvicorn."""
    _programs()


def _programs() -> Path:
    return python_environment("strawberry-graphql", *_REQUIREMENTS)


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """Everything is in the process's memory."""
    with serving_asgi(_programs(), "strawberry_graphql:app", state=state) as url:
        yield url


def state(url: str, folder: Path) -> State:
    """What was done to authors and books."""
    answer = httpx.post(f"{url}/graphql", json={"query": "{ journal }"}).json()
    return State(Counter(answer["data"]["journal"]))


def use(url: str, folder: Path) -> None:
    """Another author with two books, of which one is no more."""
    with httpx.Client(base_url=url) as client:

        def ask(query: str, **variables: object) -> Any:
            answer = client.post("/graphql", json={"query": query, "variables": variables}).json()
            return next(iter(answer["data"].values()))

        token = ask(_LOGIN, username="ada", password="lovelace")["token"]
        client.headers["Authorization"] = f"Bearer {token}"
        author = ask(_ADD_AUTHOR, name="Jane Austen")["id"]
        for title in ("Emma", "Persuasion"):
            book = ask(_ADD_BOOK, data={"title": title, "authorId": author})["id"]
        ask(_DELETE, id=book)


def drive(url: str) -> None:
    """An author with three books, found again by lists, by variables and by ids in the query."""
    with httpx.Client(base_url=url) as client:

        def ask(operation: str, query: str, **variables: object) -> Any:
            sent = {"operationName": operation, "query": query, "variables": variables}
            answer = client.post("/graphql", json=sent).raise_for_status().json()
            assert "errors" not in answer, answer
            return next(iter(answer["data"].values()))

        session = ask("Login", _LOGIN, username="ada", password="lovelace")
        client.headers["Authorization"] = f"Bearer {session['token']}"
        ask("Books", _LIST)
        author = ask("AddAuthor", _ADD_AUTHOR, name="Mary Shelley")["id"]
        books = [
            ask("AddBook", _ADD_BOOK, data={"title": title, "authorId": author})["id"]
            for title in ("Frankenstein", "The Last Man", "Valperga")
        ]
        ask("Book", _BOOK, id=books[0])
        ask("Rename", _RENAME, id=books[0], title="Frankenstein; or, The Modern Prometheus")
        ask("Books", _LIST)
        listed = ask("Author", _AUTHOR, id=author)["books"]
        ask("Book", _BOOK, id=listed[-1]["id"])
        ask("Inline", _INLINE % listed[1]["id"])
        for book in books[:-1]:
            ask("Delete", _DELETE, id=book)
        ask("DeleteInline", f"mutation DeleteInline {{ deleteBook(id: {books[-1]}) }}")
        ask("Author", _AUTHOR, id=author)
        ask("Logout", _LOGOUT, token=session["token"])
