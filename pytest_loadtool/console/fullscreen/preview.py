"""What a command line would do, shown while it is typed: for commands that have --preview."""

from __future__ import annotations

from shutil import get_terminal_size

from pytest_loadtool.console.errors import CommandError
from pytest_loadtool.console.session import Console
from pytest_loadtool.console.unattended import Unattended
from pytest_loadtool.console.wizard import Question
from pytest_loadtool.errors import LoadToolError

_PREVIEW = "--preview"


async def previewed(session: Console, line: str) -> list[str] | None:
    """Return what a line would do, or what is wrong with it; None if there is no telling.

    Nothing is changed, logged or asked.
    """
    try:
        call = session.registry.parse(line)
    except LoadToolError:
        return None  # it is not whole yet
    if call is None or _PREVIEW not in call.command.options() or _PREVIEW in line:
        return None
    return await shown_by(session, f"{line} {_PREVIEW}")


async def shown_by(session: Console, line: str) -> list[str]:
    """Return what a command line that changes nothing says, or what is wrong with it.

    It is not logged, and cannot ask.
    """
    kept = _PreviewFrontend()
    call = session.registry.parse(line)
    before, session.frontend = session.frontend, kept
    try:
        if call is not None:
            await call.run(session)
    except (LoadToolError, OSError) as error:
        kept.say(str(error))
    finally:
        session.frontend = before
    return kept.lines


class _PreviewFrontend(Unattended):
    """Keeps what is said, agrees to nothing and answers nothing."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    @property
    def columns(self) -> int | None:
        """Return the columns of the terminal."""
        return get_terminal_size().columns

    def say(self, text: str) -> None:
        """Keep it."""
        self.lines.append(text)

    async def confirm(self, question: str, *, unattended: bool) -> bool:
        """Return no: nothing is agreed to."""
        del question, unattended
        return False

    async def ask(self, question: Question) -> str | None:
        """Answer nothing: nobody is there.

        Raises:
            CommandError: always.
        """
        raise CommandError(question.text)
