"""TLS settings against nginx: whom the client trusts, who it says it is, and for whom it asks."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import trustme
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)

from pytest_loadtool.model.case import Header, Page, Request, TestCase, Transaction
from pytest_loadtool.model.tls import TlsSettings
from pytest_loadtool.replay import compile_case
from pytest_loadtool.transport.wire.tls import TlsError, check_tls, tls_context
from tests.nginx import serving
from tests.observed import Observed, replay
from tests.transport.peer import answering, peer

SERVERS = """
  access_log off;
  ssl_certificate address.pem;
  ssl_certificate_key address.pem;
  server {
    listen 127.0.0.1:<named> ssl default_server;
    location / { return 200 "address, asked for <$ssl_server_name>"; }
  }
  server {
    listen 127.0.0.1:<named> ssl;
    server_name localhost;
    ssl_certificate localhost.pem;
    ssl_certificate_key localhost.pem;
    location / { return 200 "localhost, asked for <$ssl_server_name>"; }
  }
  server {
    listen 127.0.0.1:<named> ssl;
    server_name shop.example;
    ssl_certificate shop.pem;
    ssl_certificate_key shop.pem;
    location / { return 200 "shop, asked for <$ssl_server_name>"; }
  }
  server {
    listen 127.0.0.1:<old> ssl;
    ssl_protocols TLSv1.2;
    location / { return 200 "$ssl_protocol $ssl_alpn_protocol"; }
  }
  server {
    listen 127.0.0.1:<new> ssl;
    ssl_protocols TLSv1.3;
    location / { return 200 "$ssl_protocol $ssl_alpn_protocol"; }
  }
  server {
    listen 127.0.0.1:<strict> ssl;
    ssl_verify_client on;
    ssl_client_certificate ca.pem;
    location / { return 200 "welcome, $ssl_client_s_dn"; }
  }
"""


@dataclass(frozen=True, slots=True)
class Site:
    """Servers of one authority, by what they are for; the files of clients are in ``folder``."""

    folder: Path
    named: int
    old: int
    new: int
    strict: int

    @property
    def ca(self) -> str:
        return str(self.folder / "ca.pem")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    root = tmp_path_factory.mktemp("tls")
    authority = trustme.CA()
    authority.cert_pem.write_to_path(root / "ca.pem")
    for name, identity in {
        "address": "127.0.0.1",
        "localhost": "localhost",
        "shop": "shop.example",
    }.items():
        authority.issue_cert(identity).private_key_and_cert_chain_pem.write_to_path(
            root / f"{name}.pem"
        )
    client = authority.issue_cert("ann@shop.example", common_name="Ann")
    client.private_key_and_cert_chain_pem.write_to_path(root / "client.pem")
    with serving(root, SERVERS, "named", "old", "new", "strict") as nginx:
        yield Site(root, **nginx.ports)


def get(url: str, tls: TlsSettings, *headers: Header, transport: str = "") -> Observed:
    """Replay one GET."""
    return replay(url, Transaction(Request("GET", "/", headers)), tls=tls, transport=transport)


def body(url: str, tls: TlsSettings, *headers: Header, transport: str = "") -> str:
    """The body of a GET that passes."""
    results = get(url, tls, *headers, transport=transport)
    assert results.failures == [()]
    return results.responses[0].text


def failure(url: str, tls: TlsSettings, transport: str = "") -> tuple[str, str]:
    """Why a GET fails: cause and message."""
    [[found]] = get(url, tls, transport=transport).failures
    return found.cause, found.message


def test_own_authority(site: Site) -> None:
    """The certificates of an authority that the test case names are trusted, in TLS 1.2 and 1.3,
    and HTTP/1.1 is what is agreed on."""
    tls = TlsSettings(ca=site.ca)
    assert body(f"https://127.0.0.1:{site.old}", tls) == "TLSv1.2 http/1.1"
    assert body(f"https://127.0.0.1:{site.new}", tls) == "TLSv1.3 http/1.1"


def test_unknown_authority(site: Site) -> None:
    """Without it they are not, and the failure says that this is the reason."""
    assert failure(f"https://127.0.0.1:{site.new}", TlsSettings()) == (
        "tls",
        "certificate not trusted: unable to get local issuer certificate; "
        "[tls] in the test case can name its ca",
    )


def test_own_authority_is_trusted_besides_the_systems(
    site: Site, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A case may talk to its own servers and to public ones."""
    other = trustme.CA()
    other.cert_pem.write_to_path(tmp_path / "other.pem")
    monkeypatch.setenv("SSL_CERT_FILE", site.ca)  # where OpenSSL finds the system's
    url = f"https://127.0.0.1:{site.new}"
    assert body(url, TlsSettings()) == body(url, TlsSettings(ca=str(tmp_path / "other.pem")))


