"""Who is at the other end while a view is open: what commands say goes into its pane."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Protocol

from pytest_loadtool.console.errors import CommandError
from pytest_loadtool.console.wizard import Question
from pytest_loadtool.model.progress import Told

if TYPE_CHECKING:
    from pytest_loadtool.replay import Plan
    from pytest_loadtool.replay.control import Control


class Pane(Protocol):
    """The place where commands speak and ask."""

    def said(self, text: str) -> None:
        """Show a line; from any thread."""

    def doing(self, text: str) -> None:
        """Show how far work has got; from any thread."""

    def replaying(self, control: Control | None, plan: Plan) -> None:
        """Show a replay that is under way, and hear keys that hold it; None: it is over."""

    async def answer(self, text: str, default: str, *, secret: bool = False) -> str | None:
        """Ask for a line, and return it; None if the person gave up."""


class ScreenFrontend:
    """A `Frontend` whose terminal shows a view."""

    interactive = True

    def __init__(self, pane: Pane) -> None:
        self._pane = pane

    def say(self, text: str) -> None:
        """Show it in the pane."""
        self._pane.said(text)

    async def page(self, lines: Sequence[str]) -> None:
        """Show them in the pane, which scrolls."""
        for line in lines:
            self._pane.said(line)

    @property
    def columns(self) -> int | None:
        """Return the columns of the terminal, all of which the pane has."""
        return get_terminal_size().columns

    def clear(self) -> None:
        """Nothing: the pane shows one command at a time."""

    @contextmanager
    def progress(self) -> Iterator[Told]:
        """Show what is told in the line above the keys."""
        try:
            yield self._told
        finally:
            self._pane.doing("")

    def _told(self, doing: str, done: int, of: int) -> None:
        self._pane.doing(f"{doing}: {done:,} of {of:,}" if of else doing)

    @asynccontextmanager
    async def holding(self, control: Control, plan: Plan) -> AsyncIterator[None]:
        """Show where the replay is, and hear keys that hold it."""
        self._pane.replaying(control, plan)
        try:
            yield
        finally:
            self._pane.replaying(None, plan)

    async def confirm(self, question: str, *, unattended: bool) -> bool:  # noqa: ARG002  somebody is
        """Ask, and return the answer; anything but a yes is a no."""
        answer = await self._pane.answer(f"{question} [y/N]", "")
        return (answer or "").strip().lower() in ("y", "yes")

    async def ask(self, question: Question) -> str | None:
        """Ask for a line, and return it.

        Raises:
            CommandError: the person gave up.
        """
        shown = f" [{question.default}]" if question.default else ""
        answer = await self._pane.answer(question.text + shown, "", secret=question.secret)
        if answer is None:
            raise CommandError("given up: nothing was changed")
        return (answer if question.secret else answer.strip()) or question.default
