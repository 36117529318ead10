"""A keyring in memory, in place of the system's own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import keyring
from keyring.backend import KeyringBackend

__all__ = ["Ring", "in_place"]


class Ring(KeyringBackend):
    """Keeps passwords by service and user name."""

    priority = 1.0

    def __init__(self, kept: dict[tuple[str, str], str] | None = None) -> None:
        self.kept = kept or {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password


@contextmanager
def in_place(ring: KeyringBackend) -> Iterator[None]:
    """While the block runs, ``ring`` is the keyring; then what was."""
    before = keyring.get_keyring()
    keyring.set_keyring(ring)
    try:
        yield
    finally:
        keyring.set_keyring(before)
