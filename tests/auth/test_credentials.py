"""Who logs in, however it is written."""

from __future__ import annotations

import pytest

from pytest_loadtool.auth import Credentials


@pytest.mark.promise(95)
@pytest.mark.parametrize(
    ("username", "domain", "account", "login"),
    [
        ("alice", "", ("", "alice"), "alice"),
        ("alice", "EXAMPLE", ("EXAMPLE", "alice"), "alice"),
        (r"EXAMPLE\alice", "", ("EXAMPLE", "alice"), r"EXAMPLE\alice"),
        ("", r"EXAMPLE\alice", ("EXAMPLE", "alice"), "alice"),
        ("alice", r"EXAMPLE\alice", ("EXAMPLE", "alice"), "alice"),
        (r"EXAMPLE\alice", "OTHER", ("EXAMPLE", "alice"), r"EXAMPLE\alice"),
        ("alice@example.com", "", ("", "alice@example.com"), "alice@example.com"),
        (r".\alice", "", (".", "alice"), r".\alice"),
    ],
)
def test_the_domain_may_stand_in_front_of_the_user_name(
    username: str, domain: str, account: tuple[str, str], login: str
) -> None:
    r"""``DOMAIN\alice`` in either place; Basic and Digest send the user name as it was written."""
    who = Credentials(username, "secret1", domain)
    assert who.account == account
    assert who.login == login


def test_the_password_is_not_shown() -> None:
    """Neither in a log nor in a traceback."""
    assert "secret1" not in repr(Credentials("alice", "secret1"))
