"""What test cases take from outside: here the system's keyring, with a backend in memory."""

from __future__ import annotations

import sys
from pathlib import Path

import keyring.errors
import pytest

from pytest_loadtool.casefile import parse_case
from pytest_loadtool.engine.prepare.resources import compile_from
from pytest_loadtool.errors import FileError, ReplayError
from tests.rings import Ring, in_place

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


class Locked(Ring):
    """One that nobody opens."""

    def get_password(self, service: str, username: str) -> str | None:
        raise keyring.errors.KeyringLocked("locked\nas is explained at length")


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Errors name files as they were given."""
    monkeypatch.chdir(tmp_path)


def initial(text: str = CASE) -> tuple[str, ...]:
    """What a virtual user's values are at first, with ``text`` in a file."""
    path = Path("shop.case.toml")
    path.write_text(text, encoding="utf-8")
    return compile_from(path, parse_case(text, str(path))).initial


def complaint(text: str) -> str:
    """What is said of a test case in which something is missing."""
    with pytest.raises(FileError) as caught:
        initial(text)
    return str(caught.value)


def test_a_variable_comes_from_the_keyring() -> None:
    """Only what is used is asked for."""
    with in_place(Ring({("shop", "alice"): "s3cret"})):
        assert initial() == ("s3cret",)


def test_what_the_keyring_does_not_have() -> None:
    """The error says where it is wanted, and how to store it."""
    with in_place(Ring()):
        said = complaint(CASE.replace("alice", "bob"))
    assert said == (
        "shop.case.toml:13: variables.KEY.keyring: the system's keyring has no password of bob for "
        "shop: store it with `keyring set shop bob`"
    )


def test_a_keyring_that_cannot_be_opened() -> None:
    """The error says why, and what to use instead."""
    with in_place(Locked()):
        said = complaint(CASE)
    assert said == (
        "shop.case.toml:13: variables.KEY.keyring: the system's keyring cannot be used (locked); "
        "where there is none, take the password from an environment variable instead"
    )


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says what to install."""
    monkeypatch.setitem(sys.modules, "keyring", None)
    assert complaint(CASE) == (
        "shop.case.toml:13: variables.KEY.keyring: the system's keyring needs the package keyring: "
        "pip install 'pytest-loadtool[keyring]'"
    )


IDENTITY = """
[[identity]]
username = "${users.username}"
password = "${PASSWORD}"

[datasets.users]
file = "users.csv"
"""


def test_what_an_identity_does_not_find(monkeypatch: pytest.MonkeyPatch) -> None:
    """The key is that which names the variable of the environment, or the dataset."""
    top, _ = CASE.replace("?key=${KEY}", "").split("[variables]")
    text = f'{top}{IDENTITY}\n[variables]\nPASSWORD = {{ env = "SHOP_PASSWORD" }}\n'
    users = Path("users.csv")
    users.write_text("username\nann\n", encoding="utf-8")
    assert complaint(text) == (
        "shop.case.toml:21: variables.PASSWORD.env: the environment variable SHOP_PASSWORD is not "
        "set: it has to hold the value of ${PASSWORD} (export SHOP_PASSWORD=… before the run)"
    )
    monkeypatch.setenv("SHOP_PASSWORD", "s3cret")
    assert initial(text) == ("", "s3cret")
    users.write_text("user,password\nann,a\n", encoding="utf-8")
    assert complaint(text) == (
        "shop.case.toml:18: datasets.users.file: users.csv has no column 'username', which "
        "${users.username} is: it has user, password; add it there, or name one of these"
    )


def test_a_test_case_that_is_not_saved() -> None:
    """There is no place to name."""
    with in_place(Ring()), pytest.raises(ReplayError, match="no password of bob for shop"):
        compile_from(Path("new.case.toml"), parse_case(CASE.replace("alice", "bob"), "x"))
