"""Responses that are none, or not whole: each failure has its cause, and the user goes on."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from pytest_loadtool.model.case import Header, Request, Transaction
from pytest_loadtool.model.result import Cause, Failure
from tests.faults.replaying import TIMEOUT, load, replay
from tests.faults.server import (
    Answer,
    Peer,
    by_path,
    cut,
    drip,
    endless,
    hold,
    once,
    reset,
    serving,
    well,
)
from tests.ports import free_port

CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
NINE = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"
MEGABYTE = b"x" * (1 << 20)


@dataclass(frozen=True)
class Fault:
    """What a server does to a request, and what must be said of it."""

    answer: Answer
    cause: Cause
    says: str

    @property
    def timeout(self) -> float:
        return TIMEOUT if self.cause == "timeout" else 5.0


EARLY = "connection closed by the server before a response came"
MIDWAY = "connection closed by the server in the middle of a response"
NO_HTTP = "not HTTP"
LARGE_HEAD = "256 KB"
SILENT = "no response in time"
SLOW = "the response began, but was not complete in time"

FAULTS: Mapping[str, Fault] = {
    "reset before a byte": Fault(reset(), "reset", EARLY),
    "closed before a byte": Fault(cut(), "reset", EARLY),
    "reset in the head": Fault(reset(NINE[:30]), "reset", MIDWAY),
    "closed in the status line": Fault(cut(b"HTTP/1.1 2"), "reset", MIDWAY),
    "closed in the head": Fault(cut(NINE[:-2]), "reset", MIDWAY),
    "reset in the body": Fault(reset(NINE + b"12345"), "reset", MIDWAY),
    "reset in a body that ends with the connection": Fault(
        reset(b"HTTP/1.1 200 OK\r\n\r\n12345"), "reset", MIDWAY
    ),
    "closed in the body": Fault(cut(NINE + b"12345"), "reset", MIDWAY),
    "closed after the head": Fault(cut(NINE), "reset", MIDWAY),
    "closed after an interim response": Fault(
        cut(b"HTTP/1.1 100 Continue\r\n\r\n"), "reset", MIDWAY
    ),
    "closed in a chunk's size": Fault(cut(CHUNKED + b"9"), "reset", MIDWAY),
    "truncated chunk": Fault(cut(CHUNKED + b"9\r\n12345"), "reset", MIDWAY),
    "closed after a chunk": Fault(cut(CHUNKED + b"5\r\n12345\r\n"), "reset", MIDWAY),
    "closed after the last chunk": Fault(cut(CHUNKED + b"2\r\nhi\r\n0\r\n"), "reset", MIDWAY),
    "chunk that never ends": Fault(cut(CHUNKED + b"7FFFFFFFFFFFFFF\r\nhi"), "reset", MIDWAY),
    "oversized chunk": Fault(cut(CHUNKED + b"2\r\nhi there\r\n0\r\n\r\n"), "protocol", NO_HTTP),
    "bad chunk size": Fault(cut(CHUNKED + b"two\r\nhi\r\n0\r\n\r\n"), "protocol", NO_HTTP),
    "no chunk size": Fault(cut(CHUNKED + b"\r\nhi\r\n0\r\n\r\n"), "protocol", NO_HTTP),
    "negative chunk size": Fault(cut(CHUNKED + b"-2\r\nhi\r\n0\r\n\r\n"), "protocol", NO_HTTP),
    "huge chunk size": Fault(cut(CHUNKED + b"F" * 17 + b"\r\nhi"), "protocol", NO_HTTP),
    "no status code": Fault(cut(b"HTTP/1.1 OK\r\n\r\n"), "protocol", NO_HTTP),
    "status code of a letter": Fault(cut(b"HTTP/1.1 2x0 OK\r\n\r\n"), "protocol", NO_HTTP),
    "status code of four digits": Fault(cut(b"HTTP/1.1 2000 OK\r\n\r\n"), "protocol", NO_HTTP),
    "no such version": Fault(cut(b"HTTP/7.7 200 OK\r\n\r\n"), "protocol", NO_HTTP),
    "FTP": Fault(cut(b"220 ftp.example FTP server ready\r\n"), "protocol", NO_HTTP),
    "SSH": Fault(cut(b"SSH-2.0-OpenSSH_9.6\r\n"), "protocol", NO_HTTP),
    "HTTP/2": Fault(cut(b"\0\0\x12\4\0\0\0\0\0\0\3\0\0\0\x64"), "protocol", NO_HTTP),
    "HTTP/0.9": Fault(cut(b"<html>hi</html>"), "protocol", NO_HTTP),
    "TLS alert": Fault(cut(b"\x15\3\1\0\2\2\x46"), "protocol", "https://"),
    "no name before the colon": Fault(
        cut(b"HTTP/1.1 200 OK\r\n: value\r\nContent-Length: 0\r\n\r\n"), "protocol", NO_HTTP
    ),
    "length of letters": Fault(
        cut(b"HTTP/1.1 200 OK\r\nContent-Length: nine\r\n\r\n"), "protocol", NO_HTTP
    ),
    "length below zero": Fault(
        cut(b"HTTP/1.1 200 OK\r\nContent-Length: -9\r\n\r\n"), "protocol", NO_HTTP
    ),
    "length beyond all numbers": Fault(
        cut(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\n"),
        "protocol",
        NO_HTTP,
    ),
    "two lengths": Fault(
        cut(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nhi!"),
        "protocol",
        NO_HTTP,
    ),
    "other protocol": Fault(
        hold(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"),
        "protocol",
        "switched protocols",
    ),
    "header of 1 MB": Fault(
        hold(b"HTTP/1.1 200 OK\r\nX: " + MEGABYTE + b"\r\nContent-Length: 2\r\n\r\nhi"),
        "protocol",
        LARGE_HEAD,
    ),
    "reason of 1 MB": Fault(
        hold(b"HTTP/1.1 200 " + MEGABYTE + b"\r\n\r\n"), "protocol", LARGE_HEAD
    ),
    "headers without end": Fault(
        endless(b"HTTP/1.1 200 OK\r\n", b"X-Again: and again\r\n" * 500), "protocol", LARGE_HEAD
    ),
    "interim responses without end": Fault(
        endless(b"", b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" * 500),
        "protocol",
        "interim responses",
    ),
    "silence": Fault(hold(), "timeout", SILENT),
    "silence in the head": Fault(hold(NINE[:20]), "timeout", SLOW),
    "silence after 100": Fault(hold(b"HTTP/1.1 100 Continue\r\n\r\n"), "timeout", SLOW),
    "silence in the body": Fault(hold(NINE), "timeout", SLOW),
    "dripping head": Fault(drip(b"HTTP/1.1 200 OK\r\nX: ", 0.05), "timeout", SLOW),
    "dripping body": Fault(drip(b"HTTP/1.1 200 OK\r\n\r\n", 0.05), "timeout", SLOW),
    "dripping chunk": Fault(drip(CHUNKED + b"FFFF\r\n", 0.05), "timeout", SLOW),
}

each_fault = pytest.mark.parametrize(
    "fault",
    [
        pytest.param(one, id=name, marks=[pytest.mark.slow] if one.cause == "timeout" else [])
        for name, one in FAULTS.items()
    ],
)


def check(failure: Failure, cause: str, says: str, port: int) -> None:
    """The right cause; words that fit, and that are the same on every run."""
    assert (failure.cause, says in failure.message) == (cause, True), failure
    assert len(failure.message) <= 200
    assert str(port) not in failure.message
    assert "0x" not in failure.message
    assert "\n" not in failure.message


@each_fault
def test_replay(fault: Fault) -> None:
    """The transaction fails for that one reason, was sent once, and the next one has a connection
    of its own."""
    with serving(once(fault.answer), well) as server:
        play = replay(server.http, "/fault", "/next", timeout=fault.timeout)
    (failure,), nothing = play.failures
    check(failure, fault.cause, fault.says, server.port)
    assert nothing == ()
    assert [one.status for one in play.responses] == [0, 200]
    assert server.lines == ["GET /fault", "GET /next"]


@each_fault
def test_load(fault: Fault) -> None:
    """Under load all requests are counted, and equal failures of all users are one error."""
    each = 1 if fault.cause == "timeout" else 2  # it takes a second
    with serving(once(fault.answer)) as server:
        metrics = load(server.http, "/fault", duration=None, iterations=each, timeout=fault.timeout)
    assert metrics.requests == metrics.failed_requests == len(server.asked) == 3 * each
    assert metrics.transactions[0].statuses == {0: metrics.requests}
    [error] = metrics.errors
    check(Failure(error.cause, error.message), fault.cause, fault.says, server.port)
    assert error.count == metrics.requests
    assert metrics.cut == 0


@pytest.mark.parametrize("name", ["headers without end", "interim responses without end"])
def test_the_client_hangs_up_on_a_head_without_end(name: str) -> None:
    """It takes little more than the limit, not what the server could send until the time-out."""
    with serving(once(FAULTS[name].answer)) as server:
        replay(server.http, "/", timeout=30.0)
    assert server.sent < 20 << 20  # sockets of the loopback hold some megabytes


def test_many_faults_at_once() -> None:
    """Each transaction of a page meets another fault; what the metrics say is what the server
    logged, path by path."""
    answers = {
        f"/{number}": fault.answer
        for number, fault in enumerate(FAULTS.values())
        if fault.cause != "timeout"
    }
    targets = [*answers, "/well"]
    with serving(by_path(answers)) as server:
        metrics = load(server.http, *targets, users=2)
    counted = {
        f"GET {target}": numbers.requests
        for target, numbers in zip(targets, metrics.transactions, strict=True)
    }
    assert counted == server.counts
    assert metrics.failed_requests == metrics.requests - counted["GET /well"]
    assert sum(error.count for error in metrics.errors) == metrics.failed_requests


def test_closed_without_a_look_at_the_request() -> None:
    """Accepted and closed at once, as a proxy without a server behind it does."""
    with serving(lambda _peer: None) as server:
        for (failure,) in replay(server.http, "/1", "POST /2").failures:
            check(failure, "reset", EARLY, server.port)
        metrics = load(server.http, "/")
    assert [error.count for error in metrics.errors] == [metrics.requests]


@pytest.mark.parametrize("close", [True, False], ids=["closing", "not closing"])
def test_answered_before_all_was_sent(close: bool) -> None:
    """A server that refuses a large body after its head: its answer counts, and the rest of the
    body does not hold the next request up."""
    body = "x" * (16 << 20)
    upload = Transaction(Request("POST", "/upload", (Header("Content-Length"),), body))

    def script(peer: Peer) -> None:
        peer.socket.recv(1000)
        field = b"Connection: close\r\n" if close else b""
        peer.send(b"HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n%b\r\n" % field)
        over.wait(60)

    over = threading.Event()
    with serving(script, well) as server:
        play = replay(server.http, upload, "/next", timeout=30.0)
        over.set()
    assert [one.status for one in play.responses] == [413, 200]
    assert server.lines == ["GET /next"]


# Where there is no connection.


def test_connection_refused() -> None:
    """Nobody listens."""
    port = free_port()
    play = replay(f"http://127.0.0.1:{port}", "/1", "/2")
    for (failure,) in play.failures:
        check(failure, "connect", "connection refused: is the server running?", port)
    metrics = load(f"http://127.0.0.1:{port}", "/")
    [error] = metrics.errors
    assert error.cause == "connect"
    assert error.count == metrics.requests == metrics.failed_requests > 3


@contextmanager
def busy_port() -> Iterator[int]:
    """A port whose queue is full: the kernel answers no more attempts to connect."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(0)
    waiting = []
    for _ in range(4):
        one = socket.socket()
        one.setblocking(False)
        one.connect_ex(listener.getsockname())
        waiting.append(one)
    try:
        yield listener.getsockname()[1]
    finally:
        for one in waiting:
            one.close()
        listener.close()


