"""The system's keyring, for passwords that are neither in files nor in the environment."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from shlex import quote
from types import ModuleType

from pytest_loadtool.errors import ReplayError


def in_keyring(service: str, username: str) -> str | None:
    """Return the password that the keyring has for ``username`` under ``service``; None if it has
    none.

    Raises:
        ReplayError: it cannot be asked, or the package keyring is not installed.
    """
    with _keyring() as keyring:
        password: str | None = keyring.get_password(service, username)
    return password


def keyring_password(service: str, username: str) -> str:
    """Return the password that has to be there.

    Raises:
        ReplayError: as `in_keyring`, or there is none.
    """
    password = in_keyring(service, username)
    if password is None:
        raise ReplayError(
            f"the system's keyring has no password of {username} for {service}: "
            f"store it with `{storing(service, username)}`"
        )
    return password


def storing(service: str, username: str) -> str:
    """Return the command of the package keyring that asks for a password and keeps it."""
    return f"keyring set {quote(service)} {quote(username)}"


def store_in_keyring(service: str, username: str, password: str) -> None:
    """Keep a password there.

    Raises:
        ReplayError: as `in_keyring`, or it refuses.
    """
    with _keyring() as keyring:
        keyring.set_password(service, username, password)


@contextmanager
def _keyring() -> Iterator[ModuleType]:
    try:
        import keyring
        from keyring.errors import KeyringError
    except ImportError:
        raise ReplayError(
            "the system's keyring needs the package keyring: pip install 'pytest-loadtool[keyring]'"
        ) from None
    try:
        yield keyring
    except KeyringError as error:
        reason = str(error).partition("\n")[0]  # what follows explains Python's packages
        raise ReplayError(
            f"the system's keyring cannot be used ({reason}); where there is none, take the "
            "password from an environment variable instead"
        ) from None
