"""The things that paths lead to: once the id of one is known, it is in all its places."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_loadtool.correlation.evidence import id_stem
from pytest_loadtool.correlation.looks import collection_names, is_id_name, is_short_number, plain
from pytest_loadtool.correlation.slots import Slot
from pytest_loadtool.correlation.traffic import Traffic
from pytest_loadtool.model.place import Place

if TYPE_CHECKING:
    from pytest_loadtool.correlation.claims import Claim

__all__ = ["Things"]


class Things:
    """What is claimed of path segments."""

    def __init__(self, traffic: Traffic) -> None:
        self._traffic = traffic
        self._claims: dict[str, dict[str, Claim]] = {}

    def note(self, claim: Claim) -> None:
        """Remember a claim on a path segment, by its value and the path before it."""
        slot = claim.slot
        if slot.place is Place.PATH and slot.before:
            self._claims.setdefault(slot.value, {})[slot.before] = claim
            if "new" in claim.rule.evidence:
                self._traffic.own.add(slot.transaction)

    def claim(self, slot: Slot) -> Claim | None:
        """The claim on a known id that the slot has: behind the same path or one that ends like it
        (``/things/17``, ``/api/thing/17``), in a request to it, or in a field that is called so
        (``thing_id``, ``about_id`` beside ``about_type=Thing``, ``thing`` in what changes things).

        In a request to it, a short number has to be in a field for ids.
        """
        known = self._claims.get(slot.value)
        if known is None:
            return None
        if slot.place is Place.PATH and slot.before in known:
            return known[slot.before]
        return next((one for before, one in known.items() if self._is_meant(slot, before)), None)

    def _is_meant(self, slot: Slot, before: str) -> bool:
        """Whether the slot is for ids of the things behind that path."""
        things = collection_names(before.rstrip("/").rpartition("/")[2])
        if slot.place is Place.PATH:
            return bool(things & collection_names(slot.name))
        if is_id_name(slot.name) or not is_short_number(slot.value):
            path = self._traffic.steps[slot.transaction].path
            return path.startswith(before) or self._says(slot, things)
        return self._writes(slot) and bool(things & collection_names(slot.name))

    def _says(self, slot: Slot, things: frozenset[str]) -> bool:
        """Whether the field is one for ids of the things, by its name or by a field beside it that
        names their type."""
        stem = id_stem(slot.name)
        return any(f" {stem}".endswith(f" {one}") for one in things) or any(
            plain(one.name) == f"{stem} type" and plain(one.value) in things
            for one in self._traffic.slots_of(slot.transaction)
        )

    def _writes(self, slot: Slot) -> bool:
        """Whether a script, a choice or a hidden field has the number: a person may mean another
        one."""
        changes = self._traffic.steps[slot.transaction].changes_things
        return slot.part == "body" and changes and slot.name not in self._traffic.typed
