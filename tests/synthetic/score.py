"""What the judgements on sessions add up to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tests.synthetic.judging import Judgement

__all__ = ["Score"]


@dataclass
class Score:
    """Counts fields. Recall is the share of what is dynamic that was found, and replaced by what
    gives the right value on another server; precision the share of what was replaced that ought to
    be, and was so rightly. Both are in percent."""

    sessions: int = 0
    recordings: int = 0
    dynamic: int = 0
    missed: int = 0
    replaced: int = 0
    wrong: int = 0
    unsteady: int = 0

    def add(self, judgements: Sequence[Judgement], *, steady: bool) -> None:
        """Count a session as recorded with some draws; ``steady`` tells whether all of these have
        the same fields found."""
        self.sessions += 1
        self.recordings += len(judgements)
        for one in judgements:
            self.dynamic += len(one.dynamic)
            self.missed += len(one.missed)
            self.replaced += len(one.replaced)
            self.wrong += len(one.wrong)
        self.unsteady += not steady

    @property
    def recall(self) -> float:
        """In percent."""
        return 100 - 100 * self.missed / self.dynamic

    @property
    def precision(self) -> float:
        """In percent."""
        return 100 - 100 * self.wrong / self.replaced

    def __str__(self) -> str:
        return (
            f"{self.sessions} sessions, {self.recordings} recordings, {self.dynamic} dynamic "
            f"fields: recall {self.recall:.2f} %, precision {self.precision:.2f} %, "
            f"{self.unsteady} sessions differ by the draw"
        )
