"""What the console holds between two commands."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Awaitable, Callable, Hashable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from pytest_loadtool.console.errors import CommandError
from pytest_loadtool.console.history import History, State
from pytest_loadtool.console.registry import Registry
from pytest_loadtool.console.session_log import SessionLog
from pytest_loadtool.console.views.line import ViewLine
from pytest_loadtool.console.wizard import Question, Wizard
from pytest_loadtool.model.progress import Told
from pytest_loadtool.workflow.datasets import FileChange
from pytest_loadtool.workflow.document import Document
from pytest_loadtool.workflow.project import Project

if TYPE_CHECKING:
    from pytest_loadtool.replay import Plan
    from pytest_loadtool.replay.control import Control
    from pytest_loadtool.workflow.recording import Live
    from pytest_loadtool.workflow.replays import OpenReplay

_T = TypeVar("_T")

#: What would move the cursor or ring the bell if recorded text were printed as it is; and lone
#: surrogates, which cannot be printed.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Settings(Project):
    """The ways in which the console was opened: the ``--record…`` options, with paths made
    absolute.

    ``browser`` is a path, ``"none"`` for no browser, or empty to look for one; ``script`` is a
    file, ``"-"`` for standard input, or empty for a person at a terminal.
    """

    case_path: Path | None = None
    url: str = ""
    browser: str = ""
    script: str = ""
    colour: str = "auto"
    """pytest's ``--color``: ``yes``, ``no`` or ``auto``."""
    reset: str = field(default="", repr=False)  # it may have a password
    """The command that brings the server back before replays; empty if there is none."""
    replay_har: Path | None = None
    """The kept replay to look at from the beginning."""


class Frontend(Protocol):
    """The other end of a session: a terminal or a script."""

    @property
    def interactive(self) -> bool:
        """Return whether there is a person with keys."""

    def say(self, text: str) -> None:
        """Print one or more lines; a `ViewLine` as its kinds look, if that can be shown.

        May be called from any thread.
        """

    async def page(self, lines: Sequence[str]) -> None:
        """Print lines, a screen at a time where somebody reads them on a screen."""

    @property
    def columns(self) -> int | None:
        """Return how wide what is shown may be; None where that does not matter."""

    def clear(self) -> None:
        """Empty the screen, where there is one."""

    def progress(self) -> AbstractContextManager[Told]:
        """Show progress while entered, where that can be shown."""

    def holding(self, control: Control, plan: Plan) -> AbstractAsyncContextManager[None]:
        """Show where a replay of ``plan`` is and hear keys that hold it while entered, where there
        is a person with keys."""

    async def confirm(self, question: str, *, unattended: bool) -> bool:
        """Ask a yes-or-no question, and return the answer; ``unattended`` is the answer when there
        is nobody to ask."""

    async def ask(self, question: Question) -> str | None:
        """Ask for a line, and return it: it is the default if it is empty; None where there is
        nobody."""


@dataclass(frozen=True, slots=True)
class Folding:
    """The pages that are collapsed, by their names: all if ``closed``, but for the others."""

    closed: bool = False
    others: frozenset[str] = frozenset()

    def of(self, names: Iterable[str]) -> frozenset[str]:
        """Return the collapsed pages of these."""
        return frozenset(name for name in names if self.closed != (name in self.others))

    def with_pages(self, names: Iterable[str], *, closed: bool) -> Folding:
        """Return this with pages collapsed, or expanded."""
        mine = frozenset(names)
        return replace(
            self, others=self.others - mine if closed == self.closed else self.others | mine
        )


@dataclass(slots=True)
class Running:
    """A command line that runs, and what the session log is to keep of it."""

    line: str
    decided: list[str] = field(default_factory=list)
    """What was decided while it ran, as options that decide the same."""
    again: str = ""
    """Another line that does the same again; empty if its own does."""
    said: str = ""
    """What it said last."""
    nested: bool = False
    """Whether it has run other lines."""
    only_asked: bool = False
    """Whether it did nothing but to find out which lines to run."""


