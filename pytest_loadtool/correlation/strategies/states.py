"""States: which version is that of the very thing that a request is about.

Two things may have version 7 at once, so the number alone does not tell whose it is.
"""

from __future__ import annotations

from collections.abc import Sequence

from pytest_loadtool.correlation.classify import is_id_name, is_path_id, is_version_name
from pytest_loadtool.correlation.index.traffic import Traffic
from pytest_loadtool.correlation.producer import Producer
from pytest_loadtool.correlation.requests.slots import Slot
from pytest_loadtool.model.place import Place
from pytest_loadtool.model.rule import ProducerKind

_DOCUMENTS = (ProducerKind.JSON, ProducerKind.XML)


def of_the_thing_first(
    producers: Sequence[Producer], slot: Slot, traffic: Traffic
) -> Sequence[Producer]:
    """The producers of a version, those first that stand beside an id or address which the slot's
    own request has; all others as they are."""
    if len(producers) < 2 or not is_version_name(slot.name):
        return producers
    path = _path(slot.transaction, traffic)
    ids = _ids(slot, traffic)

    def is_of_another(one: Producer) -> bool:
        if one.kind is ProducerKind.HEADER:
            return _path(one.transaction, traffic) != path
        beside = (
            other
            for value in ids
            for kind in _DOCUMENTS
            for other in traffic.responses.producers.get(value, {}).get(kind, ())
            if other.transaction == one.transaction
        )
        return not any(other.steps[:-1] == one.steps[:-1] for other in beside)

    return sorted(producers, key=is_of_another)


def _path(at: int, traffic: Traffic) -> str:
    return traffic.steps[at].address.partition("?")[0]


def _ids(slot: Slot, traffic: Traffic) -> set[str]:
    """What may be the id of the thing: what is called so, or stands in the path."""
    return {
        one.value
        for one in traffic.slots_of(slot.transaction)
        if is_id_name(one.name) or (one.place is Place.PATH and is_path_id(one.value))
    }
