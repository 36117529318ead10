"""What a person types, and what the client counts: sent as recorded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

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
TYPED = Rule(
    "typed-credentials",
    "A person typed the field {field}: it is sent as recorded, or from a dataset.",
    confidence=0.95,
    leave=True,
)


class TypedFields:
    """Secrets and names of people in bodies, and the numbers of calls."""

    name = "typed"
    why = "A person types who they are and their secrets; a client numbers its own calls."
    source = "HTML autocomplete: username, current-password; JSON-RPC 2.0 §4"
    turns = frozenset({Turn.IN_ORDER})

    def propose(self, slots: Sequence[Slot], _: Traffic, __: Settled) -> Iterator[Miss]:
        """Yield those of the slots, which are left without a word: `notes` has one for each of
        them."""
        for slot in slots:
            if is_typed(slot) or slot.before == CALL:
                yield Miss(slot, TYPED, "", whole=False)


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