@dataclass(slots=True)
class Console:
    """The state of a console. Commands change it; it does nothing by itself."""

    settings: Settings
    frontend: Frontend
    registry: Registry
    case_path: Path
    """Where ``save`` writes to."""
    document: Document | None = None
    saved: Document | None = None
    """The document as it is on disk; None when it never was there."""
    on_disk: str | None = None
    """What the test case's file held when it was read or written here last."""
    layout: str = ""
    """The text of the test case as a person has edited it since: its comments are to stay."""
    live: Live | None = None
    """The recording that is running."""
    stranger: str = ""
    """What the file is known by that the open test case comes from, if it was not made here and
    nobody has agreed to replay it."""
    load_path: Path | None = None
    """The load configuration that was created last."""
    replay: OpenReplay | None = None
    """The kept replay that was looked at last."""
    chosen: bool = False
    """Whether a person has chosen that one; else it is the latest that is looked at."""
    breakpoints: set[Hashable] = field(default_factory=set)
    """The transactions that `play` holds before, by what breakpoints are known by."""
    folding: Folding = field(default_factory=lambda: Folding())
    """Which pages the tree shows as one line."""
    history: History = field(default_factory=History)
    log: SessionLog = field(default_factory=SessionLog)
    running: Running | None = None
    """The command that runs; the innermost, if one runs another."""
    waiting: deque[str] = field(default_factory=deque)
    """Lines that were pasted together with the one that runs."""
    known_answers: dict[str, str] = field(default_factory=dict, repr=False)
    """What a wizard was answered, by its questions: its commands do not ask that again."""
    attended: bool = True
    """Whether somebody has answered the last question."""
    secrets: set[str] = field(default_factory=set, repr=False)
    """What was typed as a secret: the session log does not have it."""
    written: list[FileChange] = field(default_factory=list)
    """The files of datasets that the command under way has written: `undo` covers them."""
    done: bool = False
    show_view: Callable[[int], Awaitable[None]] | None = None
    """Opens the full-screen view at a transaction (0: where it was); None without a terminal."""

    @property
    def unsaved(self) -> bool:
        """Return whether the test case differs from its file."""
        return self.document is not None and self.document != self.saved

    @property
    def state(self) -> State:
        """Return what `undo` brings back."""
        return State(self.document, self.saved)

    @state.setter
    def state(self, state: State) -> None:
        self.document, self.saved = state.document, state.saved

    def say(self, text: str = "") -> None:
        """Print ``text``, with control characters of recorded traffic made visible."""
        shown = printable(text)
        if self.running is not None and shown[:1].strip():
            self.running.said = shown
        self.frontend.say(shown)

    async def page(self, lines: Iterable[str]) -> None:
        """Print what may be longer than a screen; at once if the next command waits."""
        if self.waiting:
            self.tell(lines)
        else:
            await self.frontend.page([printable(line) for line in lines])

    @property
    def width(self) -> int | None:
        """The columns that views have; None where nobody knows."""
        return self.frontend.columns

    def decided(self, option: str) -> None:
        """Have the session log keep what was decided, as an option that decides the same."""
        if self.running is not None:
            self.running.decided.append(option)

    def tell(self, lines: Iterable[str]) -> None:
        """Print one line after the other."""
        for line in lines:
            self.say(line)

    def concluded(self, text: str) -> None:
        """Have the session log keep how a command ended, in place of what it said last."""
        if self.running is not None:
            self.running.said = text

    def repeated_as(self, line: str) -> None:
        """Have the session log keep another line, which does the same when it is run again."""
        if self.running is not None:
            self.running.again = line

    def opened(self) -> Document:
        """Return the open document.

        Raises:
            CommandError: there is none.
        """
        if self.document is None:
            hint = (
                "`stop` makes one of the recording"
                if self.live
                else "`record` or `import` makes one"
            )
            raise CommandError(f"there is no test case yet: {hint}")
        return self.document

    def shown(self, path: Path) -> str:
        """Return a path as a person would type it here."""
        return self.settings.shown(path)

    async def agree(self, question: str, unattended: str, option: str = "") -> None:
        """Go on only if the person says yes; a script has to say it in the command, by ``option``.

        Raises:
            CommandError: the answer is no, or there is nobody to ask; ``unattended`` is its text.
        """
        if not await self.frontend.confirm(question, unattended=False):
            raise CommandError(unattended)
        if option:
            self.decided(option)

    async def answer(self, asked: Question) -> str | None:
        """Ask one question, with what there is to choose from, and return the answer; tell why it
        is asked when that is wanted. None where there is nobody."""
        if asked.about:
            self.say(asked.about)
        meant = {name: what for name, what in asked.choices.items() if what}
        width = max(map(len, meant), default=0)
        for number, name in enumerate(asked.choices if meant else (), 1):
            self.say(
                ViewLine(
                    (f"{number:4}  ", "number"),
                    (f"{name:<{width}}  ", "name"),
                    (asked.choices[name], ""),
                )
            )
        while True:
            answer = await self.frontend.ask(asked)
            self.attended = answer is not None
            if answer is None or asked.secret or answer.strip() != "?":
                if answer and asked.secret:
                    self.secrets.add(answer)
                return answer
            self.say(asked.why)

    async def consult(self, wizard: Wizard[_T]) -> _T:
        """Ask what a wizard wants to know, and return what it found out.

        Raises:
            CommandError: the person gave up, or nobody is there and no default will do.
        """
        try:
            asked = next(wizard)
            while True:
                if asked.reason:
                    self.say(asked.reason)
                known = None if asked.reason else self.known_answers.get(asked.text)
                answer = await self.answer(asked) if known is None else known
                if answer is None and (asked.unattended or asked.reason):
                    raise CommandError(asked.unattended or asked.reason)
                asked = wizard.send(asked.default if answer is None else answer)
        except StopIteration as end:
            found: _T = end.value
            return found


def printable(text: str) -> str:
    """Return ``text`` with line ends as ``\\n`` and other control characters written as
    ``\\x1b``."""
    if isinstance(text, ViewLine):
        spans = ((printable(part), kind) for part, kind in text.spans)
        return ViewLine(*spans, hanging=text.hanging)
    return _CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", text.replace("\r\n", "\n"))
