"""Looking at the test case."""

from __future__ import annotations

from pytest_loadtool.console.arguments import TransactionNumber
from pytest_loadtool.console.errors import UsageError
from pytest_loadtool.console.picking import transaction
from pytest_loadtool.console.session import Session
from pytest_loadtool.console.views import case as views
from pytest_loadtool.console.views import transaction as transaction_views


async def tree(session: Session, *, collapse_all: bool = False, expand_all: bool = False) -> None:
    """Show the test case: its pages, and under each its transactions.

    Each transaction has its number, method, recorded status, kind, size of the response and path.
    --collapse-all (Collapse All) lists the pages only, and so does every `tree` after it, until
    --expand-all (Expand All).
    """
    document = session.opened()
    if collapse_all and expand_all:
        raise UsageError("--collapse-all and --expand-all exclude each other")
    session.collapsed = collapse_all or (session.collapsed and not expand_all)
    session.tell(views.tree(document, collapsed=session.collapsed))


async def show(
    session: Session, number: TransactionNumber, *, full: bool = False, secrets: bool = False
) -> None:
    """Show a transaction's request and response as they were recorded, bodies decoded.

    NUMBER is the one that `tree` shows. Long bodies are cut; --full shows all of them. Of
    passwords, tokens and cookies only the beginning is shown; --secrets shows them as they are.
    """
    document = session.opened()
    one = transaction(document, number)
    for line in transaction_views.recorded(document, one, full=full, secrets=secrets):
        session.say(line)
