"""What `undo` and `redo` go through: the states before and after each command that changed the
test case."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from pytest_loadtool.workflow.datasets import FileChange
from pytest_loadtool.workflow.document import Document


@dataclass(frozen=True, slots=True)
class State:
    """The open test case, and that test case as it is on disk."""

    document: Document | None
    saved: Document | None


@dataclass(frozen=True, slots=True)
class UndoStep:
    """A command line that changed the test case, or datasets: the state on the other side of it,
    and what leads ``files`` there."""

    line: str
    state: State
    files: tuple[FileChange, ...] = ()


@dataclass(slots=True)
class History:
    """Changes that were made, the last one last, and changes that were undone, likewise."""

    made: list[UndoStep] = field(default_factory=list)
    undone: list[UndoStep] = field(default_factory=list)

    def note(self, line: str, before: State, files: tuple[FileChange, ...] = ()) -> None:
        """Remember a change. What was undone before it cannot be redone any more."""
        self.made.append(UndoStep(line, before, files))
        self.undone.clear()

    def written(self, saved: Document, replaced: frozenset[Path]) -> None:
        """A test case was saved: ``replaced`` are the traffic files that are gone or anew.

        A state with the traffic that was saved finds it there; other traffic whose file is gone is
        in memory, and is written when that state is saved.
        """
        self.made = [_settled(change, saved, replaced) for change in self.made]
        self.undone = [_settled(change, saved, replaced) for change in self.undone]


def _settled(change: UndoStep, saved: Document, replaced: frozenset[Path]) -> UndoStep:
    document = change.state.document
    if document is not None and document.exchanges is saved.exchanges:
        document = replace(document, evidence=saved.evidence, masked=saved.masked)
    elif document is not None and document.evidence in replaced:
        document = replace(document, evidence=None)
    return replace(change, state=State(document, saved))
