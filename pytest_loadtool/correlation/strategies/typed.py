"""What a person types, what the client counts, and what is the hash of what is sent beside it: sent
as recorded."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from pytest_loadtool.codec.names import is_typed_secret
from pytest_loadtool.correlation.classify import is_short_number, looks_random, names_somebody
from pytest_loadtool.correlation.index.traffic import Traffic
from pytest_loadtool.correlation.proposals import Miss
from pytest_loadtool.correlation.requests.positions import CALL
from pytest_loadtool.correlation.requests.slots import Slot
from pytest_loadtool.correlation.strategies.strategy import Settled, Turn
from pytest_loadtool.model.place import Place
from pytest_loadtool.model.rule import Rule, same_name

#: What both resources and the fields are called in which people say who they are.
_ALSO_RESOURCES = frozenset({"account", "user"})
#: What has a number, and people sign in by, too.
_ID_OF_A_USER = "userid"
#: Hashes by the number of their hexadecimal digits.
_HASHES: Mapping[int, str] = MappingProxyType({32: "md5", 40: "sha1", 64: "sha256"})
_HEX = re.compile("[0-9a-f]{32,64}")
TYPED = Rule(
    "typed-credentials",
    "A person typed the field {field}: it is sent as recorded, or from a dataset.",
    confidence=0.95,
    leave=True,
)


class TypedFields:
    """Secrets and names of people in bodies, the numbers of calls, and hashes."""

    name = "typed"
    why = (
        "A person types who they are and their secrets; a client numbers its own calls; the hash "
        "of a text says no more than that."
    )
    source = "HTML autocomplete: username, current-password; JSON-RPC 2.0 §4; phpMyAdmin: columns"
    turns = frozenset({Turn.IN_ORDER})

    def propose(self, slots: Sequence[Slot], traffic: Traffic, _: Settled) -> Iterator[Miss]:
        """Yield those of the slots, which are left without a word: `notes` has one for each of
        them."""
        for slot in slots:
            if is_typed(slot) or slot.before == CALL or _is_hash(slot, traffic):
                yield Miss(slot, TYPED, "", whole=False)


def _is_hash(slot: Slot, traffic: Traffic) -> bool:
    """Return whether a value is the hash of a text in the same request that is no id or token."""
    way = _HASHES.get(len(slot.value)) if _HEX.fullmatch(slot.value) else None
    if way is None:
        return False
    beside = {one.value for one in traffic.slots_of(slot.transaction)}
    texts = (one for one in beside if not one.isdecimal() and not looks_random(one))
    hashes = (hashlib.new(way, one.encode(), usedforsecurity=False) for one in texts)
    return any(one.hexdigest() == slot.value for one in hashes)


def is_typed(slot: Slot) -> bool:
    """Return whether a person types such a field: a secret, or who they are (unless it is an id:
    random, the number of a user by its name, or in JSON by what it is)."""
    if slot.part != "body":
        return False
    in_json = slot.place in (Place.JSON, Place.JSON_STRING)
    called = same_name(slot.name)
    number = (slot.value.isdigit() and called == _ID_OF_A_USER) or (
        in_json and is_short_number(slot.value) and called in _ALSO_RESOURCES
    )
    return is_typed_secret(slot.name) or (
        names_somebody(slot.name, slot.value) and not looks_random(slot.value) and not number
    )
