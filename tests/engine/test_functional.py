"""The functional replay over real sockets."""

from __future__ import annotations

import pytest

from pytest_loadtool.engine.functional import replay_once
from pytest_loadtool.model.case import Page, Request, TestCase, Transaction
from pytest_loadtool.model.result import Failure
from pytest_loadtool.model.validator import StatusCodes, TextValidator
from pytest_loadtool.replay import Response, Step, compile_case
from tests.observed import Observed, replay
from tests.ports import free_port
from tests.transport.peer import Script, answering, peer, resetting, silent

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"


def test_requests_share_a_connection() -> None:
    """As long as the server keeps it open."""
    with peer(answering(OK, OK, OK)) as server:
        results = replay(server.url, "/1", "/2", "/3")
    assert [one.body for one in results.responses] == [b"hi"] * 3
    assert results.failures == [(), (), ()]
    assert server.connections == 1


def test_times_and_sizes() -> None:
    """Due, sent, first byte and end come in that order; received counts the head."""
    with peer(answering(OK)) as server:
        [response] = replay(server.url, "/").responses
    assert response.due <= response.sent <= response.first_byte <= response.finished
    assert response.received == len(OK)


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nh\r\n1\r\ni\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n\r\nhi",
        b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi",
        b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi",
        b"HTTP/1.1 100 Continue\r\n\r\n" + OK,
        b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + OK,
    ],
    ids=["chunked", "until close", "HTTP 1.0", "close", "100", "103"],
)
def test_framing(answer: bytes) -> None:
    """Whatever frames the body, it is read, and the next request has a connection."""
    with peer(answering(answer)) as server:
        results = replay(server.url, "/1", "/2")
    assert [one.body for one in results.responses] == [b"hi", b"hi"]
    assert results.failures == [(), ()]
    assert all(one.header("link") is None for one in results.responses)


@pytest.mark.parametrize("status", [204, 304])
def test_responses_without_a_body(status: int) -> None:
    """They end with their head, and the connection goes on."""
    with peer(answering(b"HTTP/1.1 %d X\r\n\r\n" % status, OK)) as server:
        results = replay(server.url, "/1", "/2")
    assert [one.status for one in results.responses] == [status, 200]
    assert server.connections == 1


def test_head_has_no_body() -> None:
    """Though its Content-Length says what a GET would have."""
    head = Transaction(Request("HEAD", "/1"))
    with peer(answering(b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n", OK)) as server:
        results = replay(server.url, head, "/2")
    assert [one.body for one in results.responses] == [b"", b"hi"]
    assert server.connections == 1


def test_an_idle_connection_closed_by_the_server_is_replaced() -> None:
    """The request that met the closed connection is sent once more on a fresh one."""
    with peer(answering(OK), answering(OK)) as server:
        results = replay(server.url, "/1", "/2")
    assert results.failures == [(), ()]
    assert server.connections == 2


@pytest.mark.parametrize(
    ("script", "failure"),
    [
        (resetting(), Failure("reset", "connection closed by the server before a response came")),
        (
            resetting(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi"),
            Failure("reset", "connection closed by the server in the middle of a response"),
        ),
        (
            answering(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhi"),
            Failure("reset", "connection closed by the server in the middle of a response"),
        ),
    ],
    ids=["before", "in the body", "in a chunk"],
)
def test_connections_cut_short(script: Script, failure: Failure) -> None:
    """A response that does not come whole is a failure with its cause."""
    with peer(script) as server:
        results = replay(server.url, "/")
    assert results.failures == [(failure,)]
    assert results.responses[0].status == 0


def test_not_http() -> None:
    """A peer that speaks something else is named as such."""
    with peer(answering(b"220 ftp.example FTP server ready\r\n")) as server:
        [[failure]] = replay(server.url, "/").failures
    assert failure.cause == "protocol"
    assert failure.message.startswith("not HTTP: ")


def test_garbage_after_a_response() -> None:
    """The response counts; the connection is not used again."""
    with peer(answering(OK + b"garbage\r\n\r\n"), answering(OK)) as server:
        results = replay(server.url, "/1", "/2")
    assert results.failures == [(), ()]
    assert server.connections == 2


def test_connection_refused() -> None:
    """Nobody listens: said so."""
    url = f"http://127.0.0.1:{free_port()}"
    assert replay(url, "/").failures == [
        (Failure("connect", "connection refused: is the server running?"),)
    ]


def test_unknown_host() -> None:
    """A host name that does not exist is a failure of its own kind."""
    [[failure]] = replay("http://no-such-host.invalid", "/").failures
    assert failure.cause == "dns"


def test_no_answer() -> None:
    """A server that says nothing fails the request after the time-out; the next one goes on."""
    with peer(silent, answering(OK)) as server:
        results = replay(server.url, "/1", "/2", timeout=2.0)
    assert results.failures == [(Failure("timeout", "no response in time"),), ()]


def test_validators_see_the_response() -> None:
    """A failed validator of a real response."""
    transaction = Transaction(
        Request("GET", "/"), status=StatusCodes(((204, 204),)), validators=(TextValidator("bye"),)
    )
    with peer(answering(OK)) as server:
        [failures] = replay(server.url, transaction).failures
    assert [one.message for one in failures] == [
        "Status Code is 200, expected 204",
        "Search text not found: 'bye'",
    ]


class Mistaken(Observed):
    """An observer that raises."""

    def transaction(self, step: Step, response: Response, failures: tuple[Failure, ...]) -> None:
        raise ZeroDivisionError


def test_a_mistake_of_our_own_is_not_swallowed() -> None:
    """An exception while a response is handled ends the replay and is raised."""
    plan = compile_case(
        TestCase("c", (Page("p", (Transaction(Request("GET", "/")),)),), ""),
        server="http://127.0.0.1:1",
    )
    with pytest.raises(ZeroDivisionError):
        replay_once(plan, observer=Mistaken())
    with peer(answering(OK)) as server, pytest.raises(ZeroDivisionError):
        replay_once(compile_case(plan.case, server=server.url), observer=Mistaken())
