"""The pane below the screen: what commands say, while they run and afterwards.

It also has Ctrl-C as a signal, while a terminal is read key by key.
"""

from __future__ import annotations

import asyncio
import os
import sys
import termios
import traceback
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from time import perf_counter

from prompt_toolkit import PromptSession
from prompt_toolkit.application import in_terminal
from prompt_toolkit.data_structures import Size
from prompt_toolkit.key_binding import KeyPress

from pytest_loadtool.console.errors import CommandError
from pytest_loadtool.console.fullscreen.frontend import ScreenFrontend
from pytest_loadtool.console.fullscreen.preview import previewed, shown_by
from pytest_loadtool.console.fullscreen.typed_line import TypedLine, Typing
from pytest_loadtool.console.screens.frame import pane_rows
from pytest_loadtool.console.screens.keys import needs_terminal
from pytest_loadtool.console.screens.output import Output
from pytest_loadtool.console.screens.panels import Panel, panel_of
from pytest_loadtool.console.session import Console
from pytest_loadtool.console.views.line import ViewLine
from pytest_loadtool.replay import Plan
from pytest_loadtool.replay.control import Control


@contextmanager
def signalling() -> Iterator[None]:
    """Have the terminal turn Ctrl-C into SIGINT while entered; other keys stay keys.

    A command that computes does not let the event loop read keys: nothing else would end it.
    """
    try:
        number = sys.stdin.fileno()
        before = termios.tcgetattr(number)
    except (OSError, ValueError, termios.error):  # no terminal: there is no such key
        yield
        return
    now = termios.tcgetattr(number)
    off = os.fpathconf(number, "PC_VDISABLE").to_bytes(1, "big")
    now[3] |= termios.ISIG
    for key in (termios.VSUSP, termios.VQUIT):
        now[6][key] = off
    termios.tcsetattr(number, termios.TCSANOW, now)
    try:
        yield
    finally:
        termios.tcsetattr(number, termios.TCSANOW, before)


#: Runs one line of a command, to its end; whether the console has to end then.
Runner = Callable[[str], Awaitable[tuple["asyncio.Task[None]", bool]]]

#: Lines of a command that runs, of which the end is seen.
_LAST = 200
#: Lines of what a key of a panel has done after which the panel is seen again.
_BRIEF = 8


