"""Marking the transactions that refresh a token: replay can send them when it has expired."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from pytest_loadtool.model.case import TestCase, Transaction
from pytest_loadtool.model.editing import with_transactions
from pytest_loadtool.model.rule import Role, Rule
from pytest_loadtool.structure.renewal import asks_for_renewal, family, successors
from pytest_loadtool.structure.uses import used_by

#: What variables are for.
_Roles = Mapping[str, Role | None]


def with_renewals(case: TestCase, rules: Sequence[Rule]) -> TestCase:
    """Return ``case`` with ``refreshes`` where a transaction gets a new token in the place of an
    old one.

    It does when its response gives out an access token, and it sends a refresh token or says that
    it wants one renewed. The roles of ``rules`` tell which variables are these. Marks that are
    there already stay.
    """
    roles = {one.name: one.role for one in reversed(rules)}
    marks = dict(_marks(case, {name: roles.get(one.rule) for name, one in case.variables.items()}))
    if not marks:
        return case
    transactions = enumerate(case.transactions())
    return with_transactions(
        case,
        (replace(one, refreshes=marks.get(index, one.refreshes)) for index, one in transactions),
    )


def _marks(case: TestCase, roles: _Roles) -> Iterator[tuple[int, str]]:
    """Yield which token each transaction refreshes, by the transaction's index."""
    set_by: dict[str, int] = {}  # in the order in which they are set
    for index, transaction in enumerate(case.transactions()):
        if not transaction.refreshes and (token := _refreshed(case, transaction, set_by, roles)):
            yield index, token
        for extractor in transaction.extractors:
            set_by.pop(extractor.variable, None)
            set_by[extractor.variable] = index


def _refreshed(
    case: TestCase, transaction: Transaction, set_by: dict[str, int], roles: _Roles
) -> str:
    """Return the token that the transaction gets anew; "" for none."""
    given = [
        one.variable for one in transaction.extractors if roles.get(one.variable) is Role.ACCESS
    ]
    used = [name for name in used_by(case, transaction.request) if roles.get(name) is Role.REFRESH]
    if not given or not (used or _says_so(transaction)):
        return ""
    together = {set_by[name] for name in used if name in set_by}
    before = [name for name in set_by if family(name) == family(given[0])]
    before.sort(key=lambda name: set_by[name] in together)  # stable: of the others the latest
    marked = replace(transaction, refreshes=before[-1]) if before else transaction
    return marked.refreshes if marked.refreshes in successors(case, marked) else ""


def _says_so(transaction: Transaction) -> bool:
    request = transaction.request
    body = request.body if isinstance(request.body, str) else ""
    return asks_for_renewal(request.target, body)
