"""Keys of screens as tables: what each does, and what the hint line and the help say of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pytest_loadtool.console.errors import UsageError
from pytest_loadtool.console.registry import Registry
from pytest_loadtool.console.screens.cells import columns_of
from pytest_loadtool.console.views.line import Kind, ViewLine


@dataclass(frozen=True, slots=True)
class ScreenKey:
    """A key, by its names in prompt_toolkit, and one of two things that it does.

    ``line`` is a command line with places for what is chosen, such as ``{number}``; with ``ask`` it
    is not run, but put into the command line, for the person to complete. ``on_page`` is the line
    where the cursor is on a page. ``form`` names the form that makes the line, where there is
    something to fill in. ``move`` names what it does to the screen alone. A key with a ``hint`` is
    in the hint line, the more important the earlier it stands in its table.
    """

    keys: tuple[str, ...]
    help: str
    hint: str = ""
    line: str = ""
    on_page: str = ""
    ask: bool = False
    move: str = ""
    form: str = ""

    @property
    def label(self) -> str:
        """The keys as they are written on keyboards."""
        return " ".join(_LABELS.get(key, _control(key)) for key in self.keys)


_PLACE = re.compile(r"\{(\w+)\}")
#: The places without which a line means nothing; the value of a field may be empty.
_NEEDED = re.compile(r"\{(name|row|selected|pages|opens|text)\}")
_LABELS = {
    "enter": "Enter", "escape": "Esc", "space": "Space", "tab": "Tab", "s-tab": "⇧Tab",
    "up": "↑", "down": "↓", "left": "←", "right": "→", "home": "Home", "end": "End",
    "delete": "Del", "pageup": "PgUp", "pagedown": "PgDn", "s-up": "⇧↑", "s-down": "⇧↓",
    **{f"f{number}": f"F{number}" for number in range(1, 13)},
}  # fmt: skip


def _control(key: str) -> str:
    return f"^{key[2:].upper()}" if key.startswith("c-") else key


def available(keys: Iterable[ScreenKey], registry: Registry) -> tuple[ScreenKey, ...]:
    """Return the keys whose commands there are."""
    return tuple(key for key in keys if not key.line or _known(key.line, registry))


def missing(line: str, places: Mapping[str, object]) -> bool:
    """Return whether a command line that has other words, too, has a place that nothing is at."""
    return bool(line.split("{")[0]) and any(places[name] == "" for name in _NEEDED.findall(line))


def _known(line: str, registry: Registry) -> bool:
    words = [word for word in line.split() if not word.startswith(("{", "-"))]
    try:
        if words:  # else the whole line stands for something
            registry.split(words)
    except UsageError:
        return False
    return True


def usage(line: str, registry: Registry) -> str:
    """Return how the command is used that a line begins with; "" if that is none yet."""
    try:
        return registry.split(line.split())[0].usage if line.split() else ""
    except UsageError:
        return ""


#: Commands that start programs, and those that draw on the terminal themselves.
_PROGRAMS = frozenset({"run", "shell", "edit"})
_OF_THE_TERMINAL = _PROGRAMS | {"start"}


def needs_terminal(line: str, registry: Registry) -> bool:
    """Return whether a command line wants the terminal for itself."""
    return _is_of(_OF_THE_TERMINAL, line, registry)


def starts_program(line: str, registry: Registry) -> bool:
    """Return whether a command line starts a program that may read what is typed."""
    return _is_of(_PROGRAMS, line, registry)


def _is_of(names: frozenset[str], line: str, registry: Registry) -> bool:
    try:
        call = registry.parse(line)
    except UsageError:
        return False
    return call is not None and call.command.name in names


def hints(
    keys: Sequence[ScreenKey], columns: int, rows: int = 1, *, typed: bool = False
) -> list[ViewLine]:
    """Return the lines at the bottom: as many keys as they have room for, and how to see all; if
    characters are ``typed``, they are no keys."""
    always: list[tuple[str, Kind]] = [("?", "name"), (" keys  ", ""), ("q", "name"), (" back", "")]
    always = [] if typed else always
    lines: list[list[tuple[str, Kind]]] = [[(" ", "")] for _ in range(rows)]
    rooms = [columns - 2] * (rows - 1) + [columns - 2 - sum(len(text) for text, _ in always)]
    for key in keys:
        label = key.label.split(" ")[0]
        taken = columns_of(label) + columns_of(key.hint) + 3
        at = next((at for at, room in enumerate(rooms) if taken <= room), None)
        if key.hint and at is not None:
            lines[at] += [(label, "name"), (f" {key.hint}  ", "")]
            rooms[at] -= taken
    return [ViewLine(*line) for line in (*lines[:-1], [*lines[-1], *always])]


def key_help(keys: Sequence[ScreenKey]) -> Iterator[ViewLine]:
    """Yield what each key does, and the command line that it runs."""
    width = max((columns_of(key.label) for key in keys), default=0)
    for title, chosen in (
        ("Keys that run a command; each is in the session log", [k for k in keys if k.line]),
        ("Keys that only change what is looked at", [k for k in keys if not k.line]),
    ):
        if not chosen:
            continue
        yield ViewLine((title, "heading"))
        for key in chosen:
            label = key.label + " " * (width - columns_of(key.label))
            line = _PLACE.sub(lambda place: place[1].upper(), key.line.strip())
            runs = f"  `{line}{' …' if key.ask else ''}`" if line else ""
            yield ViewLine((f"  {label}  ", "name"), (f"{key.help}", ""), (runs, "dim"))
        yield ViewLine(("", ""))
