"""The things that requests are about: once the id of one is known, it is in all its places."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_loadtool.codec.place import Place
from pytest_loadtool.correlation.about import collection, id_stem
from pytest_loadtool.correlation.looks import collection_names, is_code, is_id_name, is_short_number
from pytest_loadtool.correlation.meaning import is_for
from pytest_loadtool.correlation.slots import Slot
from pytest_loadtool.correlation.traffic import Traffic

if TYPE_CHECKING:
    from pytest_loadtool.correlation.claims import Claim


class Things:
    """What is claimed of path segments, and of the ids in queries."""

    def __init__(self, traffic: Traffic) -> None:
        self._traffic = traffic
        self._claims: dict[str, dict[str, Claim]] = {}
        self._codes: dict[str, Claim] = {}

    def note(self, claim: Claim) -> None:
        """Remember a claim on the id of a thing, by its value and by what is before it: the path,
        or of a bare id in a query, path and name."""
        slot = claim.slot
        if "new" in claim.rule.evidence and is_code(slot.value):
            self._codes.setdefault(slot.value, claim)
        before = slot.before if slot.place is Place.PATH else self._asked(slot)
        if before:
            self._claims.setdefault(slot.value, {})[before] = claim
            if "new" in claim.rule.evidence:
                self._traffic.own.add(slot.transaction)

    def _asked(self, slot: Slot) -> str:
        bare = is_id_name(slot.name) and not id_stem(slot.name)
        if slot.place is not Place.QUERY or slot.depth or not bare:
            return ""
        return f"{self._traffic.steps[slot.transaction].path}?{slot.name}="

    def claim(self, slot: Slot) -> Claim | None:
        """The claim on a known id that the slot has: behind the same path or one that ends like it
        (``/things/17``, ``/api/thing/17``), in the same query (``/thing.php?id=17``), in a request
        to it, or in a field that is for such ids (`is_for`); of an id that is no number, anywhere.

        In a request to it, a short number has to be in a field that is called an id, and no more.
        """
        known = self._claims.get(slot.value, {})
        before = slot.before if slot.place is Place.PATH else self._asked(slot)
        if before in known:
            return known[before]
        meant = (one for before, one in known.items() if self._is_meant(slot, before))
        return next(meant, self._codes.get(slot.value))

    def _is_meant(self, slot: Slot, before: str) -> bool:
        """Whether the slot is for ids of the things behind that path, or asked for there."""
        path = self._traffic.steps[slot.transaction].path
        if slot.place is not Place.PATH and path.startswith(before):
            bare = is_id_name(slot.name) and not id_stem(slot.name)
            if bare or not is_short_number(slot.value):
                return True
        things = collection_names(collection(before.partition("?")[0]))
        return is_for(slot, things, self._traffic)
