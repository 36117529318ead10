"""Identities as compiled: which of them may answer for a step, and who each one is."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pytest_loadtool.auth import Credentials, RequestFacts
from pytest_loadtool.codec.template import Reference, Template
from pytest_loadtool.model.authentication import Identity
from pytest_loadtool.model.case import TestCase, Transaction, Variable
from pytest_loadtool.replay.compile.computed import composed, makers
from pytest_loadtool.replay.compile.format import VariableNames
from pytest_loadtool.replay.user.exchange import Step
from pytest_loadtool.replay.user.origin import Account, Origin
from pytest_loadtool.structure.uses import used_names


def accounts_of(
    case: TestCase, steps: tuple[Step, ...], main: Origin | None, names: VariableNames
) -> tuple[tuple[Account, ...], ...]:
    """Return for each step the identities that may answer for it, in their order; () when nobody
    has to.

    A step that has credentials of its own goes without, and so does one whose status is to be 401:
    it was recorded to show that nobody gets in without any.
    """
    if not (case.identities or any(step.origin.via for step in steps)):
        return ()
    compiled = [(one, _account(one, case, names)) for one in case.identities]
    return tuple(
        ()
        if _has_own(case, step.transaction) or _wants_challenge(step.transaction)
        else tuple(account for one, account in compiled if _is_for(one, step.origin, main))
        for step in steps
    )


def facts_of(step: Step, target: str) -> RequestFacts:
    """Return what schemes need to know of the request of a step, as its server sees it.

    ``target`` has one character for each octet.
    """
    return RequestFacts(step.transaction.request.method, target, step.origin.authority)


def constant_facts(step: Step) -> RequestFacts | None:
    """Return `facts_of` a step, the same each time; None where values are in its target."""
    target = step.transaction.request.target
    if "${" in target:
        return None
    if not target.startswith("/"):
        target = f"/{target.partition('://')[2].partition('/')[2]}"
    return facts_of(step, target.encode().decode("latin-1"))


def credentials_of(
    templates: tuple[str, str, str], variables: Mapping[str, Variable], names: VariableNames
) -> Callable[[list[str]], Credentials]:
    """Return the function from a user's values to what it logs in with. ``templates`` are user
    name, password and domain."""
    made = makers(templates, variables, names, None)
    texts = [composed(Template.parse(text), names) for text in templates]

    def credentials(values: list[str]) -> Credentials:
        for slot, make in made:
            values[slot] = make(values)
        username, password, domain = [text(values) for text in texts]
        return Credentials(username, password, domain)

    return credentials


def rows_of(templates: tuple[str, str, str], case: TestCase) -> tuple[tuple[str, str], ...]:
    """Return the names and files of the datasets that these come from."""
    used = {Reference(name).dataset for name in used_names(templates, case.variables)}
    return tuple((use.name, use.file) for use in case.datasets if use.name in used)


def _account(identity: Identity, case: TestCase, names: VariableNames) -> Account:
    return Account(
        realm=identity.realm,
        ahead=identity.ahead and not identity.realm,  # where that is, only its challenge tells
        credentials=credentials_of(identity.templates, case.variables, names),
        name=f"the user {identity.username}",
        rows=rows_of(identity.templates, case),
    )


def _has_own(case: TestCase, transaction: Transaction) -> bool:
    headers = case.wire_headers(transaction.request)
    return any(header.name.lower() == "authorization" for header in headers)


def _wants_challenge(transaction: Transaction) -> bool:
    return transaction.status.accepts(401) and not transaction.status.accepts(200)


def _is_for(identity: Identity, origin: Origin, main: Origin | None) -> bool:
    if not identity.host:
        return main is not None and (origin.host, origin.port) == (main.host, main.port)
    name, colon, port = identity.host.rpartition(":")
    if colon and not identity.host.endswith("]"):
        return origin.port == int(port) and origin.host == _bare(name)
    return origin.host == _bare(identity.host)


def _bare(host: str) -> str:
    """Return the host as origins have it: in small letters, an IPv6 address without its
    brackets."""
    return host.lower().strip("[]")
