"""JSON whose values stand in one list, and refer to each other by their places in it.

Full-stack frameworks flatten the data of their pages so, that what occurs twice is sent once:
``[{"notes": 1}, [2], {"id": 3, "title": 4}, 40, "Tea"]`` is ``{"notes": [{"id": 40, "title":
"Tea"}]}``. SvelteKit and Nuxt write it by devalue 5, React Router by turbo-stream 2, which lists
the names of fields, too (``{"_1": 2}``), and sends what it waits for in later lines (``P3:[…]``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

#: A document of which more values would come, as some are referred to again and again, stays flat.
_MOST_VALUES = 200_000
_NUMBERED = re.compile(r"_(\d+)")
_LATER = re.compile(r"P(\d+):(?=\[|-?\d)")
#: What a list begins with whose next member is the value itself, and not a place.
_LITERALS = frozenset(
    {"Date", "BigInt", "URL", "URLSearchParams", "RegExp", "D", "U", "B", "Y", "R", "E"}
)
_SETS = frozenset({"Set", "S"})
_MAPS = frozenset({"Map", "M"})
#: What the first value of a whole document may be in.
_WRAPPERS = frozenset({"ShallowReactive", "Reactive", "SingleFetchRedirect"})
#: Where an answer of SvelteKit, which says its type, has such a list as a text.
_TEXTS = ("data", "result")


def expanded(document: Any) -> Any:
    """Return a document of JSON with what is flattened in it as that which it stands for."""
    if document.__class__ is list:
        return _expanded(document, ()) if document and _is_whole(document[0]) else document
    if document.__class__ is str:
        return _within(document)
    if document.__class__ is dict and document.get("type").__class__ is str:
        return {key: _part(key, one) for key, one in document.items()}
    if document.__class__ is dict and len(document) == 1 and document.get("d").__class__ is str:
        return {"d": _within(document["d"])}
    return document


def _within(text: str) -> Any:
    """Return the document that a text is, which a server has written in JSON twice, as methods of
    ASP.NET do under ``d``; else the text."""
    if text[:1] not in ("{", "["):
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text


def expanded_lines(text: str) -> Any:
    """Return the document in a text whose later lines are what its first one waits for.

    Raises:
        ValueError: it is none.
    """
    first, *later = text.splitlines() if text.startswith("[") else [""]
    document = json.loads(first)
    found = [one for line in later if (one := _LATER.match(line))]
    is_flat = isinstance(document, list) and document and _is_whole(document[0])
    if not is_flat or len(found) < sum(map(bool, later)):
        raise ValueError("it is no JSON")
    return _expanded(
        document, [(int(one[1]), json.loads(one.string[one.end() :])) for one in found]
    )


def _is_whole(first: Any) -> bool:
    """Return whether a list that begins so may be flattened, though nothing around says so."""
    if first.__class__ is dict:
        return bool(first) and all(map(_NUMBERED.fullmatch, first))
    return first.__class__ is list and len(first) == 2 and first[0] in _WRAPPERS


def _part(key: str, value: Any) -> Any:
    if key == "nodes" and isinstance(value, list):
        return [_node(one) for one in value]
    if key in _TEXTS and isinstance(value, str) and value.startswith("["):
        try:
            return _expanded(json.loads(value), (), value)
        except ValueError:
            return value
    return value


def _node(node: Any) -> Any:
    if not isinstance(node, dict) or not isinstance(node.get("data"), list):
        return node
    return node | {"data": _expanded(node["data"], ())}


def _expanded(
    values: Sequence[Any], later: Sequence[tuple[int, Any]], otherwise: Any = None
) -> Any:
    """Return what they stand for; if that is nothing, they themselves or ``otherwise``."""
    try:
        return _Flattened(values, later).whole()
    except (ValueError, RecursionError):
        return values if otherwise is None else otherwise


class _Flattened:
    """A flattened list that is read: each of its values has to be referred to."""

    def __init__(self, values: Sequence[Any], later: Sequence[tuple[int, Any]]) -> None:
        self._values = list(values)
        self._promised: dict[int, int] = {}
        for number, value in later:
            self._promised[number] = len(self._values) if isinstance(value, list) else value
            self._values += value if isinstance(value, list) else ()
        names = [name for one in self._values if isinstance(one, dict) for name in one]
        self._is_numbered = bool(names) and all(map(_NUMBERED.fullmatch, names))
        self._used: set[int] = set()
        self._open: set[int] = set()
        self._read = 0

    def whole(self) -> Any:
        """Return the first value; raises ValueError if that is not all of them."""
        found = self._at(0)
        if len(self._used) < len(self._values):
            raise ValueError("values that nothing refers to")
        return found

    def _at(self, place: Any) -> Any:
        if place.__class__ is not int or place >= len(self._values) or self._read > _MOST_VALUES:
            raise ValueError("it is no place")
        if place < 0:  # nothing, an infinity, and what else JSON has not
            return None
        self._used.add(place)
        self._read += 1
        value = self._values[place]
        if not isinstance(value, dict | list):
            return value
        if place in self._open:  # it is within itself
            return None
        self._open.add(place)
        found = self._fields(value) if isinstance(value, dict) else self._list(value)
        self._open.discard(place)
        return found

    def _fields(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        if self._is_numbered:
            return {str(self._at(int(name[1:]))): self._at(one) for name, one in fields.items()}
        return {name: self._at(one) for name, one in fields.items()}

    def _list(self, members: Sequence[Any]) -> Any:
        kind, *others = members or [None]
        if not isinstance(kind, str):
            return [self._at(one) for one in members]
        if kind in _LITERALS or kind.startswith("Temporal."):
            return others[0] if others else None
        if kind in _SETS:
            return [self._at(one) for one in others]
        if kind in _MAPS:
            return {str(self._at(name)): self._at(one) for name, one in _pairs(others)}
        if kind == "null":
            return {str(name): self._at(one) for name, one in _pairs(others)}
        if kind == "N" and others and isinstance(others[0], dict):
            return self._fields(others[0])
        if kind == "P":
            return self._at(self._promised.get(others[0], -1)) if others else None
        return self._at(others[0]) if len(others) == 1 else [self._at(one) for one in others]


def _pairs(members: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    return zip(members[::2], members[1::2], strict=True)
