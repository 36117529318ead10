"""Looking at the test case and editing it."""

from __future__ import annotations

from dataclasses import replace

from pytest_loadtool.console.document import removed, unset
from pytest_loadtool.console.errors import CommandError, UsageError
from pytest_loadtool.console.registry import TransactionNumber
from pytest_loadtool.console.session import Document, Session
from pytest_loadtool.console.views import case as views
from pytest_loadtool.console.views import transaction as transaction_views
from pytest_loadtool.console.views.text import counted
from pytest_loadtool.model.case import Transaction

__all__ = ["configure", "delete", "show", "tree"]


async def tree(session: Session, *, collapse: bool = False) -> None:
    """Show the test case: its pages, and under each its transactions.

    Each transaction has its number, method, recorded status, kind, size of the response and path.
    With --collapse only the pages are listed.
    """
    for line in views.tree(session.opened(), collapsed=collapse):
        session.say(line)


async def show(session: Session, number: TransactionNumber, *, full: bool = False) -> None:
    """Show a transaction's request and response as they were recorded, bodies decoded.

    NUMBER is the one that `tree` shows. Long bodies are cut; --full shows all of them.
    """
    document = session.opened()
    transaction = _transaction(document, number)
    for line in transaction_views.recorded(document, transaction, full=full):
        session.say(line)


async def delete(session: Session, number: TransactionNumber) -> None:
    """Delete a transaction from the test case; a page that loses its last one goes with it.

    NUMBER is the one that `tree` shows. The recorded traffic is not touched.
    """
    document = session.opened()
    transaction = _transaction(document, number)
    before = unset(document.case)
    document = replace(document, case=removed(document.case, number - 1))
    session.document = document
    session.say(f"Deleted {number}: {transaction.title}")
    for name in sorted(unset(document.case) - before):
        session.say(
            f"  {name} was set by it and is still used: `configure` looks for another source"
        )


async def configure(session: Session) -> None:
    """Find dynamic values and connect each to the response that sets it.

    Every decision is printed with its reason. It can be repeated: what it did before is done anew,
    what a person edited stays.
    """
    from pytest_loadtool.correlation import configure as correlate

    document = session.opened()
    if not document.exchanges:
        raise CommandError(
            "the recorded traffic is not at hand, and dynamic values are found in it: "
            "put the .har file next to the test case and open it again"
        )
    result = correlate(document.case, document.exchanges)
    session.document = replace(document, case=result.case)
    for line in views.decisions(result.decisions):
        session.say(line)
    dynamic = len({decision.variable for decision in result.decisions if decision.variable})
    session.say(f"{counted(dynamic, 'dynamic value')} configured. `play` tries it.")


def _transaction(document: Document, number: int) -> Transaction:
    """Transaction ``number`` as `tree` counts it.

    Raises:
        UsageError: there is none of that number.
    """
    transactions = list(document.case.transactions())
    if not 1 <= number <= len(transactions):
        raise UsageError(
            f"there is no transaction {number}: `tree` numbers them 1 to {len(transactions)}"
        )
    return transactions[number - 1]
