"""Ids of what links two things: a thing's own document lists its links under the name of what they
lead to, each with an id of its own, and with that of the other thing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pytest_loadtool.correlation.classify import is_id_name
from pytest_loadtool.correlation.index.traffic import Traffic
from pytest_loadtool.correlation.kinds import id_stem
from pytest_loadtool.correlation.producer import Producer, last_item
from pytest_loadtool.correlation.proposals import Proposal, fitting
from pytest_loadtool.correlation.requests.positions import WRITES
from pytest_loadtool.correlation.requests.slots import Slot
from pytest_loadtool.correlation.responses.objects import inner
from pytest_loadtool.correlation.strategies.strategy import Settled, Turn, is_bare_id
from pytest_loadtool.extraction.json_steps import format_path
from pytest_loadtool.model.extractor import JsonPath
from pytest_loadtool.model.place import Place
from pytest_loadtool.model.rule import ProducerKind, Rule

LINK_RULE = Rule(
    "link-id",
    "{producer} has it as the id of a link from the very thing that the request changes, and not of"
    " what that leads to.",
    confidence=0.85,
)


class LinkIds:
    """The ids of links, in changes of the thing that has them."""

    name = "link-ids"
    why = "What is taken from a thing's list is named by the ids that its own document has there."
    source = "Directus: tags of a note, each {id: 9, tags_id: {id: 2}}, and {tags: {delete: [9]}}"
    turns = frozenset({Turn.IN_ORDER})

    def propose(self, slots: Sequence[Slot], traffic: Traffic, _: Settled) -> Iterator[Proposal]:
        """Yield the nearest document of the same thing that has the id in the list of that name.

        A tag may have the same number, and is of the kind that the list is called after: without
        this, it would be taken for that.
        """
        for slot in slots:
            if slot.place not in (Place.JSON, Place.JSON_STRING) or not slot.before:
                continue
            if slot.name not in WRITES and not is_bare_id(slot.name):
                continue
            listed = reversed(traffic.producers_of(slot.value))
            found = next((one for one in listed if _is_link(one, slot, traffic)), None)
            if found is not None and (fits := fitting(slot, found)) is not None:
                yield Proposal(fits, found, LINK_RULE, JsonPath(format_path(found.steps)), 1)


def _is_link(producer: Producer, slot: Slot, traffic: Traffic) -> bool:
    """Return whether it is the own id of an item in the list of the slot's name, and the item has
    the id of something else beside it."""
    at = last_item(producer.steps)
    if producer.kind is not ProducerKind.JSON or not at or not is_bare_id(producer.name):
        return False
    step, asked = (traffic.steps[one.transaction] for one in (slot, producer))
    if asked.index >= step.index or asked.changes_state or asked.path != step.path:
        return False
    if producer.steps[at - 1] != slot.before or len(producer.steps) != at + 2:
        return False
    item = inner(traffic.response(asked.index).document(), producer.steps[: at + 1])
    return isinstance(item, dict) and any(_leads_on(key, one) for key, one in item.items())


def _leads_on(key: str, value: Any) -> bool:
    """Return whether a field of an item is another thing, or the id of one."""
    if isinstance(value, dict):
        return any(map(is_id_name, value))
    return bool(id_stem(key)) and isinstance(value, int | str)
