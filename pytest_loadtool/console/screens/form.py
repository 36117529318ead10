"""A form: rows of blanks, choices and boxes, which together are the line of a command.

What is filled in is data; keys are functions from one state to the next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from pytest_loadtool.codec.printable import on_one_line
from pytest_loadtool.console.screens.cells import (
    as_line,
    columns_of,
    filled,
    padded,
    split_at,
    wrapped,
)
from pytest_loadtool.console.screens.keys import ScreenKey
from pytest_loadtool.console.views.line import Kind, ViewLine

#: Columns that a blank has at least.
_NARROWEST = 8


@dataclass(frozen=True, slots=True)
class Blank:
    """A text that is filled in. It has a value for each option of the radio button ``of``, if it
    has one; ``choices`` are texts that it may take, and a ``fixed`` one takes no others."""

    key: str
    label: str = ""
    choices: tuple[str, ...] = ()
    fixed: bool = False
    of: str = ""
    width: int = 0
    secret: bool = False


@dataclass(frozen=True, slots=True)
class Radio:
    """One of the options of ``key``; the blanks behind it in its row belong to it."""

    key: str
    option: str
    label: str


@dataclass(frozen=True, slots=True)
class CheckBox:
    """A box that is checked or not."""

    key: str
    label: str


Part = Blank | Radio | CheckBox


@dataclass(frozen=True, slots=True)
class Form:
    """Rows of parts with what is filled in, by key; a checked box has a value.

    ``line`` makes a command of the values. ``at`` is the part that the cursor is on, counted over
    all rows; ``cursor`` is where it stands in a blank.
    """

    title: str
    rows: tuple[tuple[Part, ...], ...]
    values: Mapping[str, str]
    line: Callable[[Mapping[str, str]], str]
    at: int = 0
    cursor: int = 0
    note: str = ""
    """What is said above the rows, about what is not filled in."""

    @property
    def parts(self) -> tuple[Part, ...]:
        """Return all parts, from left to right and from above to below."""
        return tuple(part for row in self.rows for part in row)

    @property
    def part(self) -> Part:
        """Return the part at the cursor."""
        return self.parts[self.at]

    @property
    def command(self) -> str:
        """The line of the command that it is."""
        return self.line(self.values)

    @property
    def keys(self) -> tuple[ScreenKey, ...]:
        """The keys that mean something in it."""
        return KEYS

    def value(self, part: Part) -> str:
        """Return what is filled in there; of a radio button, the option that is chosen."""
        return self.values.get(self._key(part), "")

    def _key(self, part: Part) -> str:
        if isinstance(part, Blank) and part.of:
            return f"{part.key} {self.values.get(part.of, '')}"
        return part.key

    @property
    def is_chosen(self) -> bool:
        """Return whether the cursor is not on a radio button that is not chosen."""
        return not isinstance(self.part, Radio) or self.value(self.part) == self.part.option

    def filled_in(self, part: Part, value: str) -> Form:
        """Return the form with a value there; what belongs to a radio button chooses it."""
        values = {**self.values, self._key(part): value}
        row = next(row for row in self.rows if part in row)
        if isinstance(part, Blank) and isinstance(first := row[0], Radio):
            values[first.key] = first.option
        return replace(self, values=MappingProxyType(values))

    def moved_to(self, at: int) -> Form:
        """Put the cursor on a part, in a blank behind its text."""
        at %= len(self.parts)
        return replace(self, at=at, cursor=len(self.value(self.parts[at])))


def form_of(
    title: str,
    rows: Sequence[Sequence[Part]],
    values: Mapping[str, str],
    line: Callable[[Mapping[str, str]], str],
) -> Form:
    """Return a form with the cursor on its first part; of radio buttons, on the one that is chosen,
    or in its blank."""
    made = Form(title, tuple(map(tuple, rows)), MappingProxyType(dict(values)), line).moved_to(0)
    while not made.is_chosen:
        made = made.moved_to(made.at + 1)
        while not isinstance(made.part, Radio):
            made = made.moved_to(made.at + 1)
    return entered(made)


def chosen_blanks(rows: Sequence[Sequence[Part]], values: Mapping[str, str]) -> Iterator[Blank]:
    """Yield the blanks behind the radio button that is chosen."""
    for first, *others in rows:
        if isinstance(first, Radio) and values.get(first.key) == first.option:
            yield from (one for one in others if isinstance(one, Blank))


# Keys.


def typed(form: Form, text: str) -> Form:
    """Return the form with a text typed at the cursor, or in the blank behind it; a space chooses
    where nothing is typed."""
    if not isinstance(form.part, Blank):
        if text == " ":
            return _chosen(form)
        form = entered(form)
    part = form.part
    if not isinstance(part, Blank):
        return form
    if part.fixed:
        return _next_choice(form, 1)
    value = form.value(part)
    made = form.filled_in(part, value[: form.cursor] + text + value[form.cursor :])
    return replace(made, cursor=form.cursor + len(text))


def entered(form: Form) -> Form:
    """Return the form with the radio button at the cursor chosen, and the cursor in its blank."""
    if not isinstance(form.part, Radio):
        return form
    chosen = _chosen(form)
    after = form.parts[form.at + 1 : form.at + 2]
    return chosen.moved_to(form.at + 1) if after and isinstance(after[0], Blank) else chosen


def _chosen(form: Form) -> Form:
    match form.part:
        case Radio(option=option):
            return form.filled_in(form.part, option)
        case CheckBox():
            return form.filled_in(form.part, "" if form.value(form.part) else "yes")
        case Blank():
            return form


def _next_choice(form: Form, step: int) -> Form:
    part = form.part
    if not isinstance(part, Blank) or not part.choices:
        return _chosen(form)
    now = form.value(part)
    at = part.choices.index(now) + step if now in part.choices else min(step, 0)
    made = form.filled_in(part, part.choices[at % len(part.choices)])
    return made.moved_to(form.at)


def _erased(form: Form, begin: int, end: int) -> Form:
    part = form.part
    if not isinstance(part, Blank) or part.fixed:
        return form
    value, begin = form.value(part), max(begin, 0)
    return replace(form.filled_in(part, value[:begin] + value[end:]), cursor=begin)


def _sideways(form: Form, step: int) -> Form:
    if not isinstance(form.part, Blank) or form.part.fixed:
        return _next_choice(form, step) if isinstance(form.part, Blank) else form
    length = len(form.value(form.part))
    return replace(form, cursor=max(0, min(form.cursor + step, length)))


def _row_moved(form: Form, step: int) -> Form:
    """Move to the first part of the next row, or of the one before."""
    starts = [sum(map(len, form.rows[:index])) for index in range(len(form.rows))]
    row = max(index for index, start in enumerate(starts) if start <= form.at)
    return form.moved_to(starts[(row + step) % len(starts)])


_FAR = 1 << 20

MOVES: Mapping[str, Callable[[Form], Form]] = MappingProxyType(
    {
        "next part": lambda form: form.moved_to(form.at + 1),
        "part before": lambda form: form.moved_to(form.at - 1),
        "row below": lambda form: _row_moved(form, 1),
        "row above": lambda form: _row_moved(form, -1),
        "next choice": lambda form: _next_choice(form, 1),
        "choice before": lambda form: _next_choice(form, -1),
        "left": lambda form: _sideways(form, -1),
        "right": lambda form: _sideways(form, 1),
        "begin": lambda form: _sideways(form, -_FAR),
        "end": lambda form: _sideways(form, _FAR),
        "erase before": lambda form: _erased(form, form.cursor - 1, form.cursor),
        "erase": lambda form: _erased(form, form.cursor, form.cursor + 1),
        "erase all": lambda form: _erased(form, 0, _FAR),
    }
)
"""What keys do to a form."""

KEYS = (
    ScreenKey(("enter",), "run the command; on a radio button: choose it", "OK", move="ok"),
    ScreenKey(("tab",), "the next blank, button or box", "next", move="next part"),
    ScreenKey(("space",), "choose, check or uncheck", "choose"),
    ScreenKey(("c-n",), "the next text that a blank may take", "next choice", move="next choice"),
    ScreenKey(("escape",), "change nothing", "cancel", move="cancel"),
    ScreenKey(("down",), "the next row", move="row below"),
    ScreenKey(("up",), "the row before", move="row above"),
    ScreenKey(("s-tab",), "the blank, button or box before", move="part before"),
    ScreenKey(("c-p",), "the text before", move="choice before"),
    ScreenKey(("c-u",), "empty a blank", "empty", move="erase all"),
    ScreenKey(("left",), "one character to the left", move="left"),
    ScreenKey(("right",), "one character to the right", move="right"),
    ScreenKey(("home", "c-a"), "to the beginning of a blank", move="begin"),
    ScreenKey(("end", "c-e"), "to the end of a blank", move="end"),
    ScreenKey(("backspace",), "erase the character before", move="erase before"),
    ScreenKey(("delete",), "erase the character", move="erase"),
)
"""A space is typed, in a blank."""


# What it looks like.


@dataclass(frozen=True, slots=True)
class _DrawnPart:
    """A part as it is drawn: in so many columns from ``start`` on."""

    at: int
    start: int
    spans: tuple[tuple[str, Kind], ...]

    @property
    def width(self) -> int:
        return sum(columns_of(text) for text, _ in self.spans)


def drawn(form: Form, said: Sequence[str], columns: int, rows: int) -> list[ViewLine]:
    """Return the form in so many columns and rows, and below it what its command would do."""
    rule = "─" * max(0, columns - columns_of(form.title) - 4)
    head = ViewLine(("── ", "dim"), (form.title, "heading"), (f" {rule}", "dim"))
    noted = [ViewLine((" ", ""), (one, "dim")) for one in _note(form, columns)]
    below = [ViewLine((" ", ""), *as_line(line).spans) for line in said]
    room = max(rows - 1 - len(noted) - len(below), 1)
    cells = list(_cells(form, columns))
    here = next(i for i, row in enumerate(cells) if any(one.at == form.at for one in row))
    top = max(0, min(here - room // 2, len(cells) - room))
    lines = [_row(row) for row in cells[top : top + room]]
    return filled((head, *noted, *lines, *below), columns, rows)


def _note(form: Form, columns: int) -> list[str]:
    return [str(one) for one in wrapped(form.note, columns - 2)] if form.note else []


def needed_rows(form: Form, said: int, columns: int) -> int:
    """Return how many rows all of it takes, with so many lines of what its command would do."""
    return 1 + len(_note(form, columns)) + len(form.rows) + said


def clicked(form: Form, column: int, row: int, columns: int) -> Form:
    """Return the form after a click, where all of it is seen: it chooses, or puts the cursor
    there."""
    cells = list(_cells(form, columns))
    row -= 1 + len(_note(form, columns))
    if not 0 <= row < len(cells):
        return form
    hit = [one for one in cells[row] if one.start <= column < one.start + one.width]
    return _chosen(form.moved_to(hit[0].at)) if hit else form


def _row(cells: Sequence[_DrawnPart]) -> ViewLine:
    spans: list[tuple[str, Kind]] = []
    end = 0
    for one in cells:
        spans += [(" " * (one.start - end), ""), *one.spans]
        end = one.start + one.width
    return ViewLine(*spans)


def _cells(form: Form, columns: int) -> Iterator[tuple[_DrawnPart, ...]]:
    """Yield the cells of each row: labels of radio buttons as wide as the widest, blanks as wide as
    they may be."""
    labels = [row[0].label for row in form.rows if isinstance(row[0], Radio) and row[1:]]
    widest = max(map(columns_of, labels), default=0)
    at = 0
    for row in form.rows:
        blanks = [part for part in row if isinstance(part, Blank)]
        taken = sum(_fixed_width(part, widest) + 1 for part in row) + 1
        open_ = [part for part in blanks if not part.width]
        each = (columns - taken - sum(one.width for one in blanks)) // max(len(open_), 1)
        found, start = [], 1
        for part in row:
            width = part.width or each if isinstance(part, Blank) else 0
            cell = _DrawnPart(at, start, _spans(form, at, part, widest, max(width, _NARROWEST)))
            found.append(cell)
            at, start = at + 1, start + cell.width + 1
        yield tuple(found)


def _fixed_width(part: Part, widest: int) -> int:
    match part:
        case Radio():
            return widest + 4
        case CheckBox(label=label):
            return columns_of(label) + 4
        case Blank(label=label, choices=choices):
            return (columns_of(label) + 1 if label else 0) + 2 + 2 * bool(choices)


def _spans(
    form: Form, at: int, part: Part, widest: int, width: int
) -> tuple[tuple[str, Kind], ...]:
    here = at == form.at
    kind: Kind = "cursor" if here else ""
    match part:
        case Radio(option=option, label=label):
            sign = "o" if form.value(part) == option else " "
            room = max(widest, columns_of(label))
            return ((f"({sign})", kind), (f" {padded(label, room)}", "name"))
        case CheckBox(label=label):
            return ((f"[{'x' if form.value(part) else ' '}]", kind), (f" {label}", ""))
        case Blank(label=label, choices=choices):
            text = form.value(part)
            text = "*" * len(text) if part.secret else on_one_line(text)
            inside = _inside(text, form.cursor if here else -1, width)
            more = " v" if choices else ""
            before = ((f"{label} ", "name"),) if label else ()
            return (*before, ("[", ""), *inside, (f"{more}]", ""))


def _inside(text: str, cursor: int, width: int) -> tuple[tuple[str, Kind], ...]:
    """Return a blank's text: so much of it as can be seen, with the cursor."""
    if cursor < 0:
        return ((padded(text, width), "string"),)
    before, rest = text[:cursor], text[cursor:]
    if (over := columns_of(before) - width + 1) > 0:
        before = split_at(before, over)[1]
    under, behind = (rest[:1], rest[1:]) if rest else (" ", "")
    room = width - columns_of(before) - columns_of(under)
    return (
        (before, "string"),
        (under, "cursor"),
        (split_at(behind, max(room, 0))[0], "string"),
        (" " * max(room - columns_of(behind), 0), ""),
    )
