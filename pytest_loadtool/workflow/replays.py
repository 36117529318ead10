"""The replays of a test case that were kept: which there are, and what they tell."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from pytest_loadtool.casefile import known_columns
from pytest_loadtool.casefile.har.replay import read_replay
from pytest_loadtool.diagnosis.kept import matched, outcomes_of
from pytest_loadtool.diagnosis.outcome import Evidence
from pytest_loadtool.masking.carried import recorded_in
from pytest_loadtool.masking.text import Mask, secrets_of
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.kept_replay import KeptReplay, KeptTransaction
from pytest_loadtool.report.failure import explain
from pytest_loadtool.workflow.document import Document
from pytest_loadtool.workflow.project import Project


@dataclass(frozen=True, slots=True)
class OpenReplay:
    """A kept replay and the file that keeps it; ``stamp`` is when that was written last."""

    path: Path
    replay: KeptReplay
    stamp: int = 0

    @classmethod
    def read(cls, path: Path) -> OpenReplay:
        """Read a file.

        Raises:
            FileError: it cannot be read, or is no kept replay.
        """
        replay = read_replay(path)
        return cls(path, replay, path.stat().st_mtime_ns)

    @property
    def values(self) -> dict[str, str]:
        """The variables at the end, by name."""
        return {one.name: one.value for one in self.replay.variables}

    @property
    def exchanges(self) -> Iterator[Exchange]:
        """Yield all exchanges, negotiations too, in the order of the test case."""
        for one in self.replay.transactions:
            yield from one.negotiation
            if one.exchange is not None:
                yield one.exchange

    def transaction(self, case: TestCase, index: int) -> KeptTransaction | None:
        """Return what was kept of a transaction; None if the replay knows none of it."""
        return matched(case, self.replay).get(index)


def secrets_in(case: TestCase, opened: OpenReplay) -> Iterator[str]:
    """Yield the values of a kept replay that are secrets wherever they stand."""
    yield from secrets_of(case, opened.values)


def mask_for(document: Document, opened: OpenReplay | None, others: Iterable[str] = ()) -> Mask:
    """Return what hides the secrets of a document: those of its recording, those that a kept replay
    has sent and received, and ``others``."""
    exchanges = list(document.exchanges)
    found = list(others)
    if opened is not None:
        exchanges += opened.exchanges
        found += secrets_in(document.case, opened)
    found += (secret for one in exchanges for secret in recorded_in(one))
    return Mask(found)


def why(
    document: Document,
    opened: OpenReplay,
    project: Project,
    case_path: Path,
    *,
    about: int | None = None,
    brief: bool = False,
) -> str:
    """Explain a failure of a kept replay as pytest does: the first, or that of a transaction, by
    its index in the test case of today.

    Raises:
        StopIteration: the transaction has not failed, or none has.
    """
    return explain(
        document.case,
        outcomes_of(document.case, opened.replay),
        path=project.shown(case_path),
        evidence=replace(
            evidence_of(document, project, case_path),
            rows={one.dataset: one.row for one in opened.replay.rows},
        ),
        secrets=tuple(secrets_in(document.case, opened)),
        about=about,
        brief=brief,
        whole=opened.replay.ending not in ("interrupted", "stopped"),
    )


def evidence_of(document: Document, project: Project, case_path: Path) -> Evidence:
    """Return a document's recorded traffic as diagnosis reads it, and what its datasets are."""
    note = "" if document.exchanges else "the recorded traffic is not at hand"
    columns = known_columns(case_path, document.case.datasets, project.trust)
    return Evidence(document.exchanges, note, columns=columns)
