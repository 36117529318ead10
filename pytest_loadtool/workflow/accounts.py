"""Whose credentials a test case needs for HTTP authentication: as recorded, and as configured."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from pytest_loadtool.auth.negotiation import SERVER, credentials_in
from pytest_loadtool.auth.recorded import RecordedIdentity, recorded_identities
from pytest_loadtool.correlation.requests.fields import SERVER_AUTHENTICATION, Field
from pytest_loadtool.model.authentication import Identity
from pytest_loadtool.model.case import TestCase, Transaction
from pytest_loadtool.workflow.credentials import NOBODY, Known, Placed
from pytest_loadtool.workflow.document import Document


@dataclass(frozen=True, slots=True)
class NeededAccount:
    """One user, at one or more places: the hosts and realms of ``places``, whose templates are
    empty where nothing is configured."""

    places: tuple[Identity, ...]
    known: Known = NOBODY
    schemes: tuple[str, ...] = ()

    @property
    def configured(self) -> bool:
        """Return whether the test case has its credentials."""
        return any(one.password for one in self.places)


def accounts(document: Document) -> tuple[NeededAccount, ...]:
    """Return the accounts that are configured, then those that were recorded and are not."""
    recorded = tuple(_recorded(document))
    configured: dict[tuple[str, str, str], list[Identity]] = {}
    for identity in document.case.identities:
        configured.setdefault(identity.templates, []).append(identity)
    found = [
        _account(places, [one for one, host in recorded if _covered(places, one, host)], document)
        for places in configured.values()
    ]
    return (*found, *unconfigured(document))


def unconfigured(document: Document) -> tuple[NeededAccount, ...]:
    """Return the accounts in the recording that the test case has no credentials for."""
    recorded = tuple(_recorded(document))
    identities = document.case.identities
    missing = [(one, host) for one, host in recorded if not _covered(identities, one, host)]
    users = dict.fromkeys((one.username, one.domain) for one, _ in missing)
    found = []
    for user in users:
        mine = [(one, host) for one, host in missing if (one.username, one.domain) == user]
        places = [_place(one, host, recorded) for one, host in mine]
        found.append(_account(dict.fromkeys(places), [one for one, _ in mine], document))
    return tuple(found)


def identity_fields(document: Document, transaction: Transaction) -> Iterator[Field]:
    """Yield the header in which a transaction was recorded to send its user's credentials."""
    exchange = document.evidence_of(transaction)
    credentials = credentials_in(exchange, SERVER) if exchange is not None else ""
    if not credentials:
        return
    value = credentials.partition(" ")[0]  # the scheme: what follows is secret
    users = [one.username for one in document.case.identities]
    yield Field(
        name="Authorization",
        section="HEADERS",
        value=f"{value} {' or '.join(dict.fromkeys(users)) or '(not configured)'}",
        datasource=SERVER_AUTHENTICATION,
        correlated=bool(users),
        slot=None,
        sent_by="the user identity",
    )


def without_account(case: TestCase, account: NeededAccount) -> TestCase:
    """Return the test case without the account's credentials."""
    kept = tuple(one for one in case.identities if one not in account.places)
    return replace(case, identities=kept)


def with_account(placed: Placed, account: NeededAccount) -> TestCase:
    """Return the test case with an account's credentials."""
    username, password, domain = placed.templates
    new = tuple(
        replace(one, username=username, password=password, domain=domain) for one in account.places
    )
    # The one for any realm comes last: the first that fits answers.
    identities = sorted((*placed.case.identities, *new), key=lambda one: not one.realm)
    return replace(placed.case, identities=tuple(identities))


def _recorded(document: Document) -> Iterator[tuple[RecordedIdentity, str]]:
    """Yield what was recorded of HTTP authentication by the servers that the test case still asks;
    and the host of an identity for it."""
    hosts = _hosts(document)
    for one in recorded_identities(document.exchanges):
        if not one.proxy and one.host in hosts:
            yield one, hosts[one.host]


def _hosts(document: Document) -> Mapping[str, str]:
    """Return by each host in the recording what an identity calls it: nothing if it is the test
    case's own server, wherever that is by now."""
    hosts: dict[str, str] = {}
    for transaction in document.case.transactions():
        exchange = document.evidence_of(transaction)
        if exchange is not None:
            host = urlsplit(exchange.url).netloc.rpartition("@")[2]
            absolute = transaction.request.target.startswith(("http://", "https://"))
            hosts[host] = hosts.get(host, host) if absolute else ""
    return hosts


def _account(
    places: Iterable[Identity], recorded: Iterable[RecordedIdentity], document: Document
) -> NeededAccount:
    recorded = tuple(recorded)
    first = recorded[0] if recorded else None
    known = NOBODY
    if first is not None:
        # What masked traffic says is a stand-in.
        password = "" if document.masked else first.password
        known = Known(first.username, password, first.domain)
    schemes = tuple(dict.fromkeys(one.scheme for one in recorded))
    return NeededAccount(tuple(places), known, schemes)


def _place(
    mine: RecordedIdentity, host: str, everyone: Iterable[tuple[RecordedIdentity, str]]
) -> Identity:
    """Return where the credentials belong. The realm only counts where the host has other users,
    too."""
    users = {(one.username, one.domain) for one, other in everyone if other == host}
    realm = mine.realm if len(users) > 1 else ""
    return Identity("", "", realm=realm, host=host, ahead=mine.ahead)


def _covered(identities: Iterable[Identity], one: RecordedIdentity, host: str) -> bool:
    """Return whether one of the identities is for where this was recorded."""
    names = (host, one.host, urlsplit(f"//{one.host}").hostname)
    return any(
        identity.host in names and identity.realm in ("", one.realm) for identity in identities
    )
