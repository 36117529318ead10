"""A small server with faults that are switched on, and load tests of it."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs

from pytest_loadtool.diagnosis.load.diagnose import diagnose_load
from pytest_loadtool.diagnosis.load.finding import LoadDiagnosis
from pytest_loadtool.diagnosis.load.situation import KnownCase, LoadSituation
from pytest_loadtool.diagnosis.outcome import Evidence
from pytest_loadtool.engine.local import run_alone
from pytest_loadtool.engine.prepare.share import prepare, read_test
from pytest_loadtool.load import Share, Summary
from pytest_loadtool.report.load.firsts import Told, fix_first

__all__ = ["Shop", "failing", "is_as_wide_as_it_may_be", "ran", "serving"]

LOGIN = """
[[page]]
name = "Log in"
[[page.transaction]]
request = "POST /login"
headers = ["Content-Type: application/x-www-form-urlencoded"]
body = "username=${users.name}&password=${users.password}"
"""


@dataclass
class Shop:
    """Who logs in gets a session. The attributes are its faults, all off.

    ``broken_after``: seconds after its first request from which on pages answer 500; ``lifetime``:
    of sessions, in seconds; ``slots``: how many pages it works on at a time, 50 ms each, while of
    those that wait more than ``queue`` are turned away; and all from then on, if it ``collapses``.
    """

    url: str = ""
    broken_after: float = 1e9
    lifetime: float = 1e9
    slots: int = 0
    queue: int = 8
    collapses: bool = False
    collapsed: bool = False
    passwords: dict[str, str] = field(default_factory=dict)
    sessions: dict[str, float] = field(default_factory=dict)
    requests: int = 0
    first: float = 0.0
    waiting: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)
    work: threading.Semaphore = field(default_factory=threading.Semaphore)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    shop: Shop

    def do_GET(self) -> None:
        shop = self._counted()
        if time.monotonic() - shop.first > shop.broken_after:
            return self._answer(500, "<h1>Server Error</h1>")
        if self.path == "/account":
            sid = self.headers.get("Cookie", "").partition("sid=")[2]
            began = shop.sessions.get(sid)
            if began is None or time.monotonic() - began > shop.lifetime:
                return self._answer(401, '{"error": "who are you?"}')
        if shop.slots and self.path == "/work":
            return self._work()
        return self._answer(200, "<h1>Welcome</h1>")

    def do_POST(self) -> None:
        shop = self._counted()
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        form = {name: values[0] for name, values in parse_qs(body).items()}
        if shop.passwords.get(form["username"]) != form["password"]:
            return self._answer(401, '{"error": "Wrong user name or password"}')
        sid = f"{form['username']}-{shop.requests}-session"
        shop.sessions[sid] = time.monotonic()
        return self._answer(200, "<h1>Hello</h1>", f"sid={sid}; Path=/")

    def _counted(self) -> Shop:
        shop = self.shop
        with shop.lock:
            shop.requests += 1
            shop.first = shop.first or time.monotonic()
        return shop

    def _work(self) -> None:
        shop = self.shop
        with shop.lock:
            shop.waiting += 1
            full = shop.collapsed or shop.waiting > shop.slots + shop.queue
            shop.collapsed = shop.collapses and full
        try:
            if full:
                time.sleep(0.2)  # even to say no takes its time
                return self._answer(503, "<h1>Try again</h1>")
            with shop.work:
                time.sleep(0.05)
            return self._answer(200, "<h1>Done</h1>")
        finally:
            with shop.lock:
                shop.waiting -= 1

    def _answer(self, status: int, text: str, cookie: str = "") -> None:
        body = text.encode()
        self.send_response(status)
        kind = "application/json" if text.startswith("{") else "text/html"
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        if cookie:
            self.send_header("Set-Cookie", cookie)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Not on standard error."""


class _Listener(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64
    allow_reuse_address = True

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(address, handler)
        self.open: set[socket.socket] = set()

    def process_request(self, request: object, client_address: object) -> None:
        assert isinstance(request, socket.socket)
        self.open.add(request)
        super().process_request(request, client_address)

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that goes, or a server that is killed, is none."""


@contextmanager
def serving(shop: Shop, port: int = 0) -> Iterator[Shop]:
    """Serve it; in the end it is gone as a process is that was killed."""
    shop.work = threading.Semaphore(shop.slots or 1)
    handler = type("Handler", (_Handler,), {"shop": shop})
    with _Listener(("127.0.0.1", port), handler) as server:
        shop.url = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield shop
        finally:
            server.shutdown()
            thread.join()
            for one in server.open:
                try:
                    one.shutdown(socket.SHUT_RDWR)
                except OSError:
                    continue


def users(shop: Shop, folder: Path, number: int, wrong: tuple[int, ...] = ()) -> str:
    """A dataset of users whom the shop knows, but for the rows ``wrong`` (from 1), whose password
    is another one; and the head of a test case that uses it."""
    shop.passwords = {f"user{row}": f"pw-{row}-x" for row in range(1, number + 1)}
    lines = [
        f"user{row},{'nonsense' if row in wrong else f'pw-{row}-x'}" for row in range(1, number + 1)
    ]
    (folder / "users.csv").write_text("\n".join(["name,password", *lines, ""]))
    return '[datasets.users]\nfile = "users.csv"\n'


def written(folder: Path, url: str, pages: str, load: str, head: str = "") -> Path:
    """A load test of one test case."""
    (folder / "shop.case.toml").write_text(
        f'format = 1\nname = "Shop"\nserver = "{url}"\n{head}{pages}'
    )
    path = folder / "rush.load.toml"
    path.write_text(f'format = 1\nname = "Rush"\n{load}\n[[case]]\nfile = "shop.case.toml"\n')
    return path


def page(*requests: str, name: str = "Shop", think: str = "") -> str:
    """A page of a test case."""
    lines = ["[[page]]", f'name = "{name}"']
    lines += [f'think_time = "{think}"'] if think else []
    for request in requests:
        lines += ["[[page.transaction]]", f'request = "{request}"']
    return "\n".join([*lines, ""])


def ran(path: Path) -> Summary:
    """What comes of a load test, in this process."""
    test = read_test(path)
    share = prepare(test, ("",), Share())
    lengths = [length for _, length in test.lengths]
    return run_alone(share, test.configuration, interrupted=lambda: False, lengths=lengths)


def failing(path: Path, summary: Summary) -> LoadDiagnosis:
    """Why it failed."""
    test = read_test(path)
    cases = [KnownCase(test.cases[0], "shop.case.toml", Evidence())]
    return diagnose_load(LoadSituation(summary, cases, "rush.load.toml"))


def is_as_wide_as_it_may_be(summary: Summary, diagnosis: LoadDiagnosis) -> str:
    """The block at the top, which is at most 78 columns wide."""
    lines = fix_first(summary, Told(diagnosis))
    commands = ("pytest ", "loadtool> ")
    assert all(len(line) <= 78 or any(one in line for one in commands) for line in lines), lines
    return "\n".join(lines)
