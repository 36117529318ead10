"""The system's keyring, for passwords that are neither in files nor in the environment."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

from pytest_loadtool.console.errors import CommandError

__all__ = ["in_keyring", "store_in_keyring"]


def in_keyring(service: str, username: str) -> str | None:
    """The password of ``username`` for ``service``; None if there is none.

    Raises:
        CommandError: there is no keyring.
    """
    with _keyring() as keyring:
        password: str | None = keyring.get_password(service, username)
    return password


def store_in_keyring(service: str, username: str, password: str) -> None:
    """Keep a password there.

    Raises:
        CommandError: there is no keyring, or it refuses.
    """
    with _keyring() as keyring:
        keyring.set_password(service, username, password)


@contextmanager
def _keyring() -> Iterator[ModuleType]:
    try:
        import keyring
        from keyring.errors import KeyringError
    except ImportError:
        raise CommandError(
            "the keyring needs a package: pip install 'pytest-loadtool[keyring]'"
        ) from None
    try:
        yield keyring
    except KeyringError as error:
        reason = str(error).partition("\n")[0]
        raise CommandError(
            f"the system's keyring cannot be used: {reason}; "
            "an environment variable does as well (--password-env NAME)"
        ) from None
