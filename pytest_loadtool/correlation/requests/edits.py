"""Edits: a text with placeholders in place of slots; of base64, a variable made of its text."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping

from pytest_loadtool.codec.filters import filtered
from pytest_loadtool.codec.template import Template
from pytest_loadtool.correlation.requests.nested import Capsule
from pytest_loadtool.correlation.requests.parts import rendered
from pytest_loadtool.correlation.requests.slots import Masked, Part, Slot

#: Gives the name of the variable that is made of a template, for a capsule.
NameFor = Callable[[Capsule, str], str]


def edited(masked: Masked, uses: Iterable[tuple[Slot, str]], name_for: NameFor) -> str:
    """Return the template of ``masked`` in which each slot is the variable of that name."""
    return masked.replaced(list(_edits(list(uses), 0, name_for)))


def written(text: str, part: Part, content_type: str, uses: Iterable[tuple[Slot, str]]) -> str:
    """Return what a part of a request sends with these values in its slots, whatever is around
    them."""
    masked = Masked.of(text)
    assert masked is not None, "slots come from masked text"
    values: dict[str, str] = {}

    def named(value: str) -> str:
        name = f"asm_check[{len(values) + 1}]"
        values[name] = value
        return name

    template = edited(
        masked,
        [(slot, named(value)) for slot, value in uses],
        lambda _, made_of: named(composed(made_of, values)),
    )
    return rendered(template, part, content_type, values)


def _edits(
    uses: list[tuple[Slot, str]], level: int, name_for: NameFor
) -> Iterable[tuple[int, int, str]]:
    """Yield the edits of a text; ``level`` capsules are around it."""
    packed: dict[Capsule, list[tuple[Slot, str]]] = {}
    for slot, name in uses:
        if len(slot.capsules) > level:
            packed.setdefault(slot.capsules[level], []).append((slot, name))
        else:
            yield slot.start, slot.end, _written(name, slot.filters)
    for capsule, inner in packed.items():
        made_of = Masked(capsule.text, ()).replaced(list(_edits(inner, level + 1, name_for)))
        name = name_for(capsule, made_of)
        yield capsule.start, capsule.end, _written(name, capsule.filters)


def _written(name: str, filters: tuple[str, ...]) -> str:
    return "|".join((name, *filters))


def composed(template: str, values: Mapping[str, str]) -> str:
    """Return what a variable that is made of ``template`` is, with these values."""
    return Template.parse(template).filled(lambda one: filtered(values[one.name], one.filters))


def overlap(one: Slot, other: Slot) -> bool:
    """Return whether two slots of a text share characters, whatever is around them."""
    for level in range(max(len(one.capsules), len(other.capsules)) + 1):
        mine, theirs = _slot_key(one, level), _slot_key(other, level)
        if mine != theirs or not isinstance(mine, Capsule):
            return mine.start < theirs.end and theirs.start < mine.end
    return True


def shared(one: Slot, other: Slot) -> bool:
    """Return whether two slots of a request share characters."""
    return one.part == other.part and overlap(one, other)


class Taken:
    """Slots of one text that share no characters: whether another one does with any of them."""

    def __init__(self, slots: Iterable[Slot]) -> None:
        self._slots = sorted(slots, key=lambda one: _slot_key(one, 0).start)
        self._starts = [_slot_key(one, 0).start for one in self._slots]

    def touches(self, slot: Slot) -> bool:
        """Return whether ``slot`` shares characters with one of them, whatever is around it."""
        mine = _slot_key(slot, 0)
        for position in range(bisect_left(self._starts, mine.end) - 1, -1, -1):
            one = self._slots[position]
            if _slot_key(one, 0).end <= mine.start:
                return False  # and so do those before it
            if overlap(slot, one):
                return True
        return False


def _slot_key(slot: Slot, level: int) -> Slot | Capsule:
    """Return what stands for the slot in the text that ``level`` capsules are around."""
    return slot.capsules[level] if level < len(slot.capsules) else slot
