"""The view: a screen drawn over all of the terminal, a pane for what commands say, a line to type.

Keys that move are done at once. A key that has a command line has it run like one that was typed;
until that has ended, no other is run.
"""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

from prompt_toolkit import PromptSession
from prompt_toolkit.application import Application, in_terminal
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import Completer, DynamicCompleter
from prompt_toolkit.data_structures import Size
from prompt_toolkit.document import Document as Text
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import History, InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout import (
    BufferControl,
    CompletionsMenu,
    ConditionalContainer,
    Float,
    FloatContainer,
    HSplit,
    Layout,
    Window,
)
from prompt_toolkit.layout.processors import (
    BeforeInput,
    ConditionalProcessor,
    PasswordProcessor,
)
from prompt_toolkit.output import ColorDepth

from pytest_loadtool.console.errors import CommandError
from pytest_loadtool.console.fullscreen.control import ScreenControl
from pytest_loadtool.console.fullscreen.editing_requests import edit_next
from pytest_loadtool.console.fullscreen.frontend import ScreenFrontend
from pytest_loadtool.console.fullscreen.preview import previewed, shown_by
from pytest_loadtool.console.fullscreen.signalling import signalling
from pytest_loadtool.console.fullscreen.style import style
from pytest_loadtool.console.replays import replay_at_hand
from pytest_loadtool.console.screens import editor_drawing, editor_keys, editor_moves, replaying
from pytest_loadtool.console.screens.editor import Editor, beside_replay, editor_of, tree_columns
from pytest_loadtool.console.screens.frame import Bar, Output, body_rows, framed, pane_rows
from pytest_loadtool.console.screens.keys import ScreenKey, available, key_help, needs_terminal
from pytest_loadtool.console.screens.pager import Pager
from pytest_loadtool.console.screens.panels import PANELS, Panel, numbered_above, panel_of
from pytest_loadtool.console.screens.tree_drawing import MARKS, OUTCOMES
from pytest_loadtool.console.session import Console
from pytest_loadtool.console.views.case import summary
from pytest_loadtool.console.views.line import ViewLine
from pytest_loadtool.errors import LoadToolError
from pytest_loadtool.replay import Plan
from pytest_loadtool.replay.control import Control
from pytest_loadtool.workflow.replays import OpenReplay

#: Runs one line of a command, to its end; whether the console has to end then.
Runner = Callable[[str], Awaitable[tuple["asyncio.Task[None]", bool]]]

#: Seconds that Esc waits for the rest of a key's sequence.
_ESCAPE = 0.05
#: Seconds without a key before it is shown what a line would do.
_PAUSE = 0.25
#: Seconds between two looks at what changes by itself, such as the counters of a recording.
_REFRESH = 0.5
#: Lines of a command that runs, of which the end is seen.
_LAST = 200
#: Lines that a turn of the mouse's wheel scrolls by.
_WHEEL = 3


@dataclass(frozen=True, slots=True)
class Typing:
    """A line that is being typed: what for, and what becomes of it; None if it was given up."""

    prompt: str
    take: Callable[[str | None], None]
    command: bool = False
    secret: bool = False
    question: bool = False


