"""What the console holds between two commands."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from pytest_loadtool.casefile.trust import TRUSTED, Trust
from pytest_loadtool.console.errors import CommandError
from pytest_loadtool.console.history import History, State
from pytest_loadtool.console.registry import Registry
from pytest_loadtool.console.wizard import Question, Wizard
from pytest_loadtool.model.case import TestCase, Transaction
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.progress import Told
from pytest_loadtool.recording.filter.domains import NO_FILTER, DomainFilter
from pytest_loadtool.recording.pages.grouping import REFERRER_ANALYSIS, Grouping
from pytest_loadtool.recording.request.uploads import Upload

if TYPE_CHECKING:
    from pytest_loadtool.console.live import Live

_T = TypeVar("_T")

#: What would move the cursor or ring the bell if recorded text were printed as it is; and lone
#: surrogates, which cannot be printed.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Settings:
    """How the console was opened: the ``--record…`` options, with paths made absolute.

    ``browser`` is a path, ``"none"`` for no browser, or empty to look for one; ``script`` is a
    file, ``"-"`` for standard input, or empty for a person at a terminal.
    """

    directory: Path
    case_path: Path | None = None
    url: str = ""
    browser: str = ""
    port: int = 0
    domains: DomainFilter = NO_FILTER
    grouping: Grouping = REFERRER_ANALYSIS
    script: str = ""
    proxy: str = field(default="", repr=False)  # it may have a password
    """What ``--proxy-url`` says."""
    strict: bool = False
    """Whether ``--loadtool-strict`` was given."""
    rules: tuple[Path, ...] = ()
    """Files with the project's rules of application state management."""
    reset: str = field(default="", repr=False)  # it may have a password
    """The command that brings the server back before replays; empty if there is none."""
    trust: Trust = TRUSTED
    """What the files of the project may reach."""


class Frontend(Protocol):
    """Who is at the other end: a terminal or a script."""

    def say(self, text: str, *, gray: bool = False) -> None:
        """Print one or more lines, on a gray background if that can be shown. May be called from
        any thread."""

    def progress(self) -> AbstractContextManager[Told]:
        """While entered, show what is told of how far work has got, where that can be shown."""

    async def confirm(self, question: str, *, unattended: bool) -> bool:
        """Ask a yes-or-no question; ``unattended`` is the answer when there is nobody to ask."""

    async def ask(self, question: Question) -> str | None:
        """Ask for a line, which is the default if it is empty; None where there is nobody."""


@dataclass(frozen=True, slots=True)
class Document:
    """The open test case and the traffic it was made from.

    ``evidence`` is the file that holds that traffic; without one it is in memory only, until it is
    saved. ``masked`` says that its credentials and tokens are stand-ins; ``troubles`` is what makes
    the recording as a whole doubtful.
    """

    case: TestCase
    exchanges: tuple[Exchange, ...] = ()
    evidence: Path | None = None
    masked: bool = False
    troubles: tuple[str, ...] = ()
    uploads: Mapping[str, Upload] = field(default_factory=dict)
    """What the files hold that the test case names, and `save` has still to write."""

    def evidence_of(self, transaction: Transaction) -> Exchange | None:
        """The exchange that a transaction was made from, if it is known."""
        recorded = transaction.recorded
        if recorded is None or recorded.entry is None or recorded.entry >= len(self.exchanges):
            return None
        return self.exchanges[recorded.entry]

    def negotiation_of(self, transaction: Transaction) -> tuple[Exchange, ...]:
        """The exchanges that negotiated the transaction's authentication, as far as known."""
        recorded = transaction.recorded
        entries = recorded.negotiation if recorded is not None else ()
        return tuple(self.exchanges[one] for one in entries if one < len(self.exchanges))


@dataclass(slots=True)
class Session:
    """The state of a console. Commands change it; it does nothing by itself."""

    settings: Settings
    frontend: Frontend
    registry: Registry
    case_path: Path
    """Where ``save`` writes to."""
    document: Document | None = None
    saved: Document | None = None
    """The document as it is on disk; None when it never was there."""
    live: Live | None = None
    """The recording that is running."""
    stranger: str = ""
    """What the file is known by that the open test case comes from, if it was not made here and
    nobody has agreed to replay it."""
    load_path: Path | None = None
    """The load configuration that was created last."""
    collapsed: bool = False
    """Whether the tree shows pages only."""
    history: History = field(default_factory=History)
    done: bool = False

    @property
    def unsaved(self) -> bool:
        """Whether the test case differs from its file."""
        return self.document is not None and self.document != self.saved

    @property
    def state(self) -> State:
        """What `undo` brings back."""
        return State(self.document, self.saved)

    @state.setter
    def state(self, state: State) -> None:
        self.document, self.saved = state.document, state.saved

    def say(self, text: str = "", *, gray: bool = False) -> None:
        """Print ``text``, with control characters of recorded traffic made visible."""
        self.frontend.say(printable(text), gray=gray)

    def opened(self) -> Document:
        """The open document.

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
        """A path as a person would type it here."""
        try:
            return str(path.relative_to(self.settings.directory))
        except ValueError:
            return str(path)

    async def agree(self, question: str, otherwise: str) -> None:
        """Go on only if the person says yes; a script has to say it in the command.

        Raises:
            CommandError: the answer is no, or there is nobody to ask; ``otherwise`` is its text.
        """
        if not await self.frontend.confirm(question, unattended=False):
            raise CommandError(otherwise)

    async def consult(self, wizard: Wizard[_T]) -> _T:
        """Ask what a wizard wants to know; what it found out.

        Raises:
            CommandError: the person gave up, or nobody is there and no default will do.
        """
        try:
            asked = next(wizard)
            while True:
                if asked.reason:
                    self.say(asked.reason)
                answer = await self.frontend.ask(asked)
                if answer is None and (asked.otherwise or asked.reason):
                    raise CommandError(asked.otherwise or asked.reason)
                asked = wizard.send(asked.default if answer is None else answer)
        except StopIteration as end:
            found: _T = end.value
            return found


def printable(text: str) -> str:
    """``text`` with line ends as ``\\n`` and other control characters written as ``\\x1b``."""
    return _CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", text.replace("\r\n", "\n"))
