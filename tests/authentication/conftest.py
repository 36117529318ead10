"""The peers: started once, for all tests that want them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.authentication import apache as apache_peer
from tests.authentication import squid as squid_peer
from tests.authentication.accounts import USERS, many
from tests.authentication.peer import Peer


@pytest.fixture(scope="session")
def apache() -> Iterator[Peer]:
    """Apache httpd as server and as proxy, known to which are `USERS` and 500 more."""
    with apache_peer.serving((*USERS, *many(500))) as running:
        yield running


@pytest.fixture(scope="session")
def squid() -> Iterator[Peer]:
    """squid as proxy."""
    with squid_peer.serving() as running:
        yield running
