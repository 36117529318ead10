"""Strawberry's guide: books and authors over ASGI, with logging in by a mutation.

From https://strawberry.rocks/docs: types, queries, mutations with input types, the context, and
permissions. Added: a journal of what was done. Not imported by the tests: it runs in an
environment of its own.
"""

from __future__ import annotations

import secrets
import uuid
from typing import Any

import strawberry
from strawberry.asgi import GraphQL
from strawberry.permission import BasePermission
from strawberry.types import Info

sessions: set[str] = set()
journal: list[str] = []
authors: dict[str, Author] = {}
books: dict[str, Book] = {}


class IsAuthenticated(BasePermission):
    message = "User is not authenticated"

    def has_permission(self, source: Any, info: Info, **arguments: Any) -> bool:
        header = info.context["request"].headers.get("Authorization", "")
        return header.removeprefix("Bearer ") in sessions


@strawberry.type
class Author:
    id: strawberry.ID
    name: str

    @strawberry.field
    def books(self) -> list[Book]:
        return [book for book in books.values() if book.author.id == self.id]


@strawberry.type
class Book:
    id: strawberry.ID
    title: str
    author: Author
    revision: int = 1


@strawberry.type
class Session:
    token: str
    username: str


@strawberry.input
class BookInput:
    title: str
    author_id: strawberry.ID


CLOSED = [IsAuthenticated]


@strawberry.type
class Query:
    @strawberry.field
    def journal(self) -> list[str]:
        return journal

    @strawberry.field(permission_classes=CLOSED)
    def books(self) -> list[Book]:
        return list(books.values())

    @strawberry.field(permission_classes=CLOSED)
    def book(self, id: strawberry.ID) -> Book:  # noqa: A002 (the field's name in the schema)
        return books[id]

    @strawberry.field(permission_classes=CLOSED)
    def author(self, id: strawberry.ID) -> Author:  # noqa: A002
        return authors[id]


@strawberry.type
class Mutation:
    @strawberry.mutation
    def login(self, username: str, password: str) -> Session:
        if (username, password) != ("ada", "lovelace"):
            raise ValueError("wrong credentials")
        token = secrets.token_urlsafe(24)
        sessions.add(token)
        return Session(token=token, username=username)

    @strawberry.mutation(permission_classes=CLOSED)
    def logout(self, token: str) -> bool:
        sessions.remove(token)
        return True

    @strawberry.mutation(permission_classes=CLOSED)
    def add_author(self, name: str) -> Author:
        author = Author(id=strawberry.ID(str(uuid.uuid4())), name=name)
        authors[author.id] = author
        journal.append(name)
        return author

    @strawberry.mutation(permission_classes=CLOSED)
    def add_book(self, data: BookInput) -> Book:
        number = strawberry.ID(str(len(books) + secrets.randbelow(10**6) * 100))
        books[number] = Book(id=number, title=data.title, author=authors[data.author_id])
        journal.append(f"{data.title} by {authors[data.author_id].name}")
        return books[number]

    @strawberry.mutation(permission_classes=CLOSED)
    def rename_book(self, id: strawberry.ID, title: str) -> Book:  # noqa: A002
        journal.append(f"{books[id].title} is {title}")
        books[id].title = title
        books[id].revision += 1
        return books[id]

    @strawberry.mutation(permission_classes=CLOSED)
    def delete_book(self, id: strawberry.ID) -> bool:  # noqa: A002
        journal.append(f"without {books[id].title}")
        del books[id]
        return True


app = GraphQL(strawberry.Schema(query=Query, mutation=Mutation))
