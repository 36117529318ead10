"""What is found of a load test that failed: causes, each with the iterations that it explains."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_loadtool.diagnosis.finding import Cause
from pytest_loadtool.load.verdict.failing import FailingGroup

if TYPE_CHECKING:
    from pytest_loadtool.diagnosis.load.situation import LoadSituation


@dataclass(frozen=True, slots=True)
class LoadFinding:
    """A cause and the groups that it explains, the one with the most iterations first; none, if it
    ended the run. ``path`` is the file that it is about, ``line`` the place in it, 0 if unknown."""

    cause: Cause
    groups: tuple[FailingGroup, ...]
    path: str
    line: int = 0

    @property
    def iterations(self) -> int:
        """Return how many iterations failed first by it."""
        return sum(one.iterations for one in self.groups)

    @property
    def consequences(self) -> int:
        """Return how many requests failed after that."""
        return sum(one.consequences for one in self.groups)


@dataclass(frozen=True, slots=True)
class LoadDiagnosis:
    """The reasons why iterations of a load test failed: what to mend first comes first."""

    findings: tuple[LoadFinding, ...]


@dataclass(frozen=True, slots=True)
class LoadRule:
    """One cause that only a load test has. ``explains`` says whether it is that of a group; all
    groups that have it are told as one."""

    name: str
    explains: Callable[[LoadSituation, FailingGroup], bool]
    tell: Callable[[LoadSituation, tuple[FailingGroup, ...]], Cause]
