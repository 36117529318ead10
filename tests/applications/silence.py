"""A proxy in front of an application that swallows one change and answers as it was recorded."""

from __future__ import annotations

import base64
import contextlib
import http.client
import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

from tests.ports import free_port

__all__ = ["CHANGES", "Answer", "recorded_answer", "silent"]

#: The methods that may change something.
CHANGES = frozenset({"POST", "PUT", "PATCH", "DELETE"})
#: Of this hop only, or made anew: the body is passed on as a whole.
_HOP = frozenset({"connection", "keep-alive", "transfer-encoding", "content-length"})
#: Seconds for an answer of the application.
_PATIENCE = 300.0


@dataclass(frozen=True, slots=True)
class Answer:
    """What the application answered when the session was recorded, without cookies."""

    origin: str
    status: int
    headers: Mapping[str, str]
    body: bytes


def recorded_answer(recording: Path, entry: int, origin: str) -> Answer:
    """The answer to one of the requests to ``origin`` in a HAR file."""
    response = json.loads(recording.read_text())["log"]["entries"][entry]["response"]
    content = response["content"]
    text = content.get("text", "")
    encoded = content.get("encoding") == "base64"
    return Answer(
        origin=origin,
        status=response["status"],
        headers={
            one["name"]: one["value"]
            for one in response["headers"]
            if one["name"].lower() in ("location", "content-type", "etag")
        },
        body=base64.b64decode(text) if encoded else text.encode(),
    )


@contextlib.contextmanager
def silent(url: str, nth: int = -1, answer: Answer | None = None) -> Iterator[str]:
    """Serve what ``url`` serves, apart from the ``nth`` change, counted from 0.

    That one gets ``answer`` and is not passed on. The value is the URL of the proxy. Its port takes
    the place of the application's in all that is passed, so that both believe to talk to the other.
    """
    port = free_port()
    proxy = _Proxy(("127.0.0.1", port), _Handler)
    proxy.here, proxy.there = f"127.0.0.1:{port}", urlsplit(url).netloc
    proxy.nth, proxy.answer = nth, answer
    thread = threading.Thread(target=proxy.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://{proxy.here}"
    finally:
        proxy.shutdown()
        proxy.server_close()
        thread.join()


class _Proxy(ThreadingHTTPServer):
    daemon_threads = True
    here: str
    there: str
    nth: int
    answer: Answer | None
    changes = 0


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Proxy

    def _pass(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        number = -1
        if self.command in CHANGES:
            number, self.server.changes = self.server.changes, self.server.changes + 1
        answer = self.server.answer
        if answer is not None and number == self.server.nth:
            there = urlsplit(answer.origin).netloc
            self._answer(answer.status, answer.headers.items(), answer.body, there)
            return
        here, there = self.server.here, self.server.there
        application = http.client.HTTPConnection(there, timeout=_PATIENCE)
        with contextlib.closing(application):
            path = _moved(self.path.encode(), here, there).decode()
            application.putrequest(self.command, path, skip_host=True, skip_accept_encoding=True)
            for name, value in self.headers.items():
                if name.lower() not in ("connection", "accept-encoding"):
                    application.putheader(name, _moved(value.encode("latin-1"), here, there))
            application.endheaders(_moved(body, here, there))
            response = application.getresponse()
            self._answer(response.status, response.getheaders(), response.read(), there)

    def __getattr__(self, name: str) -> Callable[[], None]:
        """Of each method ``do_METHOD``, for which `http.server` asks."""
        if name.startswith("do_"):
            return self._pass
        raise AttributeError(name)

    def _answer(
        self, status: int, headers: Iterable[tuple[str, str]], body: bytes, there: str
    ) -> None:
        here = self.server.here
        self.send_response_only(status)
        for name, value in headers:
            if name.lower() not in _HOP:
                self.send_header(
                    name, _moved(value.encode("latin-1"), there, here).decode("latin-1")
                )
        if status not in (204, 304):
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(_moved(body, there, here))

    def log_message(self, *_: object) -> None:
        """Nothing is printed."""


def _moved(text: bytes, here: str, there: str) -> bytes:
    """The text with the one address in place of the other, which is as long; also in a query."""
    for colon in (":", "%3A", "%3a"):
        text = text.replace(here.replace(":", colon).encode(), there.replace(":", colon).encode())
    return text
