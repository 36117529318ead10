"""A server that echoes all that it is sent, as error pages do, and what is sent to it in secret."""

from __future__ import annotations

import base64
import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import quote, quote_plus, urlsplit

from pytest_loadtool.codec.spellings import spellings

__all__ = ["SECRETS", "echoing", "found_in"]

#: Of each kind one. Some have characters that are escaped in JSON, HTML and addresses.
SECRETS = {
    "environment": 'env&7Wq1"<zebra',
    "password": "Pass Word+4Lt/zoo",
    "keyring": "ring5Rb3zenith",
    "bearer": "bear6Tn4-zephyr_x",
    "cookie": "COOKIESECRETzz",
    "api_key": "apik8Mv5zodiac",
    "X-API-Key": "xapi9Kc6zipper",
    "Basic": "basi3Hd2zealot",
    "Digest": "dige4Jf7zinnia",
    "key": "keyp6Mg8zillion",
}

_CHALLENGES = {
    "/basic": 'Basic realm="shop"',
    "/digest": 'Digest realm="shop", nonce="dcd98b7102dd2f0e", qop="auth"',
}


def found_in(output: str) -> dict[str, str]:
    """The secrets that stand in an output in some spelling, or more of them than their beginning
    (what is cut has four characters left), each with what is around it."""
    found = {}
    for name, value in SECRETS.items():
        pieces = [base64.b64encode(f"ann:{value}".encode()).decode()]
        pieces += (one[5:] for one in spellings(value) if len(one) > 8)
        for at in (output.find(one) for one in pieces if one not in ("", "=")):
            if at >= 0:
                found[name] = output[max(0, at - 200) : at + 60]
    return found


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        path = urlsplit(self.path).path
        authorization = self.headers.get("Authorization", "")
        if challenge := "" if authorization else _CHALLENGES.get(path, ""):
            return self._answer(401, "text/plain", "who are you?", ("WWW-Authenticate", challenge))
        sent = f"{self.path}\n{self.headers}\n{body}"
        if authorization.startswith("Basic "):
            sent += base64.b64decode(authorization.removeprefix("Basic ")).decode()
        if path == "/login":
            cookie = f"sid={SECRETS['cookie']}; Path=/"
            return self._answer(200, "text/html", "<title>In</title>", ("Set-Cookie", cookie))
        echo = f"<title>Oops</title><pre>{escape(sent)}</pre>{sent}{quote(sent)}{quote_plus(sent)}"
        echo += f"<script>x = {json.dumps({'sent': sent})}</script>"
        echo += base64.b64encode(authorization.encode()).decode()
        headers = [("X-Echo", " ".join(sent.split())), ("Location", self.path)]
        return self._answer(500 if path != "/echo" else 200, "text/html", echo, *headers)

    def do_POST(self) -> None:
        self.do_GET()

    def _answer(self, status: int, kind: str, text: str, *headers: tuple[str, str]) -> None:
        data = text.encode()
        self.send_response(status)
        for name, value in (("Content-Type", kind), ("Content-Length", str(len(data))), *headers):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *arguments: object) -> None:
        """Nothing."""


class _Listener(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that goes in the middle is none."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]  # whatever it is


@contextmanager
def echoing() -> Iterator[str]:
    """The server's base URL, while the block runs."""
    with _Listener(("127.0.0.1", 0), _Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
