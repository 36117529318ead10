"""What is measured, by name: cases, their pages, and the transactions of these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class TransactionKey:
    """The identity of a transaction: the names of its case and page, and its title."""

    case: str
    page: str
    name: str


@dataclass(frozen=True, slots=True)
class PageKey:
    """The identity of a page: the name of its case, and its own. ``once`` is empty, or says that it
    is done once by each user: ``start`` or ``end``."""

    case: str
    name: str
    once: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class FlowKey:
    """The identity of a flow: the name of its case, and its own. ``rule`` names what it does, or is
    ``chosen`` of one that another chooses, which has no rule; ``within`` the flow around it, or
    that chooses it: empty for none."""

    case: str
    name: str
    rule: str
    within: str = ""


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
