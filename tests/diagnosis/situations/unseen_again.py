"""Ten more failures that no rule was written for, at servers that others wrote where there is one:
they were brought about after the rules of `unseen` were mended and written down."""

from __future__ import annotations

import contextlib
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import trustme
from fastapi import FastAPI
from pydantic import BaseModel

from tests import nginx
from tests.applications import django_admin
from tests.authentication.peer import ready_folder, running
from tests.correlation.client import Client
from tests.diagnosis.situations.bench import Situation, Stage
from tests.diagnosis.situations.peers import at_app, at_nginx, recorded
from tests.diagnosis.situations.sessions import by_django, by_pages
from tests.diagnosis.situations.shop import Answer, Shop, serving
from tests.diagnosis.situations.unseen import odd

_WELCOME = (
    "server { listen 127.0.0.1:<main> default_server; default_type text/html; location / "
    "{ return 200 '<html><head><title>Welcome to nginx!</title></head><body><h1>Welcome to nginx!"
    "</h1></body></html>'; } }\n"
    "server { listen 127.0.0.1:<main>; server_name 127.0.0.1; location / { proxy_pass SHOP; } }"
)
_BELOW = """server { listen 127.0.0.1:<main>; location /v2/ { proxy_pass SHOP/; } location / {
    return 404; } }"""
_HTTP_2 = "server { listen 127.0.0.1:<main> http2; location / { proxy_pass SHOP; } }"
_TLS = """server { listen 127.0.0.1:<main> ssl; ssl_certificate server.pem;
    ssl_certificate_key server.pem; EXTRA location / { return 200 welcome; } }"""
_BY_HAND = """format = 1
name = "Shop"
server = "{url}"

[tls]
ca = "ca.pem"

[[page]]
name = "Home"

[[page.transaction]]
request = "GET /page"
"""


def _tls(extra: str, not_after: datetime | None = None) -> Stage:
    """nginx with a certificate, and something that is wrong with it; a test case by hand."""

    @contextlib.contextmanager
    def stage(path: Path) -> Iterator[Callable[[], None]]:
        authority = trustme.CA()
        authority.cert_pem.write_to_path(path.parent / "ca.pem")
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            authority.cert_pem.write_to_path(folder / "ca.pem")
            good = authority.issue_cert("127.0.0.1")
            bad = authority.issue_cert("127.0.0.1", not_after=not_after) if not_after else good
            bad.private_key_and_cert_chain_pem.write_to_path(folder / "server.pem")
            with nginx.serving(folder, _TLS.replace("EXTRA", extra), "main") as server:
                path.write_text(_BY_HAND.format(url=server.https("main")))

                def bring_back() -> None:
                    good.private_key_and_cert_chain_pem.write_to_path(folder / "server.pem")
                    server.reload(_TLS.replace("EXTRA", ""))

                yield bring_back

    return stage


_SQUID = """http_port 127.0.0.1:<open>
http_port 127.0.0.1:<closed>
acl closed localport <closed>
http_access deny closed
http_access allow all
cache deny all
cache_mem 0
netdb_filename none
pinger_enable off
visible_hostname localhost
shutdown_lifetime 0 seconds
pid_filename <folder>/pid
coredump_dir <folder>
cache_log <folder>/cache.log
access_log none
"""


@contextlib.contextmanager
def _squid(path: Path) -> Iterator[Callable[[], None]]:
    """A proxy that lets nobody through to this server; then it is told to."""
    with serving(Shop()) as shop, ready_folder() as folder:
        recorded(path, shop.url, by_pages, str, shop.url)
        command = ["squid", "-N", "-f", f"{folder}/configuration"]
        with running(folder, _SQUID, ("open", "closed"), command, user="proxy") as peer:
            proxy = f'\n[proxy]\nurl = "http://127.0.0.1:{peer.ports["closed"]}"\n'
            text = path.read_text()
            path.write_text(text.replace("\n[[page]]", f"{proxy}\n[[page]]", 1))

            def bring_back() -> None:
                file = folder / "configuration"
                file.write_text(file.read_text().replace("http_access deny closed\n", ""))
                subprocess.run([*command, "-k", "reconfigure"], check=True)
                ask = [
                    "curl",
                    "-sf",
                    "-x",
                    f"http://127.0.0.1:{peer.ports['closed']}",
                    f"{shop.url}/login",
                ]
                end = time.monotonic() + 60
                while subprocess.run(ask, capture_output=True).returncode:
                    assert time.monotonic() < end

            yield bring_back


class _OldOrder(BaseModel):
    title: str
    quantity: int


