"""Connections that are used again, and servers that close them or say more than they were asked.

A request may meet a connection that the server is just closing. It is sent once more, on a fresh
connection, if that cannot do anything twice: nothing of a response has come, and the method is
idempotent (RFC 9110 §9.2.2, RFC 9112 §9.3.1).
"""

from __future__ import annotations

import pytest

from tests.faults.replaying import TIMEOUT, load, replay, watched
from tests.faults.server import (
    OK,
    Answer,
    Peer,
    Script,
    answering,
    cut,
    hold,
    once,
    reset,
    serving,
    well,
)
from tests.listening import wait_until_read

CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
CLOSING = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi"


def racing(answer: Answer) -> Script:
    """The first request is answered well. The second one, which comes on the connection that was
    kept, meets ``answer``."""

    def script(peer: Peer) -> None:
        peer.request()
        peer.send(OK)
        peer.request()
        answer(peer)

    return script


race = pytest.mark.parametrize("end", [cut(), reset()], ids=["closed", "reset"])


@race
@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS", "PUT", "DELETE"])
def test_sent_again_once(method: str, end: Answer) -> None:
    """Where nothing was received, on a connection of its own; the user does not notice, the network
    counts it."""
    answers = (b"HTTP/1.1 204 No Content\r\n\r\n", OK)
    with serving(racing(end), answering(*answers)) as server:
        play = watched(server.http, "/1", f"{method} /2", "/3")
    assert play.failures == [(), (), ()]
    assert server.lines == ["GET /1", f"{method} /2", f"{method} /2", "GET /3"]
    assert [one.connection for one in server.asked] == [0, 0, 1, 1]
    assert (play.retries, play.opened_count) == (1, 2)


@race
@pytest.mark.parametrize("method", ["POST", "PATCH", "BUY"])
def test_what_would_do_it_twice_is_not_sent_again(method: str, end: Answer) -> None:
    """Perhaps the server did it before it closed: it is a failure, which says what happened."""
    with serving(racing(end), well) as server:
        play = watched(server.http, "/1", f"{method} /2", "/3")
    nothing, (failure,), other = play.failures
    assert (nothing, other) == ((), ())
    assert failure.cause == "reset"
    assert "as the request was sent" in failure.message
    assert server.lines == ["GET /1", f"{method} /2", "GET /3"]
    assert play.retries == 0


@race
def test_never_sent_a_third_time(end: Answer) -> None:
    """A server that closes the fresh connection, too, means it."""
    with serving(racing(end), once(end), well) as server:
        play = watched(server.http, "/1", "/2", "/3")
    nothing, (failure,), other = play.failures
    assert (nothing, other) == ((), ())
    assert failure.cause == "reset"
    assert failure.message == "connection closed by the server before a response came"
    assert server.lines == ["GET /1", "GET /2", "GET /2", "GET /3"]
    assert play.retries == 1


@pytest.mark.parametrize("answer", [cut(b"H"), reset(b"HTTP/1.1 200 OK\r\n")])
def test_not_sent_again_after_a_byte(answer: Answer) -> None:
    """With the first byte of a response the request has been worked on."""
    with serving(racing(answer), well) as server:
        play = watched(server.http, "/1", "/2", "/3")
    nothing, (failure,), other = play.failures
    assert (nothing, other) == ((), ())
    assert failure.cause == "reset"
    assert server.lines == ["GET /1", "GET /2", "GET /3"]
    assert play.retries == 0


@race
def test_not_sent_again_on_a_fresh_connection(end: Answer) -> None:
    """There was no race: the server does not want to talk."""
    with serving(once(end), well) as server:
        play = watched(server.http, "/1", "/2")
    (failure,), nothing = play.failures
    assert failure.cause == "reset"
    assert nothing == ()
    assert server.lines == ["GET /1", "GET /2"]
    assert play.retries == 0


def test_not_sent_again_after_a_time_out() -> None:
    """Whoever does not answer a kept connection has the request."""
    with serving(racing(hold()), well) as server:
        play = replay(server.http, "/1", "/2", "/3", timeout=TIMEOUT)
    assert [len(one) for one in play.failures] == [0, 1, 0]
    assert play.failures[1][0].cause == "timeout"
    assert server.lines == ["GET /1", "GET /2", "GET /3"]


def test_a_connection_that_was_closed_while_idle() -> None:
    """Found closed before the request goes out: then there is nothing to send again, and a POST
    goes out like any other."""
    with serving(answering(OK), well) as server:
        play = watched(server.http, "/1", "POST /2", pause=0.4)
    assert play.failures == [(), ()]
    assert server.counts == {"GET /1": 1, "POST /2": 1}


@pytest.mark.parametrize("body", ["Content-Length: 2\r\n\r\nhi", "\r\nhi"])
@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_closing_as_announced(version: str, body: str) -> None:
    """With Connection: close, or in HTTP/1.0, each request has a connection of its own. That is no
    race, and nothing is sent again."""
    close = "" if version == "1.0" else "Connection: close\r\n"
    answer = f"HTTP/{version} 200 OK\r\n{close}{body}".encode()
    with serving(answering(answer)) as server:
        play = watched(server.http, "/1", "POST /2", "/3")
    assert play.failures == [(), (), ()]
    assert [one.body for one in play.responses] == [b"hi"] * 3
    assert [one.connection for one in server.asked] == [0, 1, 2]
    assert play.retries == 0


def test_http_1_0_that_keeps_its_connection() -> None:
    """If the server says so (RFC 9112 §9.3)."""
    kept = b"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nhi"
    with serving(answering(kept, kept)) as server:
        play = replay(server.http, "/1", "/2")
    assert play.failures == [(), ()]
    assert server.connections == 1


