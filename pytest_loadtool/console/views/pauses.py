"""What is said of pauses within pages: those of an application of one document are all there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_loadtool.console.views.text import counted
from pytest_loadtool.model.case import Page, TestCase
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.recording import paused, with_pauses

#: Seconds of pauses in a page from which on they are worth a line.
_WORTH = 2.0


def replayed(case: TestCase) -> Iterator[str]:
    """That replay waits within pages, and how each thing that was done becomes a page."""
    for amount in _amounts(case):
        yield (
            f"  Replay keeps {amount} as think times: `regroup --activity` makes a page of each "
            "thing that was done."
        )


def missing(case: TestCase, exchanges: Sequence[Exchange]) -> Iterator[str]:
    """That replay does not wait as the user did, because the test case is of an earlier version."""
    if any(map(paused, case.pages)) or not any(_idle(page) >= _WORTH for page in case.pages):
        return
    for amount in _amounts(with_pauses(case, exchanges)):
        yield f"  Replay leaves out {amount}: `regroup` keeps them, and all that was edited."


def _amounts(case: TestCase) -> Iterator[str]:
    """``pauses of 12.2 s within the page Shop``, or nothing."""
    pages = [page for page in case.pages if paused(page) >= _WORTH]
    if pages:
        where = f"the page {pages[0].name}" if len(pages) == 1 else counted(len(pages), "page")
        yield f"pauses of {sum(map(paused, pages)):.1f} s within {where}"


def _idle(page: Page) -> float:
    """The longest time (in seconds) in which nothing of a page was under way."""
    times = [one.recorded for one in page.transactions if one.recorded is not None]
    longest, latest = 0.0, 0.0
    for one in times:
        longest = max(longest, one.at - latest)
        latest = max(latest, one.at + one.took)
    return longest
