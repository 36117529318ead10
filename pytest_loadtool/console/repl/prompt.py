"""The console at a terminal: a prompt with completion, history and a line of state below.

It also has what the terminal does with what is typed while a command of the console runs.

Between two prompts a terminal is as it was found: it would write each key into what is printed, and
take keys such as Ctrl-D and Backspace for itself. So it is told not to: what is typed then is for
the next prompt, or for a question, key by key and in its order.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sys
import termios
import traceback
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING

from prompt_toolkit import PromptSession
from prompt_toolkit.application import get_app, get_app_session
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.input.typeahead import get_typeahead
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.patch_stdout import patch_stdout
from prompt_toolkit.shortcuts import clear

from pytest_loadtool.console.errors import CommandError
from pytest_loadtool.console.execution import ABANDONED, execute, outcome
from pytest_loadtool.console.repl.completion import RegistryCompleter
from pytest_loadtool.console.repl.full_screen import Views, view_key
from pytest_loadtool.console.repl.holding import holding
from pytest_loadtool.console.repl.interrupting import ENDING, Interruptible
from pytest_loadtool.console.repl.script import PlainFrontend
from pytest_loadtool.console.repl.typing_ahead import keep_typed
from pytest_loadtool.console.screens.keys import starts_program
from pytest_loadtool.console.session import Console, printable
from pytest_loadtool.console.views.case import summary
from pytest_loadtool.console.wizard import Question
from pytest_loadtool.workflow.known import state_file
from pytest_loadtool.workflow.telling import counted

if TYPE_CHECKING:
    from pytest_loadtool.replay import Plan
    from pytest_loadtool.replay.control import Control

#: The place of the local modes in what `termios.tcgetattr` returns.
_LOCAL = 3


@contextmanager
def line_editing(*, on: bool) -> Iterator[None]:
    """Have the terminal echo and edit what is typed, or keep it as it is, while this is entered;
    nothing without one."""
    try:
        before = termios.tcgetattr(sys.stdin)
    except (termios.error, OSError, ValueError):
        yield
        return
    now = [*before]
    modes = termios.ECHO | termios.ICANON
    now[_LOCAL] = before[_LOCAL] | modes if on else before[_LOCAL] & ~modes
    termios.tcsetattr(sys.stdin, termios.TCSADRAIN, now)
    try:
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


_PROMPT = "loadtool> "
#: Columns that are left for an answer behind its question.
_ANSWER = 20
#: Seconds between two looks at the counters of the toolbar.
_REFRESH = 0.5


def coloured(colour: str) -> bool:
    """Return whether pytest's ``--color`` and the environment want colours."""
    return colour == "yes" or (colour != "no" and not os.environ.get("NO_COLOR"))


class TerminalFrontend(PlainFrontend):
    """Prints above the prompt, and asks.

    ``colour`` is pytest's ``--color``. With ``auto``, NO_COLOR (https://no-color.org) is heeded.
    ``typed_ahead`` are lines that were typed where a key was asked for.
    """

    interactive = True

    def __init__(self, colour: str = "auto") -> None:
        self._coloured = coloured(colour)
        self.typed_ahead: deque[str] = deque()

    def say(self, text: str) -> None:
        """Print above the prompt, wrapped and drawn if that is a terminal that can."""
        for line in self._lines(text):
            PlainFrontend.say(self, line)

    async def page(self, lines: Sequence[str]) -> None:
        """Print a screen, wait for Enter, print the next; q ends it, and so does another line.

        Who has typed the next command already has not waited for this: then it comes at once."""
        shown = [part for line in lines for part in self._lines(line)]
        height = max(shutil.get_terminal_size().lines - 2, 1)
        if len(shown) <= height or not _drawing() or keep_typed(get_app_session().input):
            height = len(shown)
        for first in range(0, len(shown), height):
            if first and not await self._more(first, len(shown)):
                return
            for line in shown[first : first + height]:
                PlainFrontend.say(self, line)

    async def _more(self, done: int, of: int) -> bool:
        asker: PromptSession[str] = PromptSession(erase_when_done=True, key_bindings=_pager_keys())
        try:
            answer = await _read(asker, f"-- {done} of {of} lines: Enter goes on, q ends -- ")
        except (KeyboardInterrupt, EOFError):
            return False
        if answer.strip() not in ("", "q"):  # it was meant for the prompt
            self.typed_ahead.append(answer)
        return not answer.strip()

    @property
    def columns(self) -> int | None:
        """Return the columns of the terminal; None where nothing is drawn."""
        return shutil.get_terminal_size().columns if _drawing() else None

    def clear(self) -> None:
        """Empty the screen."""
        if _drawing():
            clear()

    def _lines(self, text: str) -> list[str]:
        if not _drawing():
            return [text]
        from pytest_loadtool.console.repl.drawing import lines_drawn

        return lines_drawn(text, shutil.get_terminal_size().columns, coloured=self._coloured)

    def holding(self, control: Control, plan: Plan) -> AbstractAsyncContextManager[None]:
        """Show two lines below what is printed, and keys."""
        return holding(control, plan, self.say)

    async def confirm(self, question: str, *, unattended: bool) -> bool:  # noqa: ARG002  somebody is
        """Ask, and return the answer; anything but a yes is a no, and so are Ctrl-C and Ctrl-D."""
        asker: PromptSession[str] = PromptSession()
        try:
            answer = await _read(asker, self._question(f"{printable(question)} [y/N] "))
        except (KeyboardInterrupt, EOFError):
            return False
        return answer.strip().lower() in ("y", "yes")

    async def ask(self, question: Question) -> str | None:
        """Ask for a line, and return it; of what is secret, only stars are shown.

        Raises:
            CommandError: Ctrl-C or Ctrl-D: the command is given up.
        """
        asker: PromptSession[str] = PromptSession()
        default, text = question.default, printable(question.text)
        shown = f" [{default}]" if default else ""
        try:
            asked = self._question(f"{text}{shown} ")
            answer = await _read(asker, asked, secret=question.secret)
        except (KeyboardInterrupt, EOFError):
            raise CommandError("given up: nothing was changed") from None
        return (answer if question.secret else answer.strip()) or default

    def _question(self, text: str) -> str:
        """Return a question with lines that the terminal need not break, and a blank at its end."""
        if not _drawing():
            return text
        from pytest_loadtool.console.repl.drawing import lines_drawn

        width = max(shutil.get_terminal_size().columns - _ANSWER, _ANSWER)
        return "\n".join(lines_drawn(text.rstrip(), width, coloured=False)) + " "


