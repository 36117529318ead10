"""Failures at servers and proxies that others wrote: Apache, squid, nginx, FastAPI, Django."""

from __future__ import annotations

import secrets
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI, HTTPException

from tests import nginx
from tests.applications import django_admin
from tests.authentication import apache, squid
from tests.authentication.peer import Peer
from tests.authentication.token_server import token_server
from tests.correlation.client import Client
from tests.diagnosis.situations.bench import Stage, record
from tests.diagnosis.situations.sessions import by_pages
from tests.diagnosis.situations.shop import Shop, serving
from tests.ports import free_port

_IDENTITY = r"""
[[identity]]
username = '{domain}${{users.username}}'
password = "${{users.password}}"
{more}
[datasets.users]
file = "users.csv"
"""
#: nginx as it is when the shop is recorded behind it.
TO_SHOP = "server { listen 127.0.0.1:<main>; location / { proxy_pass SHOP; } }"
_LIMITED = """
limit_req_zone $binary_remote_addr zone=all:1m rate=1r/s;
server { listen 127.0.0.1:<free>; location / { proxy_pass SHOP; } }
server { listen 127.0.0.1:<limited>; limit_req_status 429; location / {
    limit_req zone=all burst=2 nodelay; proxy_pass SHOP; } }
"""
_SMALL = """
server { listen 127.0.0.1:<free>; location / { proxy_pass SHOP; } }
server { listen 127.0.0.1:<small>; client_max_body_size 40; location / { proxy_pass SHOP; } }
"""


def _nothing() -> None:
    """There is nothing to bring back."""


def identity(domain: str = "", more: str = "") -> str:
    """Who the users are to a server: those of users.csv."""
    return _IDENTITY.format(domain=domain, more=more)


def by_hand(
    target: str,
    *,
    head: str = "",
    scheme: str = "http",
    password: str = "wrong",
    proxies: Callable[[], AbstractContextManager[Peer]] | None = None,
) -> Stage:
    """A test case of one request to Apache, written by hand; ``head`` may name the ports of
    ``proxies`` in angle brackets."""

    @contextmanager
    def stage(path: Path) -> Iterator[Callable[[], None]]:
        with apache.serving() as server, proxies() if proxies else nullcontext(server) as proxy:
            (path.parent / "users.csv").write_text(f"username,password\nalice,{password}\n")
            if scheme == "https":
                shutil.copy(server.folder / "ca.pem", path.parent)
            own = head
            for name, port in proxy.ports.items():
                own = own.replace(f"<{name}>", f"127.0.0.1:{port}")
            url = server.url(scheme, scheme)
            path.write_text(
                f'format = 1\nname = "Shop"\nserver = "{url}"\n{own}\n[[page]]\nname = "Home"\n'
                f'\n[[page.transaction]]\nrequest = "{target}"\n'
            )
            yield _nothing

    return stage


def recorded(
    path: Path,
    url: str,
    session: Callable[[Client], None],
    spoil: Callable[[str], str],
    server: str,
) -> None:
    """Record a session at ``url``, and write a test case for ``server``."""
    path.write_text(spoil(record(url, session, path, server=server)), encoding="utf-8")


def behind_nginx(configuration: str, port: str) -> Stage:
    """The shop behind nginx: recorded at its port ``free``, replayed at another one."""

    @contextmanager
    def stage(path: Path) -> Iterator[Callable[[], None]]:
        with serving(Shop()) as shop, tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            text = configuration.replace("SHOP", shop.url)
            with nginx.serving(folder, text, "free", port) as server:
                recorded(path, server.http("free"), by_pages, str, server.http(port))
                yield lambda: server.reload(text.replace("client_max_body_size 40;", ""))

    return stage


def at_nginx(
    after: str,
    before: str = TO_SHOP,
    *,
    host: str = "127.0.0.1",
    session: Callable[[Client], None] = by_pages,
) -> Stage:
    """The shop behind nginx, which has another configuration after the recording; it is replayed at
    ``host``."""

    @contextmanager
    def stage(path: Path) -> Iterator[Callable[[], None]]:
        with serving(Shop()) as shop, tempfile.TemporaryDirectory() as name:
            first, then = (one.replace("SHOP", shop.url) for one in (before, after))
            with nginx.serving(Path(name), first, "main") as server:
                url = server.http("main")
                recorded(path, url, session, str, url.replace("127.0.0.1", host))
                server.reload(then)
                yield lambda: server.reload(first)

    return stage


def at_next_version() -> Stage:
    """FastAPI, the next version of which calls all things otherwise; a person records that then."""

    @contextmanager
    def stage(path: Path) -> Iterator[Callable[[], None]]:
        app, names = FastAPI(), ["order_id", "customer_name", "total_price", "created_on"]
        number = secrets.token_hex(8)

        @app.get("/orders")
        def _orders() -> list[dict[str, str]]:
            return [dict(zip(names, (number, "Ann", "12.00", "2026-05-01"), strict=True))]

        @app.get("/orders/{wanted}")
        def _order(wanted: str) -> dict[str, str]:
            if wanted != number:
                raise HTTPException(404)
            return _orders()[0]

        def session(client: Client) -> None:
            [order] = client.json("GET", "/orders")
            client.json("GET", f"/orders/{order[names[0]]}")

        with at_app(app) as url:
            recorded(path, url, session, str, url)
            names[:] = ["orderId", "customerName", "totalPrice", "createdOn"]
            number = secrets.token_hex(8)
            again = path.with_name("shop-again.case.toml")
            yield lambda: recorded(again, url, session, str, url)

    return stage


@contextmanager
def at_app(app: Any) -> Iterator[str]:
    """Serve an ASGI application; yield its address."""
    port = free_port()
    server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="error", server_header=False))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.05)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join()


def limited() -> Stage:
    """nginx with ``limit_req``."""
    return behind_nginx(_LIMITED, "limited")


def small() -> Stage:
    """nginx that takes small bodies alone."""
    return behind_nginx(_SMALL, "small")


def at_fastapi(session: Callable[[Client], None], spoil: Callable[[str], str]) -> Stage:
    """FastAPI with OAuth2."""

    @contextmanager
    def stage(path: Path) -> Iterator[Callable[[], None]]:
        with token_server() as server:
            recorded(path, server.url, session, spoil, server.url)
        with token_server() as other:  # with other keys
            text = path.read_text(encoding="utf-8")
            path.write_text(text.replace(server.url, other.url), encoding="utf-8")
            yield _nothing

    return stage


def at_django(session: Callable[[Client], None], spoil: Callable[[str], str]) -> Stage:
    """Django's admin, as its own server serves it; replayed at one that has not what the recording
    has made."""

    @contextmanager
    def stage(path: Path) -> Iterator[Callable[[], None]]:
        with tempfile.TemporaryDirectory() as name, django_admin.serve(Path(name)) as url:
            server = url.partition("/admin")[0]
            recorded(path, server, session, spoil, server)
        with tempfile.TemporaryDirectory() as name, django_admin.serve(Path(name)) as url:
            text = path.read_text(encoding="utf-8")
            path.write_text(text.replace(server, url.partition("/admin")[0]), encoding="utf-8")
            yield _nothing

    return stage


def through(kind: str) -> Callable[[], AbstractContextManager[Peer]]:
    """Proxies: of ``apache`` or of ``squid``."""
    return squid.serving if kind == "squid" else apache.serving
