"""Tokens that expire, and the transaction that gets new ones (``refreshes`` in the test case)."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from pytest_loadtool.model.case import TestCase, Transaction
from pytest_loadtool.structure.uses import used_by

_GRANT = re.compile(r"grant_type[\"'\s]*[=:][\"'\s]*refresh_token")
_NAME = re.compile(r"refresh_?token[\"'\s]*[=:]", re.IGNORECASE)
_PATH = re.compile(r"(?:^|[/_.-])(?:refresh|renew)", re.IGNORECASE)


def asks_for_renewal(target: str, body: str) -> bool:
    """Return whether a request says that it wants a new token for an old one: by its grant type
    (RFC 6749 §6), by a refresh token that it names, or by its path."""
    if _GRANT.search(target) or _PATH.search(urlsplit(target).path):
        return True
    return bool(_GRANT.search(body) or _NAME.search(body))


def family(variable: str) -> str:
    """Return the name without its number: variables that differ in it stand for the same thing."""
    return variable.partition("[")[0]


def successors(case: TestCase, transaction: Transaction) -> dict[str, str]:
    """Return what its response replaces: each variable by the one that its extractors set anew.

    That is the token that it refreshes, and what it uses for that and gets back: a refresh token
    that is good for one use. Of several extractors of the same family the one counts that looks in
    the same place as the one that set the old value.
    """
    old = [transaction.refreshes, *sorted(used_by(case, transaction.request))]
    return {name: new for name in old if (new := _successor(case, transaction, name))}


def _successor(case: TestCase, transaction: Transaction, old: str) -> str:
    named = [one for one in transaction.extractors if family(one.variable) == family(old)]
    places = {
        one.source
        for other in case.transactions()
        for one in other.extractors
        if one.variable == old
    }
    found = [one for one in named if one.variable == old]
    found += [one for one in named if one.source in places] + named
    return found[0].variable if found else ""
