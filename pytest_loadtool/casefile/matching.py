"""Which part of a new document is which part of the old one.

Tables are matched by key. The entries of an array have no names, so they are matched in rounds,
each over what the rounds before left: entries that are equal; entries of the same label (a page's
name, a transaction's request), the first with the first and so on; entries that follow, or come
before, the partner of their neighbour and resemble each other (what was renamed or edited).
"""

from __future__ import annotations

import json
from collections import defaultdict, deque
from collections.abc import Callable, Mapping
from typing import Any

from pytest_loadtool.casefile.lines import KeyPath

__all__ = ["match"]

#: Above this `difflib` ratio two entries count as the same one, edited.
_ALIKE = 0.6
#: How much of an entry is compared for that; the comparison takes quadratic time.
_COMPARED = 600

#: By the array's name: the key of an entry that says which one it is.
_LABELS: Mapping[str, str] = {
    "page": "name",
    "transaction": "request",
    "extractors": "variable",
    "case": "file",
}


def match(old: Any, new: Any) -> dict[KeyPath, KeyPath]:
    """For each path of ``old`` that is still there, its path in ``new``; both from ``tomllib``."""
    found: dict[KeyPath, KeyPath] = {}
    _match(old, new, (), (), found)
    return found


def _match(old: Any, new: Any, at: KeyPath, to: KeyPath, found: dict[KeyPath, KeyPath]) -> None:
    found[at] = to
    if isinstance(old, dict) and isinstance(new, dict):
        for key in old.keys() & new.keys():
            _match(old[key], new[key], (*at, key), (*to, key), found)
    elif isinstance(old, list) and isinstance(new, list):
        for mine, theirs in _pairs(_name(at), old, new).items():
            _match(old[mine], new[theirs], (*at, mine), (*to, theirs), found)


def _name(at: KeyPath) -> str:
    """The array's name; that of a header set, which the user chooses, tells nothing."""
    return "headers" if at[0] == "header_sets" else str(at[-1])


def _pairs(name: str, old: list[Any], new: list[Any]) -> dict[int, int]:
    pairs: dict[int, int] = {}
    for label in (_whole, lambda entry: _label(name, entry)):
        _pair_equal(label, old, new, pairs)
    for step in (1, -1):
        _pair_neighbours(step, name, old, new, pairs)
    return pairs


def _pair_equal(
    label: Callable[[Any], str], old: list[Any], new: list[Any], pairs: dict[int, int]
) -> None:
    taken = set(pairs.values())
    free: dict[str, deque[int]] = defaultdict(deque)
    for index, entry in enumerate(new):
        if index not in taken:
            free[label(entry)].append(index)
    for index, entry in enumerate(old):
        if index not in pairs and free[label(entry)]:
            pairs[index] = free[label(entry)].popleft()


def _pair_neighbours(
    step: int, name: str, old: list[Any], new: list[Any], pairs: dict[int, int]
) -> None:
    """Pair what stands ``step`` behind a pair on both sides; the ends count as a pair."""
    taken = set(pairs.values())
    order = range(len(old)) if step > 0 else range(len(old) - 1, -1, -1)
    for index in order:
        neighbour = index - step
        if neighbour in pairs:
            candidate = pairs[neighbour] + step
        else:
            candidate = 0 if step > 0 else len(new) - 1
        if index in pairs or (neighbour not in pairs and 0 <= neighbour < len(old)):
            continue
        is_free = 0 <= candidate < len(new) and candidate not in taken
        if is_free and _alike(name, old[index], new[candidate]):
            pairs[index] = candidate
            taken.add(candidate)


def _whole(entry: Any) -> str:
    return json.dumps(entry, sort_keys=True, default=str)


def _label(name: str, entry: Any) -> str:
    if isinstance(entry, dict):
        return str(entry.get(_LABELS.get(name, "")) or _whole(entry))
    if name == "headers":
        return str(entry).partition(":")[0].lower()
    return str(entry)


def _alike(name: str, old: Any, new: Any) -> bool:
    import difflib  # only a save with comments and edits needs it

    texts = ((_label(name, old), _label(name, new)), (_whole(old), _whole(new)))
    return any(
        difflib.SequenceMatcher(None, one[:_COMPARED], other[:_COMPARED]).ratio() >= _ALIKE
        for one, other in texts
    )
