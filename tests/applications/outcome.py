"""One application from beginning to end, and a row of the table about it."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pytest_loadtool.casefile import read_case
from tests.applications import journey
from tests.applications.application import Application, application
from tests.applications.judging import correlated, false_positives
from tests.applications.state import Effect, State

__all__ = [
    *("RIGHT", "RIGHT_IF_UNIQUE", "SESSIONS", "TOLD_UNLESS_UNIQUE", "USERS"),
    *("Judge", "Outcome", "commit", "examine", "recorded", "state_of", "unique"),
]

#: Virtual users of the load test, all at once; how often each of them repeats the session.
USERS, SESSIONS = 10, 10
#: What there is to say of a run that was green and left the state which its sessions mean.
RIGHT = "right"
#: The same of a second run that was red, as it should, until the names it makes were `unique`.
RIGHT_IF_UNIQUE = "right with `unique`"
#: The same of one that was green and said itself that something came not as recorded.
TOLD = "told"
TOLD_UNLESS_UNIQUE = "told, and right with `unique`"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of an application. Times are in seconds."""

    title: str
    transactions: int
    correlated: int
    false_positives: tuple[str, ...]
    """Variables that need not be."""
    unique: tuple[str, ...]
    """The typed texts that had to be made unique before other users came."""
    first: str
    """Of the first replay on a new server: `RIGHT`, or what was wrong."""
    second: str
    """Of the second on the same server."""
    used: str
    """Of the first on one that was used for something else."""
    load: str
    """Of ten users, on the same."""
    requests: int
    """Of the load test."""
    errors: int
    recording: float
    """The session, making the test case and configuring it."""
    replaying: float
    """One replay, pytest's start included."""
    commit: str = ""
    """The state of the sources that was measured."""


def examine(name: str, folder: Path, most: int = SESSIONS) -> Outcome:
    """Record and configure the application, replay it on two other servers and load the second.

    Each user repeats the session ``most`` times, or fewer where the application says so.

    Raises:
        JourneyError: it could not be recorded, or the session leaves nothing that could be judged.
    """
    one = application(name)
    one.install()
    case = folder / f"{name}.case.toml"
    started = time.perf_counter()
    judge = recorded(name, one, case)
    recording = time.perf_counter() - started
    with one.serve(_empty(folder / "replayed")) as url:
        here = (url, folder / "replayed")
        started = time.perf_counter()
        first = judge.replay(case, *here)
        replaying = time.perf_counter() - started
        second = judge.replay(case, *here)
        if second != RIGHT and one.UNIQUE:
            own = judge.replay(unique(one, case, folder / "unique"), *here, own_names=True)
            second = _with_names_of_its_own(second, own)
    totals = {"requests": 0, "errors": 0}
    with one.serve(_empty(folder / "used")) as url:
        here = (url, folder / "used")
        one.use(*here)
        used = judge.replay(case, *here)
        many = unique(one, case, folder / "many")
        sessions: int = min(most, getattr(one, "SESSIONS", SESSIONS))

        def load() -> None:
            totals.update(journey.load(many, url, users=USERS, sessions=sessions)["totals"])

        loaded = judge.run(load, *here, sessions=USERS * sessions, own_names=bool(one.UNIQUE))
        wrong = false_positives(many, url)
    return Outcome(
        title=one.TITLE,
        transactions=len(list(read_case(case).transactions())),
        correlated=len(correlated(case)),
        false_positives=wrong,
        unique=one.UNIQUE,
        first=first,
        second=second,
        used=used,
        load=loaded,
        requests=totals["requests"],
        errors=totals["errors"],
        recording=recording,
        replaying=replaying,
        commit=commit(),
    )


def commit() -> str:
    """The state of the sources."""
    command = ("git", "-C", str(Path(__file__).parent), "rev-parse", "--short=8", "HEAD")
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def _with_names_of_its_own(without: str, own: str) -> str:
    """Of a second replay that was not right, what to say when one with `unique` was tried. A green
    that was wrong, and did not say so, stays one."""
    if own != RIGHT:
        return own
    ways = {"red": RIGHT_IF_UNIQUE, TOLD: TOLD_UNLESS_UNIQUE}
    return next((way for word, way in ways.items() if without.startswith(word)), without)


def recorded(name: str, one: Application, case: Path) -> Judge:
    """Record and configure the test case. The value knows what its session does.

    Raises:
        JourneyError: it could not be recorded, or the session leaves nothing that could be judged.
    """
    folder = _empty(case.parent / "recorded")
    with one.serve(folder) as url:
        before = state_of(one, url, folder)
        journey.record(name, one, url, case)
        effect = Effect.between(before, state_of(one, url, folder))
    if effect == Effect.between(State(), State()):
        raise journey.JourneyError("the session leaves nothing on the server")
    return Judge(one, effect)


def state_of(one: Application, url: str, folder: Path) -> State:
    """That of the server, with the names of the recording."""
    return one.state(url, folder).named(one.UNIQUE)


@dataclass(frozen=True, slots=True)
class Judge:
    """Compares what runs do to the state of an application with what its session does."""

    application: Application
    effect: Effect

    def replay(self, case: Path, url: str, folder: Path, *, own_names: bool = False) -> str:
        """`RIGHT`, or what was wrong with a replay, which may have names of its own."""
        return self.run(lambda: journey.replay(case, url), url, folder, own_names=own_names)

    def run(
        self,
        do: Callable[[], None],
        url: str,
        folder: Path,
        *,
        sessions: int = 1,
        own_names: bool = False,
    ) -> str:
        """`RIGHT`, or what was wrong with a run of so many sessions."""
        before = state_of(self.application, url, folder)
        told = ""
        try:
            do()
        except journey.OtherwiseError as error:
            told = str(error)
        except journey.JourneyError as error:
            return f"red: {error}"
        after = state_of(self.application, url, folder)
        missed = "; ".join(self.effect.missed(before, after, sessions, own_names=own_names))
        if told:
            return f"{TOLD}, {'another state' if missed else RIGHT}: {told}"
        return f"WRONG: {missed}" if missed else RIGHT


def unique(one: Application, case: Path, folder: Path) -> Path:
    """A copy of the test case in which users have names of their own where they need them."""
    folder.mkdir()
    for one_of_it in case.parent.glob(f"{case.name.removesuffix('.case.toml')}.*"):
        copy = shutil.copytree if one_of_it.is_dir() else shutil.copy2
        copy(one_of_it, folder / one_of_it.name)
    if one.UNIQUE:
        journey.make_unique(folder / case.name, one.UNIQUE)
    return folder / case.name


def _empty(folder: Path) -> Path:
    folder.mkdir()
    return folder
