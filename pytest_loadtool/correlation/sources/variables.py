"""Variables: proposals on one extractor, put together under one name.

It also has what the variables of application state management are called.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from urllib.parse import unquote

from pytest_loadtool.codec.names import plain
from pytest_loadtool.correlation.classify import is_id_name, singular
from pytest_loadtool.correlation.kinds import id_stem
from pytest_loadtool.correlation.producer import Producer
from pytest_loadtool.correlation.proposals import ByClient, Issue, Proposal
from pytest_loadtool.correlation.requests.slots import Slot
from pytest_loadtool.model.extractor import Extractor, Source
from pytest_loadtool.model.place import Place
from pytest_loadtool.model.rule import ProducerKind, Rule

_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_]+")


def base_name(proposal: Proposal | Issue) -> str:
    """Return the name without its number: the rule's, or after the field that uses the value.

    A path segment has no field: ``/items/17`` makes ``item_id``.
    """
    if proposal.rule.variable:
        return proposal.rule.variable
    if isinstance(proposal, Issue):
        return proposal.producer.name
    slot, producer = proposal.slot, proposal.producer
    name = slot.name
    if (slot.place is Place.PATH and slot.before) or not name:
        named = producer.kind in (ProducerKind.JSON, ProducerKind.TEXT)
        name = producer.name.removeprefix("data-") if named else ""
        if not name or (is_id_name(name) and not id_stem(name)):
            name = f"{kind_of_resource(slot)} {plain(name) or 'id'}".strip()
    name = name.lower().removeprefix("x-") if isinstance(slot.part, int) else name
    return field_name(name)


def kind_of_resource(slot: Slot) -> str:
    """Return what kind of resource a segment of a path is the id of: ``order`` of ``/orders/17``,
    and of ``/id/17`` nobody knows."""
    word = unquote(slot.name)
    return "" if is_id_name(word) and not id_stem(word) else singular(word)


def field_name(name: str) -> str:
    """Return the name of a field as that of a variable."""
    name = _NOT_IN_NAMES.sub("_", name).strip("_")
    return name if name and not name[0].isdigit() else f"value_{name}".rstrip("_")


def number(bases: Iterable[str], taken: Iterable[str]) -> list[str]:
    """Return each base with the next free number: ``id[1]``, ``id[2]``."""
    used = set(taken)
    counts: dict[str, int] = {}
    names: list[str] = []
    for base in bases:
        count = counts.get(base, 0) + 1
        while f"{base}[{count}]" in used:
            count += 1
        counts[base] = count
        names.append(f"{base}[{count}]")
    return names


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
    others: tuple[Proposal, ...] = ()
    """From where else its value might come, for all its slots."""

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
            others=_others(groups.get((transaction, source, match), ())),
        )
        for name, one, (transaction, source, match) in zip(names, best, keys, strict=True)
    )


def _others(group: Sequence[Proposal]) -> tuple[Proposal, ...]:
    """Return from where else all of them may have their value, written as it is now."""
    if not group:
        return ()
    one = min(group, key=lambda each: each.slot.transaction)
    return tuple(
        other
        for other in one.others
        if other.producer.filters == one.producer.filters
        and other.producer.extracted == one.producer.extracted
    )
