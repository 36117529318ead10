"""What no scripted answer shows: where there is no connection, and what nginx says over TLS."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_loadtool.model.case import Kind, Recorded, Request, Transaction
from pytest_loadtool.model.tls import TlsSettings
from tests.nginx import Nginx, self_signed, serving
from tests.observed import Observed, replay
from tests.ports import free_port

TRANSPORTS = pytest.mark.parametrize("transport", ["raw", "httpx"])

#: HTTP/1.1 only at ``old``, HTTP/2 as well at ``new``, no TLS at ``behind``.
SERVERS = """
  log_format conformance '$connection $server_protocol $request_method $request_uri';
  access_log access.log conformance;
  default_type text/plain;
  ssl_certificate cert.pem;
  ssl_certificate_key key.pem;
  root files;
  server { listen 127.0.0.1:<old> ssl; }
  server { listen 127.0.0.1:<new> ssl http2; client_max_body_size 0;
           location /put { proxy_pass http://127.0.0.1:<behind>; } }
  server { listen 127.0.0.1:<behind>; client_max_body_size 0;
           location / { return 200 "$content_length $http_x_a"; } }
"""


@pytest.fixture
def nginx(tmp_path: Path) -> Iterator[Nginx]:
    files = tmp_path / "files"
    files.mkdir()
    (files / "large.txt").write_text("0123456789abcdef" * 65536 * 4)
    for number in range(40):
        (files / f"{number}.txt").write_text(f"file {number}")
    self_signed(tmp_path)
    with serving(tmp_path, SERVERS, "old", "new", "behind") as running:
        yield running


def whole_log(nginx: Nginx) -> list[list[str]]:
    """Connection, protocol, method and target of each request; nginx has ended."""
    nginx.stop()
    return [line.split(" ") for line in nginx.log()]


def replay_over(
    transport: str, url: str, *transactions: Transaction, verify: bool = False
) -> Observed:
    return replay(url, *transactions, transport=transport, tls=TlsSettings(verify=verify))


def get(target: str = "/0.txt", at: float | None = None) -> Transaction:
    """``at``: as recorded, so many seconds after the page's start and taking one second."""
    recorded = None if at is None else Recorded(200, Kind.OTHER, at=at, took=1.0)
    return Transaction(Request("GET", target), recorded=recorded)


@TRANSPORTS
def test_nobody_listens(transport: str) -> None:
    """A refused connection, in the same words."""
    url = f"http://127.0.0.1:{free_port()}"
    [[failure]] = replay_over(transport, url, get()).failures
    assert (failure.cause, failure.message) == (
        "connect",
        "connection refused: is the server running?",
    )


@TRANSPORTS
def test_no_such_host(transport: str) -> None:
    """A name that does not exist, in the same words."""
    [[failure]] = replay_over(transport, "http://no-such-host.invalid", get()).failures
    assert failure.cause == "dns"
    assert failure.message.startswith("host name not found: ")


@TRANSPORTS
def test_a_certificate_that_nobody_trusts(transport: str, nginx: Nginx) -> None:
    """The same cause and the same words."""
    [[failure]] = replay_over(transport, nginx.https("old"), get(), verify=True).failures
    assert failure.cause == "tls"
    assert failure.message == (
        "certificate not trusted: self-signed certificate; [tls] in the test case can name its ca"
    )


@TRANSPORTS
def test_tls_to_who_does_not_speak_it(transport: str, nginx: Nginx) -> None:
    """The same cause, in the same words."""
    [[failure]] = replay_over(transport, nginx.https("behind"), get()).failures
    assert failure.cause == "tls"
    assert failure.message == (
        "TLS handshake failed: WRONG_VERSION_NUMBER: does the server speak TLS on this port?"
    )


@TRANSPORTS
def test_tls_with_http_1(transport: str, nginx: Nginx) -> None:
    """A server that knows no HTTP/2 is spoken to in HTTP/1.1, on one connection."""
    observed = replay_over(
        transport, nginx.https("old"), get("/0.txt"), get("/large.txt"), get("/1.txt")
    )
    assert observed.failures == [(), (), ()]
    assert observed.responses[0].head.startswith(b"HTTP/1.1 200 OK\r\nServer: nginx")
    assert len(observed.responses[1].body) == 4 << 20
    log = whole_log(nginx)
    assert [one[1:] for one in log] == [
        ["HTTP/1.1", "GET", "/0.txt"],
        ["HTTP/1.1", "GET", "/large.txt"],
        ["HTTP/1.1", "GET", "/1.txt"],
    ]
    assert len({one[0] for one in log}) == 1


@pytest.mark.parametrize(("transport", "protocol"), [("raw", "HTTP/1.1"), ("httpx", "HTTP/2.0")])
def test_the_best_that_both_speak(transport: str, protocol: str, nginx: Nginx) -> None:
    """Over httpx that is HTTP/2, as ALPN finds out; 4 MB come through its windows, 1 MB goes."""
    put = Transaction(Request("PUT", "/put", body="x" * (1 << 20)))
    observed = replay_over(transport, nginx.https("new"), get("/0.txt"), get("/large.txt"), put)
    assert observed.failures == [(), (), ()]
    assert [one.status for one in observed.responses] == [200, 200, 200]
    assert observed.responses[0].text == "file 0"
    assert observed.responses[1].body == b"0123456789abcdef" * 65536 * 4
    assert observed.responses[2].text == f"{1 << 20} "
    log = [one for one in whole_log(nginx) if one[1] != "HTTP/1.0"]  # that is nginx to itself
    assert {one[1] for one in log} == {protocol}


@pytest.mark.parametrize(("transport", "most"), [("raw", 6), ("httpx", 1)])
def test_a_page_of_many_resources(transport: str, most: int, nginx: Nginx) -> None:
    """Six connections with HTTP/1.1, one with HTTP/2; each request once."""
    resources = [get(f"/{number}.txt", at=number / 1000) for number in range(40)]
    observed = replay_over(transport, nginx.https("new"), *resources)
    assert observed.failures == [()] * 40
    texts = {one.send.step.index: one.text for one in observed.responses}
    assert texts == {number: f"file {number}" for number in range(40)}
    log = whole_log(nginx)
    assert sorted(one[3] for one in log) == sorted(f"/{number}.txt" for number in range(40))
    assert len({one[0] for one in log}) == most


def test_six_connections_over_httpx_without_http2(nginx: Nginx) -> None:
    """It does not open more than the raw transport, and uses them again."""
    resources = [get(f"/{number}.txt", at=number / 1000) for number in range(40)]
    observed = replay_over("httpx", nginx.https("old"), *resources)
    assert observed.failures == [()] * 40
    assert len({one[0] for one in whole_log(nginx)}) <= 6
