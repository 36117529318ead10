"""What test cases take from outside: here the system's keyring, with a backend in memory."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import keyring
import keyring.backend
import keyring.errors
import pytest

from pytest_loadtool.casefile import parse_case
from pytest_loadtool.errors import ReplayError
from pytest_loadtool.transport.outside import compile_in

CASE = """
format = 1
name = "Shop"
server = "http://127.0.0.1:8000"

[[page]]
name = "Home"

[[page.transaction]]
request = "GET /?key=${KEY}"

[variables]
KEY = { keyring = "shop", username = "alice" }
UNUSED = { keyring = "shop", username = "nobody" }
"""


class InMemory(keyring.backend.KeyringBackend):
    """A keyring with one password."""

    priority = 1

    def get_password(self, service: str, username: str) -> str | None:
        return {("shop", "alice"): "s3cret"}.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        raise NotImplementedError


class Locked(InMemory):
    """One that nobody opens."""

    def get_password(self, service: str, username: str) -> str | None:
        raise keyring.errors.KeyringLocked("locked")


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    """Puts the process's own keyring back at the end."""
    before = keyring.get_keyring()
    yield
    keyring.set_keyring(before)


def initial(text: str = CASE) -> tuple[str, ...]:
    """What a virtual user's values are at first."""
    return compile_in(Path(), parse_case(text, "x")).initial


def test_a_variable_comes_from_the_keyring() -> None:
    """Only what is used is asked for."""
    keyring.set_keyring(InMemory())  # type: ignore[no-untyped-call]
    assert initial() == ("s3cret",)


def test_what_the_keyring_does_not_have() -> None:
    """The error says how to store it."""
    keyring.set_keyring(InMemory())  # type: ignore[no-untyped-call]
    with pytest.raises(ReplayError, match=r"no password of bob for shop: .*`keyring set shop bob`"):
        initial(CASE.replace("alice", "bob"))


def test_a_keyring_that_cannot_be_opened() -> None:
    """The error says why, and what to use instead."""
    keyring.set_keyring(Locked())  # type: ignore[no-untyped-call]
    with pytest.raises(ReplayError, match=r"cannot be used \(locked\); .* variable instead"):
        initial()


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says what to install."""
    monkeypatch.setitem(sys.modules, "keyring", None)
    with pytest.raises(ReplayError, match=r"pip install 'pytest-loadtool\[keyring\]'"):
        initial()
