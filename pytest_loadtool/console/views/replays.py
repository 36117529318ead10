"""Kept replays: which there are, and what became of each transaction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime

from pytest_loadtool.console.views.line import Kind, ViewLine
from pytest_loadtool.diagnosis.kept import matched
from pytest_loadtool.model.kept_replay import KeptReplay, Outcome
from pytest_loadtool.workflow.document import Document
from pytest_loadtool.workflow.replays import OpenReplay
from pytest_loadtool.workflow.telling import counted

#: What the outcome of a transaction looks like.
OUTCOME_KINDS: Mapping[Outcome, Kind] = {
    "passed": "good",
    "not as recorded": "name",
    "failed": "bad",
    "never sent": "number",
}


def replay_line(number: int, replay: KeptReplay, *, at_hand: bool) -> ViewLine:
    """Return one line about a replay: when, how long, what became of it, where it went."""
    mark = ">" if at_hand else " "
    return ViewLine(
        (f"{mark}{number:2}  ", "number"),
        (f"{when(replay.started)}  {replay.seconds:6.1f} s  ", ""),
        _result(replay),
        (f"  {replay_summary(replay)}", ""),
    )


def _result(replay: KeptReplay) -> tuple[str, Kind]:
    if replay.failed:
        return counted(len(replay.failed), "failure"), "bad"
    return ("passed", "good") if replay.ending == "finished" else ("not finished", "number")


def replay_summary(replay: KeptReplay) -> str:
    """Return how far it came, which row it had, and which server it asked."""
    total = len(replay.transactions)
    sent = len(replay.sent)
    parts = [counted(total, "transaction") if sent == total else f"{sent} of {total} transactions"]
    if replay.ending in ("stopped", "interrupted"):
        parts.append(replay.ending)
    if replay.problem and replay.problem != replay.ending:
        parts.append(replay.problem)
    parts += [f"row {one.row} of {one.file}" for one in replay.rows]
    return ", ".join([*parts, replay.server])


def outcomes(replay: KeptReplay) -> Iterator[ViewLine]:
    """Yield a line for each transaction as it was numbered then: what became of it, and why."""
    for one in replay.transactions:
        took = f"{one.exchange.took * 1000:6.0f} ms" if one.exchange else " " * 9
        status = one.exchange.status or "---" if one.exchange else "   "
        yield ViewLine(
            (f"{one.number:5}  ", "number"),
            (f"{status}  {took}  ", ""),
            (one.outcome, OUTCOME_KINDS[one.outcome]),
            (f"  {one.id.title}", ""),
        )
        for said in (*(failure.told for failure in one.failures), one.not_as_recorded):
            if said:
                yield ViewLine(("         ", ""), (said, ""))


def failures(document: Document, opened: OpenReplay) -> Iterator[ViewLine]:
    """Yield the transactions that failed in a replay, or came not as recorded, each with why."""
    for index, one in matched(document.case, opened.replay).items():
        told = [failure.message for failure in one.failures] or [one.not_as_recorded]
        if one.outcome not in ("failed", "not as recorded"):
            continue
        yield ViewLine(
            (f"{index + 1:5}  ", "number"),
            (f"{one.outcome}  ", OUTCOME_KINDS[one.outcome]),
            (one.id.title, "name"),
        )
        for said in told:
            yield ViewLine(("       ", ""), (said, ""))
    if opened.replay.problem:
        yield ViewLine(("       ", ""), (opened.replay.problem, "bad"))


def when(started: float) -> str:
    """Return a time of day here, with its date."""
    return datetime.fromtimestamp(started).astimezone().strftime("%Y-%m-%d %H:%M:%S")
