"""Editing the structure of the test case: pages and transactions renamed, moved, merged, split."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pytest_loadtool.casefile import format_duration
from pytest_loadtool.console.arguments import (
    PageName,
    PagePart,
    PageSelection,
    SelectionWord,
    TransactionName,
)
from pytest_loadtool.console.errors import CommandError, UsageError
from pytest_loadtool.console.selection import (
    page_index,
    page_indexes,
    select,
    transaction_index,
)
from pytest_loadtool.console.session import Console
from pytest_loadtool.console.views.case import summary
from pytest_loadtool.editing import pages as editing
from pytest_loadtool.editing.pages import Pace
from pytest_loadtool.editing.parts import PART_NAMES, marked, part_of
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.editing import page_span
from pytest_loadtool.recording import distinct, suggested_name
from pytest_loadtool.workflow.document import Document, lost, setters, users
from pytest_loadtool.workflow.telling import counted


async def rename(session: Console, which: SelectionWord, name: str) -> None:
    """Rename a page or a transaction.

    WHICH is a page (`P3`, or its name) or a transaction. NAME is what reports call it; an empty one
    ("") gives a transaction back the method and path that it had.

    Example: `rename P3 "Log in"`
    """
    document = session.opened()
    chosen = select(document, [which])
    try:
        if chosen.pages:
            index = page_index(document, which)
            old = document.case.pages[index].name
            case = editing.renamed_page(document.case, index, name)
            session.say(f"P{index + 1} {old} is {name} now.")
        else:
            index = transaction_index(document, which)
            old = list(document.case.transactions())[index].title
            case = editing.renamed_transaction(document.case, index, name)
            session.say(f"{index + 1} {old} is {list(case.transactions())[index].title} now.")
    except ValueError as error:
        raise CommandError(str(error)) from None
    session.document = replace(document, case=case)


async def think(
    session: Console, pages: PageSelection | None = None, pace: Pace | None = None
) -> None:
    """Set think times; without PACE, list them.

    PAGES is one (`P3`, or its name), several (`P1-P3`, `P1,P4`) or `all`. PACE is the think time
    after each of them, or with an x a factor: that counts for the pauses within them, too.

    Example: `think all x0.5`
    """
    document = session.opened()
    chosen = page_indexes(document, pages or "all")
    if pace is not None:
        session.document = replace(document, case=editing.paced(document.case, chosen, pace))
    now = session.opened().case
    for index in chosen:
        page = now.pages[index]
        session.say(f"  P{index + 1}  {format_duration(page.think_time):>8}  {page.name}")


async def once(session: Console, pages: PageSelection, part: PagePart) -> None:
    """Have each virtual user of a load test do pages once.

    PAGES is one (`P1`, or its name) or several (`P1-P2`). PART is `start`: before the user's first
    iteration, as a login; `end`: after its last, as a logout; or `no`: in each iteration. What the
    start sets, cookies and variables, lasts as long as the user. A test does all pages in order.

    Example: `once P1-P2 start`
    """
    document = session.opened()
    chosen = page_indexes(document, pages)
    try:
        case = marked(document.case, chosen, part_of(part))
    except ValueError as error:
        raise CommandError(str(error)) from None
    session.document = replace(document, case=case)
    for index in chosen:
        session.say(
            f"  P{index + 1}  {PART_NAMES[case.pages[index].once]}  {case.pages[index].name}"
        )


async def move(
    session: Console,
    *selected: SelectionWord,
    before: SelectionWord | None = None,
    after: SelectionWord | None = None,
) -> None:
    """Move transactions or pages.

    SELECTED is as for `delete`. --before is what it goes before: a transaction, whose page it
    joins, or a page. --after is what it goes behind. Transactions that go before or behind a page
    become its first or last ones. What sets a value stays before what needs it: anything else is
    refused.

    Example: `move 5-7 --before 3`
    """
    document = session.opened()
    if not selected or (before is None) == (after is None):
        raise UsageError("move what where? `move 5-7 --before 3`, `move P4 --after P1`")
    target_word, behind = (after, True) if after is not None else (before, False)
    assert target_word is not None
    chosen, target = select(document, selected), select(document, [target_word])
    of_pages = [index for page in chosen.pages for index in page_span(document.case, page)]
    try:
        if target.pages and len(of_pages) == len(chosen.transactions):
            at = target.pages[-1 if behind else 0]
            case = editing.moved_pages(document.case, chosen.pages, at, behind=behind)
            what = counted(len(chosen.pages), "page")
        else:
            place = target.transactions[-1 if behind else 0]
            case = editing.moved(document.case, chosen.transactions, place, behind=behind)
            what = counted(len(chosen.transactions), "transaction")
    except ValueError as error:
        raise CommandError(str(error)) from None
    _refuse_lost(document.case, case)
    session.document = replace(document, case=case)
    session.say(f"Moved {what}. The test case has {summary(session.opened())}.")


async def merge(session: Console, *pages: PageSelection, name: str = "") -> None:
    """Merge pages that follow each other into one.

    The think times between them become pauses within the page. --name is what it is called; without
    it, as the first of them.

    Example: `merge P3-P5 --name Order`
    """
    document = session.opened()
    chosen = [index for word in pages for index in page_indexes(document, word)]
    try:
        case = editing.merged(document.case, chosen, name)
    except ValueError as error:
        raise CommandError(str(error)) from None
    page = case.pages[min(chosen)]
    session.document = replace(document, case=case)
    count = counted(len(page.transactions), "transaction")
    session.say(f"P{min(chosen) + 1} {page.name} has {count} now.")


async def split(
    session: Console, page: PageName, *, at: TransactionName | None = None, name: str = ""
) -> None:
    """Split a page in two.

    PAGE is its number or name; --at is the transaction that the second page begins with. --name is
    what that page is called; without it, after what it begins with. The pause before it becomes the
    think time of the first.

    Example: `split P3 --at 17`
    """
    document = session.opened()
    index = page_index(document, page)
    span = page_span(document.case, index)
    if at is None:
        raise UsageError(f"split where? P{index + 1} has {span.start + 1} to {span.stop}: --at")
    place = transaction_index(document, at)
    if place not in span:
        own = f"which has {span.start + 1} to {span.stop}"
        raise UsageError(f"{place + 1} is not on P{index + 1}, {own}")
    try:
        case = editing.split(
            document.case, place, name or _name_for(document, range(place, span.stop))
        )
    except ValueError as error:
        raise CommandError(str(error)) from None
    session.document = replace(document, case=case)
    first, second = case.pages[index : index + 2]
    for number, one in enumerate((first, second), index + 1):
        session.say(f"P{number} {one.name} has {counted(len(one.transactions), 'transaction')}.")


async def duplicate(session: Console, *selected: SelectionWord, name: str = "") -> None:
    """Duplicate transactions, or a page.

    SELECTED is as for `delete`; the copy stands behind the last of it. A page that is selected
    alone gets a copy as a page; --name is what that is called, without it as the first with a
    number.

    Example: `duplicate P3 --name "Order again"`
    """
    document = session.opened()
    if not selected:
        raise UsageError("duplicate what? A page (P3) or transactions (15, 4-8)")
    chosen = select(document, selected)
    try:
        if len(chosen.pages) == 1 and set(page_span(document.case, chosen.pages[0])) == set(
            chosen.transactions
        ):
            (index,) = chosen.pages
            names = [page.name for page in document.case.pages]
            called = name or distinct([*names, names[index]])[-1]
            case = editing.duplicated_page(document.case, index, called)
        elif name:
            raise UsageError("--name goes with a page")
        else:
            case = editing.duplicated(document.case, chosen.transactions)
    except ValueError as error:
        raise CommandError(str(error)) from None
    session.document = replace(document, case=case)
    count = counted(len(chosen.transactions), "transaction")
    session.say(f"Duplicated {count}. The test case has {summary(session.opened())}.")


def _name_for(document: Document, span: range) -> str:
    """Return what a page of these transactions is called: after the first that forwards nowhere."""
    mine = list(document.case.transactions())[span.start : span.stop]
    status = [one.recorded.status if one.recorded is not None else 0 for one in mine]
    one = next((one for one, each in zip(mine, status, strict=True) if each // 100 != 3), mine[0])
    names = [page.name for page in document.case.pages]
    exchange, recorded = document.evidence_of(one), one.recorded
    wanted = one.title
    if exchange is not None and recorded is not None:
        wanted = suggested_name(exchange, recorded.kind)
    return distinct([*names, wanted])[-1]


def _refuse_lost(before: TestCase, after: TestCase) -> None:
    """Make sure that what sets a value still comes before what needs it.

    Raises:
        CommandError: it does not; the text has the names.
    """
    found = [
        f"{name} is set by {_some(setters(before, name))}, needed by {_some(users(before, name))}"
        for name, _ in lost(before, after)
    ]
    if found:
        lines = "".join(f"\n  {line}" for line in found)
        raise CommandError(f"not moved: a value would be needed before it is set{lines}")


def _some(names: Sequence[str]) -> str:
    """Return the first of them, and how many more there are."""
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return f"{names[0]}{more}" if names else "nothing"