class FullScreen:
    """A view of a console. ``run`` shows it until the person goes back to the line."""

    def __init__(
        self,
        session: Console,
        runner: Runner,
        completer: Completer,
        history: History,
        *,
        coloured: bool,
        editor: Editor | None = None,
    ) -> None:
        document = session.opened()
        self.editor = (editor or editor_of(document)).of(document)
        self._session, self._runner = session, runner
        self._look_at_replay()
        self._before = session.frontend
        self._output = Output()
        self._preview_output: Output | None = None
        self._message = self._busy = self._progress = ""
        self._typing: Typing | None = None
        self._task: asyncio.Task[None] | None = None
        self._previewing: asyncio.Task[None] | None = None
        self._replay: tuple[Control, Plan, float] | None = None
        self._heard: list[str] = []
        self._asked = False
        self._history = history
        self._line = Buffer(
            multiline=False,
            history=history,
            completer=DynamicCompleter(lambda: completer if self._is_command else None),
            complete_while_typing=False,
            accept_handler=self._accepted,
            on_text_changed=self._preview_soon,
        )
        self._app: Application[None] = Application(
            layout=self._layout(),
            key_bindings=self._bindings(),
            style=style(coloured=coloured),
            color_depth=None if coloured else ColorDepth.DEPTH_1_BIT,
            full_screen=True,
            mouse_support=True,
            refresh_interval=_REFRESH,
            max_render_postpone_time=None,
        )
        self._app.ttimeoutlen = _ESCAPE
        self._app.timeoutlen = _ESCAPE

    async def run(self) -> None:
        """Show the view until it is left."""
        self._before, self._session.frontend = self._session.frontend, ScreenFrontend(self)
        try:
            await self._app.run_async(handle_sigint=False)
        finally:
            self._session.frontend = self._before
            if self._task is not None:
                self._task.cancel()

    def _look_at_replay(self, after: str = "") -> None:
        """Show the kept replay that commands look at, if there is one; after `play`, the first
        transaction that failed in it."""
        try:
            replay: OpenReplay | None = replay_at_hand(self._session)
        except LoadToolError:
            replay = None
        if replay is not self.editor.replay:
            self.editor = beside_replay(self.editor, replay)
            failed = replay.replay.failed if replay is not None else ()
            if failed and after.startswith("play"):
                _, rows = self._body()
                tree = self.editor.tree.goto(failed[0].number, max(rows, 2) - 1)
                self.editor = replace(self.editor, tree=tree)

    async def goto(self, number: int) -> None:
        """Put the cursor on a transaction; on none for 0."""
        if number:
            _, rows = self._body()
            self.editor = replace(self.editor, tree=self.editor.tree.goto(number, max(rows, 2) - 1))

    # What it looks like.

    @property
    def _size(self) -> Size:
        return self._app.output.get_size()

    @property
    def rows(self) -> int:
        """How many rows the terminal has."""
        return self._size.rows

    def _body(self) -> tuple[int, int]:
        size = self._size
        return size.columns, body_rows(self._pane, size.columns, size.rows)

    def lines(self, columns: int, rows: int) -> list[ViewLine]:
        """Return what is on the screen."""
        self.editor = self.editor.of(self._session.document)
        return framed(
            self._bar(),
            self._drawn_body,
            self._pane if self._replay is None else Output(),
            self._status,
            self._keys,
            columns,
            rows,
        )

    @property
    def _pane(self) -> Output:
        """What is shown below, or over all: what a line that is typed would do, before all else."""
        return self._preview_output or self._output

    @property
    def _panel(self) -> Panel | None:
        """The panel that takes the screen."""
        return self._output.panel if self._output.open else None

    def _drawn_body(self, columns: int, rows: int) -> list[ViewLine]:
        if self._replay is None:
            return editor_drawing.drawn(self.editor, columns, rows)
        control, plan, started = self._replay
        return replaying.drawn(
            control.moment, plan, self._heard, columns, rows, now=perf_counter(), started=started
        )

    @property
    def _keys(self) -> tuple[ScreenKey, ...]:
        """The keys that mean something now."""
        keys = self.editor.keys if self._replay is None else replaying.KEYS
        if self._replay is None and self._panel is not None:
            keys = self._panel.keys
        return available(keys, self._session.registry)

    @property
    def _status(self) -> str:
        """The line above the keys: how far work has got, how to answer, or what was said."""
        asked = self._typing is not None and self._typing.question
        return self._progress or (self._message if asked else self._busy or self._message)

    def _bar(self) -> Bar:
        session, document = self._session, self._session.document
        state = summary(document) if document else "no test case"
        if session.live is not None:
            state = f"recording {len(session.live.evidence.exchanges)}   {state}"
        name = session.case_path.name + ("*" if session.unsaved else "")
        return Bar(name, document.case.server if document else "", state)

    def _layout(self) -> Layout:
        typing = Condition(lambda: self._typing is not None)
        secret = Condition(lambda: self._typing is not None and self._typing.secret)
        self._screen = Window(ScreenControl(self), wrap_lines=False)
        processors = [
            ConditionalProcessor(PasswordProcessor(), secret),
            BeforeInput(lambda: [("class:heading", self._typing.prompt if self._typing else "")]),
        ]
        self._input = BufferControl(self._line, input_processors=processors)
        body = HSplit([
            self._screen,
            ConditionalContainer(Window(self._input, height=1), typing),
        ])  # fmt: skip
        menu = Float(CompletionsMenu(max_height=8), xcursor=True, ycursor=True)
        return Layout(FloatContainer(body, [menu]), focused_element=self._screen)

    # Keys.

    def _bindings(self) -> KeyBindings:
        bindings = KeyBindings()
        typing = Condition(lambda: self._typing is not None)

        def pressed(name: str) -> Callable[[KeyPressEvent], None]:
            return lambda _: self.press(name)

        tables = (
            editor_keys.KEYS,
            editor_keys.FIELD_KEYS,
            editor_keys.PICK_KEYS,
            replaying.KEYS,
            *PANELS.values(),
        )
        for name in {name for table in tables for key in table for name in key.keys}:
            bindings.add(name, filter=~typing)(pressed(name))
        bindings.add("?", filter=~typing)(lambda _: self._help())
        bindings.add("q", filter=~typing)(lambda _: self._quit())
        bindings.add("f2", filter=~typing)(lambda _: self._quit())
        bindings.add("c-c")(lambda _: self._given_up())
        bindings.add("escape", filter=typing)(lambda _: self._given_up())
        answering = Condition(lambda: self._typing is not None and self._typing.question)
        bindings.add("f3", filter=answering)(lambda _: self._reply("back"))
        bindings.add("f1", filter=answering)(lambda _: self._reply("?"))
        bindings.add("tab", filter=typing)(lambda _: self._complete())
        return bindings

    def press(self, name: str) -> None:
        """Do what a key is for now; nothing if it is for nothing."""
        key = next((one for one in self._keys if name in one.keys), None)
        if key is None:
            return
        if self._replay is not None:
            self._wish(self._replay[0], key.move)
            return
        columns, rows = self._body()
        if key.line:
            template = key.on_page if key.on_page and self.editor.on_page else key.line
            places = dict(self.editor.places)
            if self._panel is not None:
                places |= self._panel.places(self._output.texts, self._output.cursor)
            line = template.format(**places)
            if key.ask:
                self._ask_command(line)
            elif line.strip():
                self._start(line)
        elif key.move == "command":
            self._ask_command("")
        elif key.move == "search":
            self._type(Typing(" Find: ", self._search))
        elif key.move == "output":
            self._output = replace(self._output, open=bool(self._output.lines))
        elif not self._moves_output(key.move):
            self._message = ""
            if (move := editor_moves.MOVES.get(key.move)) is not None:
                self.editor = move(self.editor, columns, max(rows, 2))

    def _wish(self, control: Control, move: str) -> None:
        if (wish := replaying.WISHES.get(move)) is not None:
            wish(control)
        elif move == "edit" and control.moment.next is not None:
            self._app.create_background_task(edit_next(control, self.said))

    def _moves_output(self, move: str) -> bool:
        """Scroll or close the pane, if it is open and the key does that; whether it was."""
        output = self._output
        if not output.open:
            return False
        if move == "back":
            self._output = replace(output, open=False)
            return True
        if output.panel is not None:
            self._moves_panel(output, move)
            return True
        columns, rows = self._size.columns, self._size.rows
        seen = pane_rows(output, columns, rows)
        count = len(output.shown(columns))
        by = {"page up": -seen, "page down": seen}
        if output.whole:
            by |= {"up": -1, "down": 1, "home": -count, "end": count}
        if move not in by or count <= seen:
            return output.whole and move in ("up", "down", "home", "end", "open")
        self._output = replace(output, pager=output.pager.moved(by[move], count, seen))
        return True

    def _moves_panel(self, output: Output, move: str) -> None:
        columns, rows = self._size.columns, self._size.rows
        seen = pane_rows(output, columns, rows)
        far = len(output.texts)
        by = {"up": -1, "down": 1, "page up": -seen, "page down": seen, "home": -far, "end": far}
        number = numbered_above(output.texts, output.cursor)
        if move in by:
            self._output = output.at(output.cursor + by[move], columns, seen)
        elif move == "goto" and number is not None:
            self._output = replace(output, open=False)
            _, rows = self._body()
            self.editor = replace(
                self.editor, tree=self.editor.tree.goto(number, max(rows, 2) - 1), focus="detail"
            )
            if output.panel is not None and (text := output.panel.sought):
                found = editor_moves.searched(
                    editor_moves.MOVES["tab 1"](self.editor, columns, rows), text, columns
                )
                self.editor = found or self.editor

    def _help(self) -> None:
        marks = [ViewLine((f"  {letter}  ", "name"), (text, "")) for letter, text in MARKS.items()]
        last = [(letter, end) for end, letter in OUTCOMES.items() if letter.strip()]
        marks += [
            ViewLine((f"  {letter}  ", "name"), (f"{end} in the replay", ""))
            for letter, end in last
        ]
        head = ViewLine(("What stands behind a transaction", "heading"))
        lines = (*key_help(self._keys), head, *marks)
        self._output = Output("keys", lines, open=True, whole=True)

    def _quit(self) -> None:
        if self._output.open and self._task is None:
            self._output = replace(self._output, open=False)
        elif self._task is not None:
            self._message = f"`{self._busy}` has not ended: Ctrl-C ends it"
        else:
            self._app.exit()

    def _search(self, text: str | None) -> None:
        if text is None:
            return
        columns, _ = self._body()
        try:
            found = editor_moves.searched(self.editor, text, columns)
        except ValueError as error:
            self._message = str(error)
            return
        self.editor = found or self.editor
        self._message = "" if found else f"nothing has {text!r}"

    def clicked(self, column: int, row: int) -> None:
        """Do what a click at that place of the screen is for."""
        columns, rows = self._body()
        if 1 <= row <= rows:
            self.editor = editor_moves.clicked(self.editor, column, row - 1, columns, rows)

    def wheeled(self, column: int, row: int, by: int) -> None:
        """Scroll what is at that place."""
        columns, rows = self._body()
        if row > rows:
            self._moves_output("page down" if by > 0 else "page up")
            return
        left = column < tree_columns(columns)
        focus: Any = "tree" if left else "detail"
        moved = replace(self.editor, focus=focus)
        for _ in range(_WHEEL):
            moved = editor_moves.MOVES["down" if by > 0 else "up"](moved, columns, rows)
        self.editor = replace(moved, focus=self.editor.focus)

    # The line that is typed.

    @property
    def _is_command(self) -> bool:
        return self._typing is not None and self._typing.command

    def _type(self, typing: Typing, text: str = "") -> None:
        self._typing = typing
        # What is answered, which may be a secret, is nothing to bring back.
        self._line.history = self._history if typing.command else InMemoryHistory()
        self._line.reset(Text(text, len(text)))
        self._app.layout.focus(self._input)
        self._preview_soon(self._line)
        self._app.invalidate()

    def _accepted(self, line: Buffer) -> bool:
        text, typing = line.text, self._typing
        self._typing = self._preview_output = None
        self._app.layout.focus(self._screen)
        if typing is not None:
            typing.take(text)
        return False

    def _given_up(self) -> None:
        if self._typing is None:
            return
        typing, self._typing = self._typing, None
        self._line.reset()
        self._preview_output = None
        self._app.layout.focus(self._screen)
        typing.take(None)

    def _reply(self, text: str) -> None:
        self._line.text = text
        self._line.validate_and_handle()

    def _complete(self) -> None:
        if self._line.complete_state:
            self._line.complete_next()
        else:
            self._line.start_completion(insert_common_part=True)

    def _ask_command(self, line: str) -> None:
        def take(text: str | None) -> None:
            if text and text.strip():
                self._start(text)

        self._type(Typing(" : ", take, command=True), line)

    def _preview_soon(self, line: Buffer) -> None:
        if self._previewing is not None:
            self._previewing.cancel()
            self._previewing = None
        if self._is_command and self._task is None:
            self._previewing = asyncio.ensure_future(self._preview(line.text))

    async def _preview(self, line: str) -> None:
        """Show what the line would do, if its command can say, once there is a pause."""
        await asyncio.sleep(_PAUSE)
        said = await previewed(self._session, line)
        if self._is_command and self._line.text == line:
            shown = Output("preview", tuple(said), open=True) if said is not None else None
            self._preview_output = shown
            self._app.invalidate()

    # Commands.

    def _start(self, line: str) -> None:
        if self._task is not None:
            self._message = f"`{self._busy}` has not ended: Ctrl-C ends it"
            return
        self._task = asyncio.ensure_future(self._execute(line))

    async def _execute(self, line: str) -> None:
        self._busy, self._message, self._heard, self._asked = line, "", [], False
        behind, self._output = self._output, replace(self._output, open=False)
        await self._drawn()
        ending = failed = False
        try:
            ended, ending = await self._run(line)
            failed = self._tell(ended)
        finally:
            self._busy, self._task = "", None
            self._show(line, failed=failed)
        self._look_at_replay(after=line)
        if behind.open and behind.panel is not None and self._output.panel is None:
            await self._panel_anew(behind, behind.panel)
        if ending or self._session.done:
            self._app.exit()

    async def _panel_anew(self, behind: Output, panel: Panel) -> None:
        """Show the panel that a key was pressed in again, with what there is now."""
        if self._output.lines:
            said = [text for text in self._output.texts if text.strip()]
            self._message = next((one for one in said if not one.startswith(" ")), said[-1]).strip()
        lines = await shown_by(self._session, panel.line)
        columns, rows = self._size.columns, self._size.rows
        again = replace(behind, lines=tuple(lines))
        self._output = again.at(behind.cursor, columns, pane_rows(again, columns, rows))
        self._app.invalidate()

    async def _run(self, line: str) -> tuple[asyncio.Task[None], bool]:
        """Run a line; what has to do with programs gets the terminal for it."""
        if not needs_terminal(line, self._session.registry):
            with signalling():
                return await self._runner(line)
        pane, self._session.frontend = self._session.frontend, self._before
        try:
            async with in_terminal():
                self._session.say(f"loadtool> {line}")
                ran = await self._runner(line)
                back: PromptSession[str] = PromptSession(erase_when_done=True)
                with suppress(KeyboardInterrupt, EOFError):
                    await back.prompt_async("Enter leads back to the view. ", handle_sigint=False)
                return ran
        finally:
            self._session.frontend = pane

    async def _drawn(self) -> None:
        """Have the screen drawn: what computes from here on does not let it be."""
        self._app.invalidate()
        for _ in range(2):
            await asyncio.sleep(0)

    def _tell(self, ended: asyncio.Task[None]) -> bool:
        """Say why a command has not come to its end; whether it has not."""
        if ended.cancelled():
            self._heard.append("interrupted")
        elif isinstance(error := ended.exception(), CommandError):
            self._heard.append(
                ViewLine((str(error), "bad")) if "\n" not in str(error) else str(error)
            )
        elif error is not None:
            self._heard.append("".join(traceback.format_exception(error)))
            self._heard.append("This is a defect of pytest-loadtool. `save` what you have.")
        else:
            return False
        return True

    def _show(self, line: str, *, failed: bool) -> None:
        """Show what a command has said: in the pane, or on the line above the keys."""
        said = [text for text in self._heard if text.strip()]
        panel = panel_of(line, self._session.registry) if not failed else None
        if panel is not None:
            self._output = Output(line, tuple(self._heard), open=True, whole=True, panel=panel)
        elif len(said) == 1 and "\n" not in said[0] and len(said[0]) < self._size.columns - 2:
            self._message = said[0]
            self._output = Output(line, tuple(said))
        else:
            output = Output(line, tuple(self._heard), open=bool(said))
            self._output = self._at_end(output) if failed else output
            columns, rows = self._size.columns, self._size.rows
            if len(output.shown(columns)) > pane_rows(output, columns, rows) and said:
                self._message = said[-1].partition("\n")[0]
        self._app.invalidate()

    # A `Pane`.

    def said(self, text: str) -> None:
        """Show a line; from any thread."""
        if self._task is None:
            self._message = text.strip()
        else:
            self._heard.append(text)
            last = tuple(self._heard[-_LAST:])
            heard = Output(self._busy, last, open=True, whole=self._asked)
            self._output = self._at_end(heard)
        self._app.invalidate()

    def _at_end(self, output: Output) -> Output:
        columns, rows = self._size.columns, self._size.rows
        count, seen = len(output.shown(columns)), pane_rows(output, columns, rows)
        return replace(output, pager=Pager(max(0, count - seen)))

    def doing(self, text: str) -> None:
        """Show how far work has got; from any thread."""
        self._progress = text
        self._app.invalidate()

    def replaying(self, control: Control | None, plan: Plan) -> None:
        """Show a replay that is under way, and hear keys that hold it; None: it is over."""
        self._replay = (control, plan, perf_counter()) if control is not None else None
        self._app.invalidate()

    async def answer(self, text: str, default: str, *, secret: bool = False) -> str | None:
        """Ask for a line; None if the person gave up."""
        self._asked = True
        self.said(ViewLine((text, "heading")))
        self._message = "F1 why  F3 back  Esc gives up"
        given: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()

        def take(line: str | None) -> None:
            if not given.done():
                given.set_result(line)

        self._type(Typing(" > ", take, secret=secret, question=True), default)
        try:
            answer = await given
        finally:
            if self._typing is not None and self._typing.take is take:
                self._given_up()
            self._message = ""
        if answer is not None:
            self.said(f"  {'*' * 8 if secret else answer}")
        await self._drawn()
        return answer
