"""Running one command line, and what the console's exit status is in the end."""

from __future__ import annotations

from pytest_loadtool.console.errors import CommandError, as_command_error
from pytest_loadtool.console.session import Console
from pytest_loadtool.errors import LoadToolError
from pytest_loadtool.workflow.document import Document

#: Exit statuses: pytest's own where one has that meaning (2 interrupted, 5 nothing collected).
SAVED, ABANDONED, NOTHING_RECORDED = 0, 2, 5


#: Commands that go through the history instead of adding to it. Others may add to it themselves.
_THROUGH_HISTORY = frozenset({"undo", "redo"})


async def execute(session: Console, line: str) -> None:
    """Understand and run one line.

    Raises:
        CommandError: it is wrong or it failed.
    """
    call = session.registry.parse(line)
    if call is None:
        return
    before, count = session.state, len(session.history.made)
    session.written.clear()
    try:
        await call.run(session)
    except CommandError:
        raise
    except LoadToolError as error:
        raise as_command_error(error) from error
    except OSError as error:
        subject = f"{error.filename}: " if error.filename else ""
        raise CommandError(f"{subject}{error.strerror or error}") from error
    finally:  # what fails may have changed something before
        noted = call.command.name in _THROUGH_HISTORY or len(session.history.made) != count
        files = tuple(session.written)
        if not noted and (files or _differ(before.document, session.document)):
            session.history.note(line.strip(), before, files)


def _differ(one: Document | None, other: Document | None) -> bool:
    """Whether they are different test cases, or made of different traffic."""
    if one is None or other is None:
        return one is not other
    return one.exchanges is not other.exchanges or one.case != other.case


def outcome(session: Console) -> int:
    """The exit status of a console that ends without an error."""
    if session.live is not None or session.unsaved:
        return ABANDONED
    return NOTHING_RECORDED if session.document is None else SAVED
