"""The raw transport against nginx: TLS, keep-alive, compression, large bodies."""

from __future__ import annotations

import pytest

from pytest_loadtool.model.case import Request, Transaction
from pytest_loadtool.model.tls import TlsSettings
from tests.nginx import Nginx
from tests.observed import replay
from tests.transport.texts import get


def test_compressed_text(nginx: Nginx) -> None:
    """nginx's gzip is undone for the validator."""
    results = replay(nginx.http("plain"), get("/hello.txt", "Grüße"))
    assert results.failures == [()]
    assert results.responses[0].header("content-encoding") == "gzip"


def test_large_body(nginx: Nginx) -> None:
    """A megabyte in many pieces."""
    results = replay(
        nginx.http("plain"),
        Transaction(Request("GET", "/big.txt")),
        get("/big.txt", "fedcba0"[::-1]),
    )
    assert len(results.responses[0].body) == 1 << 20
    assert results.responses[0].received > 1 << 20


@pytest.mark.promise(103)
def test_a_missing_file_fails(nginx: Nginx) -> None:
    """A real 404 is an error without any configuration."""
    [[failure]] = replay(nginx.http("plain"), get("/nothing")).failures
    assert failure.message == "Status Code is 404, expected 200-399"


def test_tls(nginx: Nginx) -> None:
    """HTTPS with a certificate that is not verified, because the test case says so."""
    unverified = TlsSettings(verify=False)
    results = replay(
        nginx.https("tls"), get("/hello.txt", "Grüße"), get("/big.txt"), tls=unverified
    )
    assert results.failures == [(), ()]


def test_untrusted_certificate(nginx: Nginx) -> None:
    """By default a certificate that nobody trusts is a failure with that cause."""
    [[failure]] = replay(nginx.https("tls"), get("/hello.txt")).failures
    assert failure.cause == "tls"
    assert "certificate not trusted" in failure.message


def test_tls_against_plain_http(nginx: Nginx) -> None:
    """Speaking TLS to a plain server fails as TLS, not as a mystery."""
    [[failure]] = replay(nginx.https("plain"), get("/hello.txt")).failures
    assert failure.cause == "tls"


def test_every_request_reaches_the_server_once(nginx: Nginx) -> None:
    """The server's own log has exactly the requests that were reported."""
    asked = [*[get("/hello.txt?once")] * 50, get("/hello.txt?once=last")]
    results = replay(nginx.http("plain"), *asked)
    assert len(results.responses) == 51
    logged = nginx.log(51, of="?once")
    assert logged == ["GET /hello.txt?once HTTP/1.1"] * 50 + ["GET /hello.txt?once=last HTTP/1.1"]
