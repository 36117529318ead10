"""Looking at the test case, at what its recording lacks, and at what went wrong in it."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_loadtool.console.arguments import PageSelection, SelectionWord, TransactionName
from pytest_loadtool.console.errors import CommandError, UsageError
from pytest_loadtool.console.replays import failed_transactions, replay_if_any, selected_by
from pytest_loadtool.console.selection import NO_FILTERS, Filters, page_indexes, transaction
from pytest_loadtool.console.session import Console, Folding
from pytest_loadtool.console.views import case as case_views
from pytest_loadtool.console.views import transaction as transaction_views
from pytest_loadtool.console.views import tree as views
from pytest_loadtool.console.views.line import ViewLine
from pytest_loadtool.console.views.replays import failures, when
from pytest_loadtool.workflow.document import Document
from pytest_loadtool.workflow.telling import counted


async def tree(
    session: Console,
    *selected: SelectionWord,
    filters: Filters = NO_FILTERS,
    collapse_all: bool = False,
    expand_all: bool = False,
) -> None:
    """Show the test case: its pages, and under each its transactions.

    Each transaction has its number, method, recorded status, kind, size of the response, marks and
    path; the last line says what the marks mean. SELECTED shows only some, as for `delete`: `tree
    P3`, `tree ~m POST & ~c 4xx`; so do the filters: --page is a page, --kind a kind of responses,
    --host a domain, --status a recorded status, --failed what failed when it was last replayed.
    --collapse-all (Collapse All) lists the pages only, and so does every `tree` after it, until
    --expand-all (Expand All).

    Example: `tree ~m POST`
    """
    document = session.opened()
    if collapse_all and expand_all:
        raise UsageError("--collapse-all and --expand-all exclude each other")
    if collapse_all or expand_all:
        session.folding = Folding(closed=collapse_all)
    narrowed = selected or filters != NO_FILTERS
    failed = failed_transactions(session)
    only = selected_by(session, selected, filters).transactions if narrowed else None
    folded = session.folding.of(page.name for page in document.case.pages)
    await session.page(
        views.tree(document, folded=folded, only=only, failed=failed, width=session.width)
    )


async def collapse(session: Console, *pages: PageSelection) -> None:
    """Collapse pages in the tree, all of them if none is named.

    PAGES is one (`P3`, or its name) or several (`P1-P3`, `P1,P4`). A page that is collapsed is one
    line of `tree`.

    Example: `collapse P3`
    """
    _fold(session, pages, closed=True)


async def expand(session: Console, *pages: PageSelection) -> None:
    """Expand pages in the tree, all of them if none is named.

    PAGES is as for `collapse`.

    Example: `expand P3`
    """
    _fold(session, pages, closed=False)


def _fold(session: Console, words: Sequence[str], *, closed: bool) -> None:
    document = session.opened()
    if not words:
        session.folding = Folding(closed=closed)
    chosen = [index for word in words for index in page_indexes(document, word)]
    names = [document.case.pages[index].name for index in chosen]
    session.folding = session.folding.with_pages(names, closed=closed)
    folded = session.folding.of(page.name for page in document.case.pages)
    count = counted(len(document.case.pages), "page")
    session.say(f"{len(folded)} of {count} collapsed.")


async def show(
    session: Console, which: TransactionName, *, full: bool = False, secrets: bool = False
) -> None:
    """Show a transaction's request and response as they were recorded, bodies decoded.

    WHICH is its number in `tree`, or what it is: `show /login`, `show POST /login#2`. Long bodies
    are cut; --full shows all of them. Of passwords, tokens and cookies only the beginning is shown;
    --secrets shows them as they are.

    Example: `show POST /login --full`
    """
    document = session.opened()
    one = transaction(document, which)
    await session.page(transaction_views.recorded(document, one, full=full, secrets=secrets))


async def show_fidelity(session: Console) -> None:
    """Show the fidelity report: everything that was filtered, merged or cannot be replayed.

    Each recorded exchange is a transaction of the test case or is counted here with the reason;
    what replay does otherwise than it was recorded is listed too.

    Example: `show fidelity`
    """
    session.tell(case_views.report(_recorded(session)))


async def show_errors(session: Console) -> None:
    """Errors View: list what went wrong while recording and in the last replay.

    A number is that of the transaction in `tree`. In a recording three things call for a new one,
    unless they were meant: the main HTML of a page failed, an API call failed, the browser crashed
    or hung. A missing image or style sheet is harmless, and a 401 that asks for HTTP authentication
    is normal. `status` changes which status is expected. Of the replay, `why` explains the first.

    Example: `show errors`
    """
    document, opened = session.opened(), replay_if_any(session)
    recorded = list(case_views.errors(document if opened is not None else _recorded(session)))
    if opened is None:
        session.tell(recorded or ["No errors."])
        return
    session.say(ViewLine(("While recording", "heading")))
    session.tell(recorded or ["  No errors."])
    session.say(ViewLine((f"In the replay of {when(opened.replay.started)}", "heading")))
    session.tell(list(failures(document, opened)) or ["  No errors."])


def _recorded(session: Console) -> Document:
    document = session.opened()
    if not document.exchanges:
        raise CommandError(
            "the recorded traffic is not at hand: put the .har file next to the case"
        )
    return document
