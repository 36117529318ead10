"""The console at a terminal: a prompt with completion, history and a line of state below."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sys
import traceback

from prompt_toolkit import PromptSession
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.patch_stdout import patch_stdout

from pytest_loadtool.console.completion import RegistryCompleter
from pytest_loadtool.console.errors import CommandError
from pytest_loadtool.console.interrupting import ENDING, ended_by
from pytest_loadtool.console.running import execute, outcome
from pytest_loadtool.console.script import PlainFrontend
from pytest_loadtool.console.session import Session, printable
from pytest_loadtool.console.views.case import summary
from pytest_loadtool.console.views.line import Line
from pytest_loadtool.console.wizard import Question
from pytest_loadtool.workflow.known import state_file
from pytest_loadtool.workflow.telling import counted

_PROMPT = "loadtool> "
#: Seconds between two looks at the counters of the toolbar.
_REFRESH = 0.5


class TerminalFrontend(PlainFrontend):
    """Prints above the prompt, and asks.

    ``colour`` is pytest's ``--color``. With ``auto``, NO_COLOR (https://no-color.org) is heeded.

    What asks leaves SIGINT alone: it would take away what interrupts the command that has asked.
    The key Ctrl-C is no signal meanwhile.
    """

    def __init__(self, colour: str = "auto") -> None:
        self._coloured = colour == "yes" or (colour != "no" and not os.environ.get("NO_COLOR"))

    def say(self, text: str) -> None:
        """Print above the prompt; views are drawn, if that is a terminal that can."""
        if isinstance(text, Line) and sys.stdout.isatty() and os.environ.get("TERM") != "dumb":
            from pytest_loadtool.console.drawing import drawn

            width = shutil.get_terminal_size().columns
            text = drawn(text, width, coloured=self._coloured)
        PlainFrontend.say(self, text)

    async def confirm(self, question: str, *, unattended: bool) -> bool:  # noqa: ARG002  somebody is
        """Ask; anything but a yes is a no, and so are Ctrl-C and Ctrl-D."""
        asker: PromptSession[str] = PromptSession()
        try:
            answer = await asker.prompt_async(f"{printable(question)} [y/N] ", handle_sigint=False)
        except (KeyboardInterrupt, EOFError):
            return False
        return answer.strip().lower() in ("y", "yes")

    async def ask(self, question: Question) -> str | None:
        """Ask for a line; of what is secret, only stars are shown.

        Raises:
            CommandError: Ctrl-C or Ctrl-D: the command is given up.
        """
        asker: PromptSession[str] = PromptSession()
        default, text = question.default, printable(question.text)
        shown = f" [{default}]" if default else ""
        try:
            answer = await asker.prompt_async(
                f"{text}{shown} ", is_password=question.secret, handle_sigint=False
            )
        except (KeyboardInterrupt, EOFError):
            raise CommandError("given up: nothing was changed") from None
        return (answer if question.secret else answer.strip()) or default


async def interact(session: Session, first: str = "") -> int:
    """Read and run lines until `quit` or Ctrl-D; the exit status.

    ``first`` is a line to run at once. Ctrl-C clears the line, or interrupts the command that runs.
    """
    prompt: PromptSession[str] = PromptSession(
        history=history(),
        completer=RegistryCompleter(session),
        complete_while_typing=False,
        bottom_toolbar=lambda: toolbar(session),
        refresh_interval=_REFRESH,
    )
    session.say("`help` lists the commands, Ctrl-D leaves.")
    with patch_stdout(raw=True):
        if first:
            session.say(f"{_PROMPT}{first}")
            await _attend(session, first)
        while not session.done:
            try:
                line = await prompt.prompt_async(_PROMPT)
            except KeyboardInterrupt:
                continue
            except EOFError:
                line = "quit"
            await _attend(session, line)
    return outcome(session)


async def _attend(session: Session, line: str) -> None:
    """Run a line; whatever becomes of it, the console and what it holds go on.

    Raises:
        asyncio.CancelledError: a signal has come that ends the console.
    """
    command = asyncio.ensure_future(execute(session, line))
    with ended_by(command, (signal.SIGINT, *ENDING)) as came:
        await asyncio.wait([command])
    if not came.isdisjoint(ENDING):
        raise asyncio.CancelledError
    if command.cancelled():
        session.say("\ninterrupted")  # the terminal has written ^C
    elif isinstance(error := command.exception(), CommandError):
        session.say(str(error))
    elif error is not None:
        session.say("".join(traceback.format_exception(error)))
        session.say(
            "This is a defect of pytest-loadtool. The console goes on; `save` what you have."
        )


def toolbar(session: Session) -> str:
    """The line of state: what is being recorded, and what the test case holds."""
    parts = []
    if session.live is not None:
        count = counted(len(session.live.evidence.exchanges), "exchange")
        parts.append(f"recording: {count}, proxy 127.0.0.1:{session.live.recorder.port}")
    if session.document is None:
        parts.append("no test case")
    else:
        state = " (unsaved)" if session.unsaved else ""
        parts.append(f"{session.case_path.name}: {summary(session.document)}{state}")
    return " | ".join(parts)


def history() -> History:
    """Lines of earlier consoles, in a file for this user alone; in memory if there is no place."""
    try:
        path = state_file("history")
    except (OSError, RuntimeError) as error:
        sys.stderr.write(f"no history is kept: {error}\n")
        return InMemoryHistory()
    return FileHistory(str(path))
