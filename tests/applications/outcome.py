"""One application from beginning to end, and a row of the table about it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from pytest_loadtool.casefile import read_case
from tests.applications import journey
from tests.applications.application import Application, application
from tests.applications.judging import correlated, false_positives

__all__ = ["USERS", "Outcome", "examine"]

#: Virtual users of the load test, all at once.
USERS = 10


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
    requests: int
    """Of the load test."""
    errors: int
    recording: float
    """The session, making the test case and configuring it."""
    replaying: float
    """One replay, pytest's start included."""


def examine(name: str, folder: Path) -> Outcome:
    """Record and configure the application, replay it on two new servers and load the second.

    Raises:
        JourneyError: a step did not go as it should.
    """
    one = application(name)
    one.install()
    case = folder / f"{name}.case.toml"
    with one.serve(_empty(folder / "recorded")) as url:
        started = time.perf_counter()
        journey.record(name, one, url, case)
        recording = time.perf_counter() - started
        recorded = _contents(one, folder / "recorded")
    with one.serve(_empty(folder / "replayed")) as url:
        started = time.perf_counter()
        journey.replay(case, url)
        replaying = time.perf_counter() - started
        replayed = _contents(one, folder / "replayed")
        if replayed != recorded:
            raise journey.JourneyError(f"recorded {recorded}, replayed {replayed}")
    with one.serve(_empty(folder / "again")) as url:
        journey.replay(case, url)
        if one.UNIQUE:
            journey.make_unique(case, one.UNIQUE)
        report = journey.load(case, url, users=USERS)
        wrong = false_positives(case, url)
    return Outcome(
        title=one.TITLE,
        transactions=len(list(read_case(case).transactions())),
        correlated=len(correlated(case)),
        false_positives=wrong,
        unique=one.UNIQUE,
        requests=report["totals"]["requests"],
        errors=report["totals"]["errors"],
        recording=recording,
        replaying=replaying,
    )


def _contents(one: Application, state: Path) -> object:
    """What users have left on the server, if the application can tell."""
    contents = getattr(one, "contents", None)
    return contents(state) if contents is not None else None


def _empty(folder: Path) -> Path:
    folder.mkdir()
    return folder
