"""The other end of a session at which nobody sits: no screen, no keys, no answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from pytest_loadtool.console.wizard import Question
from pytest_loadtool.model.progress import Told, silent

if TYPE_CHECKING:
    from pytest_loadtool.replay import Plan
    from pytest_loadtool.replay.control import Control


class Unattended(ABC):
    """A `Frontend` but for where its lines go: that is ``say``, of whoever derives from it."""

    interactive = False

    @property
    def columns(self) -> int | None:
        """Lines are as long as they are."""
        return None

    @abstractmethod
    def say(self, text: str) -> None:
        """Show a line."""

    async def page(self, lines: Sequence[str]) -> None:
        """Show all of them."""
        for line in lines:
            self.say(line)

    def clear(self) -> None:  # noqa: B027  it is no screen
        """Do nothing."""

    def progress(self) -> AbstractContextManager[Told]:
        """Show nothing."""
        return nullcontext(silent)

    def holding(self, _control: Control, _plan: Plan) -> AbstractAsyncContextManager[None]:
        """Do nothing: nobody holds it."""
        return nullcontext()

    async def confirm(self, question: str, *, unattended: bool) -> bool:  # noqa: ARG002  nobody reads
        """Return the answer for nobody."""
        return unattended

    async def ask(self, question: Question) -> str | None:  # noqa: ARG002  nobody reads
        """Return None: nobody answers."""
        return None
