"""What some commands show, as screens with a cursor and keys of their own.

After a command that one of these keys has run, the panel shows anew what there is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from pytest_loadtool.console.errors import UsageError
from pytest_loadtool.console.registry import Registry, split
from pytest_loadtool.console.screens.keys import ScreenKey

_COMMAND = re.compile("`([^`]+)`")
_NUMBER = re.compile(r"[> ]*(\d+)[. ]")
_NAME = re.compile(r"(\S+)  ")

_ROWS = (
    ScreenKey(("up", "k"), "one line up", move="up"),
    ScreenKey(("down", "j"), "one line down", move="down"),
    ScreenKey(("pageup",), "a screen up", move="page up"),
    ScreenKey(("pagedown",), "a screen down", move="page down"),
    ScreenKey(("home", "g"), "to the beginning", move="home"),
    ScreenKey(("end", "G"), "to the end", move="end"),
    ScreenKey((":",), "any command line", "cmd", move="command"),
    ScreenKey(("u",), "undo the last change", "undo", line="undo"),
    ScreenKey(("escape",), "back to the test case", "test case", move="back"),
)

_GOTO = ScreenKey(("enter",), "go to that transaction", "go there", move="goto")

_DATASET = (
    ScreenKey(("enter", "e"), "set the value of the cell", "value",
              line="dataset set {name} {row} {column} ", ask=True),
    ScreenKey(("left", "h"), "the column before", move="left"),
    ScreenKey(("right", "l"), "the next column", "column", move="right"),
    ScreenKey(("f",), "fill the column with generated values", "fill",
              line="dataset fill {name} {column} ", ask=True),
    ScreenKey(("a",), "add a row", "row", line="dataset add row {name} ", ask=True),
    ScreenKey(("c",), "add a column", "column", line="dataset add column {name} ", ask=True),
    ScreenKey(("d",), "remove the row", "del", line="dataset remove {name} --row {row}", ask=True),
    ScreenKey(("i",), "import a table of another program", "import",
              line="dataset import --name {name} ", ask=True),
    ScreenKey(("p",), "who gets which row", "rules", line="dataset properties {name} ", ask=True),
    ScreenKey(("S",), "simulate: which rows users of a load take", "simulate",
              line="dataset simulate {name}"),
    ScreenKey(("R",), "reset: the next replay takes the first row", "reset",
              line="dataset reset {name}"),
)  # fmt: skip

_DATASETS = (
    ScreenKey(("enter",), "the values of the dataset", "open",
              line="dataset show {name} --rows 1-2000"),
    ScreenKey(("n",), "a new dataset", "new", line="dataset new ", ask=True),
    ScreenKey(("i",), "import a table of another program", "import", line="dataset import ",
              ask=True),
)  # fmt: skip

_LOAD = (
    ScreenKey(("n",), "users", "users", line="load set users ", ask=True),
    ScreenKey(("d",), "duration", "duration", line="load set duration ", ask=True),
    ScreenKey(("r",), "ramp-up", "ramp-up", line="load set ramp_up ", ask=True),
    ScreenKey(("R",), "iterations per second in place of users", "rate", line="load set rate ",
              ask=True),
    ScreenKey(("S",), "stages: users over time", "stages", line="load set stages ", ask=True),
    ScreenKey(("t",), "think times", "think", line="load set think_time ", ask=True),
    ScreenKey(("a",), "add a threshold", "threshold", line="load set threshold ", ask=True),
    ScreenKey(("w",), "a test case with its weight", "case", line="load set case ", ask=True),
    ScreenKey(("T",), "try it: one user, one iteration", "trial", line="load trial"),
    ScreenKey(("s",), "start the load test", "start", line="start"),
)  # fmt: skip

#: By the command whose lines a panel shows: its keys.
PANELS: Mapping[str, tuple[ScreenKey, ...]] = MappingProxyType(
    {
        "load": (*_LOAD, *_ROWS),
        "datasets": (*_DATASETS, *_ROWS),
        "dataset-show": (*_DATASET, *_ROWS),
        "search": (_GOTO, *_ROWS),
        "trace": (_GOTO, *_ROWS),
        "show-errors": (_GOTO, *_ROWS),
        "breakpoints": (_GOTO, *_ROWS),
        "navigator": (ScreenKey(("enter",), "open it", "open", line="{opens}"), *_ROWS),
        "replays": (
            ScreenKey(("enter",), "look at that replay", "look at it", line="replays {row}"),
            *_ROWS,
        ),
        "explain": (
            ScreenKey(("x",), "take the decision back", "take back", line="undo decision {row}"),
            *_ROWS,
        ),
    }
)


#: The line with the names of columns, and the blanks between two of them.
_HEADS, _BETWEEN = 1, 2
_CELL = re.compile(r"\S+(?: \S+)*")
_FAR = 1 << 16


@dataclass(frozen=True, slots=True)
class Cell:
    """A column of a grid: its name, and the columns of the terminal that it has."""

    name: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Panel:
    """Whose lines are shown: the command's name, and its line."""

    command: str
    line: str
    sought: str = ""
    """The text that `search` has looked for; empty for others."""

    @property
    def keys(self) -> tuple[ScreenKey, ...]:
        """The keys that mean something in it."""
        return PANELS[self.command]

    def cells(self, lines: Sequence[str]) -> tuple[Cell, ...]:
        """Return the columns of a dataset's grid, by the line of their names; nothing in other
        panels."""
        if self.command != "dataset-show" or len(lines) <= _HEADS:
            return ()
        found = [(one.start(), one[0]) for one in _CELL.finditer(lines[_HEADS])]
        ends = [start - _BETWEEN for start, _ in found[1:]]
        return tuple(
            Cell(name, start, end) for (start, name), end in zip(found, [*ends, _FAR], strict=True)
        )

    def first(self, lines: Sequence[str]) -> int:
        """Return the line that the cursor is on at first: in a grid, that of the first row."""
        return min(_HEADS + 1, len(lines) - 1) if self.cells(lines) else 0

    def places(self, lines: Sequence[str], cursor: int, cell: int = 0) -> dict[str, str]:
        """Return what stands for the places in the command lines of keys, with the cursor on a
        line, and there on a cell."""
        here = lines[cursor] if cursor < len(lines) else ""
        number = row_of(here) if self.command != "replays" else numbered_above(lines, cursor)
        words = split(self.line)
        named = [word for word in words[1:] if word not in ("show", "--secrets")]
        return {
            "row": str(number) if number is not None else "",
            "opens": next(reversed(_COMMAND.findall(here)), ""),
            "name": _named(here) if self.command == "datasets" else named[0] if named else "",
            "column": cells[min(cell, len(cells) - 1)].name if (cells := self.cells(lines)) else "",
        }


def _named(line: str) -> str:
    """Return the dataset that a line of the list of datasets is of; empty for other lines."""
    found = _NAME.match(line)
    return found[1] if found else ""


def row_of(line: str) -> int | None:
    """Return the number that a line begins with; None if it does not."""
    found = _NUMBER.match(line)
    return int(found[1]) if found else None


def numbered_above(lines: Sequence[str], cursor: int) -> int | None:
    """Return the number of a line, or of the nearest above it that has one; None if none has."""
    found = map(row_of, reversed(lines[: cursor + 1]))
    return next((number for number in found if number is not None), None)


def panel_of(line: str, registry: Registry) -> Panel | None:
    """Return the panel that shows what a command line says; None if it has none."""
    try:
        call = registry.parse(line)
    except UsageError:
        return None
    if call is None or call.command.name not in PANELS:
        return None
    sought = str(call.positional[0]) if call.command.name == "search" else ""
    return Panel(call.command.name, line, sought)
