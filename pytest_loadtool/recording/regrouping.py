"""A test case that was recorded before: the pauses within its pages, and other pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from pytest_loadtool.model.case import Once, Page, Recorded, TestCase, Transaction
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.recording.filter.rules import sift
from pytest_loadtool.recording.pages.grouping import Grouping, group
from pytest_loadtool.recording.pages.naming import distinct, page_name
from pytest_loadtool.recording.pages.timing import pauses, recorded, think_times


def paused(page: Page) -> float:
    """Return for how many seconds the user of a page pauses within it."""
    return sum(one.recorded.pause for one in page.transactions[1:] if one.recorded is not None)


def with_pauses(case: TestCase, exchanges: Sequence[Exchange]) -> TestCase:
    """Return ``case`` with the pauses within its pages that its evidence shows; all else as it
    is."""
    found = pauses(sift(exchanges), {_entry(page.transactions[0]) for page in case.pages})

    def waiting(one: Transaction) -> Transaction:
        if one.recorded is None or one.recorded.entry is None:
            return one
        pause = found.get(one.recorded.entry, 0.0)
        return replace(one, recorded=replace(one.recorded, pause=pause))

    pages = [
        replace(page, transactions=tuple(map(waiting, page.transactions))) for page in case.pages
    ]
    return replace(case, pages=tuple(pages))


def regrouped(case: TestCase, exchanges: Sequence[Exchange], grouping: Grouping) -> TestCase:
    """Return ``case`` with the pages that ``grouping`` makes of its evidence.

    Its transactions stay as they are, but for when they were sent. A page that begins where one
    began has its name, and one that ends where one ended has its think time. What is in no evidence
    stays behind the transaction that it is behind.
    """
    groups = group(sift(exchanges), grouping)
    found = pauses(
        [one for page in groups for one in page.entries],
        {page.entries[0].index for page in groups},
    )
    times: dict[int | None, Recorded] = {}
    homes: dict[int | None, tuple[int, int]] = {}
    for number, page in enumerate(groups):
        for position, entry in enumerate(page.entries):
            times[entry.index] = recorded(entry, page, found.get(entry.index, 0.0))
            homes[entry.index] = number, position
    named, thought, parts = _bounds(case)
    home = (0, 0)
    placed: list[tuple[tuple[int, int], int, Transaction]] = []
    for index, one in enumerate(case.transactions()):
        home = homes.get(_entry(one), home)
        placed.append((home, index, _timed(one, times.get(_entry(one)))))
    thinking = think_times(groups)
    pages = []
    for number, members in groupby(sorted(placed, key=_order), lambda member: member[0][0]):
        own = list(members)
        name = named.get(own[0][1]) or page_name(groups[number])
        think_time = thought.get(own[-1][1], thinking[number])
        once = parts[own[0][1]]
        pages.append(Page(name, tuple(one for _, _, one in own), think_time, once))
    names = distinct(page.name for page in pages)
    return replace(
        case,
        pages=tuple(replace(page, name=name) for page, name in zip(pages, names, strict=True)),
    )


def _order(placed: tuple[tuple[int, int], int, Transaction]) -> tuple[tuple[int, int], int]:
    return placed[:2]


def _bounds(case: TestCase) -> tuple[dict[int, str], dict[int, float], list[Once | None]]:
    """Return the names of pages by the indexes of their first transactions, their think times by
    those of the last, and which part of the test case each transaction is in."""
    names, thinking = {}, {}
    parts: list[Once | None] = []
    for page in case.pages:
        names[len(parts)] = page.name
        parts += [page.once] * len(page.transactions)
        thinking[len(parts) - 1] = page.think_time
    return names, thinking, parts


def _timed(one: Transaction, times: Recorded | None) -> Transaction:
    """Return the transaction with when it was sent, by the start of its new page."""
    if one.recorded is None or times is None:
        return one
    return replace(
        one, recorded=replace(one.recorded, at=times.at, took=times.took, pause=times.pause)
    )


def _entry(one: Transaction) -> int | None:
    return one.recorded.entry if one.recorded is not None else None
