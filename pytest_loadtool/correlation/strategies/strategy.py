"""What a strategy is: what it is asked, what it may know, and what it answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from typing import Protocol

from pytest_loadtool.codec.names import plain
from pytest_loadtool.correlation.classify import (
    collection_names,
    is_code,
    is_id_name,
    is_short_number,
)
from pytest_loadtool.correlation.index.meaning import ANYTHING
from pytest_loadtool.correlation.index.traffic import Traffic
from pytest_loadtool.correlation.kinds import ARGUMENTS, id_stem
from pytest_loadtool.correlation.proposals import ByClient, Miss, ProducerCandidate, Proposal
from pytest_loadtool.correlation.requests.slots import Slot
from pytest_loadtool.model.place import Place

Proposed = ProducerCandidate | Proposal | Miss | ByClient
"""What a strategy may say of slots."""


class Turn(Enum):
    """The moments at which a strategy is asked, and of which slots."""

    IN_ORDER = "of each value, as requests send one after the other: known is what comes before it"
    OPEN = "of each value likewise, if none of these has settled it"
    AT_END = "of what is open in the end and has a value that is known, until nothing more is found"
    LAST = "of all that no response has given out"


class Strategy(Protocol):
    """A way to tell where values come from."""

    name: str
    why: str
    """What it goes by, as one sentence."""
    source: str
    """Where that is known from: a standard, or the software that does so."""
    turns: frozenset[Turn]

    def propose(
        self, slots: Sequence[Slot], traffic: Traffic, known: Settled, /
    ) -> Iterable[Proposed]:
        """Return what it has to say of these slots, of which nothing is settled; of each the best
        first. It reads ``traffic`` and ``known``, and keeps nothing between two calls."""
        ...


#: What is called, the name of a field there, what is around it, how deep it is, and its value.
_Field = tuple[str, str, str, int, str]


class Settled:
    """The proposals that are settled, as strategies ask for them. Only the resolver adds to them,
    and all that is here follows from which these are."""

    def __init__(self, traffic: Traffic) -> None:
        self._traffic = traffic
        self.values: set[str] = set()
        """What is claimed: it is something else on replay."""
        self.own: set[int] = set()
        """The transactions whose address has the id of something that the session created."""
        self.codes: dict[str, Proposal] = {}
        """By value: the first proposal on an id that is new and looks like no number."""
        self._addressed: dict[str, dict[str, Proposal]] = {}
        self._named: dict[str, dict[str, Proposal]] = {}
        self._asked: dict[tuple[int, str], Proposal] = {}
        self._fields: dict[_Field, Proposal] = {}
        self._sent: dict[int, list[Proposal]] = {}

    def add(self, proposal: Proposal) -> None:
        """A proposal is settled."""
        slot = proposal.slot
        self.values.add(slot.value)
        self._sent.setdefault(slot.transaction, []).append(proposal)
        new = "new" in proposal.rule.evidence
        if new and is_code(slot.value):
            self.codes.setdefault(slot.value, proposal)
        if slot.place is Place.QUERY and is_id_name(slot.name):
            self._asked[slot.transaction, slot.value] = proposal
        if slot.place is Place.JSON and is_short_number(slot.value):
            self._fields[self._field(slot)] = proposal
        if before := address_of(slot, self._traffic):
            self._addressed.setdefault(slot.value, {})[before] = proposal
            if new:
                self.own.add(slot.transaction)
        of_resource = bool(collection_names(slot.name) & self._traffic.requests.resources)
        by_name = slot.value.isdigit() and (slot.place is Place.QUERY or of_resource)
        resource = id_stem(slot.name) if is_id_name(slot.name) else plain(slot.name) * by_name
        if resource and resource not in ANYTHING:
            self._named.setdefault(slot.value, {}).setdefault(resource, proposal)

    def addressed(self, value: str) -> Mapping[str, Proposal]:
        """Return the last proposal on the id by what is before it in an address."""
        return self._addressed.get(value, {})

    def sent_together(self, values: Sequence[str], before: int) -> Sequence[Proposal]:
        """Return the proposals on these values of the last request before that has sent them in
        this order, each by itself; else in another order. Empty: there is no such request."""
        any_order: Sequence[Proposal] = ()
        for at in sorted((one for one in self._sent if one < before), reverse=True):
            left = {one.slot: one for one in self._sent[at]}
            found: list[Proposal] = []
            for value in values:
                one = next((one for one in left.values() if one.slot.value == value), None)
                if one is None:
                    break
                found.append(left.pop(one.slot))
            if len(found) == len(values):
                places = [one.slot.start for one in found]
                if places == sorted(places):
                    return found
                any_order = any_order or found
        return any_order

    def named(self, value: str) -> Mapping[str, Proposal]:
        """Return the first proposal on the id by what a field or query calls the resource."""
        return self._named.get(value, {})

    def asked_by(self, slot: Slot) -> Proposal | None:
        """Return the proposal on the id in the query of the same request, if that is called alike:
        of ``fields[id]`` that on ``where[id]``."""
        proposal = self._asked.get((slot.transaction, slot.value))
        if proposal is None or _key(slot.name) != _key(proposal.slot.name):
            return None
        return proposal

    def in_field(self, slot: Slot) -> Proposal | None:
        """Return the last proposal on the number in the same place of the same call, if that is an
        argument without a name, or in a list: one with a name says itself what it is for."""
        if slot.place is not Place.JSON or (slot.name and slot.name not in ARGUMENTS):
            return None
        return self._fields.get(self._field(slot))

    def _field(self, slot: Slot) -> _Field:
        called = self._traffic.steps[slot.transaction].called
        return called, slot.name, slot.before, slot.depth, slot.value


def _key(name: str) -> str:
    """Return the last key of a name with brackets."""
    return name.rpartition("[")[2].rstrip("]")


def address_of(slot: Slot, traffic: Traffic) -> str:
    """Return what is before an id in an address: the path, or of a bare id in a query, path and
    name; empty of other slots."""
    if slot.place is Place.PATH:
        return slot.before
    if slot.place is not Place.QUERY or slot.depth or not is_bare_id(slot.name):
        return ""
    return f"{traffic.steps[slot.transaction].path}?{slot.name}="


def is_bare_id(name: str) -> bool:
    """Return whether a field is called an id, and not of what."""
    return is_id_name(name) and not id_stem(name)
