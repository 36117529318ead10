"""How the servers of a test case are connected to over TLS."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import PurePath


@dataclass(frozen=True, slots=True)
class TlsSettings:
    """The settings that a client brings to a TLS handshake, and what it asks of the server.

    Files are PEM. Their names are relative to the test case's folder until `in_folder` makes them
    whole.
    """

    verify: bool = True
    """Whether the server's certificate must be trusted and be for the name that it is asked for."""
    ca: str = ""
    """A file of certificates that are trusted besides the system's."""
    client_certificate: str = ""
    """A file with the client's certificate, perhaps its chain, and perhaps its key."""
    client_key: str = ""
    """The file of the key; empty: it is with the certificate."""
    client_key_password_env: str = ""
    """The environment variable that holds the key's password, if it has one."""
    server_name: str = ""
    """The name to ask for and to check, in place of the URL's host."""

    @property
    def key_file(self) -> str:
        """Return where the client's key is."""
        return self.client_key or self.client_certificate

    def in_folder(self, folder: str) -> TlsSettings:
        """Return these settings with their files found from ``folder``."""

        def found(file: str) -> str:
            return str(PurePath(folder, file)) if file else ""

        return replace(
            self,
            ca=found(self.ca),
            client_certificate=found(self.client_certificate),
            client_key=found(self.client_key),
        )


#: Certificates are verified, and the client has none.
USUAL_TLS = TlsSettings()
