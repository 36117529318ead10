"""Restricting hostnames: whose servers a test case is about.

A hostname is taken without its port: a server of the application on another port is no third party.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from pytest_loadtool.model.case import TestCase, Transaction
from pytest_loadtool.model.editing import page_span, without
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.recording.filter.domains import Domain

#: Names of the machine itself (RFC 6761 §6.3), which an application uses side by side.
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True)
class HostUse:
    """How much goes to a host: ``pages`` are those whose first transaction does.

    ``own`` says that it is of the domain of the first page.
    """

    name: str
    transactions: int
    pages: int
    own: bool


def hostnames(case: TestCase, exchanges: Sequence[Exchange]) -> tuple[HostUse, ...]:
    """Return the hosts that transactions go to, in the order of their first one.

    A transaction whose host cannot be told counts as one of the first page's.
    """
    hosts = list(_hosts(case, exchanges))
    first = hosts[0] if hosts else ""
    starts = {page_span(case, index).start for index in range(len(case.pages))}
    return tuple(
        HostUse(
            name,
            hosts.count(name),
            sum(hosts[start] == name for start in starts),
            belongs(name, first.removeprefix("www.")),
        )
        for name in dict.fromkeys(hosts)
    )


def belongs(host: str, domain: str) -> bool:
    """Return whether ``host`` is the domain or below it; all names of the machine itself are
    one."""
    if host in _LOOPBACK:
        return domain in _LOOPBACK
    return Domain(domain).holds(host, None)


def restrict(case: TestCase, exchanges: Sequence[Exchange], keep: Collection[str]) -> TestCase:
    """Return ``case`` with the transactions that go to these hosts, which are written down in
    it."""
    hosts = list(_hosts(case, exchanges))
    dropped = frozenset(index for index, host in enumerate(hosts) if host not in keep)
    kept = tuple(dict.fromkeys(host for host in hosts if host in keep))
    return replace(without(case, dropped), hosts=kept, recorded_hosts=())


def with_recorded_hosts(case: TestCase) -> TestCase:
    """Return ``case`` with the hosts written down that its targets name: replay sends to no
    others."""
    targets = (one.request.target for one in case.transactions())
    found = [urlsplit(one).hostname or "" for one in targets if _is_url(one)]
    if case.hosts:
        return replace(case, hosts=tuple(dict.fromkeys((*case.hosts, *found))))
    return replace(case, recorded_hosts=tuple(dict.fromkeys((*case.recorded_hosts, *found))))


def _is_url(target: str) -> bool:
    return target.partition("://")[0] in ("http", "https")


def _hosts(case: TestCase, exchanges: Sequence[Exchange]) -> Iterator[str]:
    """Yield the host of each transaction."""
    server = urlsplit(case.server).hostname or ""
    first = ""
    for transaction in case.transactions():
        host = _host(transaction, exchanges, server) or first
        first = first or host
        yield host


def _host(transaction: Transaction, exchanges: Sequence[Exchange], server: str) -> str:
    """Of the target if it is an address of its own; else what was recorded, or the server's."""
    target = transaction.request.target
    if _is_url(target):
        return urlsplit(target).hostname or ""
    recorded = transaction.recorded
    if recorded is not None and recorded.entry is not None and recorded.entry < len(exchanges):
        return urlsplit(exchanges[recorded.entry].url).hostname or ""
    return server
