"""From TLS settings to what OpenSSL works with."""

from __future__ import annotations

import os
import ssl
from collections.abc import Mapping
from typing import TYPE_CHECKING

from pytest_loadtool.errors import ReplayError
from pytest_loadtool.model.tls import TlsSettings

if TYPE_CHECKING:
    from pytest_loadtool.replay.user.plan import Plan


class TlsError(ReplayError):
    """TLS settings cannot be used. ``key`` is the one of them that is at fault."""

    def __init__(self, key: str, message: str) -> None:
        self.key = key
        super().__init__(message)


def check_tls(plan: Plan) -> None:
    """Find out before the first request whether the TLS settings of ``plan`` can be used.

    Raises:
        TlsError: they cannot; plans that connect to nothing over TLS are not looked at.
    """
    for settings in settings_of(plan):
        tls_context(settings)


def settings_of(plan: Plan) -> set[TlsSettings]:
    """Return those with which ``plan`` reaches its servers; none if it does so without TLS."""
    return {one.origin.tls for one in plan.steps if one.origin.scheme == "https"}


class TlsContexts:
    """The contexts that handshakes start from, for each settings made once."""

    def __init__(self) -> None:
        self._made: dict[TlsSettings, ssl.SSLContext] = {}

    def of(self, settings: TlsSettings) -> ssl.SSLContext:
        """Return the context for these settings. The first time takes a while: the system's
        certificates are read.

        Raises:
            TlsError: a file of the settings cannot be used.
        """
        if settings not in self._made:
            self._made[settings] = tls_context(settings)
        return self._made[settings]


def tls_context(settings: TlsSettings, environ: Mapping[str, str] = os.environ) -> ssl.SSLContext:
    """Return what a client's handshakes start from: HTTP/1.1 by ALPN (RFC 7301), and ``settings``.

    Its files are read and their password is taken from ``environ`` now. The name to check and to
    send (SNI, RFC 6066 §3) is given with each connection.

    Raises:
        TlsError: a file cannot be used.
    """
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    if not settings.verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    if settings.ca:
        try:
            context.load_verify_locations(settings.ca)
        except ssl.SSLError:
            raise TlsError("ca", f"no certificates can be read from {settings.ca}") from None
        except OSError as error:
            raise TlsError("ca", f"{settings.ca}: {_unreadable(error)}") from None
    if settings.client_certificate:
        _load_client_certificate(context, settings, environ)
    return context


def _load_client_certificate(
    context: ssl.SSLContext, settings: TlsSettings, environ: Mapping[str, str]
) -> None:
    key = "client_key" if settings.client_key else "client_certificate"
    variable = settings.client_key_password_env
    encrypted = False

    def password() -> str:  # without this OpenSSL would ask on the terminal
        nonlocal encrypted
        encrypted = True
        if not variable:
            raise TlsError(
                key,
                f"the key in {settings.key_file} is encrypted: name the environment variable with "
                "its password in client_key_password_env",
            )
        if variable not in environ:
            raise TlsError(
                "client_key_password_env", f"the environment variable {variable} is not set"
            )
        return environ[variable]

    try:
        context.load_cert_chain(settings.client_certificate, settings.client_key or None, password)
    except ssl.SSLError as error:
        if error.reason == "KEY_VALUES_MISMATCH":
            raise TlsError(
                key,
                f"the key in {settings.key_file} does not belong to the first certificate in "
                f"{settings.client_certificate}, which must be the client's own",
            ) from None
        if encrypted:
            raise TlsError(
                "client_key_password_env",
                f"the password in the environment variable {variable} does not open "
                f"{settings.key_file}",
            ) from None
        files = " and ".join(dict.fromkeys((settings.client_certificate, settings.key_file)))
        raise TlsError(key, f"no certificate with a key can be read from {files}") from None
    except OSError as error:
        raise TlsError(key, f"{settings.key_file}: {_unreadable(error)}") from None


def _unreadable(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
