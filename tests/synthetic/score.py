"""What the judgements on sessions add up to."""

from __future__ import annotations

from dataclasses import dataclass

from tests.synthetic.judging import Judgement

__all__ = ["Score"]


@dataclass
class Score:
    """Counts fields. Recall is the share of what is dynamic that was found, and replaced by what
    gives the right value on another server; precision the share of what was replaced that ought to
    be, and was so rightly. Both are in percent."""

    sessions: int = 0
    dynamic: int = 0
    missed: int = 0
    replaced: int = 0
    wrong: int = 0
    unsteady: int = 0

    def add(self, judgement: Judgement, *, steady: bool) -> None:
        """Count a session; ``steady`` tells whether all draws have the same fields found."""
        self.sessions += 1
        self.dynamic += len(judgement.dynamic)
        self.missed += len(judgement.missed)
        self.replaced += len(judgement.replaced)
        self.wrong += len(judgement.wrong)
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
            f"{self.sessions} sessions, {self.dynamic} dynamic fields: recall {self.recall:.2f} %, "
            f"precision {self.precision:.2f} %, {self.unsteady} sessions differ by the draw"
        )
