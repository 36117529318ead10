"""The test case as a tree, and the words for decisions and notes."""

from __future__ import annotations

from pytest_loadtool.console.views.case import decisions
from pytest_loadtool.model.decision import Decision
from pytest_loadtool.recording import Note
from pytest_loadtool.workflow.telling import notes


def test_decision_is_shown_with_its_evidence() -> None:
    """What was found, where it is set and used, and why; what needs no variable comes last."""
    made = [
        Decision("en", "", "", (), "constant", "It is the same in every request.", 0.9),
        Decision(
            "Vz8", "csrf[1]", "GET /a", ("POST /b",), "csrf-field", "It is a hidden field.", 1
        ),
    ]
    assert list(decisions(made)) == [
        "  csrf[1]  (recorded: Vz8)",
        "      set by GET /a, used by POST /b",
        "      It is a hidden field. [csrf-field, 100%]",
        "  left as recorded: en",
        "      It is the same in every request. [constant, 90%]",
    ]


def test_times_are_told_together() -> None:
    """What many requests make up alike is one entry with the numbers of all."""
    times = [
        Decision(f"179533824051{n}", f"value[{n}]", "", (f"{n} GET /",), "client-time", "Now.", 0.9)
        for n in (1, 2, 3)
    ]
    assert list(decisions(times, numbered=True)) == [
        "  1-3. value[1] to value[3]  (recorded: 17953382405… and so on)",
        "      set by nothing, used by 1 GET /, 2 GET /, 3 GET /",
        "      Now. [client-time, 90%]",
    ]


def test_notes_are_counted_with_examples() -> None:
    """Whatever was left out is counted under its kind; a few subjects stand for many."""
    found = [Note("filtered", f"http://t{n}.example/", "tracker") for n in range(5)]
    found.append(Note("not replayable", "ws://x/", "WebSocket upgrade", serious=True))
    assert list(notes(found)) == [
        "  filtered: 5",
        "      tracker: http://t0.example/, http://t1.example/, http://t2.example/ and 2 more",
        "  not replayable: 1 (1 serious: record again)",
        "      WebSocket upgrade: ws://x/",
    ]
