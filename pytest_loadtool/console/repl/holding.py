"""A replay at the prompt: a line that says where it is, and keys that hold it."""

from __future__ import annotations

import asyncio
import shutil
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from time import perf_counter

from prompt_toolkit.application import Application
from prompt_toolkit.input.typeahead import get_typeahead, store_typeahead
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout import FormattedTextControl, Layout, Window
from prompt_toolkit.patch_stdout import patch_stdout

from pytest_loadtool.console.fullscreen.editing_requests import edit_next
from pytest_loadtool.console.views.replay import status
from pytest_loadtool.replay import Plan
from pytest_loadtool.replay.control import Control

#: Seconds between two states of the line, in which a think time goes on.
_REFRESH = 0.2


@asynccontextmanager
async def holding(
    control: Control,
    plan: Plan,
    say: Callable[[str], None],
    clock: Callable[[], float] = perf_counter,
) -> AsyncIterator[None]:
    """Show where the replay is, and hear keys, while this is entered; nothing is left of it.

    What was typed before stays for the next prompt. Ctrl-C is the signal that it is elsewhere.
    """
    started = clock()

    def lines() -> str:
        width = shutil.get_terminal_size().columns
        shown = status(control.moment, plan, now=clock(), started=started, width=width)
        return "\n".join(shown)

    app: Application[None] = Application(
        layout=Layout(Window(FormattedTextControl(lines), height=2, dont_extend_height=True)),
        key_bindings=_bindings(control, say),
        refresh_interval=_REFRESH,
        erase_when_done=True,
    )
    ahead = get_typeahead(app.input)
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
            store_typeahead(app.input, ahead)


def _bindings(control: Control, say: Callable[[str], None]) -> KeyBindings:
    keys = KeyBindings()

    def does(*names: str) -> Callable[[Callable[[], None]], None]:
        def bind(act: Callable[[], None]) -> None:
            for name in names:
                keys.add(name)(lambda _event: act())

        return bind

    @does("space")
    def pause_or_go_on() -> None:
        (control.go_on if control.moment.state == "held" else control.pause)()

    @does("enter")
    def skip_or_step() -> None:
        (control.step if control.moment.state == "held" else control.skip)()

    does("f10")(control.step)
    does("f8", "c")(control.go_on)
    does("q")(control.stop)
    does("c-c")(lambda: signal.raise_signal(signal.SIGINT))

    @keys.add("e")
    def edit(event: KeyPressEvent) -> None:
        if control.moment.next is not None:
            event.app.create_background_task(edit_next(control, say))

    return keys
