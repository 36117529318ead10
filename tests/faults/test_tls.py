"""TLS that does not come about: wrong certificates, stalls, and the wrong protocol on a port."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import trustme

from pytest_loadtool.model.result import Failure
from pytest_loadtool.model.tls import TlsSettings
from tests import observed
from tests.faults.replaying import TIMEOUT, load, replay
from tests.faults.server import OK, Peer, Script, serving, well
from tests.faults.test_responses import check


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def trusted(authority: trustme.CA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> trustme.CA:
    """The authority, as one that this machine trusts."""
    authority.cert_pem.write_to_path(tmp_path / "authority.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))
    return authority


def over_tls(
    certificate: trustme.LeafCert, script: Script = well, *, ask: trustme.CA | None = None
) -> Script:
    """The script, spoken over TLS. ``ask`` for certificates of clients that this authority
    signed."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    certificate.configure_cert(context)
    if ask is not None:
        context.verify_mode = ssl.CERT_REQUIRED
        ask.configure_trust(context)

    def wrapped(peer: Peer) -> None:
        with context.wrap_socket(
            peer.socket, server_side=True, do_handshake_on_connect=False
        ) as secured:
            try:
                secured.do_handshake()
            except ssl.SSLError:
                # Closed with something unread, the connection would be reset, and the alert that
                # says why would be lost.
                with socket.socket(fileno=secured.detach()) as plain:
                    plain.shutdown(socket.SHUT_WR)
                    while plain.recv(65536):
                        pass
                return
            peer.socket = secured
            script(peer)

    return wrapped


def expect(script: Script, cause: str, says: str, timeout: float = 30.0) -> None:
    """Both of two requests fail in the same words, and so do all under load."""
    with serving(script) as server:
        play = replay(server.https, "/1", "/2", timeout=timeout)
        for (failure,) in play.failures:
            check(failure, cause, says, server.port)
        metrics = load(server.https, "/", timeout=timeout)
    [error] = metrics.errors
    check(Failure(error.cause, error.message), cause, says, server.port)
    assert error.count == metrics.requests == metrics.failed_requests >= 3
    assert server.asked == []


def test_a_good_certificate(trusted: trustme.CA) -> None:
    """Or else none of what follows would mean anything."""
    with serving(over_tls(trusted.issue_cert("127.0.0.1"))) as server:
        assert replay(server.https, "/1", "/2").failures == [(), ()]


def test_nobody_trusts_it(authority: trustme.CA) -> None:
    """Signed by an authority that this machine does not know."""
    expect(over_tls(authority.issue_cert("127.0.0.1")), "tls", "certificate not trusted: ")


def test_expired(trusted: trustme.CA) -> None:
    """Until yesterday it was good."""
    script = over_tls(
        trusted.issue_cert("127.0.0.1", not_after=datetime.now(UTC) - timedelta(days=1))
    )
    expect(
        script, "tls", "certificate not trusted: certificate has expired; renew it on the server"
    )


def test_not_yet_valid(trusted: trustme.CA) -> None:
    """It will be good tomorrow: a clock is wrong."""
    script = over_tls(
        trusted.issue_cert("127.0.0.1", not_before=datetime.now(UTC) + timedelta(days=1))
    )
    expect(script, "tls", "certificate is not yet valid; is the clock of this machine right")


def test_what_is_said_of_an_expired_one_helps(trusted: trustme.CA) -> None:
    """Without verifying, requests are answered."""
    script = over_tls(
        trusted.issue_cert("127.0.0.1", not_after=datetime.now(UTC) - timedelta(days=1))
    )
    with serving(script) as server:
        play = observed.replay(server.https, "/", tls=TlsSettings(verify=False))
    assert play.failures == [()]


def test_of_another_host(trusted: trustme.CA) -> None:
    """Good, but not for whom was asked."""
    script = over_tls(trusted.issue_cert("elsewhere.example"))
    expect(script, "tls", "certificate is not valid for '127.0.0.1'")


@pytest.mark.slow
def test_handshake_stall() -> None:
    """The server accepts the connection and says nothing: that is neither a connection that is
    refused nor a slow response."""
    expect(lambda peer: peer.hold(), "timeout", "no TLS handshake in time", TIMEOUT)


# Not reset at once: that may come before the client has noticed that it is connected.
@pytest.mark.parametrize(
    ("end", "heard"),
    [(Peer.close, False), (Peer.close, True), (Peer.reset, True)],
    ids=["closed at once", "closed after the hello", "reset after the hello"],
)
def test_cut_in_the_handshake(end: Callable[[Peer], None], heard: bool) -> None:
    """Closed or reset, before or after the client has said hello: TLS is what did not work."""

    def script(peer: Peer) -> None:
        if heard:
            peer.socket.recv(65536)
        end(peer)

    expect(script, "tls", "TLS handshake")


def test_plain_http_on_the_port() -> None:
    """Spoken to in TLS, a plain server answers something; what to do about it is said."""

    def script(peer: Peer) -> None:
        peer.socket.recv(65536)
        peer.send(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")

    expect(script, "tls", "does the server speak TLS on this port?")


def test_tls_on_a_plain_port(authority: trustme.CA) -> None:
    """Spoken to in plain HTTP, OpenSSL closes without a word. What others send, a page that says
    so or an alert, is told apart in test_responses."""
    with serving(over_tls(authority.issue_cert("127.0.0.1"))) as server:
        play = replay(server.http, "/1", "/2")
    for (failure,) in play.failures:
        check(failure, "reset", "before a response came", server.port)


def test_too_old() -> None:
    """A server that offers nothing that the client would accept sends an alert."""

    def script(peer: Peer) -> None:
        peer.socket.recv(65536)
        peer.send(b"\x15\3\1\0\2\2\x46")  # fatal: protocol version

    expect(script, "tls", "TLS handshake failed: ")


def test_a_certificate_of_the_client_is_wanted(trusted: trustme.CA) -> None:
    """In TLS 1.3 the server says so only after the handshake."""
    script = over_tls(trusted.issue_cert("127.0.0.1"), ask=trusted)
    with serving(script) as server:
        play = replay(server.https, "/1", "/2")
    for (failure,) in play.failures:
        check(failure, "tls", "certificate", server.port)


def test_cut_in_the_body(trusted: trustme.CA) -> None:
    """Without the close_notify that would make it an end: half a body is half a body."""

    def script(peer: Peer) -> None:
        peer.request()
        peer.send(OK[:-1])
        peer.reset()

    with serving(over_tls(trusted.issue_cert("127.0.0.1"), script)) as server:
        play = replay(server.https, "/1")
    [(failure,)] = play.failures
    check(failure, "reset", "in the middle of a response", server.port)


def test_garbage_instead_of_a_record(trusted: trustme.CA) -> None:
    """In the middle of a response the server loses the thread: the user goes on."""

    def script(peer: Peer) -> None:
        peer.request()
        peer.send(OK[:-1])
        with socket.socket(fileno=peer.socket.detach()) as plain:  # the TLS is left behind
            plain.sendall(b"this is no TLS record at all" * 10)
            plain.recv(65536)

    with serving(over_tls(trusted.issue_cert("127.0.0.1"), script)) as server:
        play = replay(server.https, "/1", "/2", timeout=30.0)
    assert [one.cause for (one,) in play.failures] in (["tls"] * 2, ["reset"] * 2)
