"""Carry a person's comments from the old text of a file to the new one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from pytest_loadtool.casefile.toml.positions import KeyPath, Layout, Remark
from pytest_loadtool.casefile.toml.render import KeyedLine


@dataclass(frozen=True, slots=True)
class Carried:
    """Comments by the new paths they belong to, and those at the end of the file."""

    remarks: Mapping[KeyPath, Remark]
    end: tuple[str, ...]


def carry(old: Layout, moved: Mapping[KeyPath, KeyPath], lines: Iterable[KeyedLine]) -> Carried:
    """Find each comment's place among the new ``lines``. ``moved`` gives new paths by old ones.

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
