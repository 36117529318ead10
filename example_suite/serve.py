"""Serve the shop on a free loopback port, from a fresh database: ``python -m example_suite.serve``.

The first line on standard output is the URL, printed when requests are answered. Without ``--home``
the server runs until it is interrupted. With it, the server writes its URL and its access log there
and runs while any process holds a lock on the file ``lease`` there: see `example_suite.server`.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import os
import signal
import socketserver
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import django
from django.core.management import call_command
from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler
from django.core.wsgi import get_wsgi_application

StartResponse = Callable[..., Any]
Application = Callable[[dict[str, Any], StartResponse], Iterable[bytes]]


class AccessLog:
    """A file with one line ``METHOD target STATUS`` for each request, in the order of answering."""

    def __init__(self, path: Path) -> None:
        # One write call per line on a file opened for appending: threads cannot mix their lines.
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_TRUNC, 0o644)

    def write(self, method: str, target: str, status: str) -> None:
        os.write(self._file, f"{method} {target} {status}\n".encode())


def logged(application: Application, log: AccessLog) -> Application:
    """The application, writing each request to the log before the answer leaves.

    So whoever has received an answer finds its line in the log.
    """

    def answer(environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        def start(status: str, *rest: Any) -> Any:
            log.write(environ["REQUEST_METHOD"], environ["REQUEST_URI"], status.partition(" ")[0])
            return start_response(status, *rest)

        return application(environ, start)

    return answer


class Handler(WSGIRequestHandler):
    """Django's HTTP/1.1 handler, made fit for many persistent connections."""

    # A response leaves in full packets. Unbuffered, each header line would be a packet of its own,
    # and with Nagle's algorithm the body would wait for the client's delayed ACK.
    wbufsize = 64 * 1024
    disable_nagle_algorithm = True

    def get_environ(self) -> dict[str, Any]:
        environ = super().get_environ()
        environ["REQUEST_URI"] = self.path
        return environ

    def handle_one_request(self) -> None:
        super().handle_one_request()
        self.wfile.flush()

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer what is not HTTP. No application sees it, but the log does."""
        self.server.log.write(self.command or "-", getattr(self, "path", "-"), str(int(code)))
        super().send_error(code, message, explain)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (the base class's name)
        """Nothing: the access log is written by `logged` and `send_error`."""


class Server(ThreadedWSGIServer):
    """A thread per connection. A hundred users may connect at the same moment."""

    request_queue_size = 512

    def __init__(self, log: AccessLog) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.log = log
        self.set_app(logged(get_wsgi_application(), log))

    def server_bind(self) -> None:
        # Not HTTPServer's, which asks the resolver for the name of 127.0.0.1.
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = self.server_address[:2]
        self.setup_environ()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


def fresh_database(directory: Path) -> None:
    """Set Django up on a new database in ``directory``."""
    os.environ["SHOP_DATABASE"] = str(directory / "shop.sqlite3")
    os.environ["DJANGO_SETTINGS_MODULE"] = "example_suite.shop.settings"
    django.setup()
    call_command("migrate", verbosity=0)
    from example_suite.shop.seed import seed  # models can be imported only now

    seed()


@contextlib.contextmanager
def serving(home: Path) -> Iterator[Server]:
    """A server that answers until the block is left, its access log in ``home``."""
    with tempfile.TemporaryDirectory(prefix="shop-") as directory:
        fresh_database(Path(directory))
        server = Server(AccessLog(home / "access.log"))
        # A short poll, because shutdown() waits for one.
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()
            server.server_close()


def announce(url: str) -> None:
    sys.stdout.write(f"{url}\n")
    sys.stdout.flush()


def serve_while_leased(home: Path) -> None:
    """Serve until no process holds a lock on ``home/lease``; ``home/url`` exists meanwhile."""
    with (home / "lease").open("a") as lease, serving(home) as server:
        url = home / "url"
        url.write_text(server.url)
        announce(server.url)
        try:
            # Whoever wants the lease afterwards waits until this process is gone, and finds no URL.
            fcntl.flock(lease, fcntl.LOCK_EX)
        finally:
            url.unlink()


def serve_until_interrupted() -> None:
    with tempfile.TemporaryDirectory(prefix="shop-log-") as home, serving(Path(home)) as server:
        announce(server.url)
        sys.stderr.write(f"access log: {home}/access.log; stop with Ctrl-C\n")
        signal.pause()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m example_suite.serve", description=__doc__)
    parser.add_argument("--home", type=Path, help="directory for url, access.log and lease")
    home = parser.parse_args().home
    # Ends the with blocks above, so that nothing stays behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with contextlib.suppress(KeyboardInterrupt):
        if home is None:
            serve_until_interrupted()
        else:
            serve_while_leased(home)


if __name__ == "__main__":
    main()
