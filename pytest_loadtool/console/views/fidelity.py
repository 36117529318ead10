"""The fidelity report, and the recording errors."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_loadtool.console.views.line import Line
from pytest_loadtool.masking.text import BY_NAME
from pytest_loadtool.recording import fidelity, transactions_of
from pytest_loadtool.recording.notes import RECORDING_ERROR
from pytest_loadtool.workflow.document import Document
from pytest_loadtool.workflow.telling import counted, notes


def report(document: Document) -> Iterator[str]:
    """What became of the recorded exchanges: all of them, with counts that add up."""
    total = len(document.exchanges)
    replayed = len(transactions_of(document.case))
    yield (
        f"{counted(total, 'exchange')} recorded: {replayed} in the test case, "
        f"{total - replayed} not."
    )
    for line in notes(fidelity(document.case, document.exchanges), most=None):
        text = line.lstrip()
        yield Line((line.removesuffix(text), ""), (text, ""))


def errors(document: Document) -> Iterator[str]:
    """The Errors View: what went wrong while recording, each with its status or condition."""
    for trouble in document.troubles:
        yield f"  {trouble}: record again"
    numbers = {
        f"{document.exchanges[index].method} {document.exchanges[index].url}": number
        for index, number in transactions_of(document.case).items()
    }
    for note in fidelity(document.case, document.exchanges):
        if note.kind == RECORDING_ERROR:
            number = numbers.get(note.subject)
            yield Line((f"{number or '-':>5}  ", "number"), (BY_NAME.text(note.subject), "name"))
            yield Line(("       ", ""), (note.message, "bad"))
