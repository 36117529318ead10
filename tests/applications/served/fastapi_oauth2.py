"""FastAPI's tutorial "OAuth2 with Password (and hashing), Bearer with JWT tokens", and more.

From https://fastapi.tiangolo.com/tutorial/security/oauth2-jwt/: the users, ``/token`` and
``/users/me``. Added: a refresh token that is good for one use, logging out, items with comments
that can be created, changed and deleted, and a journal of what was done to them. Not imported by
the tests: it runs in an environment of its own.
"""

from __future__ import annotations

import itertools
import secrets
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import jwt
from fastapi import Depends, FastAPI, HTTPException, status
from fastapi.security import OAuth2PasswordBearer, OAuth2PasswordRequestForm
from jwt.exceptions import InvalidTokenError
from pwdlib import PasswordHash
from pydantic import BaseModel

SECRET_KEY = secrets.token_hex(32)  # the tutorial's is written down; this one is new in each start
ALGORITHM = "HS256"
ACCESS_TOKEN_EXPIRE_MINUTES = 30

password_hash = PasswordHash.recommended()
fake_users_db = {
    "johndoe": {
        "username": "johndoe",
        "full_name": "John Doe",
        "email": "johndoe@example.com",
        "hashed_password": password_hash.hash("secret"),
        "disabled": False,
    }
}
refresh_tokens: dict[str, str] = {}
logged_out: set[str] = set()
items: dict[int, dict[str, Any]] = {}
comments: dict[int, dict[str, Any]] = {}
journal: list[str] = []
item_ids, comment_ids = itertools.count(1), itertools.count(1000)

oauth2_scheme = OAuth2PasswordBearer(tokenUrl="token")
app = FastAPI()


class Token(BaseModel):
    access_token: str
    token_type: str
    expires_in: int
    refresh_token: str


class Refresh(BaseModel):
    refresh_token: str


class Item(BaseModel):
    title: str
    price: float


class Comment(BaseModel):
    text: str
    item_id: int


def refused(detail: str) -> HTTPException:
    return HTTPException(
        status.HTTP_401_UNAUTHORIZED, detail, headers={"WWW-Authenticate": "Bearer"}
    )


def issue(username: str) -> Token:
    """A pair of tokens."""
    lifetime = timedelta(minutes=ACCESS_TOKEN_EXPIRE_MINUTES)
    claims = {"sub": username, "exp": datetime.now(UTC) + lifetime, "jti": secrets.token_hex(8)}
    refresh = secrets.token_urlsafe(32)
    refresh_tokens[refresh] = username
    return Token(
        access_token=jwt.encode(claims, SECRET_KEY, algorithm=ALGORITHM),
        token_type="bearer",
        expires_in=int(lifetime.total_seconds()),
        refresh_token=refresh,
    )


def claims_of(token: Annotated[str, Depends(oauth2_scheme)]) -> dict[str, Any]:
    try:
        claims: dict[str, Any] = jwt.decode(token, SECRET_KEY, algorithms=[ALGORITHM])
    except InvalidTokenError:
        raise refused("Could not validate credentials") from None
    if claims["jti"] in logged_out:
        raise refused("Logged out")
    return claims


Claims = Annotated[dict[str, Any], Depends(claims_of)]


def found(things: dict[int, dict[str, Any]], number: int) -> dict[str, Any]:
    if number not in things:
        raise HTTPException(status.HTTP_404_NOT_FOUND, "Not found")
    return things[number]


@app.post("/token")
def login_for_access_token(form: Annotated[OAuth2PasswordRequestForm, Depends()]) -> Token:
    user: dict[str, Any] = fake_users_db.get(form.username, {})
    if not user or not password_hash.verify(form.password, user["hashed_password"]):
        raise refused("Incorrect username or password")
    return issue(form.username)


@app.post("/token/refresh")
def refresh_access_token(sent: Refresh) -> Token:
    username = refresh_tokens.pop(sent.refresh_token, "")
    if not username:
        raise refused("Unknown refresh token")
    return issue(username)


@app.post("/logout", status_code=status.HTTP_204_NO_CONTENT)
def logout(sent: Refresh, claims: Claims) -> None:
    if not refresh_tokens.pop(sent.refresh_token, ""):
        raise refused("Unknown refresh token")
    logged_out.add(claims["jti"])


@app.get("/users/me/")
def read_users_me(claims: Claims) -> dict[str, Any]:
    user = fake_users_db[claims["sub"]]
    return {key: user[key] for key in ("username", "full_name", "email", "disabled")}


@app.get("/users/me/items/")
def read_own_items(claims: Claims) -> list[dict[str, Any]]:
    return [item for item in items.values() if item["owner"] == claims["sub"]]


@app.post("/items/", status_code=status.HTTP_201_CREATED)
def create_item(item: Item, claims: Claims) -> dict[str, Any]:
    number = next(item_ids)
    items[number] = {"id": number, **item.model_dump(), "owner": claims["sub"]}
    journal.append(f"{item.title} for {item.price}")
    return items[number]


@app.get("/items/{item_id}")
def read_item(item_id: int, claims: Claims) -> dict[str, Any]:
    return found(items, item_id)


@app.put("/items/{item_id}")
def replace_item(item_id: int, item: Item, claims: Claims) -> dict[str, Any]:
    one = found(items, item_id)
    journal.append(f"{one['title']} is {item.title} for {item.price}")
    one.update(item.model_dump())
    return items[item_id]


@app.delete("/items/{item_id}", status_code=status.HTTP_204_NO_CONTENT)
def delete_item(item_id: int, claims: Claims) -> None:
    journal.append(f"without {found(items, item_id)['title']}")
    del items[item_id]


@app.post("/comments/", status_code=status.HTTP_201_CREATED)
def create_comment(comment: Comment, claims: Claims) -> dict[str, Any]:
    journal.append(f"{found(items, comment.item_id)['title']}: {comment.text}")
    number = next(comment_ids)
    comments[number] = {"comment_id": number, **comment.model_dump()}
    return comments[number]


@app.get("/items/{item_id}/comments/{comment_id}")
def read_comment(item_id: int, comment_id: int, claims: Claims) -> dict[str, Any]:
    comment = found(comments, comment_id)
    if comment["item_id"] != item_id:
        raise HTTPException(status.HTTP_404_NOT_FOUND, "Not a comment on this item")
    return comment


@app.delete("/comments/{comment_id}", status_code=status.HTTP_204_NO_CONTENT)
def delete_comment(comment_id: int, claims: Claims) -> None:
    journal.append(f"without {found(comments, comment_id)['text']}")
    del comments[comment_id]


@app.get("/journal")
def read_journal() -> list[str]:
    return journal
