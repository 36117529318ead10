"""Proposals: which slot takes its value from where, by which rule; and what is left as recorded."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pytest_loadtool.correlation.classify import is_id_name, is_version_name
from pytest_loadtool.correlation.producer import Producer
from pytest_loadtool.correlation.requests.slots import Slot
from pytest_loadtool.model.extractor import Source
from pytest_loadtool.model.generator import Generator
from pytest_loadtool.model.rule import ProducerKind, Rule

#: Of what only a replay shows, so that configuring again keeps it.
REPLAY_COMPARE = Rule(
    "replay-compare",
    "On replay {producer} gave out another value than when it was recorded, so {field} takes it "
    "from there.",
    confidence=0.8,
)


@dataclass(frozen=True, slots=True)
class ProducerCandidate:
    """A slot's value stands in a response; an extractor for it is still to be found."""

    slot: Slot
    rule: Rule
    producer: Producer


@dataclass(frozen=True, slots=True)
class Proposal:
    """A slot's value comes from ``source``, its ``match``-th match, in the producer's response."""

    slot: Slot
    producer: Producer
    rule: Rule
    source: Source
    match: int
    strategy: str = ""
    """Which one has proposed it."""
    others: tuple[Proposal, ...] = ()
    """From where else it might come: whichever of them is not known by its place alone."""

    @property
    def is_one_of_many(self) -> bool:
        """Return whether its place tells it from others: in a list, among choices, or among the ids
        that the forms of a page have."""
        producer = self.producer
        name = producer.name
        in_form = (
            producer.kind is ProducerKind.CONTROL and is_id_name(name) and not is_version_name(name)
        )
        return producer.in_list or producer.kind is ProducerKind.CHOICE or in_form


@dataclass(frozen=True, slots=True)
class Issue:
    """A token that a response issues."""

    producer: Producer
    rule: Rule
    source: Source


@dataclass(frozen=True, slots=True)
class Miss:
    """A slot that looks dynamic and is left as recorded.

    ``reason`` says why, as one sentence with ``{field}`` and ``{producer}`` to fill in; empty: it
    is said elsewhere. ``transaction`` is the producer's, if there is one. ``whole`` says that what
    stands in the value is left, too, if the rule leaves it.
    """

    slot: Slot
    rule: Rule
    reason: str
    transaction: int | None = None
    whole: bool = True
    strategy: str = ""


@dataclass(frozen=True, slots=True)
class ByClient:
    """A value that the client makes up, as ``recorded``, for all these slots or for none. Their
    filters make what they send of it. ``name`` is that of the variable, once it has one."""

    slots: tuple[Slot, ...]
    rule: Rule
    generator: Generator
    recorded: str
    strategy: str = ""
    name: str = ""


def fitting(slot: Slot, producer: Producer) -> Slot | None:
    """Return the slot with all filters between it and what is extracted; None if these do not lead
    from one to the other."""
    slot = replace(slot, filters=(*producer.filters, *slot.filters))
    return slot if slot.writes(producer.extracted) else None
