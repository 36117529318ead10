"""Once the id of a resource is known from an address, it is in all its places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from urllib.parse import urlsplit

from pytest_loadtool.correlation.classify import collection_names, is_path_id, is_short_number
from pytest_loadtool.correlation.index.meaning import is_for, kinds_beside
from pytest_loadtool.correlation.index.traffic import Traffic
from pytest_loadtool.correlation.kinds import collection, words_of
from pytest_loadtool.correlation.proposals import Proposal, fitting
from pytest_loadtool.correlation.requests.parts import part_text
from pytest_loadtool.correlation.requests.positions import HOLE, IN_NAME
from pytest_loadtool.correlation.requests.slots import Masked, Slot
from pytest_loadtool.correlation.strategies.strategy import Settled, Turn, address_of, is_bare_id
from pytest_loadtool.model.place import Place


class KnownIds:
    """The ids that paths and queries before have shown to be those of resources."""

    name = "known-ids"
    why = "The id of a thing that an address before has is taken in its other places, too."
    source = "REST: one resource has one identifier (RFC 3986 §1.1)"
    turns = frozenset({Turn.IN_ORDER, Turn.AT_END})

    def propose(
        self, slots: Sequence[Slot], traffic: Traffic, known: Settled
    ) -> Iterator[Proposal]:
        """Yield the proposals on known ids: behind the same path or one that ends like it
        (``/things/17``, ``/api/thing/17``), in the same query (``/thing.php?id=17``), in a request
        to it, or in a field that is for such ids (`is_for`); of an id that is no number, anywhere;
        and in a field that is called as the query of the same request calls it."""
        for slot in slots:
            found = _proposal(slot, traffic, known)
            if found is not None and (same := claimed_as(slot, found)) is not None:
                yield same


def claimed_as(slot: Slot, found: Proposal) -> Proposal | None:
    """Return the same proposal on another slot of a later request, if it can be written there."""
    if found.producer.transaction >= slot.transaction:
        return None
    fits = fitting(slot, found.producer)
    return None if fits is None else replace(found, slot=fits)


def _proposal(slot: Slot, traffic: Traffic, known: Settled) -> Proposal | None:
    ids = known.addressed(slot.value)
    if ids and slot.place is Place.JSON and not slot.name:
        alike = traffic.requests.numbers.get((slot.transaction, slot.value), ())
        if any(not one.name and one.start < slot.start for one in alike):
            return None  # of two arguments that are the same number, the first is the id
        of = {collection(one.partition("?")[0]): found for one, found in ids.items()}
        if len(of) == 1 and _is_first_argument(slot, traffic):
            return next(iter(of.values()))
    before = address_of(slot, traffic)
    if before in ids:
        return ids[before]
    if others := _of_others(slot, ids):
        return _of_page(slot, others, traffic)
    meant = (
        one
        for before, one in ids.items()
        if _is_meant(slot, before, traffic) and not was_there(slot, one, traffic)
    )
    found = (
        next(meant, None)
        or known.codes.get(slot.value)
        or known.asked_by(slot)
        or known.in_field(slot)
    )
    return found or _of_names(slot, traffic, known)


def _is_first_argument(slot: Slot, traffic: Traffic) -> bool:
    """Return whether a list of JSON begins with the slot, ``[2, "Tea"]``, in a request that does
    not say what it is about."""
    if collection(traffic.steps[slot.transaction].called):
        return False
    masked = Masked.of(part_text(traffic.request(slot.owner), slot.part))
    before = masked.text[: slot.start].rstrip(' "') if masked is not None else ""
    return before.endswith("[")


def _of_names(slot: Slot, traffic: Traffic, known: Settled) -> Proposal | None:
    """Return that of the only kind of which the session knows all numbers that fields are called,
    ``2=1&3=2&1=3``, if they do not count the fields."""
    ids = known.addressed(slot.value)
    if slot.before != IN_NAME or slot.name or not ids:
        return None
    named = (one for one in traffic.slots_of(slot.transaction) if one.before == IN_NAME)
    numbers = [one.value for one in named if not one.name and one.part == slot.part]
    if len(numbers) < 2 or any(
        numbers == [*map(str, range(first, first + len(numbers)))] for first in (0, 1)
    ):
        return None
    kinds = [
        {collection(one) for one in known.addressed(number) if not _is_behind_id(one)}
        for number in numbers
    ]
    path = traffic.steps[slot.transaction].path
    common = set.intersection(*kinds)
    if any(map(is_path_id, path.split("/"))):  # ``/shelf/1/order``: of what is in that shelf
        common = {one for one in common if one not in words_of(path)} or common
    found = [one for before, one in ids.items() if collection(before) in common]
    return found[0] if len(common) == 1 else None


def _is_behind_id(path: str) -> bool:
    """Return whether the last segment of a path is an id."""
    last = path.rstrip("/").rpartition("/")[2]
    return HOLE in last or is_path_id(last)


def _of_others(slot: Slot, ids: Mapping[str, Proposal]) -> Mapping[str, Proposal]:
    """Return the ids of other kinds of resources, of one right behind another id in a path: the
    second of ``/shelf/add/1/1`` need not be that of a shelf."""
    if slot.place is not Place.PATH or slot.in_word or not _is_behind_id(slot.before):
        return {}
    first = collection(slot.before)
    return {before: one for before, one in ids.items() if collection(before) != first}


def _of_page(slot: Slot, ids: Mapping[str, Proposal], traffic: Traffic) -> Proposal | None:
    """Return that of the thing whose page sends the request, or of several the only one."""
    exchange = traffic.steps[slot.transaction].exchange
    page = exchange.request_header("referer") if exchange is not None else None
    path = f"{urlsplit(page or '').path}/"
    own = [one for before, one in ids.items() if f"{before}{slot.raw}/" in path]
    kinds = {collection(before) for before in ids}
    return own[-1] if own else next(iter(ids.values())) if len(kinds) == 1 else None


def was_there(slot: Slot, found: Proposal, traffic: Traffic) -> bool:
    """Return whether the address was asked for as recorded before any response gave the id out:
    then it is that of something else, which has the same small number."""
    if slot.place is not Place.PATH or not is_short_number(slot.value):
        return False
    path = f"{slot.before}{slot.value}"
    asked = (traffic.responses.pages.get(one, ()) for one in (path, f"{path}/"))
    return any(one and one[0] < found.producer.transaction for one in asked)


def _is_meant(slot: Slot, before: str, traffic: Traffic) -> bool:
    """Return whether the slot is for ids of the resources behind that path, or asked for there: a
    short number then has to be in a field that is called an id, and no more."""
    path = traffic.steps[slot.transaction].path
    known = is_bare_id(slot.name) or not is_short_number(slot.value)
    if kinds_beside(slot, "", traffic) & traffic.requests.resources:
        known = False  # ``PATCH /tasks/7/tags`` with ``{"type": "tags", "id": 1}``
    if known and slot.place is not Place.PATH and path.startswith(before):
        return True
    return is_for(slot, collection_names(collection(before.partition("?")[0])), traffic)
