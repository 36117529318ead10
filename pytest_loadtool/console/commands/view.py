"""Full-screen views: looking at the test case, and working in it."""

from __future__ import annotations

from pytest_loadtool.console.arguments import TransactionName
from pytest_loadtool.console.errors import CommandError
from pytest_loadtool.console.selection import transaction_index
from pytest_loadtool.console.session import Console


async def view(session: Console, which: TransactionName | None = None) -> None:
    """Open the Test Case Editor on the full screen; F2 at the prompt does so, too.

    The tree stands on the left, the transaction at the cursor on the right: its content, headers,
    fields, actors and errors. WHICH is the transaction to begin with. `?` lists the keys: each
    either moves what you look at, or runs a command, as if it were typed. `:` takes any command
    line. `q` leads back to the prompt, with everything kept.

    Example: `view POST /login`
    """
    document = session.opened()
    number = transaction_index(document, which) + 1 if which is not None else 0
    if session.show_view is None:
        raise CommandError("views need a terminal: `tree` and `show` print the same")
    await session.show_view(number)
