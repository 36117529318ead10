"""The values of a JSON answer by where they stand."""

from __future__ import annotations

import json
from collections import deque
from dataclasses import dataclass

from pytest_loadtool.codec.flattened import expanded

#: So many values of a document are looked at, and so many items of a list.
_MOST_VALUES, _MOST_ITEMS = 2000, 20

#: The keys and indexes that lead to a value, from the root.
Keys = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class ListLength:
    """The number of items of a list."""

    count: int


def json_values(text: str) -> dict[Keys, object]:
    """Return the values of a JSON text by where they stand, outer ones first, and of each list its
    `ListLength`; none of a text that is no JSON."""
    try:
        waiting: deque[tuple[Keys, object]] = deque([((), expanded(json.loads(text)))])
    except (ValueError, RecursionError):
        return {}
    found: dict[Keys, object] = {}
    while waiting and len(found) < _MOST_VALUES:
        keys, value = waiting.popleft()
        match value:
            case dict():
                waiting += [((*keys, name), one) for name, one in value.items()]
            case list():
                found[keys] = ListLength(len(value))
                waiting += [((*keys, at), one) for at, one in enumerate(value[:_MOST_ITEMS])]
            case _:
                found[keys] = value
    return found


def shown(keys: Keys) -> str:
    """Return where a value stands as people write it: ``orders[0].state``."""
    return "".join(f"[{one}]" if isinstance(one, int) else f".{one}" for one in keys).lstrip(".")
