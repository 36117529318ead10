"""Servers that do half of a change, or more than it, or take it back; and what says so."""

from __future__ import annotations

import pytest

from pytest_loadtool.model.case import TestCase
from tests.correlation.outcomes.adversary import (
    BLAMED,
    HONEST,
    KINDS,
    SESSIONS,
    busy,
    failures,
    opened,
    recorded,
    replayed,
)
from tests.correlation.outcomes.office import TRICKS
from tests.correlation.outcomes.refusals import told_no

#: By session: changes, and what is done in their place.
SEEN = {
    "object": [
        ("add", "a tag less"), ("add", "in small letters"), ("edit", "another field cleared"),
        ("comment", "twice"), ("comment", "undone"), ("add", "twice"), ("add", "as a draft"),
        ("edit", "undone"), ("ship", "undone"),
    ],
    "list": [
        ("add", "escaped twice"), ("ship", "of all"), ("drop", "the newest, too"),
        ("drop", "undone"), ("comment", "of a neighbour"), ("add", "twice"), ("edit", "undone"),
    ],
    "pages": [
        ("add", "another quantity"), ("add", "all but the note"), ("edit", "nothing"),
        ("edit", "undone"), ("comment", "of the oldest"), ("add", "twice"), ("comment", "twice"),
        ("comment", "the ones before dropped"), ("add", "as a draft"),
    ],
    "name": [
        ("add", "another quantity"), ("add", "the price rounded"), ("add", "as a draft"),
        ("add", "undone"),
    ],
}  # fmt: skip
REFUSED = (
    "type", "an inner error", "violations", "some failed", "GraphQL union", "JSON-RPC batch short",
    "SOAP another element", "SOAP code", "a redirect's query", "a redirect's other query",
    "the form again, in German", "an alert that was not", "a gRPC status", "warnings", "a number",
    "an id of nothing", "a trigger's header", "a header that was not",
)  # fmt: skip


@pytest.fixture(scope="module")
def cases() -> dict[str, TestCase]:
    """The sessions, each with a name of each run's own."""
    return {name: recorded(name, unique=True) for name in SESSIONS}


@pytest.mark.parametrize("session", SEEN)
def test_tricks(session: str, cases: dict[str, TestCase]) -> None:
    """Each makes the replay red, and the change is what is said first."""
    for change, trick in SEEN[session]:
        office = opened(71, change=change, trick=TRICKS[change, trick])
        told = failures(replayed(cases[session], office))
        assert told, (change, trick)
        assert any(one in told[0] for one in BLAMED), (change, trick)


@pytest.mark.parametrize(
    ("session", "change", "trick"),
    [("list", "add", "twice"), ("list", "ship", "of all"), ("pages", "comment", "twice")],
)
def test_too_much(session: str, change: str, trick: str, cases: dict[str, TestCase]) -> None:
    """What was done, and more, is not said to have had no effect."""
    office = opened(71, change=change, trick=TRICKS[change, trick])
    assert "did something else, too" in failures(replayed(cases[session], office))[0]


@pytest.mark.parametrize("session", SEEN)
def test_honest(session: str, cases: dict[str, TestCase]) -> None:
    """Whatever others do meanwhile, and however much a list shows; again, too."""
    for make in HONEST.values():
        office = make()
        for _ in range(2):
            assert failures(replayed(cases[session], office)) == []


@pytest.mark.parametrize("kind", KINDS)
def test_honest_kinds(kind: str) -> None:
    """Whatever the order of lists and the spelling of texts, while others work."""
    for session in SESSIONS:
        case = recorded(session, unique=True, **KINDS[kind])
        office = opened(71, between=busy, **KINDS[kind])
        for _ in range(3):
            assert failures(replayed(case, office)) == []


def test_a_full_list() -> None:
    """One that has as many items as pages have does not show what is missing: that is told, and not
    of one with an item more."""
    case = recorded("list", unique=True)
    for more, told in ((7, True), (8, False)):
        office = opened(71, change="add", trick=TRICKS["add", "nothing"])
        for _ in range(more):
            office.put({"name": "Milk"})
        observed = replayed(case, office)
        shown = observed.responses[2]
        assert bool(observed.failures[2]) is not told
        assert ("it lists 10, as pages do" in (shown.not_as_recorded or "")) is told


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    """What an answer says otherwise than in the recording makes the replay red."""
    assert failures(told_no(name))
