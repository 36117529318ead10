"""A small web application on a free loopback port, and test cases for it."""

from __future__ import annotations

import json
import ssl
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import pytest

__all__ = ["Server", "case", "serving", "transaction", "write"]

HOME = "<html><head><title>Home</title></head><body><h1>Welcome</h1></body></html>"
FORBIDDEN = "<html><head><title>Forbidden</title></head><body><h1>Not you</h1></body></html>"


class Server:
    """Answers ``/status/N`` with that status, ``/echo`` with what was sent, and the rest with HOME.

    Posting to ``/login`` needs ``token=`` the server's token, which ``/form`` gives out.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.token = "tok3n"
        self.requests: list[str] = []
        """``METHOD target`` of each request so far."""
        self.busy = threading.Event()
        """Set once ``/silence`` is asked for, which is answered by nothing."""
        self.over = threading.Event()
        """Set when the server ends."""
        self.failing: dict[str, int] = {}
        """How many more times a path answers 500."""
        self.pages: dict[str, str] = {}
        """What a path answers instead, as text."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    state: Server

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        self.state.requests.append(f"{self.command} {self.path}")
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        if self.state.failing.get(path, 0):
            self.state.failing[path] -= 1
            return self.answer(500, "text/plain", "try again")
        if path == "/silence":
            self.state.busy.set()
            self.state.over.wait()
            self.close_connection = True
            return None
        if path.startswith("/status/"):
            return self.answer(int(path.rpartition("/")[2]), "text/plain", "")
        if path == "/form":
            hidden = f'<input name="token" value="{self.state.token}">'
            return self.answer(200, "text/html", f"<form>{hidden}</form>")
        if path == "/login":
            good = parse_qs(body.decode()).get("token") == [self.state.token]
            return self.answer(
                *((200, "text/html", HOME) if good else (403, "text/html", FORBIDDEN))
            )
        if path in self.state.pages:
            return self.answer(200, "text/plain; charset=utf-8", self.state.pages[path])
        if path == "/echo":
            return self.answer(200, "application/json", self.echo(body))
        return self.answer(200, "text/html", HOME)

    def do_POST(self) -> None:
        self.do_GET()

    def echo(self, body: bytes) -> str:
        return json.dumps({"headers": dict(self.headers), "body": body.decode()})

    def answer(self, status: int, kind: str, text: str) -> None:
        if status < 200:
            # A server that takes 199 for a final status has nothing more to say.
            self.close_connection = True
        body = b"" if status in (204, 304) or status < 200 else text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Not on standard error."""


class _Listener(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that goes in the middle is none."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]  # whatever it is


@contextmanager
def serving(host: str = "127.0.0.1", tls: ssl.SSLContext | None = None) -> Iterator[Server]:
    """A running server."""
    state = Server("")
    handler = type("Handler", (_Handler,), {"state": state})
    with _Listener((host, 0), handler) as server:
        if tls is not None:
            server.socket = tls.wrap_socket(server.socket, server_side=True)
        state.url = f"http{'s' if tls else ''}://{host}:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield state
        finally:
            state.over.set()
            server.shutdown()
            thread.join()


def transaction(request: str, *lines: str) -> str:
    """A transaction of a case file."""
    return "\n".join(["[[page.transaction]]", f'request = "{request}"', *lines])


def case(server: str, *transactions: str, page: str = "Home", head: str = "") -> str:
    """A case file with one page; each transaction a request line, or what `transaction` gives."""
    parts = [one if one.startswith("[[") else transaction(one) for one in transactions]
    return "\n".join(
        [
            "format = 1",
            'name = "A visit to the shop"',
            f'server = "{server}"' if server else "",
            head,
            "[[page]]",
            f'name = "{page}"',
            *parts,
            "",
        ]
    )


def write(pytester: pytest.Pytester, name: str, text: str) -> None:
    """Put a case file into pytester's folder."""
    (pytester.path / f"{name}.case.toml").write_text(text, encoding="utf-8")
