"""Passwords are kept in the system's keyring, for which one in memory stands in."""

from __future__ import annotations

from pytest_loadtool.engine.prepare.keyrings import in_keyring, store_in_keyring, storing
from tests.rings import Ring, in_place


def test_what_is_stored_is_found() -> None:
    """Under its service and user."""
    with in_place(Ring()):
        assert in_keyring("the shop", "alice") is None
        store_in_keyring("the shop", "alice", "s3cret")
        assert in_keyring("the shop", "alice") == "s3cret"
        assert in_keyring("another", "alice") is None


def test_the_command_that_stores_one() -> None:
    """It is one for a shell."""
    assert storing("the shop", r"EXAMPLE\alice") == r"keyring set 'the shop' 'EXAMPLE\alice'"
