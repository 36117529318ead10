"""What a converter takes, in the words of JSON Schema: editors check and complete files by that.

It stands at the converter, beside the code that reads, and there is no second list of keys. What
has no shape takes anything, as far as an editor knows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

C = TypeVar("C", bound=Callable[..., Any])

#: Gives the schema of another converter, or of a table.
Describe = Callable[[object], dict[str, Any]]
Shape = Callable[[Describe], dict[str, Any]]


def shaped(shape: Shape) -> Callable[[C], C]:
    """Mark a converter with its shape, which may be that of others."""

    def mark(convert: C) -> C:
        cast(Any, convert).shape = shape
        return convert

    return mark


def takes(*types: str, **more: object) -> Callable[[C], C]:
    """Mark a converter with the types that it takes, and what else holds of them."""
    named: dict[str, Any] = {"type": types[0] if len(types) == 1 else list(types)} if types else {}
    named |= {key: list(one) if isinstance(one, tuple) else one for key, one in more.items()}
    return shaped(lambda _describe: named)


def shape_of(convert: object) -> Shape | None:
    """Return the shape of a converter, if it has one."""
    found = getattr(convert, "shape", None)
    return cast(Shape, found) if callable(found) else None
