"""Real servers that keep the very bytes they received."""

from __future__ import annotations

import base64
import hashlib
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from tests.listening import listening
from tests.nginx import self_signed, serving

__all__ = [
    "Answer", "Connection", "SecureSite", "WireServer", "accept_websocket", "answer", "secure_site",
    "upgrade",
]  # fmt: skip


class Connection:
    """One connection to a `WireServer`, from the server's side."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._buffer = b""

    def send(self, data: bytes) -> None:
        """Send ``data``."""
        self._socket.sendall(data)

    def request(self) -> bytes:
        """The next request, head and body as they came; empty when the client is gone."""
        while b"\r\n\r\n" not in self._buffer:
            if not self._more():
                return b""
            if self._buffer.startswith(b"\x16\x03"):  # a TLS handshake
                self.send(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
                return b""
        head, _, rest = self._buffer.partition(b"\r\n\r\n")
        lower = head.lower()
        if b"transfer-encoding: chunked" in lower:
            while not rest.endswith(b"0\r\n\r\n") and self._more():
                rest = self._buffer[len(head) + 4 :]
            length = len(rest)
        else:
            _, mark, value = lower.partition(b"content-length:")
            length = int(value.split(b"\r\n")[0]) if mark else 0
            while len(rest) < length and self._more():
                rest = self._buffer[len(head) + 4 :]
        end = len(head) + 4 + length
        request, self._buffer = self._buffer[:end], self._buffer[end:]
        return request

    def wait_for(self, count: int) -> None:
        """Return when that many bytes have come behind the last request."""
        while len(self._buffer) < count and self._more():
            pass

    def wait_closed(self) -> None:
        """Return when the client has hung up."""
        while self._more():
            pass

    def _more(self) -> bool:
        data = self._socket.recv(65536)
        self._buffer += data
        return bool(data)


#: Answers a request on its connection; the connection stays open for the next if it returns True.
Answer = Callable[[Connection, bytes], bool]


def answer(body: bytes, *headers: str, status: str = "200 OK") -> Answer:
    """Answer with ``body`` and these headers, whatever is asked for."""
    lines = [f"HTTP/1.1 {status}", *headers, f"Content-Length: {len(body)}", "", ""]
    response = "\r\n".join(lines).encode() + body

    def reply(connection: Connection, _request: bytes) -> bool:
        connection.send(response)
        return True

    return reply


class WireServer:
    """An HTTP/1.1 server on a free loopback port. ``requests`` holds what came, byte for byte."""

    def __init__(self, reply: Answer) -> None:
        self._reply = reply
        self._running = ExitStack()
        self.requests: list[bytes] = []
        self.connections = 0
        self.port = 0

    @property
    def origin(self) -> str:
        """``http://127.0.0.1:PORT``."""
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        return self._running.enter_context(listening(self._at, WireServer._serve))

    def __exit__(self, *_: object) -> None:
        self._running.close()

    def _at(self, port: int) -> Self:
        self.port = port
        return self

    def _serve(self, _number: int, connection: socket.socket) -> None:
        wire = Connection(connection)
        while request := wire.request():
            self.requests.append(request)
            if not self._reply(wire, request):
                break


def accept_websocket(connection: Connection, request: bytes) -> bool:
    """Upgrade to a WebSocket, say ``hello`` and wait until the client is gone."""
    upgrade(connection, request)
    connection.send(b"\x81\x05hello")
    connection.wait_closed()
    return False


def upgrade(connection: Connection, request: bytes) -> None:
    """Upgrade to a WebSocket (RFC 6455)."""
    start = request.lower().index(b"sec-websocket-key:") + len(b"sec-websocket-key:")
    key = request[start:].split(b"\r\n")[0].strip()
    digest = hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest()
    connection.send(
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Accept: " + base64.b64encode(digest) + b"\r\n\r\n"
    )


_HTTP = """
access_log off;
underscores_in_headers on;
server {
  listen 127.0.0.1:<port> ssl http2;
  ssl_certificate cert.pem; ssl_certificate_key key.pem;
  default_type text/html;
  location / { return 200 "<title>Secure</title><p>$server_protocol</p>"; }
  location /headers { return 200 "$server_protocol|$http_x_one|$http_user_agent|$http_cookie"; }
  location /gzip {
    gzip on; gzip_min_length 1; gzip_types *; default_type text/plain;
    alias text;
  }
}
"""


@dataclass(frozen=True, slots=True)
class SecureSite:
    """What `secure_site` serves; ``text`` is compressed."""

    port: int
    text: str

    @property
    def origin(self) -> str:
        """``https://127.0.0.1:PORT``."""
        return f"https://127.0.0.1:{self.port}"


@contextmanager
def secure_site(folder: Path) -> Iterator[SecureSite]:
    """nginx with HTTPS and HTTP/2, and a certificate that nobody trusts."""
    self_signed(folder)
    text = "readable text\n" * 100
    (folder / "text").write_text(text)
    with serving(folder, _HTTP.replace("alias text", f"alias {folder}/text"), "port") as nginx:
        yield SecureSite(nginx.ports["port"], text)
