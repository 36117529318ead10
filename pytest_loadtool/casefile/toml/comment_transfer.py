"""Which part of a new document is which part of the old one.

Tables are matched by key. The entries of an array have no names, so they are matched in rounds,
each over what the rounds before left: entries that are equal; entries of the same label (a page's
name, a transaction's request), the first with the first and so on; entries that follow, or come
before, the partner of their neighbour and resemble each other (what was renamed or edited). What
has then no partner in its own array may have moved to another: transactions go from page to page.

It also carries a person's comments from the old text of a file to the new one.
"""

from __future__ import annotations

import json
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pytest_loadtool.casefile.toml.positions import KeyPath, Layout, Remark
from pytest_loadtool.casefile.toml.render import KeyedLine


@dataclass(frozen=True, slots=True)
class Carried:
    """Comments by the new paths they belong to, and those at the end of the file."""

    remarks: Mapping[KeyPath, Remark]
    end: tuple[str, ...]


def carry(old: Layout, moved: Mapping[KeyPath, KeyPath], lines: Iterable[KeyedLine]) -> Carried:
    """Return each comment's place among the new ``lines``. ``moved`` gives new paths by old ones.

    Three cases:

    1. What it belongs to is still there and has a line or array entry of its own: there.
    2. It is still there, but inside something that is now one line: with that.
    3. It is gone: below the nearest thing above that is still there, or at the end of the file.
    """
    places = _places(lines)
    remarks: dict[KeyPath, Remark] = {}
    end: tuple[str, ...] = ()
    before: list[KeyPath] = []  # old paths above, in order
    for path, remark in _in_order(old, before):
        target = moved.get(path)
        if target is not None and (place := _around(target, places)):
            own = remarks.get(place, Remark())
            remarks[place] = _joined(own, remark if place == target else _lifted(own, remark))
        elif anchor := _anchor(path, before, moved, places):
            own = remarks.get(anchor, Remark())
            remarks[anchor] = replace(own, below=own.below + _all(remark))
        else:
            end += _all(remark)
    return Carried(remarks, (*end, *(("",) if end and old.end else ()), *old.end))


def _in_order(old: Layout, before: list[KeyPath]) -> Iterator[tuple[KeyPath, Remark]]:
    """Yield the remarks as the text has them: what is below an array comes after those inside of
    it.

    ``before`` is kept to the paths up to the present one.
    """
    open_: list[tuple[KeyPath, Remark]] = []
    for path in old.lines:
        while open_ and path[: len(open_[-1][0])] != open_[-1][0]:
            yield open_.pop()
        before.append(path)
        remark = old.remarks.get(path)
        if remark is not None:
            yield path, replace(remark, below=())
            open_.append((path, Remark(below=remark.below)))
    yield from reversed(open_)


def _places(lines: Iterable[KeyedLine]) -> set[KeyPath]:
    places: set[KeyPath] = set()
    for line in lines:
        places.add(line.path)
        places.update((*line.path, index) for index in range(len(line.elements or ())))
    return places


def _around(path: KeyPath, places: set[KeyPath]) -> KeyPath:
    """Return the place of ``path`` or of what it is inside of; () if there is none."""
    while path and path not in places:
        path = path[:-1]
    return path


def _anchor(
    gone: KeyPath, before: list[KeyPath], moved: Mapping[KeyPath, KeyPath], places: set[KeyPath]
) -> KeyPath:
    """Return the place below which the comments of something that is gone go; () if there is
    none."""
    for path in reversed(before):
        # Not into the arrays of a neighbour: below them.
        while path and isinstance(path[-1], int) and path[:-1] != gone[: len(path) - 1]:
            path = path[:-1]
        target = moved.get(path)
        if target and target in places:
            return target
    return ()


def _joined(own: Remark, other: Remark) -> Remark:
    return Remark(own.above + other.above, other.behind or own.behind, own.below + other.below)


def _lifted(own: Remark, remark: Remark) -> Remark:
    """Return a remark as it is shown with what it is inside of."""
    if not own.behind or not remark.behind:
        return remark
    return Remark((*remark.above, remark.behind), "", remark.below)


def _all(remark: Remark) -> tuple[str, ...]:
    behind = (remark.behind,) if remark.behind else ()
    return tuple(line for line in (*remark.above, *behind, *remark.below) if line)


#: Above this `difflib` ratio two entries count as the same one, edited.
_ALIKE = 0.6
#: How much of an entry is compared for that; the comparison takes quadratic time.
_LONGEST = 600

#: The array whose entries move to another of that name.
_MOVING = "transaction"
#: By the array's name: the key of an entry that says which one it is.
_LABELS: Mapping[str, str] = {
    "page": "name",
    "transaction": "request",
    "extractors": "variable",
    "case": "file",
    "identity": "username",
}


def match(old: Any, new: Any, usual: Mapping[str | int, Any]) -> dict[KeyPath, KeyPath]:
    """Return the path in ``new`` for each path of ``old`` that is still there; both are from
    ``tomllib``.

    ``usual`` has the values, by key, that mean the same as no key at all.
    """
    matcher = _Matcher(usual)
    matcher.match(old, new, (), ())
    matcher.match_moved(old, new)
    return matcher.found


