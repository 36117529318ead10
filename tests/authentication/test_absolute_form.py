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


def test_nonces_that_are_used_up(apache: Peer) -> None:
    """squid takes each three times, and gives out the next one before (Proxy-Authentication-Info,
    RFC 7616 §3.5): one challenge is enough."""
    with serving(nonce_uses=3) as squid:
        mark = squid.log.mark()
        proxy = Proxy(squid.url("digest"), BOB, BOBS)
        found = through(proxy, apache, *(f"/open/page?{n}" for n in range(9)))
        assert found.failures == [()] * 9
        assert [one.status for one in squid.log.since(mark, 10)] == [407, *[200] * 9]
