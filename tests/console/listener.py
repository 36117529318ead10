"""The other end of a session, for tests."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, nullcontext
from dataclasses import dataclass, field

from pytest_loadtool.console.execution import execute
from pytest_loadtool.console.session import Console
from pytest_loadtool.console.views.line import ViewLine
from pytest_loadtool.console.wizard import Question
from pytest_loadtool.model.progress import Told, silent
from pytest_loadtool.replay import Plan
from pytest_loadtool.replay.control import Control

__all__ = ["Listener", "do"]


@dataclass
class Listener:
    """The other end of a session: keeps what is said; ``answers`` and ``lines`` answer."""

    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    answers: list[bool] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    gray: list[str] = field(default_factory=list)
    columns: int | None = None
    interactive: bool = False

    def say(self, text: str) -> None:
        self.said.append(text)
        if isinstance(text, ViewLine) and any(kind == "correlated" for _, kind in text.spans):
            self.gray.append(text)

    async def page(self, lines: Sequence[str]) -> None:
        for line in lines:
            self.say(line)

    def clear(self) -> None:
        self.said.clear()

    def progress(self) -> AbstractContextManager[Told]:
        return nullcontext(silent)

    def holding(self, control: Control, plan: Plan) -> AbstractAsyncContextManager[None]:
        return nullcontext()

    async def confirm(self, question: str, *, unattended: bool) -> bool:
        self.asked.append(question)
        return self.answers.pop(0) if self.answers else unattended

    async def ask(self, question: Question) -> str | None:
        self.asked.append(question.text)
        return (self.lines.pop(0) or question.default) if self.lines else None

    @property
    def text(self) -> str:
        """Everything that was said."""
        return "\n".join(self.said)


def do(session: Console, line: str) -> None:
    """Have the console do a command, to its end."""
    asyncio.run(execute(session, line))