class _Matcher:
    def __init__(self, usual: Mapping[str | int, Any]) -> None:
        self.usual = usual
        self.found: dict[KeyPath, KeyPath] = {}

    def match(self, old: Any, new: Any, at: KeyPath, to: KeyPath) -> None:
        """Note that ``new`` is what ``old`` was, and match what is inside of them."""
        self.found[at] = to
        if isinstance(old, dict) and isinstance(new, dict):
            for key in old.keys() & new.keys():
                self.match(old[key], new[key], (*at, key), (*to, key))
        elif isinstance(old, list) and isinstance(new, list):
            for mine, theirs in self.pairs(_name(at), old, new).items():
                self.match(old[mine], new[theirs], (*at, mine), (*to, theirs))

    def match_moved(self, old: Any, new: Any) -> None:
        """Note the transactions that are on another page now: equal ones, then those of the same
        label."""
        partners = set(self.found.values())
        gone = [one for one in _nested(old) if one[0] not in self.found]
        come = [one for one in _nested(new) if one[0] not in partners]
        pairs: dict[int, int] = {}
        for text in (self.whole, self.label):
            _pair_equal([text(one) for _, one in gone], [text(one) for _, one in come], pairs)
        for mine, theirs in pairs.items():
            (at, before), (to, after) = gone[mine], come[theirs]
            self.match(before, after, at, to)

    def label(self, entry: Any) -> str:
        """Return what tells a transaction from others."""
        return _label(_MOVING, entry, self.whole(entry))

    def pairs(self, name: str, old: list[Any], new: list[Any]) -> dict[int, int]:
        """Return which entry of the array ``name`` is which: old indices to new ones."""
        wholes: _Texts = [self.whole(entry) for entry in old], [self.whole(entry) for entry in new]
        labels: _Texts = (
            [_label(name, *entry) for entry in zip(old, wholes[0], strict=True)],
            [_label(name, *entry) for entry in zip(new, wholes[1], strict=True)],
        )
        pairs: dict[int, int] = {}
        for old_texts, new_texts in (wholes, labels):
            _pair_equal(old_texts, new_texts, pairs)
        for step in (1, -1):
            _pair_neighbours(step, (wholes, labels), pairs)
        return pairs

    def whole(self, entry: Any) -> str:
        """Return all that an entry says, the same for entries that mean the same."""
        return json.dumps(self.plain(entry), sort_keys=True, default=str)

    def plain(self, value: Any) -> Any:
        """Return ``value`` without what is as usual."""
        if isinstance(value, list):
            return [self.plain(one) for one in value]
        if not isinstance(value, dict):
            return value
        return {
            key: self.plain(one)
            for key, one in value.items()
            if key not in self.usual or self.usual[key] != one
        }


_Texts = tuple[list[str], list[str]]


def _nested(data: Any) -> Iterator[tuple[KeyPath, Any]]:
    """Yield each transaction with its path."""
    for number, page in enumerate(data.get("page", ())):
        entries = page.get(_MOVING, ()) if isinstance(page, dict) else ()
        yield from (
            (("page", number, _MOVING, index), entry) for index, entry in enumerate(entries)
        )


def _name(at: KeyPath) -> str:
    """Return the array's name; that of a header set, which the user chooses, tells nothing."""
    return "headers" if at[0] == "header_sets" else str(at[-1])


def _pair_equal(old: list[str], new: list[str], pairs: dict[int, int]) -> None:
    taken = set(pairs.values())
    free: dict[str, deque[int]] = defaultdict(deque)
    for index, text in enumerate(new):
        if index not in taken:
            free[text].append(index)
    for index, text in enumerate(old):
        if index not in pairs and free[text]:
            pairs[index] = free[text].popleft()


def _pair_neighbours(step: int, texts: tuple[_Texts, ...], pairs: dict[int, int]) -> None:
    """Pair what stands ``step`` behind a pair on both sides; the ends count as a pair."""
    taken = set(pairs.values())
    old_size, new_size = (len(side) for side in texts[0])
    for index in range(old_size) if step > 0 else range(old_size - 1, -1, -1):
        neighbour = index - step
        if index in pairs or (neighbour not in pairs and 0 <= neighbour < old_size):
            continue
        first = 0 if step > 0 else new_size - 1
        candidate = pairs[neighbour] + step if neighbour in pairs else first
        is_free = 0 <= candidate < new_size and candidate not in taken
        if is_free and any(_alike(old[index], new[candidate]) for old, new in texts):
            pairs[index] = candidate
            taken.add(candidate)


def _label(name: str, entry: Any, whole: str) -> str:
    if isinstance(entry, dict):
        return str(entry.get(_LABELS.get(name, "")) or whole)
    return str(entry).partition(":")[0].lower() if name == "headers" else str(entry)


def _alike(old: str, new: str) -> bool:
    import difflib  # only a save with comments and edits needs it

    return difflib.SequenceMatcher(None, old[:_LONGEST], new[:_LONGEST]).ratio() >= _ALIKE
