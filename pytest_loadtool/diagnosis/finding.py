"""What looking into a failure finds: causes with their evidence and remedies, and what is none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

from pytest_loadtool.diagnosis.outcome import StepOutcome

if TYPE_CHECKING:
    from pytest_loadtool.diagnosis.situation import Situation


class Sure(IntEnum):
    """How sure a cause is: the surest is named first. Of those that are equally sure the one that
    is looked for first is named first (`table.CHECKS`)."""

    WEAK = 1
    """It is what is known, where nothing else is."""
    POSSIBLE = 2
    """Nothing speaks against it."""
    SPOKEN = 3
    """The server says so of the request, and it is not known what of the request it means."""
    LIKELY = 4
    """It fits all that is known, and something else may fit, too."""
    SHOWN = 5
    """The exchange shows it: something was sent or answered otherwise than when it was recorded."""
    SAID = 6
    """The response says it itself."""
    KNOWN = 7
    """The network or the recording shows it, whatever the response says."""


@dataclass(frozen=True, slots=True)
class Remedy:
    """A remedy for a failure.

    ``commands`` are lines for the console, opened on the test case; ``command`` is one for a shell;
    ``line`` is what to write into a file below ``place``, a ``file:line``, or at its end if that is
    a file alone. Without any of them ``place`` is what the text is about.
    """

    text: str
    commands: tuple[str, ...] = ()
    command: str = ""
    line: str = ""
    place: str = ""


@dataclass(frozen=True, slots=True)
class Cause:
    """A reason why the transaction failed, as far as its exchange shows.

    ``index`` is the transaction to mend, counted from 0, where that is
    another than the one that failed. ``confirm`` is a command for a shell that shows whether it is
    this, and ``confirm_in`` are lines for the console after it.
    """

    text: str
    sure: Sure
    evidence: tuple[str, ...] = ()
    remedies: tuple[Remedy, ...] = ()
    confirm: str = ""
    confirm_in: tuple[str, ...] = ()
    index: int | None = None


@dataclass(frozen=True, slots=True)
class RuledOut:
    """Something that might have been a cause and was found to be none; ``text`` says why."""

    text: str


#: How much of a value is shown, in characters.
LONGEST_VALUE = 60

#: A check looks for one cause. None: there is nothing to look at.
Check = Callable[["Situation"], Cause | RuledOut | None]
#: A step of a diagnosis tells one fact, in a few words; empty where it does not apply.
Step = Callable[["Situation"], str]


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The reasons why a replay failed.

    ``failed`` is the transaction that failed first and ``mend`` the one to be mended, which may be
    one before it that passed. ``causes`` are those found, the surest first; ``possible`` are those
    that are usual of such a status. ``steps`` are
    what was looked at, each a name and what was found; ``later`` are the failures that may be
    consequences, each with the variables that ``failed`` or ``mend`` should have set for it.
    """

    failed: StepOutcome
    mend: StepOutcome
    total: int
    meaning: str
    causes: tuple[Cause, ...]
    ruled_out: tuple[str, ...]
    possible: tuple[str, ...]
    advice: tuple[Remedy, ...]
    steps: tuple[tuple[str, str], ...]
    later: tuple[tuple[StepOutcome, tuple[str, ...]], ...]
