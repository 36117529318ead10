"""A server of a test's own, on a free port of the loopback address, with a handler of the test."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def answer(
    handler: BaseHTTPRequestHandler, status: int, content: bytes, *headers: tuple[str, str]
) -> None:
    """Answer with these headers and the length of the content."""
    handler.send_response(status)
    for name, value in (*headers, ("Content-Length", str(len(content)))):
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(content)


@contextmanager
def served(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """Yield its URL, without a slash at its end."""
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
