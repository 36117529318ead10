"""Tokens that expire, and the transaction that gets new ones (``refreshes`` in the test case)."""

from __future__ import annotations

from pytest_loadtool.model.case import TestCase, Transaction

__all__ = ["family", "successors"]


def family(variable: str) -> str:
    """The name without its number: variables that differ in it stand for the same thing."""
    return variable.partition("[")[0]


def successors(case: TestCase, transaction: Transaction) -> dict[str, str]:
    """What its response replaces: each variable by the one that its extractors set anew.

    That is the token that it refreshes, and what it uses for that and gets back: a refresh token
    that is good for one use. Of several extractors of the same family the one counts that looks in
    the same place as the one that set the old value.
    """
    old = [transaction.refreshes, *sorted(case.used_by(transaction.request))]
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
