"""A help desk that numbers its tickets: short numbers, which no rule takes for dynamic."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path

from pytest_loadtool.workflow.files import write_evidence
from tests.correlation.client import Client
from tests.served import served

__all__ = ["Desk", "record", "serving"]

PAGE = """<!doctype html><title>Desk</title>
<p>{queue}</p>
<script>desk.open({{ticket: {ticket}, size: 20}});</script>"""


@dataclass
class Desk:
    """What the server knows. A number in the queue is three times that of the ticket."""

    url: str = ""
    ticket: int = 17
    told: bool = True
    """Whether the page tells the queue's number."""
    requests: list[str] = field(default_factory=list)
    silent: threading.Event = field(default_factory=threading.Event)
    """Set by a test that wants no answer to tickets until ``over``."""
    asked: threading.Event = field(default_factory=threading.Event)
    over: threading.Event = field(default_factory=threading.Event)


@contextmanager
def serving(first: int = 17) -> Iterator[Desk]:
    """The desk on a port of its own."""
    desk = Desk(ticket=first - 1)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            """Nothing."""

        def do_GET(self) -> None:
            desk.requests.append(f"GET {self.path}")
            if self.path == "/desk":
                desk.ticket += 1
                number = f"Your number is {desk.ticket * 3}, please wait."
                queue = number if desk.told else "Please wait."
                self.answer(200, PAGE.format(ticket=desk.ticket, queue=queue))
            else:
                known = self.path == f"/queue/{desk.ticket * 3}?size=20"
                self.answer(200 if known else 404, "<p>Your turn.</p>")

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            desk.requests.append(f"POST {self.path} {body}")
            if desk.silent.is_set():
                desk.asked.set()
                desk.over.wait()
            known = body.startswith(f"ticket={desk.ticket}&size=20")
            self.answer(200 if known else 409, "<p>Filed.</p>")

        def answer(self, status: int, text: str) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(text.encode())))
            self.end_headers()
            self.wfile.write(text.encode())

    with served(Handler) as desk.url:
        try:
            yield desk
        finally:
            desk.over.set()


def record(desk: Desk, har: Path) -> Path:
    """Record what a person does at the desk: take a ticket, file it, wait one's turn, pay."""
    client = Client(desk.url)
    client.send("GET", "/desk", headers={"Accept": "text/html"})
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    client.send("POST", "/tickets", f"ticket={desk.ticket}&size=20".encode(), form)
    client.send("GET", f"/queue/{desk.ticket * 3}?size=20")
    client.send("POST", "/pay", f"ticket={desk.ticket}&size=20&sum=5".encode(), form)
    client.close()
    write_evidence(client.exchanges, har)
    return har
