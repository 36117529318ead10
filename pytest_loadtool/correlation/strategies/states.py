"""States: which version is that of the very resource that a request is about.

Two resources may have version 7 at once, so the number alone does not tell whose it is.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pytest_loadtool.correlation.classify import is_id_name, is_version_name
from pytest_loadtool.correlation.graphql import operation
from pytest_loadtool.correlation.index.traffic import Traffic
from pytest_loadtool.correlation.kinds import ARGUMENTS
from pytest_loadtool.correlation.producer import Producer
from pytest_loadtool.correlation.requests.slots import Slot
from pytest_loadtool.correlation.responses.recorded import RecordedResponse
from pytest_loadtool.correlation.responses.xml_document import xml_document
from pytest_loadtool.model.place import Place
from pytest_loadtool.model.rule import ProducerKind

_DOCUMENTS = (ProducerKind.JSON, ProducerKind.XML)


def of_the_resource_first(
    producers: Sequence[Producer], slot: Slot, traffic: Traffic
) -> Sequence[Producer]:
    """Return the producers of a version, those first that stand beside an id or address which the
    slot's own request has; all others as they are."""
    if len(producers) < 2 or not is_version_name(slot.name):
        return producers
    path = _path(slot.transaction, traffic)
    ids = {path} | _ids(slot, traffic)
    return sorted(producers, key=lambda one: not _is_of(one, path, ids, traffic))


def _is_of(one: Producer, path: str, ids: Collection[str], traffic: Traffic) -> bool:
    """Return whether what has the version is at that path, unless all calls go there; or has one of
    the ids beside it."""
    step = traffic.steps[one.transaction]
    if step.exchange is None:
        return False
    is_call = step.called != step.path or operation(step.exchange) is not None
    if not is_call and _path(one.transaction, traffic) == path:
        return True
    if one.kind not in _DOCUMENTS or one.box is not None or not one.steps:
        return False
    response = RecordedResponse(step.exchange)
    document = response.json() if one.kind is ProducerKind.JSON else xml_document(response.text)
    for name in one.steps[:-1]:
        document = document[name]
    beside = document.items() if isinstance(document, dict) else ()
    return any(str(value) in ids for name, value in beside if is_id_name(name) or name == "href")


def _path(at: int, traffic: Traffic) -> str:
    return traffic.steps[at].address.partition("?")[0]


def _ids(slot: Slot, traffic: Traffic) -> set[str]:
    """Return what may be the id of the resource: what is called so, stands in the path, or is an
    argument of a call without a name."""
    return {
        one.value
        for one in traffic.slots_of(slot.transaction)
        if is_id_name(one.name) or one.place is Place.PATH or one.name in ARGUMENTS
    }
