"""The test case in a few words, what its recording lacks, and what correlation decided."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from pytest_loadtool.codec.printable import clip
from pytest_loadtool.console.views.line import ViewLine
from pytest_loadtool.masking.text import BY_NAME, cut
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.decision import NO_OUTCOME, OUTCOME, POLL, TAKEN_BACK, Decision
from pytest_loadtool.recording import fidelity, transactions_of
from pytest_loadtool.recording.notes import RECORDING_ERROR
from pytest_loadtool.structure.doubts import doubts
from pytest_loadtool.workflow.document import Document
from pytest_loadtool.workflow.telling import counted, notes

if TYPE_CHECKING:
    from pytest_loadtool.editing.parts import Parts
    from pytest_loadtool.recording import HostUse


#: Transactions that use a value, before the rest is only counted.
_MOST_USERS = 6
#: Characters of a dynamic value: enough to know it again, too few to use it. What a script prints
#: is kept in the logs of CI systems.
_VALUE = 12


def summary(document: Document) -> str:
    """Return ``3 pages, 14 transactions``."""
    pages = document.case.pages
    transactions = sum(len(page.transactions) for page in pages)
    return f"{counted(len(pages), 'page')}, {counted(transactions, 'transaction')}"


#: What decisions without a variable are about, by their rules.
_NO_VARIABLE = {OUTCOME: "outcome", NO_OUTCOME: "no outcome", POLL: "polling"}


def taken_back_by_number(made: Iterable[Decision]) -> list[Decision]:
    """Return the decisions that can be taken back, in the order of their numbers: those that made a
    variable, and after them the outcomes and polling."""
    undone = [one for one in made if one.variable or one.rule in TAKEN_BACK]
    return sorted(undone, key=lambda one: not one.variable)


def decisions(made: Iterable[Decision], *, numbered: bool = False) -> Iterator[str]:
    """Yield each decision with its evidence; what cannot be taken back comes last, without numbers.

    What the client makes up for one request after the other, such as times, is told once.
    """
    ordered = sorted(made, key=lambda one: (not one.variable, one.rule not in TAKEN_BACK))
    for _, group in groupby(enumerate(ordered, 1), _told_as):
        alike = dict(group)
        number, decision = next(iter(alike.items()))
        value = cut(decision.value) if decision.secret else clip(decision.value, _VALUE)
        if decision.variable:
            name, numbers = decision.variable, f"{number:3}"
            if len(alike) > 1:
                name += f" to {ordered[max(alike) - 1].variable}"
                numbers += f"-{max(alike)}"
                value += " and so on"
            users = [user for one in alike.values() for user in one.consumers]
            mark = f"{numbers}. " if numbered else "  "
            yield ViewLine((mark, "number"), (name, "name"), (f"  (recorded: {value})", ""))
            uses = ", ".join(_some(users)) or "nothing"
            yield _below(f"set by {decision.producer or 'nothing'}, used by {uses}")
        else:
            mark = f"{number:3}. " if numbered and decision.rule in TAKEN_BACK else "  "
            if decision.rule in _NO_VARIABLE:  # what it is about, and no value
                value = decision.value
            what = _NO_VARIABLE.get(decision.rule, "left as recorded")
            yield ViewLine((mark, "number"), (f"{what}: ", "heading"), (value, ""))
        yield _below(f"{decision.reason} [{decision.rule}, {decision.confidence:.0%}]")


def in_doubt(made: TestCase) -> Iterator[str]:
    """Yield what may be wrong on another server, by its kind."""
    for kind, found in doubts(made).items():
        yield f"  {kind}: {', '.join(f'{one.what} ({title})' for title, one in found)}"


def parts(case: TestCase, proposed: Parts | None) -> Iterator[str]:
    """Yield which pages could be done once for each user, unless somebody has said that of some."""
    if proposed is None or any(page.once for page in case.pages):
        return
    commands = [f"`once {_pages(proposed.start)} start`"]
    what = f"{_pages(proposed.start)} {'log' if len(proposed.start) > 1 else 'logs'} in"
    if proposed.end:
        commands.append(f"`once {_pages(proposed.end)} end`")
        what += f", {_pages(proposed.end)} logs out"
    yield (
        f"{what}: in a load test each iteration does. {' and '.join(commands)}: each user does "
        "that once."
    )


def _pages(indexes: range) -> str:
    first, last = f"P{indexes.start + 1}", f"P{indexes.stop}"
    return first if first == last else f"{first}-{last}"


def _told_as(numbered: tuple[int, Decision]) -> tuple[str, str] | int:
    """Return what decisions that are told together have in common; of others, the number."""
    number, decision = numbered
    made_up = decision.variable and not decision.producer
    return (decision.rule, decision.reason) if made_up else number


def hosts(uses: Iterable[HostUse], kept: Container[str] = ()) -> Iterator[str]:
    """Yield each hostname with what goes there. Those that need not stay have a number and a box,
    which is checked for those that are ``kept`` if nobody says otherwise."""
    uses = tuple(uses)
    width = max((len(use.name) for use in uses), default=0)
    asked = any(not use.own for use in uses)
    number = 0
    for use in uses:
        number += not use.own
        box = "      " if use.own else f"{number:2} [{'x' if use.name in kept else ' '}]"
        whose = "the first page's domain" if use.own else "another"
        mark = f"{box} " if asked else ""
        yield f"  {mark}{use.name:<{width}}  {_visits(use)}  ({whose})"


def left_out(uses: Iterable[HostUse], kept: Iterable[str] = ()) -> Iterator[str]:
    """Yield the hostnames whose transactions were deleted, and how they would have stayed; ``kept``
    are others that somebody has asked for."""
    gone = tuple(uses)
    for use in gone:
        yield f"  left out: {use.name}, {_visits(use)}"
    if gone:
        names = ",".join([*sorted(kept), *(use.name for use in gone)])
        yield f"  To keep them: `undo`, then `configure --hosts {names}`."


def _visits(use: HostUse) -> str:
    pages = f"{counted(use.pages, 'page')}, " if use.pages else ""
    return pages + counted(use.transactions, "transaction")


def _some(users: Sequence[str]) -> Iterator[str]:
    """Yield the first of them, and how many more there are."""
    yield from users[:_MOST_USERS]
    if len(users) > _MOST_USERS:
        yield f"{len(users) - _MOST_USERS} more"


def _below(text: str) -> ViewLine:
    return ViewLine(("      ", ""), (text, ""))


def report(document: Document) -> Iterator[str]:
    """Yield what became of the recorded exchanges: all of them, with counts that add up."""
    total = len(document.exchanges)
    replayed = len(transactions_of(document.case))
    yield (
        f"{counted(total, 'exchange')} recorded: {replayed} in the test case, "
        f"{total - replayed} not."
    )
    for line in notes(fidelity(document.case, document.exchanges), most=None):
        text = line.lstrip()
        yield ViewLine((line.removesuffix(text), ""), (text, ""))


def errors(document: Document) -> Iterator[str]:
    """Yield the Errors View: what went wrong while recording, each with its status or condition."""
    for trouble in document.troubles:
        yield f"  {trouble}: record again"
    numbers = {
        f"{document.exchanges[index].method} {document.exchanges[index].url}": number
        for index, number in transactions_of(document.case).items()
    }
    for note in fidelity(document.case, document.exchanges):
        if note.kind == RECORDING_ERROR:
            number = numbers.get(note.subject)
            yield ViewLine(
                (f"{number or '-':>5}  ", "number"), (BY_NAME.text(note.subject), "name")
            )
            yield ViewLine(("       ", ""), (note.message, "bad"))
