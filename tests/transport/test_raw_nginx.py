"""The raw transport against nginx: TLS, keep-alive, compression, large bodies."""

from __future__ import annotations

import datetime
import ipaddress
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from pytest_loadtool.model.case import Header, Request, Transaction
from pytest_loadtool.model.tls import TlsSettings
from pytest_loadtool.model.validator import TextValidator
from tests.observed import replay

CONFIGURATION = """
worker_processes 1;
daemon off;
user root;
pid {root}/nginx.pid;
error_log {root}/error.log;
events {{ }}
http {{
  access_log {root}/access.log;
  gzip on;
  gzip_types text/plain;
  gzip_min_length 1;
  default_type text/plain;
  server {{
    listen 127.0.0.1:{plain};
    listen 127.0.0.1:{tls} ssl;
    ssl_certificate {root}/cert.pem;
    ssl_certificate_key {root}/key.pem;
    root {root}/files;
  }}
}}
"""


class Nginx:
    def __init__(self, root: Path, plain: int, tls: int) -> None:
        self.http = f"http://127.0.0.1:{plain}"
        self.https = f"https://127.0.0.1:{tls}"
        self._access_log = root / "access.log"

    def requests(self, count: int = 0) -> list[str]:
        """The request lines of its log, of ``count`` or more: nginx logs after it has answered."""
        end = time.monotonic() + 20
        while len(lines := self._access_log.read_text().splitlines()) < count:
            assert time.monotonic() < end, f"{len(lines)} requests instead of {count}"
            time.sleep(0.01)
        return [line.split('"')[1] for line in lines]


@pytest.fixture(scope="module")
def nginx(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nginx]:
    root = tmp_path_factory.mktemp("nginx")
    (root / "files").mkdir()
    (root / "files" / "big.txt").write_text("0123456789abcdef" * 65536)
    (root / "files" / "hello.txt").write_text("Grüße\n" * 10, encoding="utf-8")
    make_certificate(root)
    ports = free_ports(2)
    (root / "nginx.conf").write_text(CONFIGURATION.format(root=root, plain=ports[0], tls=ports[1]))
    program = shutil.which("nginx", path="/usr/sbin:/usr/bin") or "nginx"
    process = subprocess.Popen([program, "-e", root / "error.log", "-c", root / "nginx.conf"])
    wait_for(ports)
    yield Nginx(root, *ports)
    process.terminate()
    process.wait()


def free_ports(count: int) -> list[int]:
    listeners = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in listeners]
    for one in listeners:
        one.close()
    return ports


def wait_for(ports: list[int]) -> None:
    end = time.monotonic() + 20
    for port in ports:
        while True:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                assert time.monotonic() < end, "nginx did not start"
                time.sleep(0.02)


def make_certificate(root: Path) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test")])
    now = datetime.datetime.now(datetime.UTC)
    address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([address]), critical=False)
        .sign(key, hashes.SHA256())
    )
    (root / "cert.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    (root / "key.pem").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )


def get(target: str, text: str = "") -> Transaction:
    headers = (Header("Accept-Encoding", "gzip"),)
    validators = (TextValidator(text),) if text else ()
    return Transaction(Request("GET", target, headers), validators=validators)


def test_compressed_text(nginx: Nginx) -> None:
    """nginx's gzip is undone for the validator."""
    results = replay(nginx.http, get("/hello.txt", "Grüße"))
    assert results.failures == [()]
    assert results.responses[0].header("content-encoding") == "gzip"


def test_large_body(nginx: Nginx) -> None:
    """A megabyte in many pieces."""
    results = replay(
        nginx.http, Transaction(Request("GET", "/big.txt")), get("/big.txt", "fedcba0"[::-1])
    )
    assert len(results.responses[0].body) == 1 << 20
    assert results.responses[0].received > 1 << 20


@pytest.mark.promise(103)
def test_a_missing_file_fails(nginx: Nginx) -> None:
    """A real 404 is an error without any configuration."""
    [[failure]] = replay(nginx.http, get("/nothing")).failures
    assert failure.message == "Status Code is 404, expected 200-399"


def test_tls(nginx: Nginx) -> None:
    """HTTPS with a certificate that is not verified, because the test case says so."""
    unverified = TlsSettings(verify=False)
    results = replay(nginx.https, get("/hello.txt", "Grüße"), get("/big.txt"), tls=unverified)
    assert results.failures == [(), ()]


def test_untrusted_certificate(nginx: Nginx) -> None:
    """By default a certificate that nobody trusts is a failure with that cause."""
    [[failure]] = replay(nginx.https, get("/hello.txt")).failures
    assert failure.cause == "tls"
    assert "certificate not trusted" in failure.message


def test_tls_against_plain_http(nginx: Nginx) -> None:
    """Speaking TLS to a plain server fails as TLS, not as a mystery."""
    [[failure]] = replay(nginx.http.replace("http:", "https:"), get("/hello.txt")).failures
    assert failure.cause == "tls"


def test_every_request_reaches_the_server_once(nginx: Nginx) -> None:
    """The server's own log has exactly the requests that were reported."""
    before = len(nginx.requests())
    results = replay(nginx.http, *[get("/hello.txt?counted")] * 50, get("/hello.txt?last"))
    assert len(results.responses) == 51
    logged = nginx.requests(before + 51)[before:]
    assert logged == ["GET /hello.txt?counted HTTP/1.1"] * 50 + ["GET /hello.txt?last HTTP/1.1"]
