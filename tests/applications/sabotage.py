"""One change of a session is answered as it was recorded and not done: does the replay say so?"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from pytest_loadtool.casefile import read_case
from pytest_loadtool.model.case import TestCase, Transaction
from pytest_loadtool.model.editing import numbered_titles
from tests.applications import journey
from tests.applications.application import Application, application
from tests.applications.outcome import Judge, commit, recorded, state_of, unique
from tests.applications.silence import CHANGES, recorded_answer, silent

__all__ = ["PLACES", "REPLAYS", "SABOTAGED", "Place", "Sabotaged", "kept", "report", "sabotage"]

#: Changes of an application that are swallowed, each in a replay of its own; and replays in which
#: none is.
PLACES, REPLAYS = 3, 20
#: The applications that are sabotaged if none are named: of each kind the quickest.
SABOTAGED = (
    *("fastapi-oauth2", "strawberry-graphql", "spyne-soap", "json-server", "json-graphql-server"),
    *("kinto", "isso", "radicale", "sqlite-web", "postgraphile", "django-admin"),
    "flask-appbuilder",
)
#: Who cannot log in is told so otherwise: that changes nothing.
_SESSION = re.compile("log.?(?:in|out)|sign.?(?:in|out)|token|session", re.IGNORECASE)
_PASSWORD = re.compile(r"(?:^|[&\"])passw(?:or)?d\"?[=:]", re.IGNORECASE)
#: Calls by POST that only read, as their names say: GraphQL, JSON-RPC and SOAP. To try them would
#: take a replay each.
_READS = re.compile(
    r"\"query\": ?\"(?:query\b|{)|\"method\": ?\"[\w.]*(?:get|tell)|<\w+:(?:Get|List)",
    re.IGNORECASE,
)
#: Of the golden ratio, the multiples fall into ever other gaps between those before.
_GOLDEN = 0.618034
#: Characters of a failure, in the table.
_LONGEST = 100


@dataclass(frozen=True, slots=True)
class Place:
    """A change that was not done, and what the replay said."""

    number: int
    """That of its transaction, from 1."""
    title: str
    """As an outcome calls it: with a number where one came before."""
    missed: tuple[str, ...]
    """In what the state differs from that of a session: there is no place where it does not."""
    replayed: journey.Replayed

    @property
    def named(self) -> bool:
        """Whether it is the transaction to fix first, or the cause that is told first."""
        block = "".join(self.replayed.first.partition("\n  or ")[0].split())  # it is wrapped
        called = f"{self.number} {re.sub(r' [(][0-9]+[)]$', '', self.title)}"
        told = (f"FIX FIRST {self.number} of ", f"{self.title} did not take effect", f"{called}.")
        return any("".join(one.split()) in block for one in told)


@dataclass(frozen=True, slots=True)
class Sabotaged:
    """The places of an application, and how many of its replays without sabotage were red."""

    title: str
    places: tuple[Place, ...]
    replays: int
    reds: tuple[str, ...]
    """The first failure of each."""
    seconds: float = 0.0
    """What all that took, recording included."""


def sabotage(name: str, folder: Path, places: int, replays: int) -> Sabotaged:
    """Record the application, replay it with a change swallowed, and so often with none.

    Raises:
        JourneyError: it could not be recorded.
    """
    started = time.perf_counter()
    one = application(name)
    one.install()
    case = folder / f"{name}.case.toml"
    judge = recorded(name, one, case)
    found: list[Place] = []
    whole = read_case(case)
    for nth, change in _spread(_changes(whole)):
        if len(found) == places:
            break
        place = _place(judge, whole, case, folder / f"change-{nth}", nth, change)
        if place.missed:
            found.append(place)
    reds = tuple(_reds(one, case, folder, replays))
    return Sabotaged(one.TITLE, tuple(found), replays, reds, time.perf_counter() - started)


def kept(name: str, folder: Path, places: int, replays: int, results: Path) -> Sabotaged:
    """Do the same and keep what came of it in ``results``, unless that has it of this commit.

    Raises:
        JourneyError: it could not be recorded.
    """
    results.mkdir(parents=True, exist_ok=True)
    file = results / f"{name}-{places}-{replays}-{commit()}.json"
    if not file.exists():
        written = json.dumps(asdict(sabotage(name, folder, places, replays)))
        file.write_text(written)
    found = json.loads(file.read_text())
    whole = (
        Place(**(one | {"replayed": journey.Replayed(**one["replayed"])}))
        for one in found["places"]
    )
    return Sabotaged(**(found | {"places": tuple(whole), "reds": tuple(found["reds"])}))


def _changes(case: TestCase) -> list[tuple[int, Transaction]]:
    """The changes that succeeded, each with its number among all."""
    sent = (one for one in case.transactions() if one.request.method in CHANGES)
    return [
        (nth, one)
        for nth, one in enumerate(sent)
        if one.recorded
        and one.recorded.status < 400
        and not (_SESSION.search(one.title) or _PASSWORD.search(str(one.request.body)))
        and not _READS.search(str(one.request.body))
    ]


def _spread(changes: Sequence[tuple[int, Transaction]]) -> list[tuple[int, Transaction]]:
    """In an order of which every beginning is spread over the whole session."""
    return sorted(changes, key=lambda one: one[0] * _GOLDEN % 1)


def _place(
    judge: Judge, whole: TestCase, case: Path, folder: Path, nth: int, change: Transaction
) -> Place:
    """Replay it on a new server that does not do the change."""
    entry = change.recorded.entry if change.recorded else None
    assert entry is not None, "a recording has its evidence"
    answer = recorded_answer(case.with_suffix("").with_suffix(".har"), entry, whole.server)
    folder.mkdir()
    with judge.application.serve(folder) as url:
        before = state_of(judge.application, url, folder)
        with silent(url, nth, answer) as front:
            replayed = journey.replayed(case, front)
        missed = tuple(judge.effect.missed(before, state_of(judge.application, url, folder), 1))
    at = next(at for at, one in enumerate(whole.transactions()) if one is change)
    return Place(at + 1, numbered_titles(whole)[at], missed, replayed)


def _reds(one: Application, case: Path, folder: Path, replays: int) -> Iterator[str]:
    """What was said against replays on one server that does all that it is asked."""
    case = unique(one, case, folder / "unique")
    state = folder / "willing"
    state.mkdir()
    with one.serve(state) as url, silent(url) as front:
        for _ in range(replays):
            replayed = journey.replayed(case, front)
            if not replayed.green:
                yield replayed.first


def report(outcomes: Iterable[Sabotaged]) -> Iterator[str]:
    """The lines of a Markdown table, and the sums."""
    yield "| application | change that was not done | replay | names it first | first failure |"
    yield "|---|---|---|---|---|"
    places: list[Place] = []
    reds: list[str] = []
    replays, seconds = 0, 0.0
    for one in outcomes:
        seconds += one.seconds
        for place in one.places:
            colour = "**green**" if place.replayed.green else "red"
            yield (
                f"| {one.title} | `{place.title}` | {colour} | {'yes' if place.named else 'no'} "
                f"| {_line(place.replayed.first)} |"
            )
        places += one.places
        reds += [f"{one.title}: {_line(first)}" for first in one.reds]
        replays += one.replays
    red = sum(not place.replayed.green for place in places)
    named = sum(place.named for place in places)
    yield ""
    yield f"{len(places)} changes not done: {red} replays red, {named} name the change first"
    yield f"{replays} replays with all changes done: {len(reds)} red"
    yield f"{seconds / 60:.0f} minutes"
    yield from reds


def _line(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")[:_LONGEST]
