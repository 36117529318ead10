"""Looking at the test case, at what its recording lacks, and at what went wrong in it."""

from __future__ import annotations

from pytest_loadtool.console.arguments import TransactionName
from pytest_loadtool.console.errors import CommandError, UsageError
from pytest_loadtool.console.selection import transaction
from pytest_loadtool.console.session import Console
from pytest_loadtool.console.views import case as views
from pytest_loadtool.console.views import transaction as transaction_views
from pytest_loadtool.workflow.document import Document


async def tree(session: Console, *, collapse_all: bool = False, expand_all: bool = False) -> None:
    """Show the test case: its pages, and under each its transactions.

    Each transaction has its number, method, recorded status, kind, size of the response and path.
    --collapse-all (Collapse All) lists the pages only, and so does every `tree` after it, until
    --expand-all (Expand All).

    Example: `tree --collapse-all`
    """
    document = session.opened()
    if collapse_all and expand_all:
        raise UsageError("--collapse-all and --expand-all exclude each other")
    session.collapsed = collapse_all or (session.collapsed and not expand_all)
    session.tell(views.tree(document, collapsed=session.collapsed))


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
    session.tell(views.report(_recorded(session)))


async def show_errors(session: Console) -> None:
    """Errors View: list what went wrong while recording, with its status or condition.

    A number is that of the transaction in `tree`. Three things call for a new recording, unless
    they were meant: the main HTML of a page failed, an API call failed, the browser crashed or
    hung. A missing image or style sheet is harmless, and a 401 that asks for HTTP authentication is
    normal. To expect another status, edit the transaction's `status` in the saved test case.

    Example: `show errors`
    """
    document = _recorded(session)
    lines = list(views.errors(document))
    session.tell(lines or ["No errors."])


def _recorded(session: Console) -> Document:
    document = session.opened()
    if not document.exchanges:
        raise CommandError(
            "the recorded traffic is not at hand: put the .har file next to the case"
        )
    return document