def test_not_verified(site: Site) -> None:
    """By name, any certificate does: of an unknown authority, and for another host."""
    tls = TlsSettings(verify=False)
    assert body(f"https://127.0.0.1:{site.new}", tls) == "TLSv1.3 http/1.1"
    assert body(f"https://localhost:{site.new}", tls) == "TLSv1.3 http/1.1"


def test_certificate_for_another_host(site: Site) -> None:
    """A trusted certificate is not enough: it must be for the host that was asked for."""
    cause, message = failure(f"https://localhost:{site.new}", TlsSettings(ca=site.ca))
    assert cause == "tls"
    assert message == "certificate is not valid for 'localhost'"


def test_the_host_name_is_sent(site: Site) -> None:
    """Of several servers at one address the one answers that the URL names."""
    assert body(f"https://localhost:{site.named}", TlsSettings(ca=site.ca)) == (
        "localhost, asked for <localhost>"
    )


def test_an_address_is_no_name(site: Site) -> None:
    """For an IP address no name is sent (RFC 6066 §3 forbids it), and its certificate is checked
    all the same."""
    assert body(f"https://127.0.0.1:{site.named}", TlsSettings(ca=site.ca)) == (
        "address, asked for <>"
    )


@pytest.mark.parametrize("transport", ["raw", "httpx"])
def test_another_server_name(site: Site, transport: str) -> None:
    """A name of its own goes to the server and is what the certificate must be for."""
    tls = TlsSettings(ca=site.ca, server_name="shop.example")
    host = Header("Host", "shop.example")  # nginx goes by the one for TLS, by the other for HTTP
    url = f"https://127.0.0.1:{site.named}"
    assert body(url, tls, host, transport=transport) == "shop, asked for <shop.example>"
    cause, message = failure(f"https://127.0.0.1:{site.new}", tls, transport)
    assert (cause, "'shop.example'" in message) == ("tls", True)


def test_without_a_client_certificate(site: Site) -> None:
    """nginx says so itself, with a status."""
    results = get(f"https://127.0.0.1:{site.strict}", TlsSettings(ca=site.ca))
    assert results.responses[0].status == 400
    assert "No required SSL certificate was sent" in results.responses[0].text


def test_client_certificate(site: Site) -> None:
    """The certificate of the test case is shown to the server that asks, its key in the same file
    or in another."""
    url = f"https://127.0.0.1:{site.strict}"
    together = TlsSettings(ca=site.ca, client_certificate=str(site.folder / "client.pem"))
    assert body(url, together).partition(",OU")[0] == "welcome, CN=Ann"
    key, _, certificates = (site.folder / "client.pem").read_text().partition("-----BEGIN CERT")
    (site.folder / "only.key").write_text(key)
    (site.folder / "only.pem").write_text(f"-----BEGIN CERT{certificates}")
    apart = TlsSettings(ca="ca.pem", client_certificate="only.pem", client_key="only.key")
    assert body(url, apart.in_folder(str(site.folder))) == body(url, together)


