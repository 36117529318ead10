"""What the variables of application state management are called."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import unquote

from pytest_loadtool.codec.names import plain
from pytest_loadtool.correlation.classify import is_id_name, singular
from pytest_loadtool.correlation.kinds import id_stem
from pytest_loadtool.correlation.proposals import Issue, Proposal
from pytest_loadtool.correlation.requests.slots import Slot
from pytest_loadtool.model.place import Place
from pytest_loadtool.model.rule import ProducerKind

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
