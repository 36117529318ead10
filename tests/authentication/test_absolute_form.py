"""Through real proxies to a server without TLS: in absolute form, where both may ask who it is."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from pytest_loadtool.model.authentication import Identity, Proxy
from tests.authentication.accounts import DOMAIN, USERS
from tests.authentication.apache import PROXIES
from tests.authentication.peer import Peer
from tests.authentication.squid import serving
from tests.authentication.test_identities import page
from tests.observed import Observed, replay

[(ALICE, ALICES_PASSWORD), (BOB, BOBS_PASSWORD), *_] = USERS
BOUND = ("negotiate", "ntlm")

#: How many requests each scheme costs more on the first request; on others of the connection none.
COSTS = {"none": 0, "/open": 0, "basic": 1, "digest": 1, "negotiate": 2, "ntlm": 2}


def proxy_of(peer: Peer, scheme: str, **changes: str) -> Proxy:
    """Bob's way through a proxy."""
    if scheme == "none":
        return Proxy(peer.url(scheme))
    domain = DOMAIN if scheme in BOUND else ""
    return replace(Proxy(peer.url(scheme), BOB, BOBS_PASSWORD, domain), **changes)  # type: ignore[arg-type]


def through(proxy: Proxy, apache: Peer, *targets: str, **settings: Any) -> Observed:
    """Alice asks the server for pages."""
    name = ALICE if "/basic/" in targets[0] or "/digest/" in targets[0] else rf"{DOMAIN}\{ALICE}"
    who = Identity(name, ALICES_PASSWORD)
    return replay(
        apache.url("http"), *map(page, targets), proxy=proxy, identities=(who,), **settings
    )


@pytest.mark.promise(78)
@pytest.mark.promise(80)
@pytest.mark.parametrize("scheme", PROXIES)
@pytest.mark.parametrize(
    ("which", "path"),
    [
        *(("apache", path) for path in ("/open", "/basic/one", "/digest")),
        # Apache asks the server on another connection each time, which does not do for these.
        *(("squid", path) for path in ("/open", "/basic/one", "/digest", "/negotiate", "/ntlm")),
    ],
)
def test_who_asks_the_proxy_and_the_server(
    apache: Peer, which: str, scheme: str, path: str, request: pytest.FixtureRequest
) -> None:
    """Each scheme of the proxy before each of the server, with as many requests as both need; the
    next ones go straight through both."""
    peer: Peer = request.getfixturevalue(which)
    mark = peer.log.mark()
    found = through(proxy_of(peer, scheme), apache, *(f"{path}/page?{n}" for n in range(3)))
    assert found.failures == [(), (), ()]
    server = COSTS[path.split("/")[1] if path != "/open" else path]
    expected = Counter({407: COSTS[scheme], 401: server, 200: 3})
    entries = peer.log.since(mark, sum(expected.values()), scheme)
    assert Counter(one.status for one in entries) == +expected
    assert len(found.challenges) == COSTS[scheme] + server
    if scheme in BOUND:
        assert len({one.connection for one in entries}) == 1


@pytest.mark.promise(78)
@pytest.mark.parametrize("scheme", PROXIES[1:])
def test_a_proxy_that_refuses(squid: Peer, apache: Peer, scheme: str) -> None:
    """A wrong password is the proxy's to complain of, and the iteration is over."""
    proxy = proxy_of(squid, scheme, password="wrong")
    ((failure,),) = through(proxy, apache, "/basic/one/page", "/basic/one/page").failures
    assert failure.cause == "auth"
    start = f"proxy {proxy.url}: wrong user name or password: it refuses the user in [proxy] ("
    assert failure.message.startswith(start)


@pytest.mark.promise(78)
def test_the_method_of_the_proxy_tab(squid: Peer, apache: Peer) -> None:
    """The only one that is answered, though the proxy would rather have another."""
    proxy = proxy_of(squid, "negotiate", method="ntlm")
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
        found = through(proxy_of(squid, "digest"), apache, *(f"/open/page?{n}" for n in range(9)))
        assert found.failures == [()] * 9
        statuses = [one.status for one in squid.log.since(mark, 9)]
        assert statuses.count(200) == 9
        assert 1 < statuses.count(407) == len(found.challenges) < 9