def test_a_server_that_refuses_the_handshake(site: Site) -> None:
    """One that wants a client certificate before anything else (TLS 1.2): a failure with cause."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=site.ca)
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.load_cert_chain(site.folder / "address.pem")
    context.verify_mode = ssl.CERT_REQUIRED
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"

    def handshake(connection: socket.socket) -> None:
        with context.wrap_socket(connection, server_side=True) as secured:
            answering(answer)(secured)

    with peer(handshake) as server:
        url = server.url.replace("http:", "https:")
        cause, message = failure(url, TlsSettings(ca=site.ca))
        assert cause == "tls"
        assert message.startswith("TLS handshake failed: ")
        known = TlsSettings(ca=site.ca, client_certificate=str(site.folder / "client.pem"))
        assert body(url, known) == "hi"


@pytest.fixture
def encrypted(site: Site, tmp_path: Path) -> TlsSettings:
    """A client certificate and its key, which needs a password."""
    text = (site.folder / "client.pem").read_bytes()
    key = load_pem_private_key(text, None)
    (tmp_path / "client.key").write_bytes(
        key.private_bytes(
            Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"open sesame")
        )
    )
    (tmp_path / "client.pem").write_bytes(text[text.index(b"-----BEGIN CERT") :])
    return TlsSettings(
        client_certificate="client.pem",
        client_key="client.key",
        client_key_password_env="KEY_PASSWORD",
    ).in_folder(str(tmp_path))


def test_key_with_a_password(
    site: Site, encrypted: TlsSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The password comes from the environment variable that the test case names."""
    monkeypatch.setenv("KEY_PASSWORD", "open sesame")
    assert tls_context(encrypted, {"KEY_PASSWORD": "open sesame"})
    for environ, said in (
        ({}, "the environment variable KEY_PASSWORD is not set"),
        ({"KEY_PASSWORD": "wrong"}, "the password in the environment variable KEY_PASSWORD does"),
    ):
        with pytest.raises(TlsError, match=said) as caught:
            tls_context(encrypted, environ)
        assert caught.value.key == "client_key_password_env"


def test_what_cannot_be_used(site: Site, encrypted: TlsSettings, tmp_path: Path) -> None:
    """Each mistake names its key and its file."""
    mine = str(site.folder / "client.pem")
    (tmp_path / "torn.pem").write_text("-----BEGIN CERTIFICATE-----\n!\n")
    torn = str(tmp_path / "torn.pem")
    for settings, key, said in (
        (TlsSettings(ca=torn), "ca", f"no certificates can be read from {torn}"),
        (TlsSettings(ca="/no/such.pem"), "ca", "/no/such.pem: no such file or directory"),
        (
            TlsSettings(client_certificate=mine, client_key=str(site.folder / "shop.pem")),
            "client_key",
            f"the key in {site.folder / 'shop.pem'} does not belong to the first certificate in "
            f"{mine}, which must be the client's own",
        ),
        (
            TlsSettings(client_certificate=torn),
            "client_certificate",
            f"no certificate with a key can be read from {torn}",
        ),
        (
            TlsSettings(
                client_certificate=encrypted.client_certificate, client_key=encrypted.client_key
            ),
            "client_key",
            f"the key in {encrypted.client_key} is encrypted: name the environment variable with "
            "its password in client_key_password_env",
        ),
    ):
        with pytest.raises(TlsError) as caught:
            tls_context(settings)
        assert (caught.value.key, str(caught.value)) == (key, said)


def test_only_what_is_used_is_looked_at(encrypted: TlsSettings) -> None:
    """A case that is replayed against a server without TLS needs no password."""
    pages = (Page("p", (Transaction(Request("GET", "/")),)),)
    case = TestCase("c", pages, "https://shop.example", tls=encrypted)
    check_tls(compile_case(case, server="http://127.0.0.1:1"))
    with pytest.raises(TlsError, match="KEY_PASSWORD is not set"):
        check_tls(compile_case(case))


@pytest.mark.parametrize("transport", ["raw", "httpx"])
def test_a_handshake_that_is_given_up_leaves_no_connection(transport: str) -> None:
    """It is closed, and not left to Python's collector, which would warn of it."""
    ended = threading.Event()

    def script(connection: socket.socket) -> None:
        try:
            while connection.recv(65536):
                pass
        finally:  # it may be reset as well
            ended.set()

    with peer(script) as server:
        url = server.url.replace("http:", "https:")
        found = replay(url, "/", timeout=0.3, transport=transport)
        assert [one.cause for [one] in found.failures] == ["timeout"]
        assert ended.wait(20)
