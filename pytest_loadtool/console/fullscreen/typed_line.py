"""The line that is typed below the screen: a command, an answer, or what is searched for."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import Completer, DynamicCompleter
from prompt_toolkit.document import Document as Text
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import History, InMemoryHistory
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

from pytest_loadtool.console.screens.output import Output

#: Seconds without a key before it is shown what a line would do.
_PAUSE = 0.25


@dataclass(frozen=True, slots=True)
class Typing:
    """A line that is being typed: what for, and what becomes of it; None if it was given up."""

    prompt: str
    take: Callable[[str | None], None]
    command: bool = False
    secret: bool = False
    question: bool = False


class TypedLine:
    """A line below a window, in place of its last row, while there is something to type.

    ``preview`` says what a command line would do, or None; ``redraw`` has the screen drawn.
    """

    def __init__(
        self,
        screen: Window,
        completer: Completer,
        history: History,
        preview: Callable[[str], Awaitable[list[str] | None]],
        redraw: Callable[[], None],
    ) -> None:
        self.typing: Typing | None = None
        self.preview: Output | None = None
        self._screen, self._history, self._redraw = screen, history, redraw
        self._previewed = preview
        self._previewing: asyncio.Task[None] | None = None
        self._buffer = Buffer(
            multiline=False,
            history=history,
            completer=DynamicCompleter(lambda: completer if self._is_command else None),
            complete_while_typing=False,
            accept_handler=self._accepted,
            on_text_changed=self._preview_soon,
        )
        self.active = Condition(lambda: self.typing is not None)
        self.answering = Condition(lambda: self.typing is not None and self.typing.question)
        secret = Condition(lambda: self.typing is not None and self.typing.secret)
        processors = [
            ConditionalProcessor(PasswordProcessor(), secret),
            BeforeInput(lambda: [("class:heading", self.typing.prompt if self.typing else "")]),
        ]
        self._input = BufferControl(self._buffer, input_processors=processors)
        body = HSplit([
            screen, ConditionalContainer(Window(self._input, height=1), self.active),
        ])  # fmt: skip
        menu = Float(CompletionsMenu(max_height=8), xcursor=True, ycursor=True)
        self.layout = Layout(FloatContainer(body, [menu]), focused_element=screen)

    @property
    def _is_command(self) -> bool:
        return self.typing is not None and self.typing.command

    @property
    def command(self) -> str:
        """The command line as far as it is typed; empty if none is."""
        return self._buffer.text if self._is_command else ""

    def ask(self, typing: Typing, text: str = "") -> None:
        """Have something typed, beginning with ``text``."""
        self.typing = typing
        # What is answered, which may be a secret, is nothing to bring back.
        self._buffer.history = self._history if typing.command else InMemoryHistory()
        self._buffer.reset(Text(text, len(text)))
        self.layout.focus(self._input)
        self._preview_soon(self._buffer)
        self._redraw()

    def give_up(self) -> None:
        """Take what was typed away; nothing if nothing is."""
        if self.typing is not None:
            self._ended(None)

    def reply(self, text: str) -> None:
        """Answer with a text in place of what was typed."""
        self._buffer.text = text
        self._buffer.validate_and_handle()

    def complete(self) -> None:
        """Complete what was typed, or go to the next way to."""
        if self._buffer.complete_state:
            self._buffer.complete_next()
        else:
            self._buffer.start_completion(insert_common_part=True)

    def _accepted(self, line: Buffer) -> bool:
        self._ended(line.text)
        return False

    def _ended(self, text: str | None) -> None:
        typing, self.typing, self.preview = self.typing, None, None
        if text is None:
            self._buffer.reset()
        self.layout.focus(self._screen)
        if typing is not None:
            typing.take(text)

    def _preview_soon(self, line: Buffer) -> None:
        if self._previewing is not None:
            self._previewing.cancel()
            self._previewing = None
        if self._is_command:
            self._previewing = asyncio.ensure_future(self._preview(line.text))

    async def _preview(self, line: str) -> None:
        """Show what the line would do, if its command can say, once there is a pause."""
        await asyncio.sleep(_PAUSE)
        said = await self._previewed(line)
        if self._is_command and self._buffer.text == line:
            self.preview = Output("preview", tuple(said), open=True) if said is not None else None
            self._redraw()
