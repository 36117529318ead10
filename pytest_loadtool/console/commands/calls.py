"""Functions of the project that are called between transactions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pytest_loadtool.casefile.functions import find_function, functions_for
from pytest_loadtool.casefile.syntax import function_name
from pytest_loadtool.console.arguments import FunctionName, TransactionName
from pytest_loadtool.console.errors import UsageError, as_usage
from pytest_loadtool.console.selection import transaction_index
from pytest_loadtool.console.session import Console
from pytest_loadtool.editing.actors import with_calls
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.workflow.telling import counted


async def call(
    session: Console,
    which: TransactionName | None = None,
    *functions: FunctionName,
    remove: bool = False,
) -> None:
    """Call functions of the project before a transaction.

    FUNCTIONS, such as `orders:new_number`, take the place of those that are called before WHICH so
    far: functions of a module beside the test case, or in a folder above it, whose first parameter
    is `user`. Without FUNCTIONS it is told what is called there, without WHICH all that is, and
    what could be. --remove calls nothing there.

    Example: `call POST /orders orders:new_number`
    """
    document = session.opened()
    if which is None:
        session.tell(_lines(document.case))
        offered = tuple(functions_for(session.case_path, session.settings.trust))
        session.say(f"{counted(len(offered), 'function')} to call: {', '.join(offered) or 'none'}")
        return
    index = transaction_index(document, which)
    if remove and functions:
        raise UsageError("--remove takes all away: leave the functions out")
    for name in functions:
        with as_usage():
            found = find_function(session.case_path, function_name(name), session.settings.trust)
        where = session.settings.shown(found.path)
        session.say(f"{name} is defined in {where}:{found.line}")
    if functions or remove:
        case = with_calls(document.case, index, functions)
        session.document = replace(document, case=case)
    session.tell(_lines(session.opened().case, index))


def _lines(case: TestCase, only: int | None = None) -> Iterator[str]:
    for at, one in enumerate(case.transactions()):
        if (one.call and only is None) or at == only:
            yield f"  {at + 1}  {one.title}: calls {', '.join(one.call) or 'nothing'}"
