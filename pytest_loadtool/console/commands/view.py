"""Full-screen views: looking at the test case, and working in it."""

from __future__ import annotations

from pytest_loadtool.console.arguments import TransactionNumber
from pytest_loadtool.console.errors import CommandError
from pytest_loadtool.console.selection import transaction
from pytest_loadtool.console.session import Console


async def view(session: Console, number: TransactionNumber | None = None) -> None:
    """Open the Test Case Editor on the full screen; F2 at the prompt does so, too.

    The tree stands on the left, the transaction at the cursor on the right: its content, headers,
    fields, actors and errors. NUMBER is the transaction to begin with. `?` lists the keys: each
    either moves what you look at, or runs a command, as if it were typed. `:` takes any command
    line. `q` leads back to the prompt, with everything kept.
    """
    document = session.opened()
    if number is not None:
        transaction(document, number)
    if session.show_view is None:
        raise CommandError("views need a terminal: `tree` and `show` print the same")
    await session.show_view(number or 0)
