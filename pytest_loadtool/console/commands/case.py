"""Looking at the test case and configuring it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pytest_loadtool.console.errors import CommandError, UsageError
from pytest_loadtool.console.picking import transaction
from pytest_loadtool.console.registry import TransactionNumber
from pytest_loadtool.console.rules import rules_of, with_rules
from pytest_loadtool.console.session import Session
from pytest_loadtool.console.views import case as views
from pytest_loadtool.console.views import transaction as transaction_views
from pytest_loadtool.console.views.text import counted

__all__ = ["configure", "show", "tree"]


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
    for line in views.tree(document, collapsed=session.collapsed):
        session.say(line)


async def show(session: Session, number: TransactionNumber, *, full: bool = False) -> None:
    """Show a transaction's request and response as they were recorded, bodies decoded.

    NUMBER is the one that `tree` shows. Long bodies are cut; --full shows all of them.
    """
    document = session.opened()
    one = transaction(document, number)
    for line in transaction_views.recorded(document, one, full=full):
        session.say(line)


async def configure(session: Session, *, rules: Path | None = None) -> None:
    """Find dynamic values and connect each to the response that sets it.

    Every decision is printed with its reason. It can be repeated: what it did before is done anew,
    what a person edited stays. --rules adds a file with rules of your own, which the test case
    remembers.
    """
    from pytest_loadtool.correlation import configure as correlate

    document = session.opened()
    if not document.exchanges:
        raise CommandError(
            "the recorded traffic is not at hand, and dynamic values are found in it: "
            "put the .har file next to the test case and open it again"
        )
    case = document.case if rules is None else with_rules(document.case, session.case_path, rules)
    result = correlate(case, document.exchanges, rules=rules_of(session, case))
    session.document = replace(document, case=result.case)
    for line in views.decisions(result.decisions):
        session.say(line)
    dynamic = len({decision.variable for decision in result.decisions if decision.variable})
    session.say(f"{counted(dynamic, 'dynamic value')} configured. `play` tries it.")
