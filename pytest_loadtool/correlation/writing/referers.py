"""Referers: they name the address of the page on replay, not the recorded one.

A browser writes there the address of an earlier request, or one that a script of the page has put
into its place, which no request has had: ``/orders/17`` of a single-page application.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from pytest_loadtool.codec.places import target_places
from pytest_loadtool.codec.template import Reference, Template, TemplateError, escape
from pytest_loadtool.correlation.classify import is_short_number, looks_like_time
from pytest_loadtool.correlation.index.traffic import RecordedStep
from pytest_loadtool.correlation.requests.parts import FILTERS_OF, rendered, with_part
from pytest_loadtool.correlation.requests.slots import Masked, Slot, target_slots
from pytest_loadtool.correlation.sources.variables import Found
from pytest_loadtool.model.case import Request
from pytest_loadtool.model.place import Place


def follow_referers(
    steps: Sequence[RecordedStep],
    requests: list[Request],
    sets: dict[str, Request],
    found: Sequence[Found],
    values: dict[str, str],
) -> None:
    """Rewrite the Referers of the requests and header sets in place.

    By then all that an earlier request needed is known, so the Referer may use it too; that of a
    header set, if it is known when the first request follows the set. ``values`` are the recorded
    ones, ``found`` is in the order of the responses that set them.
    """
    followed: set[str] = set()
    known = _Known(values)
    upcoming = list(reversed(found))
    for step, request in zip(steps, tuple(requests), strict=True):
        while upcoming and upcoming[-1].producer.transaction < step.index:
            known.note(upcoming.pop())
        if request.header_set not in followed:
            followed.add(request.header_set)
            sets[request.header_set] = _following(sets[request.header_set], known)
        requests[step.index] = _following(request, known)
        old, new = step.transaction.request.target, request.target
        if old != new:
            known.targets[_in_header(old)] = _in_header(new)


@dataclass(slots=True)
class _Known:
    """What a Referer may use."""

    values: dict[str, str]
    """By variable: the recorded value."""
    targets: dict[str, str] = field(default_factory=dict)
    """By the address as recorded: as rewritten, both as headers have them."""
    names: dict[str, Found] = field(default_factory=dict)
    """By value, as it is written in an address."""

    def note(self, one: Found) -> None:
        """A response has set that variable."""
        self.names[one.recorded] = one


def _following(request: Request, known: _Known) -> Request:
    for position, header in enumerate(request.headers):
        if header.name.lower() == "referer" and header.value:
            prefix = "${server}" if header.value.startswith("${server}/") else ""
            target = known.targets.get(header.value.removeprefix(prefix))
            new = _with_values(header.value, known) if target is None else prefix + target
            if rendered(new, 0, "", known.values) == rendered(header.value, 0, "", known.values):
                request = with_part(request, position, new)
    return request


def _with_values(address: str, known: _Known) -> str:
    """Return the address with placeholders for the values that responses have given out."""
    masked = Masked.of(address)
    if masked is None:
        return address
    edits = [
        (slot.start, slot.end, "|".join(filter(None, (one.name, FILTERS_OF.get(slot.root)))))
        for slot in target_slots(masked.text, 0)
        if not slot.depth and (one := known.names.get(slot.raw)) and _is_about(slot, one)
    ]
    return masked.replaced(edits) if edits else address


def _is_about(slot: Slot, one: Found) -> bool:
    """Return whether the value stands there by no chance: short numbers and dates, by their
    names."""
    common = is_short_number(slot.value) or looks_like_time(slot.value)
    return not common or any(slot.name == user.name for user in one.slots)


def _in_header(target: str) -> str:
    """Return the target as a template of a header, in which nothing is encoded but by filters."""
    try:
        template = Template.parse(target)
    except TemplateError:
        return target
    places = iter(target_places(template))
    return "".join(
        escape(part) if isinstance(part, str) else str(_encoded(part, next(places)))
        for part in template.parts
    )


def _encoded(reference: Reference, place: Place) -> Reference:
    encoder = FILTERS_OF.get(place)
    filters = (*reference.filters, encoder) if encoder is not None else reference.filters
    return replace(reference, filters=filters)
