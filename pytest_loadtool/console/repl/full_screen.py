"""The way from the prompt into a view, and back."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from prompt_toolkit import PromptSession
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.patch_stdout import patch_stdout

from pytest_loadtool.console.execution import execute
from pytest_loadtool.console.repl.completion import RegistryCompleter
from pytest_loadtool.console.repl.interrupting import ENDING, Interruptible
from pytest_loadtool.console.session import Console

if TYPE_CHECKING:
    from pytest_loadtool.console.screens.editor import Editor


def view_key() -> KeyBindings:
    """Return the binding of F2, which runs `view`, whatever is being typed."""
    bindings = KeyBindings()

    @bindings.add("f2")
    def open_view(event: KeyPressEvent) -> None:
        event.current_buffer.text = "view"
        event.current_buffer.validate_and_handle()

    return bindings


class Views:
    """Opens the view of a session, where it was left."""

    def __init__(
        self,
        session: Console,
        running: Interruptible,
        prompt: PromptSession[str],
        *,
        coloured: bool,
    ) -> None:
        self._session, self._running, self._prompt = session, running, prompt
        self._coloured = coloured
        self._editor: Editor | None = None

    async def show(self, number: int) -> None:
        """Show it at a transaction, or where it was for 0, until it is left.

        The terminal echoes nothing meanwhile: what is typed while it opens is for the view.
        """
        with self._prompt.input.raw_mode():
            await self._show(number)

    async def _show(self, number: int) -> None:
        from pytest_loadtool.console.fullscreen.view import FullScreen

        shown = FullScreen(
            self._session,
            self._run,
            RegistryCompleter(self._session),
            self._prompt.history,
            coloured=self._coloured,
            editor=self._editor,
        )
        before, self._session.show_view = self._session.show_view, shown.goto
        await shown.goto(number)
        try:
            with patch_stdout(raw=True):
                await shown.run()
        finally:
            self._editor, self._session.show_view = shown.editor, before

    async def _run(self, line: str) -> tuple[asyncio.Task[None], bool]:
        ended, came = await self._running.run(execute(self._session, line))
        return ended, not came.isdisjoint(ENDING)
