"""What became of the flows of a run: how often they were gone round, and what was chosen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pytest_loadtool.load.formatting import count, digits, percent
from pytest_loadtool.load.metrics.metrics import LoadMetrics
from pytest_loadtool.model.flow import NOTHING


@dataclass(frozen=True, slots=True)
class FlowSummary:
    """One flow of a test case: how often it was begun, how many rounds of it were begun in sum, and
    how often its limit was over before what it asked for.

    ``rule`` and ``within`` are those of its `FlowKey`; where nothing was chosen, that is a flow
    called `NOTHING`. ``depth`` is the number of flows around it; of what is chosen, ``offered`` is
    how often there was a choice.
    """

    case: str
    name: str
    rule: str
    within: str
    begun: int
    rounds: int
    limited: int
    depth: int = 0
    offered: int = 0

    @property
    def outcome(self) -> str:
        """Return what became of it, in words."""
        each = f"{digits(self.rounds / self.begun)} rounds each" if self.begun else "never begun"
        match self.rule:
            case "repeat":
                return each
            case "until":
                return f"{each}, {count(self.limited)} ended by the limit"
            case "when":
                return f"held in {percent(self.rounds / self.begun)}" if self.begun else each
            case "chosen":
                return f"chosen in {percent(self.begun / self.offered)}" if self.offered else each
        return ""


def flows_of(parts: Sequence[LoadMetrics]) -> Iterator[FlowSummary]:
    """Yield the flows of all, each before those within it; ``parts`` are of the same test cases."""
    if not parts:
        return
    known: dict[tuple[str, str], FlowSummary] = {}
    for number, key in enumerate(parts[0].flow_keys):
        same = [part.flows[number] for part in parts]
        around = known.get((key.case, key.within))
        one = known[key.case, key.name] = FlowSummary(
            key.case,
            key.name,
            key.rule,
            key.within,
            begun=sum(each.begun for each in same),
            rounds=sum(each.rounds for each in same),
            limited=sum(each.limited for each in same),
            depth=0 if around is None else around.depth + 1,
            offered=0 if around is None else around.begun,
        )
        yield one
        skipped = one.begun - one.rounds
        if key.rule == "choose" and skipped:
            yield FlowSummary(
                *(key.case, NOTHING, "chosen", key.name),
                *(skipped, 0, 0, one.depth + 1, one.begun),
            )
