"""What an application calls its things, and how it spells that; what its user types."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

__all__ = ["TYPED", "Spelling", "Thing", "plural"]

#: A thing, and what belongs to it.
NOUNS = (
    *(("project", "task"), ("customer", "order"), ("board", "card"), ("folder", "document")),
    *(("album", "photo"), ("ticket", "comment"), ("team", "member"), ("invoice", "line item")),
    *(("warehouse", "shelf"), ("course", "lesson"), ("recipe", "ingredient"), ("plan", "step")),
    *(("company", "contact"), ("event", "booking"), ("list", "entry"), ("device", "sensor")),
)
#: What things are called; no two words alike, as texts that tell rows apart.
TYPED = (
    *("Tea House", "Quarterly report", "Green kettle", "Bonn office", "Winter sale", "Lamp"),
    *("Oak table 120", "Blue 2 door", "Ms Meyer & Sons", "Draft", "Route 66", "Onboarding"),
    *("Garden fence", "Cup", "Spare parts", "Pond 7", "Night shift", "Vienna"),
)


def plural(noun: str) -> str:
    """What a collection is called."""
    if noun.endswith("y"):
        return noun[:-1] + "ies"
    return noun[:-1] + "ves" if noun.endswith("f") else noun + "s"


@dataclass
class Thing:
    """Something that the session has made. ``more`` is what else the server says of it."""

    noun: str
    id: Any
    name: str
    parent: Thing | None = None
    more: dict[str, Any] = field(default_factory=dict)


class Spelling:
    """How an application writes names of several words: in fields, and in addresses."""

    def __init__(self, pick: Random) -> None:
        self._camel = pick.random() < 0.5
        self._dashed = pick.random() < 0.6

    def field(self, words: str) -> str:
        """The name of a field: ``line_item_id`` or ``lineItemId``."""
        if not self._camel:
            return words.replace(" ", "_")
        return words[0] + "".join(word.capitalize() for word in words.split(" "))[1:]

    def segment(self, words: str) -> str:
        """A segment of a path: ``line-items``, ``line_items`` or ``lineItems``."""
        return words.replace(" ", "-") if self._dashed else self.field(words)
