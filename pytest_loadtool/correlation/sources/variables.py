"""Variables: proposals on one extractor, put together under one name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from pytest_loadtool.correlation.producer import Producer
from pytest_loadtool.correlation.proposals import ByClient, Issue, Proposal
from pytest_loadtool.correlation.requests.slots import Slot
from pytest_loadtool.correlation.sources.naming import base_name, field_name, number
from pytest_loadtool.model.extractor import Extractor, Source
from pytest_loadtool.model.rule import Rule


@dataclass(frozen=True, slots=True)
class Found:
    """A variable that is to be: what sets it, by which rule, and the slots that use it."""

    name: str
    producer: Producer
    rule: Rule
    source: Source
    match: int
    slots: tuple[Slot, ...]
    row: str = ""
    """By what it finds its row among others: as templates write it."""
    by_place: bool = False
    """Whether it stands in a list, and nothing tells its row from the others."""

    @property
    def recorded(self) -> str:
        """Return what the extractor takes from the recorded response."""
        return self.producer.extracted

    @property
    def extractor(self) -> Extractor:
        """The extractor that sets it."""
        return Extractor(self.name, self.source, self.match, self.by_place)


def computed_for(made: Sequence[ByClient], taken: Iterable[str]) -> tuple[ByClient, ...]:
    """Return one variable for each value that the client makes up: the same, with names."""
    names = number([field_name(one.slots[0].name.lower()) for one in made], taken)
    return tuple(replace(one, name=name) for name, one in zip(names, made, strict=True))


def variables_for(
    proposals: Sequence[Proposal],
    issues: Iterable[Issue],
    rules: Sequence[Rule],
    taken: Iterable[str],
) -> tuple[Found, ...]:
    """Return one variable for each extractor, in the order of the responses that set them.

    Where several rules want the same value, the most trusted names it. ``taken`` are the names that
    may not be used.
    """
    groups: dict[tuple[int, Source, int], list[Proposal]] = {}
    for proposal in proposals:
        key = (proposal.producer.transaction, proposal.source, proposal.match)
        groups.setdefault(key, []).append(proposal)
    unused = {
        (issue.producer.transaction, issue.source, 1): issue
        for issue in issues
        if (issue.producer.transaction, issue.source, 1) not in groups
    }
    # A sort is stable: within a response, by first use; what is never used comes last.
    keys = sorted([*groups, *unused], key=lambda key: key[0])
    ranks = {id(rule): rank for rank, rule in enumerate(rules)}
    best = [
        min(groups[key], key=lambda proposal: ranks.get(id(proposal.rule), len(ranks)))
        if key in groups
        else unused[key]
        for key in keys
    ]
    names = number(map(base_name, best), taken)
    return tuple(
        Found(
            name,
            one.producer,
            one.rule,
            source,
            match,
            tuple(proposal.slot for proposal in groups.get((transaction, source, match), ())),
        )
        for name, one, (transaction, source, match) in zip(names, best, keys, strict=True)
    )
