"""The Fields View as lines: of a transaction, of pages, or of the test case."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from pytest_loadtool.console.views.columns import cell_len, clipped, padded
from pytest_loadtool.console.views.line import Kind, ViewLine
from pytest_loadtool.masking.text import BY_NAME, Mask, Unmasked

if TYPE_CHECKING:
    from pytest_loadtool.correlation.requests.fields import Field
    from pytest_loadtool.workflow.fields import ShownField

#: Characters of a name, and of a value, before they are cut; and the fewest of a value.
_NAME, _VALUE, _SHORTEST = 40, 60, 12
#: Other transactions that are named before the rest is only counted.
_NAMED = 4
#: What stands before a field, and what it means.
_SIGNS: dict[Kind, tuple[str, str]] = {
    "correlated": ("#", "correlated"),
    "edited": ("+", "edited by a person"),
}


def table(
    fields: Sequence[ShownField], *, secrets: bool = False, width: int | None = None
) -> Iterator[ViewLine]:
    """Yield a heading per section, a line per field, and what the signs mean.

    Of passwords, tokens and cookies only the beginning is shown, unless ``secrets``. With fields of
    several transactions, each has the number of its own.
    """
    mask = Unmasked() if secrets else BY_NAME
    several = len({one.index for one in fields}) > 1
    number = max((len(str(one.index + 1)) for one in fields), default=0) if several else 0
    name = max((cell_len(clipped(one.field.name, _NAME)) for one in fields), default=0)
    source = max((len(one.field.datasource) for one in fields), default=0)
    signs: set[Kind] = set()
    for section, group in groupby(fields, key=lambda one: one.field.section):
        yield ViewLine((section, "heading"))
        for one in group:
            kind = _kind(one)
            signs.add(kind)
            sign = _SIGNS[kind][0] if kind else " "
            before = f"{one.index + 1:>{number}}  " if several else ""
            left = (width or 0) - (2 + len(before) + name + 2 + source + 2)
            also = _also(one)
            if width is not None and left - len(also) < _SHORTEST:
                also = f"  in {one.others} more" if one.others else ""
            room = _VALUE if width is None else max(_SHORTEST, left - len(also))
            yield ViewLine(
                (f"{sign} ", kind),
                (before, "number"),
                (padded(clipped(one.field.name, _NAME), name), kind or "name"),
                (f"  {one.field.datasource:<{source}}  ", kind),
                (clipped(masked_value(one.field, mask), room), kind),
                (also, "dim"),
            )
    said = ", ".join(
        f"{sign} {meaning}" for kind, (sign, meaning) in _SIGNS.items() if kind in signs
    )
    if said:
        yield ViewLine((said, "dim"))


def masked_value(field: Field, mask: Mask = BY_NAME) -> str:
    """Return what a field sends, as far as it may be seen."""
    return mask.field(field) or "(empty)"


def _kind(one: ShownField) -> Kind:
    """Return how a field is shown: as correlated, if application state management set it, whoever
    else had a hand in it."""
    return "correlated" if one.field.correlated else "edited" if one.edited else ""


def _also(one: ShownField) -> str:
    """Return which other transactions send the same."""
    if not one.others:
        return ""
    named = ", ".join(map(str, one.also(_NAMED)))
    more = f" and {one.others - _NAMED} more" if one.others > _NAMED else ""
    return f"  also in {named}{more}"
