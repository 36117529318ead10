"""A replay at the prompt: a line that says where it is, and keys that hold it."""

from __future__ import annotations

import asyncio
import shutil
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from time import perf_counter

from prompt_toolkit.application import Application
from prompt_toolkit.filters import Condition
from prompt_toolkit.input.typeahead import get_typeahead, store_typeahead
from prompt_toolkit.key_binding import KeyBindings, KeyPress, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import FormattedTextControl, Layout, Window
from prompt_toolkit.patch_stdout import patch_stdout

from pytest_loadtool.codec.printable import clip, printable
from pytest_loadtool.console.fullscreen.editing_requests import edit_next
from pytest_loadtool.console.repl.typing_ahead import keep_typed
from pytest_loadtool.console.screens.replaying import WISHES
from pytest_loadtool.console.views.replay import status
from pytest_loadtool.replay import Plan
from pytest_loadtool.replay.control import Control

#: Seconds between two states of the line, in which a think time goes on.
_REFRESH = 0.2

#: Keys, and what they ask of the replay.
_MOVES = {
    "space": "pause or go on",
    "enter": "skip",
    "f10": "step",
    "f8": "go on",
    "c": "go on",
    "q": "stop",
}


@asynccontextmanager
async def holding(
    control: Control,
    plan: Plan,
    say: Callable[[str], None],
    clock: Callable[[], float] = perf_counter,
) -> AsyncIterator[None]:
    """Show where the replay is, and hear keys, while this is entered; nothing is left of it.

    What was typed before stays for the next prompt, and so does a line that is typed meanwhile: it
    begins with what is no key of the replay. Ctrl-C is the signal that it is elsewhere.
    """
    started = clock()
    line: list[KeyPress] = []

    def lines() -> str:
        width = shutil.get_terminal_size().columns
        where, keys = status(control.moment, plan, now=clock(), started=started, width=width)
        typed = "".join(press.data for press in line).rpartition("\r")[2]
        return f"{where}\n{clip(printable(f'next: {typed}'), width) if typed else keys}"

    app: Application[None] = Application(
        layout=Layout(Window(FormattedTextControl(lines), height=2, dont_extend_height=True)),
        key_bindings=_bindings(control, say, line),
        refresh_interval=_REFRESH,
        erase_when_done=True,
    )
    ahead = keep_typed(app.input)
    get_typeahead(app.input)
    ready = asyncio.Event()
    with patch_stdout(raw=True):  # what is printed stands above it
        shown = asyncio.ensure_future(app.run_async(pre_run=ready.set, handle_sigint=False))
        try:
            await asyncio.wait([shown, waiting := asyncio.ensure_future(ready.wait())],
                               return_when=asyncio.FIRST_COMPLETED)  # fmt: skip
            waiting.cancel()
            yield
        finally:
            if not shown.done():
                app.exit()
            await asyncio.gather(shown, return_exceptions=True)
            store_typeahead(app.input, [*ahead, *line, *get_typeahead(app.input)])


def _bindings(control: Control, say: Callable[[str], None], line: list[KeyPress]) -> KeyBindings:
    """Return the keys of a replay. Any other begins a ``line``, which has all up to its Enter."""
    keys = KeyBindings()

    @Condition
    def in_a_line() -> bool:
        return bool(line) and line[-1].key != Keys.Enter

    @Condition
    def held() -> bool:
        return control.moment.next is not None

    for name, move in _MOVES.items():
        keys.add(name, filter=~in_a_line)(lambda _event, wish=WISHES[move]: wish(control))
    keys.add("c-c")(lambda _event: signal.raise_signal(signal.SIGINT))

    @keys.add("e", filter=held & ~in_a_line)
    def edit(event: KeyPressEvent) -> None:
        event.app.create_background_task(edit_next(control, say))

    @keys.add(Keys.Any)
    def begin_or_go_on(event: KeyPressEvent) -> None:
        if in_a_line() or event.data.isprintable():
            line.extend(event.key_sequence)

    @keys.add("backspace", filter=in_a_line)
    def take_back(_event: KeyPressEvent) -> None:
        line.pop()

    return keys