def test_announced_but_left_open() -> None:
    """A server that says close and does not: the client does it."""

    def script(peer: Peer) -> None:
        peer.request()
        peer.send(CLOSING)
        peer.hold()

    with serving(script) as server:
        play = replay(server.http, "/1", "/2", timeout=30.0)
    assert play.failures == [(), ()]
    assert server.connections == 2


def test_retries_are_counted_under_load() -> None:
    """Requests in the metrics are those that the server answered; the log has the repeated ones,
    too."""
    with serving(racing(cut())) as server:
        metrics = load(server.http, "/1", "/2")
    # Each second request was sent again, and answered as the first one of a new connection.
    assert metrics.failed_requests == 0
    repeated = len(server.asked) - metrics.requests
    assert repeated == metrics.retried == server.counts["GET /2"] // 2 > 0


# What nobody asked for.

EXTRA = {
    "garbage": b"\r\n\r\ngarbage",
    "a second response": b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong",
    "half a response": b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwr",
    "an interim response": b"HTTP/1.1 100 Continue\r\n\r\n",
    "the rest of a longer body": b", how are you?",
    "a chunked response": CHUNKED + b"1\r\nx\r\n0\r\n\r\n",
    "bytes": b"\0" * 100_000,
}


@pytest.mark.parametrize("extra", EXTRA.values(), ids=EXTRA)
@pytest.mark.parametrize(
    ("chunked", "later"),
    [(False, False), pytest.param(False, True, marks=pytest.mark.slow), (True, False)],
    ids=["at once", "later", "after the last chunk"],
)
def test_more_than_was_asked_for(extra: bytes, chunked: bool, later: bool) -> None:
    """The response counts as it is; what follows it is never taken for the answer to the next
    request, which has a connection of its own (RFC 9112 §9.2)."""
    first = OK
    if chunked:
        first = CHUNKED + b"2\r\nhi\r\n0\r\n\r\n"

    def script(peer: Peer) -> None:
        peer.request()
        if later:
            peer.send(first)
            wait_until_read(peer.socket)
            peer.send(extra)
        else:
            peer.send(first + extra)
        peer.hold()

    # What comes "later" comes while the user thinks. Had the next request gone out by then, nobody
    # could tell it from the answer to that.
    with serving(script, well) as server:
        play = watched(server.http, "/1", "/2", pause=1.5 if later else 0.0)
    assert play.failures == [(), ()]
    assert [one.body for one in play.responses] == [b"hi"] * 2
    assert server.asked[-1].connection == 1


# Responses without a body.


@pytest.mark.parametrize("length", ["", "Content-Length: 0\r\n", "Content-Length: 5\r\n"])
@pytest.mark.parametrize(
    ("method", "status"),
    [("HEAD", 200), ("HEAD", 404), ("GET", 204), ("GET", 304), ("HEAD", 304), ("POST", 204)],
)
def test_no_body(method: str, status: int, length: str) -> None:
    """It ends with its head, whatever length that announces, and its connection is used again
    (RFC 9112 §6.3)."""
    answer = f"HTTP/1.1 {status} Whatever\r\n{length}\r\n".encode()
    with serving(answering(answer, OK)) as server:
        play = replay(server.http, f"{method} /1", "/2", timeout=30.0)
    assert [(one.status, one.body) for one in play.responses] == [(status, b""), (200, b"hi")]
    assert server.connections == 1


def test_a_body_where_none_may_be() -> None:
    """After 204 it belongs to nothing: the next request has another connection."""
    with serving(
        answering(b"HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nwrong"), well
    ) as server:
        play = replay(server.http, "/1", "/2")
    assert [(one.status, one.body) for one in play.responses] == [(204, b""), (200, b"hi")]
    assert server.counts["GET /2"] == 1


def test_a_body_after_head() -> None:
    """A server that forgot that it was asked for the head alone."""
    with serving(answering(OK), well) as server:
        play = replay(server.http, "HEAD /1", "/2")
    assert [(one.status, one.body) for one in play.responses] == [(200, b""), (200, b"hi")]
    assert server.counts["GET /2"] == 1


# Interim responses.

INTERIM = {
    "100": b"HTTP/1.1 100 Continue\r\n\r\n",
    "102 and headers": b"HTTP/1.1 102 Processing\r\nSet-Cookie: a=1\r\n\r\n",
    "103": b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n",
    "several": b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" * 3,
}


@pytest.mark.parametrize("interim", INTERIM.values(), ids=INTERIM)
@pytest.mark.parametrize("method", ["GET", "POST", "HEAD"])
@pytest.mark.parametrize("slowly", [False, True], ids=["at once", "slowly"])
def test_interim_responses(interim: bytes, method: str, slowly: bool) -> None:
    """They leave no trace in the final one (RFC 9110 §15.2), and the connection is used again."""
    final = OK if method != "HEAD" else b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"

    def script(peer: Peer) -> None:
        peer.request()
        if slowly:
            peer.send(interim[:20])
            wait_until_read(peer.socket)
            peer.send(interim[20:])
            wait_until_read(peer.socket)
            peer.send(final)
        else:
            peer.send(interim + final)
        well(peer)

    with serving(script) as server:
        play = replay(server.http, f"{method} /1", "/2")
    first, second = play.responses
    assert (first.status, first.body) == (200, b"" if method == "HEAD" else b"hi")
    assert first.header("link") is None
    assert first.header("set-cookie") is None
    assert first.head == b"HTTP/1.1 200 OK\r\nContent-Length: 2"
    assert (second.status, second.body) == (200, b"hi")
    assert server.connections == 1
