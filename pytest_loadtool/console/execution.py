"""Running one command line: for a prompt, a script, a key of a view or a wizard alike.

Each goes through `execute`, so that each can be undone and is in the session log.
"""

from __future__ import annotations

import asyncio
import os

from pytest_loadtool.console.errors import CommandError, NotGreenError, as_command_error
from pytest_loadtool.console.history import State, UndoStep
from pytest_loadtool.console.registry import Call
from pytest_loadtool.console.session import Console, Running
from pytest_loadtool.console.session_log import Ending, LogEntry, without_secrets
from pytest_loadtool.errors import LoadToolError
from pytest_loadtool.masking.text import Mask
from pytest_loadtool.workflow.document import Document

#: Exit statuses: pytest's own where one has that meaning (2 interrupted, 5 nothing collected).
SAVED, ABANDONED, NOTHING_RECORDED = 0, 2, 5

#: Commands that go through the history instead of adding to it. Others may add to it themselves.
_THROUGH_HISTORY = frozenset({"undo", "redo", "view", "open-case"})
#: Commands that a script cannot do again, or has no use for.
_NOT_REPEATED = frozenset({"record", "run", "wait", "edit", "shell"})
#: Commands that are about the session itself, and not part of what it did.
_NOT_LOGGED = frozenset({"help", "log", "clear", "quit", "view"})


async def execute(session: Console, line: str) -> None:
    """Understand and run one line.

    Raises:
        CommandError: it is wrong or it failed.
    """
    call = session.registry.parse(line)
    if call is None:
        return
    before, count, outer = session.state, len(session.history.made), session.running
    session.running = running = Running(line.strip())
    if outer is None:
        session.written.clear()
    ending: Ending = "failed"
    try:
        await _run(session, call)
        ending = "done"
    except NotGreenError:  # what it found is kept, as in a script
        ending = "done"
        raise
    except asyncio.CancelledError:
        ending = "interrupted"
        raise
    except CommandError as error:
        running.said = str(error)
        raise
    finally:  # what fails may have changed something before
        session.running = outer
        if outer is not None:
            outer.nested = True
        if call.command.name not in _THROUGH_HISTORY:
            _note(session, running, before, count)
        _log(session, call, running, ending)


def _note(session: Console, running: Running, before: State, count: int) -> None:
    """Have `undo` take back what a command has changed, in one step; ``count`` were made before."""
    made, files = session.history.made, tuple(session.written)
    differs = _differ(before.document, session.document)
    line = without_secrets(running.line, _secrets(session))  # `undo` says it, and is logged
    if len(made) == count:
        if files or differs:
            session.history.note(line, before, files)
    elif running.nested and not (running.only_asked and len(made) == count + 1):
        inner = (file for step in reversed(made[count:]) for file in step.files)
        made[count:] = [UndoStep(line, before, (*files, *inner))]
    session.written.clear()


async def _run(session: Console, call: Call) -> None:
    try:
        await call.run(session)
    except CommandError:
        raise
    except LoadToolError as error:
        raise as_command_error(error) from error
    except OSError as error:
        subject = f"{error.filename}: " if error.filename else ""
        raise CommandError(f"{subject}{error.strerror or error}") from error


def _log(session: Console, call: Call, running: Running, ending: Ending) -> None:
    """Note a command that has ended, without secrets, with what was decided in it."""
    name = call.command.name
    if name in _NOT_LOGGED or running.only_asked:
        return
    line = running.again or " ".join((running.line, *running.decided))
    if name in _NOT_REPEATED and ending == "done" and not running.again:
        ending = "not repeated"
    secrets = _secrets(session)
    masked = without_secrets(line, secrets)
    if masked != line and ending == "done":
        ending = "not repeated"
    said = Mask(secrets).text(running.said).strip().partition("\n")[0]
    session.log.add(LogEntry(masked, said, ending))


def _secrets(session: Console) -> set[str]:
    """Return what was typed as a secret, and what the environment has for the test case."""
    known = session.document.case.variables.values() if session.document is not None else ()
    return {*session.secrets, *(os.environ.get(one.env, "") for one in known if one.env)} - {""}


def _differ(one: Document | None, other: Document | None) -> bool:
    """Return whether they are different test cases, or made of different traffic."""
    if one is None or other is None:
        return one is not other
    return one.exchanges is not other.exchanges or one.case != other.case


def outcome(session: Console) -> int:
    """Return the exit status of a console that ends without an error."""
    if session.live is not None or session.unsaved:
        return ABANDONED
    return NOTHING_RECORDED if session.document is None else SAVED