def _pager_keys() -> KeyBindings:
    """Return keys that need no Enter behind them, where nothing is typed yet: q, and Space for
    Enter."""
    keys = KeyBindings()

    @Condition
    def nothing_typed() -> bool:
        return not get_app().current_buffer.text

    @keys.add("q", filter=nothing_typed)
    def _(event: KeyPressEvent) -> None:
        event.app.exit(result="q")

    @keys.add(" ", filter=nothing_typed)
    def _(event: KeyPressEvent) -> None:
        event.app.exit(result="")

    return keys


def _drawing() -> bool:
    """Return whether output goes to a terminal that can draw."""
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


async def interact(session: Console, first: str = "") -> int:
    """Read and run lines until `quit` or Ctrl-D, and return the exit status.

    ``first`` is a line to run at once. Ctrl-C clears the line, or interrupts the command that runs.
    """
    prompt: PromptSession[str] = PromptSession(
        history=history(),
        completer=RegistryCompleter(session),
        complete_while_typing=False,
        bottom_toolbar=lambda: toolbar(session),
        refresh_interval=_REFRESH,
        key_bindings=view_key(),
    )
    session.tell(_opening(session))
    pasted = session.waiting

    async def turn(line: str) -> None:
        if pasted:
            line = pasted.popleft()
            session.say(f"{_PROMPT}{line}")
        try:
            line = line or await _read(prompt, _PROMPT)
        except KeyboardInterrupt:
            return
        except EOFError:
            line = "quit"
        line, *others = line.splitlines() or [""]
        pasted.extendleft(reversed([one for one in others if one.strip()]))
        with line_editing(on=True) if starts_program(line, session.registry) else nullcontext():
            await execute(session, line)

    with line_editing(on=False), Interruptible(signal.SIGINT, *ENDING) as running:
        if _drawing():
            session.show_view = Views(
                session, running, prompt, coloured=coloured(session.settings.colour)
            ).show
        if first:
            session.say(f"{_PROMPT}{first}")
        while not session.done:
            ended, came = await running.run(turn(first))
            if not came.isdisjoint(ENDING):
                return ABANDONED
            if ended.cancelled():  # what was typed ahead goes, as a terminal has it
                keep_typed(prompt.input)
                get_typeahead(prompt.input)
            _tell(session, ended)
            if pasted and not ended_well(ended):
                session.say(f"Not run: {counted(len(pasted), 'line')} of what was pasted.")
                pasted.clear()
            first = ""
    return outcome(session)


def ended_well(task: asyncio.Task[None]) -> bool:
    """Return whether a command has come to its end."""
    return not task.cancelled() and task.exception() is None


def _opening(session: Console) -> Iterator[str]:
    """Yield what can be done first."""
    if session.document is None:
        yield (
            "New test case. `record URL` opens a browser, `import FILE.har` takes what one has "
            "exported, `import-page` two text files."
        )
    yield "`help` lists the commands, F2 opens the view, Ctrl-D leaves."


async def _read(asker: PromptSession[str], text: str, *, secret: bool = False) -> str:
    """Read a line.

    What is printed meanwhile stands above it. That is printed by a thread, a fifth of a second
    later: what commands say is not to come behind the next prompt, so it does not go that way.

    It leaves SIGINT alone: it would take away what interrupts the command that asks. As long as the
    terminal is read key by key, Ctrl-C is no signal but a key, also between Enter and the line's
    end, which takes a while: there it is meant for the command, as the signal is afterwards.

    Raises:
        KeyboardInterrupt: Ctrl-C.
        EOFError: Ctrl-D.
        asyncio.CancelledError: Ctrl-C, after the line.
    """
    with patch_stdout(raw=True):
        line = await asker.prompt_async(text, is_password=secret, handle_sigint=False)
    if any(press.key == Keys.ControlC for press in keep_typed(asker.input)):
        raise asyncio.CancelledError
    return line


def _tell(session: Console, ended: asyncio.Task[None]) -> None:
    """Say why a command has not come to its end; the console and what it holds go on."""
    if ended.cancelled():
        session.say("\ninterrupted")  # the terminal has written ^C
    elif isinstance(error := ended.exception(), CommandError):
        session.say(str(error))
    elif error is not None:
        session.say("".join(traceback.format_exception(error)))
        session.say(
            "This is a defect of pytest-loadtool. The console goes on; `save` what you have."
        )


def toolbar(session: Console) -> str:
    """Return the line of state: what is being recorded, and what the test case holds."""
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
    """Return lines of earlier consoles, in a file for this user alone; in memory if there is no
    place."""
    try:
        path = state_file("history")
    except (OSError, RuntimeError) as error:
        sys.stderr.write(f"no history is kept: {error}\n")
        return InMemoryHistory()
    return FileHistory(str(path))
