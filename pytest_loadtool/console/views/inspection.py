"""What a replay showed: differences to the recording, variables, and where texts were found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from rich.cells import cell_len, set_cell_size

from pytest_loadtool.codec.printable import clip, on_one_line
from pytest_loadtool.console.views.line import Kind, ViewLine
from pytest_loadtool.masking.text import Mask, cut
from pytest_loadtool.workflow.comparing import DiffRow, DiffSection
from pytest_loadtool.workflow.finding import FoundPlace, Trace
from pytest_loadtool.workflow.telling import counted
from pytest_loadtool.workflow.variables import VariableRow

#: Lines beside a difference that are shown.
_CONTEXT = 2
#: Characters of a value, and transactions that are listed.
_VALUE, _MOST_USERS = 60, 12
#: Columns that what was found gets at least, and columns where nobody knows how many there are.
_NARROWEST, _WIDTH = 20, 120


def differences(sections: Sequence[DiffSection], *, everything: bool = False) -> Iterator[ViewLine]:
    """Yield what differs, part by part: ``-`` as recorded, ``+`` as replayed; ``!`` where nothing
    explains it. Lines that are the same are left out but for a few, unless ``everything``."""
    for section in sections:
        yield ViewLine((f"{section.title}: ", "heading"), _verdict(section))
        for row in section.rows if everything else _worth_showing(section):
            yield from _row(row)


def _verdict(section: DiffSection) -> tuple[str, Kind]:
    if not section.rows:
        return "none", "dim"
    expected = counted(section.expected, "expected difference") if section.expected else ""
    if not section.unexplained:
        return (f"as recorded, but for {expected}" if expected else "as recorded"), "good"
    found = counted(section.unexplained, "difference")
    return f"{found}{f', and {expected}' if expected else ''}", "bad"


def _worth_showing(section: DiffSection) -> Iterable[DiffRow | None]:
    """Return the status, and what differs; of headers only if nothing explains it."""
    if section.title == "Status":
        return section.rows
    if section.title.endswith("headers") and not section.unexplained:
        return ()
    return _near_differences(section.rows)


def _near_differences(rows: Sequence[DiffRow]) -> Iterator[DiffRow | None]:
    """Yield the lines that differ, with some beside them; None where others are left out."""
    near = {
        at
        for number, row in enumerate(rows)
        if row.mark != "same"
        for at in range(number - _CONTEXT, number + _CONTEXT + 1)
    }
    last = -1
    for at, row in enumerate(rows):
        if at not in near:
            continue
        if at != last + 1:
            yield None
        last = at
        yield row


def _row(row: DiffRow | None) -> Iterator[ViewLine]:
    if row is None:
        yield ViewLine(("      …", "dim"))
        return
    if row.mark == "same":
        yield ViewLine(("      ", ""), (on_one_line(row.recorded or row.replayed or ""), ""))
        return
    mark: tuple[str, Kind] = ("  ! ", "bad") if row.mark == "different" else ("    ", "")
    dim: Kind = "dim" if row.mark == "expected" else ""
    if row.recorded is not None:
        yield ViewLine(mark, ("- ", "bad"), (on_one_line(row.recorded), dim))
    if row.replayed is not None:
        why = f"   ({row.why})" if row.why else ""
        yield ViewLine(mark, ("+ ", "good"), (on_one_line(row.replayed) + why, dim))


def variable_table(rows: Iterable[VariableRow], titles: Sequence[str], mask: Mask) -> Iterator[str]:
    """Yield the Variables tab: each with its value, where that was set, and who uses it."""
    for row in rows:
        value = "not set" if row.value is None else _value(row, row.value, mask)
        yield ViewLine((row.name, "name"), ("  ", ""), (value, "" if row.value else "dim"))
        if row.recorded is not None:
            same = row.recorded == row.value
            recorded = "the same" if same else _value(row, row.recorded, mask)
            yield ViewLine(("    recorded   ", "dim"), (recorded, ""))
        where = ", ".join(_named(row.set_by, titles)) or row.origin or "nothing"
        yield ViewLine(("    Where Set  ", "dim"), (where, "" if where != "nothing" else "bad"))
        used = ", ".join(_named(row.used_by, titles)) or "nothing"
        yield ViewLine(("    used by    ", "dim"), (used, ""))


def _value(row: VariableRow, value: str, mask: Mask) -> str:
    shown = cut(value) if row.secret else mask.known(value)
    return clip(on_one_line(shown), _VALUE) or "(empty)"


def _named(indexes: Sequence[int], titles: Sequence[str]) -> Iterator[str]:
    for index in indexes[:_MOST_USERS]:
        yield f"{index + 1} {titles[index]}"
    if len(indexes) > _MOST_USERS:
        yield f"{len(indexes) - _MOST_USERS} more"


def places(found: Iterable[FoundPlace], width: int | None) -> Iterator[ViewLine]:
    """Yield a heading for each side of each transaction, and a line for each place in it, which
    goes into so many columns."""
    for (where, index, title), group in groupby(
        found, key=lambda one: (one.where, one.index, one.title)
    ):
        number = f"{index + 1:5}" if index is not None else "    -"
        yield ViewLine((f"{number}  ", "number"), (f"{title}  ", "name"), (f"({where})", "dim"))
        for one in group:
            head = f"       {one.part} {one.place}: "
            role = f"  ({one.role})" if one.role else ""
            room = max((width or _WIDTH) - cell_len(head) - cell_len(role) - 1, _NARROWEST)
            before, match, after = _fitted(one, room)
            yield ViewLine(
                (head, ""), (before, "dim"), (match, "found"), (after, "dim"), (role, "")
            )


def _fitted(one: FoundPlace, room: int) -> tuple[str, str, str]:
    """Return what stands there in so many columns: the match, and what is beside it as there is
    room."""
    match = one.match
    if cell_len(match) > (most := room * 2 // 3):
        match = f"{_beginning(match, most - 1)}…"
    beside = max(room - cell_len(match), 0)
    left = min(cell_len(one.before), max(beside // 2, beside - cell_len(one.after)))
    before = _beginning(one.before[::-1], left)[::-1]
    return before, match, _beginning(one.after, beside - left)


def _beginning(text: str, columns: int) -> str:
    """Return so much of a text as goes into so many columns: wide characters take two."""
    return text if cell_len(text) <= columns else set_cell_size(text, columns)


def trace_lines(found: Trace, width: int | None) -> Iterator[ViewLine]:
    """Yield the way of a value, in the recording and in the replay, in so many columns."""
    name = f"${{{found.name}}}" if found.name else "no variable has this value"
    yield ViewLine((name, "heading"))
    for where, said in (
        ("recording", "In the recording"),
        ("replay", "In the replay"),
        ("test case", "In the test case"),
    ):
        mine = [one for one in found.places if one.where == where]
        yield ViewLine((f"{said}: ", "heading"), (counted(len(mine), "place"), ""))
        yield from places(mine, width)
