"""What is measured, by name: cases, their pages, and the transactions of these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TransactionKey:
    """Which transaction: the names of its case and page, and its title."""

    case: str
    page: str
    name: str


@dataclass(frozen=True, slots=True)
class PageKey:
    """Which page: the name of its case, and its own."""

    case: str
    name: str


def check_keys(
    transactions: Sequence[TransactionKey], pages: Sequence[PageKey], cases: Sequence[str]
) -> None:
    """See that each has its place.

    Raises:
        ValueError: a transaction is of a page, or a page of a case, that is not given.
    """
    strays: list[object] = [page for page in pages if page.case not in cases]
    known = set(pages)
    strays += [one for one in transactions if PageKey(one.case, one.page) not in known]
    if strays:
        raise ValueError(f"no place for {strays[0]}")
