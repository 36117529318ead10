"""What the recording lacks, and what went wrong in it."""

from __future__ import annotations

from pytest_loadtool.console.errors import CommandError
from pytest_loadtool.console.session import Document, Session
from pytest_loadtool.console.views import fidelity as views


async def show_fidelity(session: Session) -> None:
    """Show the fidelity report: everything that was filtered, merged or cannot be replayed.

    Each recorded exchange is a transaction of the test case or is counted here with the reason;
    what replay does otherwise than it was recorded is listed too.
    """
    for line in views.report(_recorded(session)):
        session.say(line)


async def show_errors(session: Session) -> None:
    """Errors View: list what went wrong while recording, with its status or condition.

    A number is that of the transaction in `tree`. Three things call for a new recording, unless
    they were meant: the main HTML of a page failed, an API call failed, the browser crashed or
    hung. A missing image or style sheet is harmless, and a 401 that asks for HTTP authentication is
    normal. To expect another status, edit the transaction's `status` in the saved test case.
    """
    document = _recorded(session)
    lines = list(views.errors(document))
    for line in lines or ["No errors."]:
        session.say(line)


def _recorded(session: Session) -> Document:
    document = session.opened()
    if not document.exchanges:
        raise CommandError(
            "the recorded traffic is not at hand: put the .har file next to the case"
        )
    return document
