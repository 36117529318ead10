"""Through a real proxy to a server without TLS, in absolute form. Every scheme of the proxy before
every scheme of the server is in test_matrix."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_loadtool.model.authentication import Proxy
from tests.authentication.accounts import DOMAIN, USERS
from tests.authentication.peer import Peer
from tests.authentication.squid import serving
from tests.authentication.test_identities import page
from tests.observed import Observed, replay

_, (BOB, BOBS) = USERS


def through(proxy: Proxy, apache: Peer, *targets: str) -> Observed:
    """Pages that are free for all, asked for one after the other."""
    return replay(apache.url("http"), *map(page, targets), proxy=proxy)


@pytest.mark.promise(78)
def test_the_method_of_the_proxy_tab(squid: Peer, apache: Peer) -> None:
    """The only one that is answered, though the proxy would rather have another."""
    proxy = Proxy(squid.url("negotiate"), BOB, BOBS, DOMAIN, method="ntlm")
    mark = squid.log.mark()
    assert through(proxy, apache, "/open/page").failures == [()]
    assert [one.status for one in squid.log.since(mark, 3)] == [407, 407, 200]
    ((failure,),) = through(replace(proxy, method="digest"), apache, "/open/page").failures
    assert failure.cause == "auth"
    assert "method in [proxy] allows Digest only" in failure.message


def test_a_nonce_that_becomes_stale(apache: Peer) -> None:
    """One request more, and the next nonce serves those that follow."""
    with serving(nonce_uses=3) as squid:
        mark = squid.log.mark()
        proxy = Proxy(squid.url("digest"), BOB, BOBS)
        found = through(proxy, apache, *(f"/open/page?{n}" for n in range(9)))
        assert found.failures == [()] * 9
        challenges = len(found.challenges)
        assert 1 < challenges < 9
        statuses = [one.status for one in squid.log.since(mark, challenges + 9)]
        assert (statuses.count(407), statuses.count(200)) == (challenges, 9)
