"""FastAPI with OAuth2's password flow, whose access tokens live shortly. It runs in a thread.

As in FastAPI's tutorial on OAuth2 with bearer tokens: JSON Web Tokens, by `OAuth2PasswordBearer`
and `OAuth2PasswordRequestForm`. Refresh tokens are good for one use: one that comes a second time
ends all that came of the same login, as RFC 9700 (§4.14.2) has it.
"""

# FastAPI looks at annotations that name local functions: they are not to become text.

import base64
import contextlib
import hashlib
import hmac
import json
import secrets
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated, Any

import uvicorn
from fastapi import Depends, FastAPI, Form, HTTPException
from fastapi.security import OAuth2PasswordBearer, OAuth2PasswordRequestForm

__all__ = ["TokenServer", "token_server"]


@dataclass
class TokenServer:
    """Its address, what its access tokens are good for, and what it has done."""

    url: str
    lives: int | None = None
    """What it says of their life in seconds, in the answer and in the token; None: nothing."""
    uses: int = 1_000_000
    """How many requests each serves: so that they expire at no matter of time."""
    counts: Counter[str] = field(default_factory=Counter)
    """``login``, ``refresh``, ``refused refresh``, ``401``; answers to each user; ``orders``."""
    failing: bool = False
    """Whether it refuses to refresh."""
    _key: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    _left: dict[str, int] = field(default_factory=dict)
    _refresh: dict[str, tuple[str, str]] = field(default_factory=dict)
    _ended: set[str] = field(default_factory=set)

    def issue(self, user: str, login: str) -> dict[str, Any]:
        """A pair of tokens."""
        now = int(time.time())
        claims: dict[str, Any] = {"sub": user, "jti": secrets.token_hex(8), "login": login}
        answer: dict[str, Any] = {"token_type": "bearer"}
        if self.lives is not None:
            claims |= {"iat": now, "exp": now + self.lives}
            answer["expires_in"] = self.lives
        token = self._signed(claims)
        self._left[token] = self.uses
        refresh = secrets.token_urlsafe(32)
        self._refresh[refresh] = user, login
        return {"access_token": token, "refresh_token": refresh, **answer}

    def refresh(self, token: str) -> dict[str, Any]:
        """A new pair for an old one."""
        user, login = self._refresh.get(token, ("", ""))
        self._refresh[token] = "", login
        if self.failing or not user:
            self._ended.add(login)
            self.counts["refused refresh"] += 1
            raise HTTPException(400, "invalid_grant")
        self.counts["refresh"] += 1
        return self.issue(user, login)

    def user_of(self, token: str) -> str:
        """Whose the token is."""
        head, _, signature = token.rpartition(".")
        claims = json.loads(base64.urlsafe_b64decode(head.split(".")[1] + "=="))
        known = signature == self._signature(head) and claims["login"] not in self._ended
        if not known or not self._left.get(token):
            self.counts["401"] += 1
            raise HTTPException(401, "expired", headers={"WWW-Authenticate": "Bearer"})
        self._left[token] -= 1
        self.counts[claims["sub"]] += 1
        return str(claims["sub"])

    def _signed(self, claims: dict[str, Any]) -> str:
        parts = {"alg": "HS256", "typ": "JWT"}, claims
        head = ".".join(_base64(json.dumps(part).encode()) for part in parts)
        return f"{head}.{self._signature(head)}"

    def _signature(self, head: str) -> str:
        return _base64(hmac.new(self._key, head.encode(), hashlib.sha256).digest())


def _base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


_bearer = OAuth2PasswordBearer(tokenUrl="token")


def _application(server: TokenServer) -> FastAPI:
    app = FastAPI()

    async def whose(token: Annotated[str, Depends(_bearer)]) -> str:
        return server.user_of(token)

    @app.post("/token")
    async def token(form: Annotated[OAuth2PasswordRequestForm, Depends()]) -> dict[str, Any]:
        if form.password != f"{form.username}'s":
            raise HTTPException(400, "invalid_grant")
        server.counts["login"] += 1
        return server.issue(form.username, secrets.token_hex(4))

    @app.post("/token/refresh")
    async def refresh(refresh_token: Annotated[str, Form()]) -> dict[str, Any]:
        return server.refresh(refresh_token)

    @app.get("/me")
    async def me(user: Annotated[str, Depends(whose)]) -> dict[str, str]:
        return {"user": user}

    @app.post("/orders", status_code=201)
    async def order(user: Annotated[str, Depends(whose)]) -> dict[str, str]:
        server.counts["orders"] += 1
        return {"by": user}

    return app


@contextlib.contextmanager
def token_server() -> Iterator[TokenServer]:
    """Serve while the block runs."""
    with socket.create_server(("127.0.0.1", 0), backlog=128) as listener:
        server = TokenServer(f"http://127.0.0.1:{listener.getsockname()[1]}")
        config = uvicorn.Config(_application(server), log_level="error", ws="none", lifespan="off")
        running = uvicorn.Server(config)
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield server
        finally:
            running.should_exit = True
            thread.join()