@pytest.mark.slow
def test_no_connection_in_time() -> None:
    """A server too busy to take the connection: the time-out says that it came to nothing."""
    with busy_port() as port:
        play = replay(f"http://127.0.0.1:{port}", "/1", "/2", timeout=TIMEOUT)
        for (failure,) in play.failures:
            check(failure, "timeout", "no connection in time", port)
        metrics = load(f"http://127.0.0.1:{port}", "/", timeout=TIMEOUT)
    [error] = metrics.errors
    check(Failure(error.cause, error.message), "timeout", "no connection in time", port)
    assert error.count == metrics.requests == 3


@pytest.mark.slow
def test_a_time_out_is_not_the_fault_of_the_next() -> None:
    """The queue moves again: the connection that was given up takes nothing from the others."""
    with busy_port() as port:
        replay(f"http://127.0.0.1:{port}", "/1", timeout=TIMEOUT)
    with serving(well) as server:
        assert replay(server.http, "/2").failures == [()]


@pytest.mark.parametrize(
    "host",
    ["no-such-host.invalid", "a" * 64 + ".invalid", "a..invalid"],
    ids=["unknown", "label too long", "empty label"],
)
def test_no_such_host(host: str) -> None:
    """The name is not found, or cannot be one."""
    for play in (replay(f"http://{host}", "/1", "/2"), replay(f"https://{host}", "/1", "/2")):
        assert len(play.failures) == 2
        for (failure,) in play.failures:
            check(failure, "dns", "host name", 80)