class _NewOrder(BaseModel):
    product: str
    quantity: int


@contextlib.contextmanager
def _renamed(path: Path) -> Iterator[Callable[[], None]]:
    """FastAPI, the next version of which calls a field otherwise."""
    app, versions = FastAPI(), {"new": False}

    @app.get("/orders")
    def _list() -> list[str]:
        return []

    @app.middleware("http")
    async def _choose(request: Any, call_next: Any) -> Any:
        if request.method == "POST" and versions["new"]:
            request.scope["path"] = "/new" + request.scope["path"]
        return await call_next(request)

    @app.post("/orders")
    def _old(order: _OldOrder) -> dict[str, int]:
        return {"ordered": order.quantity}

    @app.post("/new/orders")
    def _new(order: _NewOrder) -> dict[str, int]:
        return {"ordered": order.quantity}

    with at_app(app) as url:
        recorded(path, url, _by_orders, str, url)
        versions["new"] = True
        yield lambda: versions.update(new=False)


def _by_orders(client: Client) -> None:
    client.json("GET", "/orders")
    client.json("POST", "/orders", {"title": "Kettle", "quantity": 3})


@contextlib.contextmanager
def _no_staff(path: Path) -> Iterator[Callable[[], None]]:
    """Django's admin, whose user is no member of staff any more."""
    with tempfile.TemporaryDirectory() as name, django_admin.serve(Path(name)) as url:
        server = url.partition("/admin")[0]
        recorded(path, server, by_django, str, server)

        def staff(value: int) -> None:
            with contextlib.closing(sqlite3.connect(Path(name, "db.sqlite3"))) as base:
                base.execute("UPDATE auth_user SET is_staff = ?", (value,))
                base.execute("DELETE FROM auth_group")
                base.commit()

        staff(0)
        yield lambda: staff(1)


def _expired(method: str, path: str, headers: Mapping[str, str], answer: Answer) -> Answer:
    """The password has to be changed before anything else."""
    if answer.headers and method == "POST" and path == "/login":
        cookies = [one for one in answer.headers if one[0] == "Set-Cookie"]
        return Answer(302, "", (("Location", "/password/change"), *cookies))
    if "sid=" in headers.get("cookie", ""):
        return Answer(302, "", (("Location", "/password/change"),))
    return answer


def _locked(method: str, path: str, _headers: Mapping[str, str], answer: Answer) -> Answer:
    if (method, path) != ("POST", "/login"):
        return answer
    said = "Too many failed attempts. This account is locked for 15 minutes."
    return Answer(200, f'<p class="error">{said}</p>', title="Log in")


UNSEEN_AGAIN: tuple[Situation, ...] = (
    Situation(
        "nginx: a certificate that has expired",
        _tls("", datetime(2024, 1, 1, tzinfo=UTC)),
        "GET /page",
        "certificate has expired",
        mended="server",
        outside="exit 60",
    ),
    Situation(
        "nginx: a client's certificate is wanted",
        _tls("ssl_client_certificate ca.pem; ssl_verify_client on;"),
        "GET /page",
        "(?i)certificate",
        mended="server",
    ),
    Situation(
        "nginx: the page of the default virtual host",
        at_nginx(_WELCOME, host="localhost"),
        "GET /login",
        "the same comes|another server|virtual host",
    ),
    Situation(
        "nginx: the application is below /v2 now",
        at_nginx(_BELOW),
        "GET /login",
        "another server or path",
        mended="server",
    ),
    Situation(
        "nginx: HTTP/2 alone is spoken",
        at_nginx(_HTTP_2),
        "GET /login",
        "HTTP/2",
        mended="server",
        outside="exit (1|8|52|56)|HTTP/0.9",
    ),
    Situation(
        "squid: the proxy lets nobody through",
        _squid,
        "GET /login",
        "(?i)proxy|squid",
        mended="server",
    ),
    Situation(
        "FastAPI: a field has another name now",
        _renamed,
        "POST /orders",
        "product",
        mended="server",
    ),
    Situation(
        "Django: the user is not of the staff any more",
        _no_staff,
        "POST /admin/login",
        "login was refused|staff",
        mended="server",
        outside="staff account",
    ),
    Situation(
        "the password has expired and is to be changed",
        odd(_expired),
        "POST /login",
        "/password/change",
        mended="server",
        outside="/password/change",
    ),
    Situation(
        "the account is locked after wrong passwords",
        odd(_locked),
        "POST /login",
        "(?i)locked|too many",
        mended="server",
        outside="is locked",
    ),
)
