"""Objects of JSON and XML documents: their fields, and how paths tell one in a list from others."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from typing import Any

from pytest_loadtool.correlation.classify import looks_random, may_be_code
from pytest_loadtool.extraction.json_steps import Column

KEY = re.compile(r"[A-Za-z_$][\w$-]*")
"""The keys that a condition can name."""
NO_TEXT = re.compile(r"[\\\x00-\x1f]")
"""What no text in a condition may have."""
#: How many keys lead from an object to a field of it, at most: ``@.attributes.name``.
_DEEPEST = 3

Keys = tuple[str, ...]
"""The way from an object to a field of it."""


def leaves(
    item: Any, allowed: re.Pattern[str] = KEY, keys: Keys = (), named: Set[str] = frozenset()
) -> Iterator[tuple[Keys, str | int | float]]:
    """Yield the texts, numbers and booleans of an object under ``allowed`` keys, but for those in
    lists, and under what may be an id, unless it is ``named``; of what is no object, none."""
    for key, value in item.items() if isinstance(item, dict) else ():
        if not isinstance(key, Column) and (
            not allowed.fullmatch(key)
            or (key not in named and (may_be_code(key) or looks_random(key)))
        ):
            continue
        if isinstance(value, str | int | float):
            yield (*keys, key), value
        elif len(keys) + 1 < _DEEPEST:
            yield from leaves(value, allowed, (*keys, key), named)


def shared_keys(items: Sequence[Any]) -> frozenset[str]:
    """Return the keys that all of several objects have: what all have is no id."""
    objects = [set(one) if isinstance(one, dict) else set() for one in items]
    return frozenset(set.intersection(*objects)) if len(objects) > 1 else frozenset()


def inner(item: Any, keys: tuple[str | int, ...]) -> Any:
    """Return what the keys lead to; None if they lead nowhere."""
    for key in keys:
        if isinstance(item, dict):
            item = item.get(str(key))
        elif isinstance(item, list) and isinstance(key, int) and key < len(item):
            item = item[key]
        elif isinstance(item, list) and isinstance(key, Column) and key.at < len(item):
            item = item[key.at]
        else:
            return None
    return item


def quoted(text: str) -> str:
    """Return a text as a condition writes it. Not both quotes may be in it."""
    quote = "'" if '"' in text else '"'
    return f"{quote}{text}{quote}"


def condition(keys: Keys, text: str, value: Any) -> str:
    """Return the step of a JSON path to the items of a list that have ``text`` under these keys;
    ``value`` is what the recorded one has there."""
    way = "".join(f"[{one.at}]" if isinstance(one, Column) else f".{one}" for one in keys)
    return f"[?(@{way}=={text if isinstance(value, int) else quoted(text)})]"
