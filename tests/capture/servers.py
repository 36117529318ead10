"""Real servers that keep the very bytes they received."""

from __future__ import annotations

import base64
import hashlib
import socket
import subprocess
import threading
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from types import TracebackType
from typing import Self

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

__all__ = [
    "Answer", "Connection", "Nginx", "WireServer", "accept_websocket", "answer", "self_signed",
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
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open: set[socket.socket] = set()
        self._threads: list[threading.Thread] = []
        self.requests: list[bytes] = []
        self.port: int = self._listener.getsockname()[1]
        self.origin = f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        self._spawn(self._accept)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for connection in list(self._open):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()

    def _spawn(self, target: Callable[[], None]) -> None:
        thread = threading.Thread(target=target)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._open.add(connection)
            self._spawn(lambda connection=connection: self._serve(connection))  # type: ignore[misc]

    def _serve(self, connection: socket.socket) -> None:
        wire = Connection(connection)
        with connection, suppress(OSError):
            while request := wire.request():
                self.requests.append(request)
                if not self._reply(wire, request):
                    break
        self._open.discard(connection)


def accept_websocket(connection: Connection, request: bytes) -> bool:
    """Upgrade to a WebSocket (RFC 6455), say ``hello`` and wait until the client is gone."""
    start = request.lower().index(b"sec-websocket-key:") + len(b"sec-websocket-key:")
    key = request[start:].split(b"\r\n")[0].strip()
    digest = hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest()
    connection.send(
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Accept: " + base64.b64encode(digest) + b"\r\n\r\n"
    )
    connection.send(b"\x81\x05hello")
    connection.wait_closed()
    return False


def self_signed(directory: Path) -> tuple[Path, Path]:
    """A self-signed certificate for 127.0.0.1 and localhost, and its key, as PEM files."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "development server")])
    now = datetime.now(UTC)
    hosts = [x509.IPAddress(ip_address("127.0.0.1")), x509.DNSName("localhost")]
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(hosts), critical=False)
        .sign(key, hashes.SHA256())
    )
    certificate_file, key_file = directory / "server.pem", directory / "server.key"
    certificate_file.write_bytes(certificate.public_bytes(Encoding.PEM))
    key_file.write_bytes(
        key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption())
    )
    return certificate_file, key_file


_NGINX = """
daemon off; master_process off; pid {directory}/nginx.pid; error_log {directory}/error.log notice;
events {{ worker_connections 64; }}
http {{
  access_log off;
  client_body_temp_path {directory}/body; proxy_temp_path {directory}/proxy;
  fastcgi_temp_path {directory}/fastcgi; uwsgi_temp_path {directory}/uwsgi;
  scgi_temp_path {directory}/scgi;
  underscores_in_headers on;
  server {{
    listen 127.0.0.1:{port} ssl http2;
    ssl_certificate {certificate}; ssl_certificate_key {key};
    default_type text/html;
    location / {{ return 200 "<title>Secure</title><p>$server_protocol</p>"; }}
    location /headers {{ return 200 "$server_protocol|$http_x_one|$http_user_agent|$http_cookie"; }}
    location /gzip {{
      gzip on; gzip_min_length 1; gzip_types *; default_type text/plain;
      alias {directory}/text;
    }}
  }}
}}
"""


class Nginx:
    """nginx with HTTPS and HTTP/2 on a free loopback port, with a self-signed certificate."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._certificate, self._key = self_signed(directory)
        self.text = "readable text\n" * 100
        (directory / "text").write_text(self.text)
        self.port = 0

    @property
    def origin(self) -> str:
        """``https://127.0.0.1:PORT``."""
        return f"https://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        # nginx cannot be given a socket: take a free port, and another when it was taken meanwhile.
        for _ in range(5):
            with socket.create_server(("127.0.0.1", 0)) as probe:
                self.port = probe.getsockname()[1]
            if self._start():
                return self
        raise RuntimeError((self._directory / "error.log").read_text())

    def _start(self) -> bool:
        configuration = self._directory / "nginx.conf"
        configuration.write_text(
            _NGINX.format(
                directory=self._directory,
                port=self.port,
                certificate=self._certificate,
                key=self._key,
            )
        )
        self._process = subprocess.Popen(
            ["nginx", "-p", str(self._directory), "-c", str(configuration), "-e", "stderr"],
            stdin=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        while self._process.poll() is None:
            with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1):
                return True
        return False

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._process.terminate()
        self._process.wait()
