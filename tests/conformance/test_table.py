"""Each exchange of the table over each transport."""

from __future__ import annotations

import ssl
from dataclasses import replace

import pytest

from pytest_loadtool.model.result import Failure
from pytest_loadtool.model.tls import TlsSettings
from pytest_loadtool.replay import Response
from tests.conformance.answers import Reply
from tests.conformance.server import Seen, Server, http2_only, serving
from tests.conformance.table import ROWS, But, NotOver, Row, Told
from tests.observed import Observed, replay

WAYS = ("raw", "httpx", "http2")

#: What HTTP/2 does not carry over from HTTP/1.1 (RFC 9113 §8.2.2).
ABOUT_CONNECTIONS = (b"connection:", b"keep-alive:", b"transfer-encoding:")


@pytest.fixture(scope="session")
def certificate() -> ssl.SSLContext:
    """One for all servers of HTTP/2: it takes time to make."""
    return http2_only()


def test_the_table_is_large_and_its_exceptions_are_few() -> None:
    """Sixty exchanges at least; each of another name; what differs says why."""
    assert len(ROWS) >= 60
    assert len({row.name for row in ROWS}) == len(ROWS)
    exceptions = [(row.name, way) for row in ROWS for way in row.but]
    assert len([one for one in exceptions if one[1] == "httpx"]) <= 5
    assert all(row.but[way].why for row in ROWS for way in row.but)


@pytest.mark.parametrize(
    ("row", "way"),
    [
        pytest.param(row, way, id=f"{row.name}-{way}")
        for row in ROWS
        for way in WAYS
        if not isinstance(row.but.get(way), NotOver)
    ],
)
def test_an_exchange(row: Row, way: str, certificate: ssl.SSLContext) -> None:
    """The server sees what was rendered; the virtual user sees what was answered."""
    but = row.but.get(way)
    if isinstance(but, But):
        changes = {
            name: value
            for name in ("told", "sent", "connections")
            if (value := getattr(but, name)) is not None
        }
        row = replace(row, **changes)
    http2 = way == "http2"
    with serving(row.answers, tls=certificate if http2 else None, http2=http2) as server:
        observed = replay(
            server.url,
            *row.asked,
            timeout=row.timeout,
            body_limit=row.body_limit,
            transport="raw" if way == "raw" else "httpx",
            tls=TlsSettings(verify=False),
            identities=() if row.identity is None else (row.identity,),
        )
    assert len(observed.challenges) == row.challenges
    assert len(observed.responses) == len(row.asked)
    for number, (told, response, failures) in enumerate(
        zip(row.told, observed.responses, observed.failures, strict=True)
    ):
        check_told(told, response, failures)
        if len(row.answers) == 1 or number + row.challenges < len(row.answers):
            check_head(row, number + row.challenges, response, http2=http2)
    if not isinstance(but, But) or but.seen:
        check_seen(row, server, observed, http2=http2)


def check_told(told: Told, response: Response, failures: tuple[Failure, ...]) -> None:
    assert len(failures) == len(told.failures), failures
    for failure, (cause, message) in zip(failures, told.failures, strict=True):
        assert failure.cause == cause, failure
        if message.endswith("…"):
            assert failure.message.startswith(message[:-1])
        else:
            assert failure.message == message
    assert response.status == told.status
    if told.text is not None:
        assert response.text == told.text
    if told.body is not None:
        assert response.body == told.body
    assert response.received >= told.received
    for name, values in told.values.items():
        assert response.header_values(name) == list(values)
    assert response.due <= response.sent <= response.finished
    if response.status:
        assert response.sent <= response.first_byte <= response.finished


def check_head(row: Row, number: int, response: Response, *, http2: bool) -> None:
    """All headers, in order; their names as the server wrote them where HTTP lets it."""
    answer = row.answers[min(number, len(row.answers) - 1)]
    if not isinstance(answer, Reply) or not response.status:
        return
    expected = [(k.encode(), v.encode("latin-1")) for k, v in answer.headers]
    if http2:
        expected = [(name.lower(), value) for name, value in expected]
        assert response.head.startswith(b"HTTP/2 %d" % answer.status)
    else:
        assert response.head.startswith(b"HTTP/1.1 %d " % answer.status)
    assert response.headers == expected
    assert response.received >= len(response.head) + len(response.body)


def check_seen(row: Row, server: Server, observed: Observed, *, http2: bool) -> None:
    authority = server.url.partition("://")[2].encode()
    rendered = [response.request for response in observed.responses]
    arrived = [one.data for one in server.seen]
    expected_requests = row.requests or len(row.asked) + row.challenges
    assert len(arrived) == expected_requests
    if not row.requests and not row.challenges:
        for sent, got, seen in zip(rendered, arrived, server.seen, strict=True):
            if row.sent is None:
                assert got == (as_http2(sent) if http2 else sent)
            check_pseudo(seen, authority, http2=http2)
    if row.sent is not None:
        host = b"%b: %b\r\n" % (b"host" if http2 else b"Host", authority)
        without_host = [one.replace(host, b"") for one in arrived]
        for sent, got in zip(row.sent, without_host, strict=True):
            head, _, body = sent.partition(b"\n\n")
            full = head.rstrip(b"\n").replace(b"\n", b"\r\n") + b"\r\n\r\n" + body
            assert got == (lowered(full) if http2 else full)
    if row.connections is not None:
        assert server.connections == row.connections


def check_pseudo(seen: Seen, authority: bytes, *, http2: bool) -> None:
    if http2:
        pseudo = dict(seen.pseudo)
        assert pseudo[":authority"] == authority.decode()
        assert pseudo[":scheme"] == "https"


def as_http2(rendered: bytes) -> bytes:
    """What HTTP/2 carries of a request: Host first, names in small letters, nothing about the
    connection."""
    head, _, body = rendered.partition(b"\r\n\r\n")
    first, *lines = head.split(b"\r\n")
    lines.sort(key=lambda line: not line.lower().startswith(b"host:"))
    return lowered(
        b"\r\n".join(
            [first, *(one for one in lines if not one.lower().startswith(ABOUT_CONNECTIONS))]
        )
        + b"\r\n\r\n"
        + body
    )


def lowered(request: bytes) -> bytes:
    """The names of headers in small letters."""
    head, _, body = request.partition(b"\r\n\r\n")
    first, *lines = head.split(b"\r\n")
    pairs = [line.partition(b":") for line in lines]
    return (
        b"\r\n".join([first, *(name.lower() + colon + value for name, colon, value in pairs)])
        + b"\r\n\r\n"
        + body
    )
