"""Certificates, right and wrong ones, for a server at 127.0.0.1."""

from __future__ import annotations

import datetime
import ipaddress
import ssl
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

__all__ = ["Authority", "Certificate"]

_HERE = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
_ELSEWHERE = x509.DNSName("elsewhere.example")


@dataclass(frozen=True)
class Certificate:
    """A certificate and its key, in one file."""

    file: Path

    def server(self, *, ask: Path | None = None) -> ssl.SSLContext:
        """A server's settings. ``ask`` for certificates of clients that this authority signed."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.file)
        if ask is not None:
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(ask)
        return context


class Authority:
    """Signs certificates; ``file`` has its own, for those who trust it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _named("Authority of the tests")
        self.file = folder / "authority.pem"
        signed = self._sign("Authority of the tests", self._key, days=1, authority=True)
        self.file.write_bytes(signed.public_bytes(serialization.Encoding.PEM))

    def good(self) -> Certificate:
        """For 127.0.0.1, today."""
        return self._certificate("good", names=(_HERE,))

    def expired(self) -> Certificate:
        """For 127.0.0.1, until yesterday."""
        return self._certificate("expired", names=(_HERE,), days=-1)

    def elsewhere(self) -> Certificate:
        """For another host."""
        return self._certificate("elsewhere", names=(_ELSEWHERE,))

    def _certificate(
        self, name: str, *, names: tuple[x509.GeneralName, ...], days: int = 1
    ) -> Certificate:
        key = ec.generate_private_key(ec.SECP256R1())
        signed = self._sign(name, key, days=days, names=names)
        secret = key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        file = self._folder / f"{name}.pem"
        file.write_bytes(secret + signed.public_bytes(serialization.Encoding.PEM))
        return Certificate(file)

    def _sign(
        self,
        name: str,
        key: ec.EllipticCurvePrivateKey,
        *,
        days: int,
        names: tuple[x509.GeneralName, ...] = (),
        authority: bool = False,
    ) -> x509.Certificate:
        now = datetime.datetime.now(datetime.UTC)
        builder = (
            x509.CertificateBuilder()
            .subject_name(_named(name))
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=3))
            .not_valid_after(now + datetime.timedelta(days=days))
            .add_extension(x509.BasicConstraints(authority, None), critical=True)
        )
        if names:
            builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
        return builder.sign(self._key, hashes.SHA256())


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
