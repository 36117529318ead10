"""Every scheme of a server behind every scheme of a proxy, replayed against Apache and squid, and
counted in their logs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from pytest_loadtool.model.authentication import Identity, Proxy
from pytest_loadtool.model.result import Failure
from pytest_loadtool.model.tls import TlsSettings
from tests.authentication.access_log import Entry
from tests.authentication.accounts import DOMAIN, USERS
from tests.authentication.apache import PAGE
from tests.authentication.matrix import BOUND, OVERHEAD, PATHS, Cell, cells
from tests.authentication.peer import Peer
from tests.observed import Observed, replay

(ALICE, RIGHT), (BOB, BOBS) = USERS
WRONG = "wrong"

NAMES = {
    "basic": "Basic, realm 'One'",
    "digest": "Digest, realm 'Digest'",
    "negotiate": "Negotiate",
    "ntlm": "NTLM",
}

#: How many requests the test case has.
COUNT = 3


@dataclass
class Run:
    """A cell that was replayed: three requests for a page, by alice at the server and bob at the
    proxy."""

    cell: Cell
    apache: Peer
    proxy: Peer
    at_server: str = RIGHT
    at_proxy: str = BOBS
    observed: Observed = field(init=False)

    def __post_init__(self) -> None:
        self._marks = self.apache.log.mark(), self.proxy.log.mark()
        cell, proxy = self.cell, None
        if cell.proxied:
            who = (BOB, self.at_proxy, DOMAIN) if cell.proxy != "none" else ()
            proxy = Proxy(self.proxy.url(cell.proxy), *who)
        self.observed = replay(
            self.apache.url(cell.scheme, cell.scheme),
            *[f"{PATHS[cell.server]}/page?{number}" for number in range(COUNT)],
            identities=(Identity(ALICE, self.at_server, DOMAIN),) if cell.server != "none" else (),
            proxy=proxy,
            transport=cell.transport,
            tls=TlsSettings(ca=f"{self.apache.folder}/ca.pem"),
        )

    def server_log(self, count: int) -> list[Entry]:
        """What came to the server, once that is ``count`` requests."""
        return self.apache.log.since(self._marks[0], count, "http", "https")

    def proxy_log(self, count: int) -> list[Entry]:
        """Likewise, to the proxy."""
        if not self.cell.proxied:
            return []
        return self.proxy.log.since(self._marks[1], count, self.cell.proxy)

    @property
    def failures(self) -> list[Failure]:
        return [one for each in self.observed.failures for one in each]


@pytest.fixture
def run(apache: Peer, squid: Peer) -> Callable[..., Run]:
    """Replays a cell, with passwords that are right unless others are given."""
    peers = {"": apache, "apache": apache, "squid": squid}
    return lambda cell, **passwords: Run(cell, apache, peers[cell.proxied], **passwords)


def _statuses(entries: list[Entry]) -> list[int]:
    return [one.status for one in entries]


@pytest.mark.promise(73, 74, 75, 76, 78, 79, 80, 81, 83, 85, 86, 131)
@pytest.mark.parametrize("cell", [one for one in cells() if one.works], ids=str)
def test_right_passwords(run: Callable[..., Run], cell: Cell) -> None:
    """The first request is asked as often as the schemes say, the others not once; and all get the
    page, on one connection."""
    done = run(cell)
    assert done.observed.failures == [()] * COUNT
    assert [one.text for one in done.observed.responses] == [PAGE] * COUNT

    asked = [401] * OVERHEAD[cell.server] + [200] * COUNT
    log = done.server_log(len(asked))
    assert _statuses(log) == asked
    alice = {"none": "", "negotiate": rf"{DOMAIN}\{ALICE}", "ntlm": rf"{DOMAIN}\{ALICE}"}
    assert {one.user for one in log[-COUNT:]} == {alice.get(cell.server, ALICE)}
    if not cell.proxied or cell.tunnelled or cell.server in BOUND:
        assert len({one.connection for one in log[-COUNT:]}) == 1

    if cell.proxied:
        passed = [200] if cell.tunnelled else asked
        expected = [407] * OVERHEAD[cell.proxy] + passed
        log = done.proxy_log(len(expected))
        assert _statuses(log) == expected
        assert len({one.connection for one in log}) == 1
    told = [one.status for one in done.observed.challenges]
    in_sight = cell.proxied and not cell.tunnelled  # challenges of a tunnel come before it
    assert told == [407] * (OVERHEAD[cell.proxy] if in_sight else 0) + [401] * OVERHEAD[cell.server]


@pytest.mark.parametrize(
    "cell", [one for one in cells() if one.works and one.server != "none"], ids=str
)
def test_wrong_password_at_the_server(run: Callable[..., Run], cell: Cell) -> None:
    """It is tried once, and nothing is asked for any more. The failure says who was refused."""
    done = run(cell, at_server=WRONG)
    [failure] = done.failures
    why = f"the server refuses the user {ALICE} ({NAMES[cell.server]})"
    assert failure.cause == "auth"
    assert failure.message.partition(";")[0] == f"wrong user name or password: {why}"
    assert [one.status for one in done.observed.responses] == [401]
    asked = OVERHEAD[cell.server] + 1
    assert _statuses(done.server_log(asked)) == [401] * asked


@pytest.mark.parametrize(
    "cell", [one for one in cells() if one.works and one.proxy not in ("", "none")], ids=str
)
def test_wrong_password_at_the_proxy(run: Callable[..., Run], cell: Cell) -> None:
    """Likewise, and nothing comes to the server. The failure says that it is the proxy."""
    done = run(cell, at_proxy=WRONG)
    [failure] = done.failures
    assert failure.cause == "auth"
    start = f"proxy {done.proxy.url(cell.proxy)}: wrong user name or password: it refuses the user"
    assert failure.message.startswith(f"{start} in [proxy] (")
    asked = OVERHEAD[cell.proxy] + 1
    assert _statuses(done.proxy_log(asked)) == [407] * asked
    assert done.server_log(0) == []


@pytest.mark.parametrize("cell", [one for one in cells() if not one.works], ids=str)
def test_a_proxy_that_keeps_no_connection(run: Callable[..., Run], cell: Cell) -> None:
    """Where each request comes to the server on another connection, NTLM cannot work, and the
    failure says so."""
    done = run(cell)
    [failure] = done.failures
    assert failure.cause == "auth"
    assert "the proxy does not keep a connection to the server" in failure.message
    assert "use https" in failure.message