class CommandPane:
    """Runs one command line after the other, and has what they say and ask.

    ``size`` is that of the terminal, ``redraw`` has the screen drawn, ``ended`` is called with a
    line that has ended and whether it failed, ``leave`` when the view has to end. ``press`` is
    given keys that were typed while there was nobody to hear them, once there is.
    """

    def __init__(
        self,
        session: Console,
        runner: Runner,
        size: Callable[[], Size],
        redraw: Callable[[], None],
        ended: Callable[[str, bool], None],
        leave: Callable[[], None],
        press: Callable[[list[KeyPress]], None],
    ) -> None:
        self.output = Output()
        self.message = self.busy = ""
        self.heard: list[str] = []
        self.replay: tuple[Control, Plan, float] | None = None
        self._session, self._runner, self._size = session, runner, size
        self._redraw, self._ended, self._leave, self._press = redraw, ended, leave, press
        self.waiting: list[KeyPress] = []
        """Keys that were typed while a command was at work."""
        self._before = session.frontend
        self._line: TypedLine | None = None
        self._progress = ""
        self._task: asyncio.Task[None] | None = None
        self._asked = False
        self._made_for = 0
        """The columns that the panel was made for."""
        self._fitting: asyncio.Task[None] | None = None

    @contextmanager
    def hearing(self, line: TypedLine) -> Iterator[None]:
        """Have commands say things here, and ask by that line, while entered."""
        self._line = line
        self._before, self._session.frontend = self._session.frontend, ScreenFrontend(self)
        try:
            yield
        finally:
            self._session.frontend = self._before
            if self._task is not None:
                self._task.cancel()

    @property
    def under_way(self) -> bool:
        """Return whether a command is running."""
        return self._task is not None

    @property
    def panel(self) -> Panel | None:
        """The panel that takes the screen."""
        return self.output.panel if self.output.open else None

    @property
    def seen(self) -> tuple[int, int]:
        """The columns of the terminal, and how many lines of the pane are seen in it."""
        return self._seen_of(self.output)

    def _seen_of(self, output: Output) -> tuple[int, int]:
        size = self._size()
        return size.columns, pane_rows(output, size.columns, size.rows)

    @property
    def status(self) -> str:
        """Return how far work has got, how to answer, what was said, or what is under way."""
        waited_for = self.busy and self.replay is None
        at_work = f"`{self.busy}` is at work: Ctrl-C ends it" if waited_for else self.busy
        return self._progress or self.message or at_work

    def moved(self, move: str) -> bool:
        """Scroll or close the pane, if it is open and the key does that, and return whether it
        was."""
        moved = self.output.moved(move, *self.seen)
        if moved is not None:
            self.output = moved
        return moved is not None

    def clicked(self, column: int, row: int) -> None:
        """Do what a click on a line of the pane, as it is seen, is for."""
        if 0 <= row < self.seen[1]:
            self.output = self.output.clicked(column, row, *self.seen)

    def wheeled(self, by: int) -> None:
        """Scroll the pane by so many lines."""
        if self.output.open:
            self.output = self.output.wheeled(by, *self.seen)

    def close(self) -> None:
        """Close it; what it has is kept."""
        self.output = replace(self.output, open=False)

    async def preview(self, line: str) -> list[str] | None:
        """Return what a command line would do; None if there is no telling, or one is running."""
        return None if self.under_way else await previewed(self._session, line)

    # Commands.

    def start(self, line: str) -> None:
        """Run a command line; until it has ended, keys wait."""
        self._task = asyncio.ensure_future(self._execute(line))

    def _hear(self) -> None:
        """Have keys that waited pressed, in their order; each may have others wait again."""
        keys, self.waiting = self.waiting, []
        self._press(keys)

    async def _execute(self, line: str) -> None:
        """Run a command line, then press what was typed meanwhile; not after one that failed, as
        it was typed for another screen."""
        try:
            failed = await self._executed(line)
        finally:
            self._task = None
        if failed:
            self.waiting.clear()
        self._hear()

    async def _executed(self, line: str) -> bool:
        """Run a command line and show what it said, and return whether it failed."""
        self.busy, self.message, self.heard, self._asked = line, "", [], False
        behind = self.output
        self.close()
        await self._drawn()
        ending = failed = False
        try:
            ended, ending = await self._run(line)
            failed = self._tell(ended)
        finally:
            self.busy = ""
            self._show(line, failed=failed)
        self._ended(line, failed)
        if behind.open and behind.panel is not None and self.output.panel is None:
            await self._back_to(behind, behind.panel)
        if ending or self._session.done:
            self._leave()
        return failed

    async def _back_to(self, behind: Output, panel: Panel) -> None:
        """Show the panel that a key was pressed in again, and what its command said first above the
        keys; a report, which has changed nothing there, stays."""
        said = self.output
        await self._panel_anew(behind, panel)
        if len(said.texts) > _BRIEF and list(map(str, self.output.lines)) == list(
            map(str, behind.lines)
        ):
            self.output = said
            return
        texts = [text for text in said.texts if text.strip()]
        if texts:
            first = next((one for one in texts if not one.startswith(" ")), texts[-1])
            self.message = first.strip()

    def fit(self, columns: int) -> None:
        """Have an open panel shown anew if it was made for another width: its plot, its columns."""
        panel = self.panel
        if panel is not None and not self.under_way and columns != self._made_for:
            self._made_for = columns
            self._fitting = asyncio.ensure_future(self._panel_anew(self.output, panel))

    async def _panel_anew(self, behind: Output, panel: Panel) -> None:
        """Show a panel with what there is now."""
        again = replace(behind, lines=tuple(await shown_by(self._session, panel.line)))
        self.output = again.at(behind.cursor, *self._seen_of(again))
        self._redraw()

    async def _run(self, line: str) -> tuple[asyncio.Task[None], bool]:
        """Run a line; what has to do with programs gets the terminal for it."""
        if not needs_terminal(line, self._session.registry):
            with signalling():
                return await self._runner(line)
        here, self._session.frontend = self._session.frontend, self._before
        try:
            async with in_terminal():
                self._session.say(f"loadtool> {line}")
                ran = await self._runner(line)
                back: PromptSession[str] = PromptSession(erase_when_done=True)
                with suppress(KeyboardInterrupt, EOFError):
                    await back.prompt_async("Enter leads back to the view. ", handle_sigint=False)
                return ran
        finally:
            self._session.frontend = here

    async def _drawn(self) -> None:
        """Have the screen drawn: what computes from here on does not let it be."""
        self._redraw()
        for _ in range(2):
            await asyncio.sleep(0)

    def _tell(self, ended: asyncio.Task[None]) -> bool:
        """Say why a command has not come to its end, and return whether it has not."""
        if ended.cancelled():
            self.heard.append("interrupted")
        elif isinstance(error := ended.exception(), CommandError):
            self.heard.append(
                ViewLine((str(error), "bad")) if "\n" not in str(error) else str(error)
            )
        elif error is not None:
            self.heard.append("".join(traceback.format_exception(error)))
            self.heard.append("This is a defect of pytest-loadtool. `save` what you have.")
        else:
            return False
        return True

    def _show(self, line: str, *, failed: bool) -> None:
        """Show what a command has said: in the pane, or on the line above the keys."""
        said = [text for text in self.heard if text.strip()]
        panel = panel_of(line, self._session.registry) if not failed else None
        if panel is not None:
            shown = Output(line, tuple(self.heard), open=True, whole=True, panel=panel)
            self.output = replace(shown, cursor=panel.first(shown.texts))
            self._made_for = self._size().columns
        elif len(said) == 1 and "\n" not in said[0] and len(said[0]) < self._size().columns - 2:
            self.message = said[0]
            self.output = Output(line, tuple(said))
        else:
            output = Output(line, tuple(self.heard), open=bool(said))
            columns, rows = self._seen_of(output)
            self.output = output.at_reason(columns, rows) if failed else output
            last = said[-1].rpartition("\n")[2] if said else ""
            hidden = len(output.shown(columns)) > rows and not failed
            if hidden and not last.startswith(" ") and len(last) < columns - 2:
                self.message = last
        self._redraw()

    # A `Pane`.

    def said(self, text: str) -> None:
        """Show a line; from any thread."""
        if not self.busy:
            self.message = text.strip()
        else:
            self.heard.append(text)
            last = tuple(self.heard[-_LAST:])
            output = Output(self.busy, last, open=True, whole=self._asked)
            self.output = output.at_end(*self._seen_of(output))
        self._redraw()

    def doing(self, text: str) -> None:
        """Show how far work has got; from any thread."""
        self._progress = text
        self._redraw()

    def replaying(self, control: Control | None, plan: Plan) -> None:
        """Show a replay that is under way, and hear keys that hold it; None: it is over."""
        self.replay = (control, plan, perf_counter()) if control is not None else None
        self._redraw()

    async def answer(self, text: str, default: str, *, secret: bool = False) -> str | None:
        """Ask for a line, and return it; None if the person gave up."""
        assert self._line is not None
        self._asked = True
        self.said(ViewLine((text, "heading")))
        self.message = "F1 why  F3 back  Esc gives up"
        given: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()

        def take(line: str | None) -> None:
            if not given.done():
                given.set_result(line)

        self._line.ask(Typing(" > ", take, secret=secret, question=True), default)
        self._hear()
        try:
            answer = await given
        finally:
            if self._line.typing is not None and self._line.typing.take is take:
                self._line.give_up()
            self.message = ""
        if answer is not None:
            self.said(f"  {'*' * 8 if secret else answer}")
        await self._drawn()
        return answer
