"""The view: a screen drawn over all of the terminal, a pane for what commands say, a line to type.

A key that has a command line has it run like one that was typed. Until that has ended, keys wait,
those that move too: each is pressed on the screen that it would have met, had the person waited.
A question and a replay hear keys meanwhile. Ctrl-C and a failure drop those that wait.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from time import perf_counter
from typing import Any

from prompt_toolkit.application import Application
from prompt_toolkit.completion import Completer
from prompt_toolkit.data_structures import Size
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import History
from prompt_toolkit.key_binding import KeyBindings, KeyPress, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import Window
from prompt_toolkit.output import ColorDepth

from pytest_loadtool.console.candidates import dataset_columns
from pytest_loadtool.console.fullscreen.control import ScreenControl
from pytest_loadtool.console.fullscreen.editing_requests import edit_next
from pytest_loadtool.console.fullscreen.filling import FormFilling
from pytest_loadtool.console.fullscreen.pane import CommandPane, Runner
from pytest_loadtool.console.fullscreen.style import style
from pytest_loadtool.console.fullscreen.typed_line import TypedLine, Typing
from pytest_loadtool.console.replays import replay_at_hand
from pytest_loadtool.console.screens import (
    editor_drawing,
    editor_keys,
    editor_moves,
    form,
    replaying,
)
from pytest_loadtool.console.screens.editor import Editor, beside_replay, editor_of, tree_columns
from pytest_loadtool.console.screens.forms import FORMS
from pytest_loadtool.console.screens.frame import Bar, body_rows, framed
from pytest_loadtool.console.screens.keys import ScreenKey, available, key_help, missing, usage
from pytest_loadtool.console.screens.output import Output
from pytest_loadtool.console.screens.panels import PANELS, numbered_above
from pytest_loadtool.console.screens.tree_drawing import mark_help
from pytest_loadtool.console.session import Console
from pytest_loadtool.console.views.case import summary
from pytest_loadtool.console.views.line import ViewLine
from pytest_loadtool.errors import LoadToolError
from pytest_loadtool.replay.control import Control
from pytest_loadtool.workflow.replays import OpenReplay

#: Seconds that Esc waits for the rest of a key's sequence.
_ESCAPE = 0.05
#: Seconds between two looks at what changes by itself, such as the counters of a recording.
_REFRESH = 0.5
#: Lines that a turn of the mouse's wheel scrolls by.
_WHEEL = 3


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
        self._session = session
        self._pane = CommandPane(
            session,
            runner,
            lambda: self._size,
            self._redraw,
            self._command_ended,
            self._leave,
            self._press_all,
        )
        screen = Window(ScreenControl(self), wrap_lines=False)
        self._line = TypedLine(screen, completer, history, self._pane.preview, self._redraw)
        self._filling = FormFilling(self._pane.start, self._pane.preview, self._redraw)
        self._app: Application[None] = Application(
            layout=self._line.layout,
            key_bindings=self._bindings(),
            style=style(coloured=coloured),
            color_depth=None if coloured else ColorDepth.DEPTH_1_BIT,
            full_screen=True,
            mouse_support=True,
            refresh_interval=_REFRESH,
            max_render_postpone_time=None,
        )
        self._help_of_replay = Output()
        """The keys that hold a replay, as long as they are looked at."""
        self._app.ttimeoutlen = _ESCAPE
        self._app.timeoutlen = _ESCAPE
        self._look_at_replay()

    async def run(self) -> None:
        """Show the view until it is left."""
        with self._pane.hearing(self._line):
            await self._app.run_async(handle_sigint=False)

    def _press_all(self, keys: list[KeyPress]) -> None:
        self._app.key_processor.feed_multiple(keys, first=True)
        self._app.key_processor.process_keys()

    def _redraw(self) -> None:
        self._app.invalidate()

    def _leave(self) -> None:
        self._app.exit()

    def _command_ended(self, line: str, failed: bool) -> None:
        self._look_at_replay(line)
        self._filling.ended(failed=failed)

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
                self._goto(failed[0].number)

    async def goto(self, number: int) -> None:
        """Put the cursor on a transaction; on none for 0."""
        if number:
            self._goto(number)

    def _goto(self, number: int) -> None:
        _, rows = self._body()
        tree = self.editor.tree.goto(number, max(rows, 2) - 1)
        self.editor = editor_moves.with_tree(self.editor, tree)

    # What it looks like.

    @property
    def _size(self) -> Size:
        return self._app.output.get_size()

    @property
    def rows(self) -> int:
        """Return how many rows the terminal has."""
        return self._size.rows

    def _body(self) -> tuple[int, int]:
        size = self._size
        return size.columns, body_rows(self._shown, size.columns, size.rows)

    def lines(self, columns: int, rows: int) -> list[ViewLine]:
        """Return what is on the screen."""
        self._pane.fit(columns)
        held = frozenset(self._session.breakpoints)
        self.editor = replace(self.editor.of(self._session.document), breakpoints=held)
        return framed(
            self._bar(),
            self._drawn_body,
            self._shown,
            usage(self._line.command, self._session.registry) or self._pane.status,
            () if self._line.active() else self._keys,
            columns,
            rows,
            typed=self._filling.form is not None or self._line.active(),
        )

    @property
    def _shown(self) -> Output:
        """Return what is shown below, or over all: what a line that is typed would do, before all
        else."""
        if self._pane.replay is not None:
            return self._help_of_replay
        return self._line.preview or self._pane.output

    def _drawn_body(self, columns: int, rows: int) -> list[ViewLine]:
        if self._filling.form is not None:
            return self._filling.drawn(self.editor, columns, rows)
        if self._pane.replay is None:
            return editor_drawing.drawn(self.editor, columns, rows)
        control, plan, started = self._pane.replay
        heard, now = self._pane.heard, perf_counter()
        return replaying.drawn(control.moment, plan, heard, columns, rows, now=now, started=started)

    @property
    def _keys(self) -> tuple[ScreenKey, ...]:
        """The keys that mean something now."""
        keys = self.editor.keys
        if self._filling.form is not None:
            return self._filling.form.keys
        if self._pane.replay is not None:
            keys = replaying.KEYS
        elif self._pane.panel is not None:
            keys = self._pane.panel.keys
        return available(keys, self._session.registry)

    def _bar(self) -> Bar:
        session, document = self._session, self._session.document
        state = summary(document) if document else "no test case"
        if session.live is not None:
            state = f"recording {len(session.live.evidence.exchanges)}   {state}"
        name = session.case_path.name + ("*" if session.unsaved else "")
        return Bar(name, document.case.server if document else "", state)

    # Keys.

    def _bindings(self) -> KeyBindings:
        bindings = KeyBindings()
        typing, answering, filling = self._line.active, self._line.answering, self._filling.active

        def does(action: Callable[..., None], *given: str) -> Callable[[KeyPressEvent], None]:
            return lambda _: action(*given)

        tables = (
            *editor_keys.TABLES,
            replaying.KEYS,
            form.KEYS,
            *PANELS.values(),
        )
        for name in {name for table in tables for key in table for name in key.keys}:
            bindings.add(name, filter=~typing)(does(self.press, name))
        bindings.add("?", filter=~typing & ~filling)(does(self._help))
        bindings.add("q", filter=~typing & ~filling)(does(self._quit))
        for typed in (Keys.Any, Keys.BracketedPaste):
            bindings.add(typed, filter=filling & ~typing)(lambda e: self._filling.type(e.data))
        bindings.add("f2", filter=~typing)(does(self._quit))
        bindings.add("c-c", eager=True)(does(self._interrupt))
        at_work = Condition(lambda: self._pane.under_way and self._pane.replay is None)
        bindings.add(Keys.Any, filter=at_work & ~typing, eager=True)(self._wait)
        bindings.add("escape", filter=typing)(does(self._line.give_up))
        bindings.add("f3", filter=answering)(does(self._line.reply, "back"))
        bindings.add("f1", filter=answering)(does(self._line.reply, "?"))
        bindings.add("tab", filter=typing)(does(self._line.complete))
        return bindings

    def _wait(self, event: KeyPressEvent) -> None:
        self._pane.waiting.extend(event.key_sequence)

    def _interrupt(self) -> None:
        self._pane.waiting.clear()
        self._line.give_up()

    def press(self, name: str) -> None:
        """Do what a key is for now; nothing if it is for nothing."""
        if self._filling.form is not None:
            self._pane.close()
            self._filling.press(name)
            return
        key = next((one for one in self._keys if name in one.keys), None)
        if key is None:
            return
        pane = self._pane
        if pane.replay is not None:
            self._help_of_replay = Output()
            self._wish(pane.replay[0], key.move)
        elif key.line:
            self._run_key(key)
        elif key.move == "command":
            self._ask_command("")
        elif key.move == "search":
            self._line.ask(Typing(" Find: ", self._search))
        elif key.move == "output":
            pane.output = replace(pane.output, open=bool(pane.output.lines))
        elif key.move == "goto" and pane.panel is not None:
            self._goto_found(pane.output)
        elif not pane.moved(key.move):
            pane.message = ""
            if (move := editor_moves.MOVES.get(key.move)) is not None:
                columns, rows = self._body()
                self.editor = move(self.editor, columns, max(rows, 2))

    def _run_key(self, key: ScreenKey) -> None:
        """Run the command line of a key, or have the person complete it."""
        template = key.on_page if key.on_page and self.editor.on_page else key.line
        places, output = dict(self.editor.places), self._pane.output
        if self._pane.panel is not None:
            places |= self._pane.panel.places(output.texts, output.cursor, output.cell)
        line = template.format(**places)
        if missing(template, places):
            self._pane.message = "there is nothing here for that key"
            return
        makes = FORMS.get(key.form)
        made = makes(self.editor, dataset_columns(self._session)) if makes else None
        if made is not None:
            self._filling.open(made)
        elif key.ask:
            self._ask_command(line)
        elif line.strip():
            self._pane.start(line)

    def _ask_command(self, line: str) -> None:
        def take(text: str | None) -> None:
            if text and text.strip():
                self._pane.start(text.strip())

        self._line.ask(Typing(" : ", take, command=True), line)

    def _wish(self, control: Control, move: str) -> None:
        if (wish := replaying.WISHES.get(move)) is not None:
            wish(control)
        elif move == "edit" and control.moment.next is not None:
            self._app.create_background_task(edit_next(control, self._pane.said))

    def _goto_found(self, output: Output) -> None:
        """Go to the transaction that the cursor of a panel is on, and there to what was sought."""
        number = numbered_above(output.texts, output.cursor)
        if number is None:
            return
        self._pane.close()
        self._goto(number)
        self.editor = replace(self.editor, focus="detail")
        if output.panel is not None and (text := output.panel.sought):
            columns, rows = self._body()
            tab = editor_moves.MOVES["tab 1"](self.editor, columns, rows)
            self.editor = editor_moves.searched(tab, text, columns) or self.editor

    def _help(self) -> None:
        lines = (*key_help(self._keys), *mark_help())
        shown = Output("keys", lines, open=True, whole=True)
        if self._pane.replay is not None:
            self._help_of_replay = shown
        else:
            self._pane.output = shown

    def _quit(self) -> None:
        if self._pane.replay is not None:
            self._wish(self._pane.replay[0], "stop")
        elif self._pane.output.open:
            self._pane.close()
        else:
            self._leave()

    def _search(self, text: str | None) -> None:
        if text is None:
            return
        columns, _ = self._body()
        try:
            found = editor_moves.searched(self.editor, text, columns)
        except ValueError as error:
            self._pane.message = str(error)
            return
        self.editor = found or self.editor
        self._pane.message = "" if found else f"nothing has {text!r}"

    def clicked(self, column: int, row: int) -> None:
        """Do what a click at that place of the screen is for: nothing while a command is at work or
        a line is typed, as it would not wait as keys do."""
        if self._line.active() or self._pane.under_way:
            return
        columns, rows = self._body()
        if self._filling.form is not None:
            self._filling.clicked(column, row - 1, columns, rows)
        elif 1 <= row <= rows:
            self.editor = editor_moves.clicked(self.editor, column, row - 1, columns, rows)
        else:
            self._pane.clicked(column, row - rows - 2)

    def wheeled(self, column: int, row: int, by: int) -> None:
        """Scroll what is at that place by ``by`` turns of the wheel."""
        columns, rows = self._body()
        if row > rows:
            self._pane.wheeled(by * _WHEEL)
            return
        if self._filling.form is not None or self._pane.replay is not None:
            return
        focus: Any = "tree" if column < tree_columns(columns) else "detail"
        moved = replace(self.editor, focus=focus)
        for _ in range(_WHEEL):
            moved = editor_moves.MOVES["down" if by > 0 else "up"](moved, columns, rows)
        self.editor = replace(moved, focus=self.editor.focus)
