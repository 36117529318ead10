"""Hundreds of users log in at once, each as themselves."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.authentication.accounts import DOMAIN, many
from tests.authentication.peer import Peer
from tests.authentication.test_connections import run_load

pytestmark = pytest.mark.alone


@pytest.mark.parametrize("port", ["http", "https"])
def test_five_hundred_users(apache: Peer, port: str) -> None:
    """With NTLM: no errors, and two requests more for each connection, not one more."""
    accounts = many(500)
    mark = apache.log.mark()
    metrics = run_load(apache, port, "ntlm", accounts, users=500, iterations=1, ramp_up=2.0)
    assert (metrics.requests, metrics.failed_requests) == (1000, 0)
    log = apache.log.since(mark, 2000)
    assert Counter(one.status for one in log) == {401: 1000, 200: 1000}
    let_in = Counter(one.user for one in log if one.status == 200)
    assert let_in == {rf"{DOMAIN}\{name}": 2 for name, _ in accounts}


def test_a_wrong_password_in_one_row(apache: Peer) -> None:
    """The users of the other rows are not disturbed; of the one it is told once, with the row."""
    accounts = list(many(50))
    accounts[16] = (accounts[16][0], "wrong")
    mark = apache.log.mark()
    metrics = run_load(apache, "http", "ntlm", tuple(accounts), users=50, iterations=1)
    assert (metrics.requests, metrics.failed_requests) == (100, 2)
    log = apache.log.since(mark, 200)
    assert Counter(one.status for one in log) == {200: 98, 401: 102}
