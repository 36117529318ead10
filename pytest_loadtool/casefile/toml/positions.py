"""Where things stand in a TOML text, and the comments around them.

``tomllib`` says what a document means but not where its parts stand. This scanner runs over a text
that ``tomllib`` has accepted, so it need not tell right from wrong: it only walks keys, tables,
arrays and inline tables in order, and notes for each its line and its comments. Grammar: TOML 1.0
(toml.io).

Which comment belongs to what:

* behind a value or header, on its last line: to that value (behind the ``[`` of an array over
  several lines: to the array);
* on lines of its own: to what follows;
* but if it follows something without a blank line and a blank line (or the end of the array or
  text) comes after it: to what it follows;
* a block at the very top that a blank line ends, and a block at the very end that a blank line
  precedes: to the document.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

#: Keys and 0-based indices from the root: ``("page", 2, "transaction", 0, "request")``.
KeyPath = tuple[str | int, ...]

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_KEY_PART = re.compile(
    r"""[ \t]*(?:([A-Za-z0-9_-]+)|("(?:[^"\\\n]|\\.)*")|'([^'\n]*)')[ \t]*(\.)?"""
)
_SPACE = re.compile(r"[ \t]*")
_WHITE = re.compile(r"[ \t\n]*")
_SIMPLE_KEY = re.compile(r"([A-Za-z0-9_-]+)[ \t]*=[ \t]*")
# No possessive groups: those with alternatives go wrong before Python 3.11.5.
_SCALAR = re.compile(
    r'"""(?:[^"\\]++|\\.|"(?!""))*"{3,5}'
    r"|'''(?:[^']++|'(?!''))*'{3,5}"
    r'|"[^"\\\n]*+(?:\\.[^"\\\n]*+)*"'
    r"|'[^'\n]*'"
    r"|[^\n,\]}#\"']+",  # numbers, booleans, dates (which may hold one space)
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Remark:
    """The comments of one key, table or array element, each line with its ``#``.

    ``above`` and ``below`` are whole lines, "" for a blank one between or after them; ``behind``
    stands on the same line.
    """

    above: tuple[str, ...] = ()
    behind: str = ""
    below: tuple[str, ...] = ()


@dataclass(slots=True)
class Layout:
    """The places of keys and comments in a TOML text, as `scan` finds them. ``lines`` is in the
    order of the text and counts from 1."""

    lines: dict[KeyPath, int] = field(default_factory=dict)
    remarks: dict[KeyPath, Remark] = field(default_factory=dict)
    top: tuple[str, ...] = ()
    end: tuple[str, ...] = ()

    def line(self, path: KeyPath) -> int:
        """Return the line of ``path``, or of the nearest thing around it; 1 for the document."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)


def dotted(path: KeyPath) -> str:
    """Return ``page[2].transaction[0].request``; keys that are not bare are quoted."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
            continue
        quoted = part if _BARE.fullmatch(part) else '"' + part.replace('"', '\\"') + '"'
        text += f".{quoted}" if text else quoted
    return text


def scan(text: str) -> Layout:
    """Return positions and comments of ``text``, which must be valid TOML."""
    return _Scanner(text.replace("\r\n", "\n")).document()


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.line = 1
        self.layout = Layout()
        self.sizes: dict[KeyPath, int] = {}  # how many entries each array of tables has so far
        self.pending: list[str] = []  # comment lines, and "" for blank lines, since `last`
        self.last: KeyPath | None = None  # what ended last (or the array that began last)
        self.last_line = 0  # on which line
        self.closing = False  # whether the end of `last` is the "]" of an array over several lines

    def document(self) -> Layout:
        base: KeyPath = ()
        self.gap()
        while self.position < len(self.text):
            if self.text[self.position] == "[":
                base = self.header()
            else:
                self.pair(base)
            self.gap()
        self.finish()
        return self.layout

    def header(self) -> KeyPath:
        """Return the key of ``[table]`` or ``[[array of tables]]``."""
        brackets = 2 if self.text.startswith("[[", self.position) else 1
        self.position += brackets
        *parents, name = self.key()
        self.position = self.text.index("]", self.position) + brackets
        path: KeyPath = ()
        for part in parents:
            path += (part,)
            if path in self.sizes:
                path += (self.sizes[path] - 1,)
        path += (name,)
        if brackets == 2:
            self.sizes[path] = self.sizes.get(path, 0) + 1
            path += (self.sizes[path] - 1,)
        self.begin(path)
        self.end(path, closing=False)
        return path

    def pair(self, base: KeyPath) -> None:
        """``key = value``."""
        simple = _SIMPLE_KEY.match(self.text, self.position)
        if simple is not None:
            path = (*base, simple[1])
            self.position = simple.end()
        else:
            path = base + tuple(self.key())
            self.position = _space_end(self.text, self.text.index("=", self.position) + 1)
        self.begin(path)
        self.end(path, closing=self.value(path))

    def key(self) -> list[str]:
        parts = []
        dot = "."
        while dot:
            match = _KEY_PART.match(self.text, self.position)
            assert match is not None, "tomllib accepted this text"
            bare, basic, literal, dot = match.groups()
            if basic is not None:
                parts.append(tomllib.loads(f"k = {basic}")["k"])
            else:
                parts.append(bare if bare is not None else literal)
            self.position = match.end()
        return parts

    def value(self, path: KeyPath) -> bool:
        """Walk a value, and return whether it is an array over several lines."""
        first = self.text[self.position]
        if first == "[":
            return self.array(path)
        if first == "{":
            self.inline_table(path)
            return False
        match = _SCALAR.match(self.text, self.position)
        assert match is not None, "tomllib accepted this text"
        if first in "\"'":
            self.line += match[0].count("\n")
        self.position = match.end()
        return False

    def array(self, path: KeyPath) -> bool:
        first_line = self.line
        self.end(path, closing=False)  # a comment behind the "[" is the array's
        self.position += 1
        index = 0
        while True:
            self.gap()
            following = self.text[self.position]
            if following == "]":
                break
            if following == ",":
                self.position += 1
                continue
            element = (*path, index)
            self.begin(element)
            self.end(element, closing=self.value(element))
            index += 1
        self.position += 1
        self.keep_below(self.pending)
        self.pending = []
        return self.line != first_line

    def inline_table(self, path: KeyPath) -> None:
        self.position += 1
        while True:
            self.gap()
            following = self.text[self.position]
            if following == ",":
                self.position += 1
            elif following == "}":
                self.position += 1
                return
            else:
                self.pair(path)

    def gap(self) -> None:
        """Skip space, newlines and comments; keep the comments."""
        text, position = self.text, self.position
        while True:
            match = _WHITE.match(text, position)
            assert match is not None
            newlines = text.count("\n", position, match.end())
            self.line += newlines
            position = match.end()
            at_comment = text.startswith("#", position)
            # Two line ends make a blank line. It matters only next to a comment.
            if newlines > 1 and (self.pending or at_comment):
                self.pending.append("")
            if not at_comment:
                self.position = position
                return
            end = text.find("\n", position)
            end = end if end >= 0 else len(text)
            self.comment(text[position:end].rstrip())
            position = end

    def comment(self, text: str) -> None:
        if self.last is None or self.last_line != self.line:
            self.pending.append(text)
        elif self.closing:
            self.keep_below([text])
        else:
            remark = self.layout.remarks.get(self.last, Remark())
            self.layout.remarks[self.last] = replace(remark, behind=text)

    def begin(self, path: KeyPath) -> None:
        """Begin something: divide the pending comments between it and what came before."""
        self.layout.lines[path] = self.line
        if not self.pending:
            return
        above, self.pending = self.pending, []
        if self.last is None:
            block, rest = _first_block(list(_tidy(above)))
            if rest:
                self.layout.top, above = tuple(block), rest
        elif path[: len(self.last)] != self.last:  # else it is the first thing inside
            block, rest = _first_block(above)
            if rest:
                self.keep_below(block)
                above = rest
        if any(above):
            self.layout.remarks[path] = Remark(_tidy(above))

    def end(self, path: KeyPath, *, closing: bool) -> None:
        self.last, self.last_line, self.closing = path, self.line, closing

    def keep_below(self, lines: list[str]) -> None:
        below = _without_end(_tidy(lines))
        if below and self.last is not None:
            remark = self.layout.remarks.get(self.last, Remark())
            self.layout.remarks[self.last] = replace(remark, below=remark.below + below)

    def finish(self) -> None:
        block, rest = _first_block(self.pending)
        if self.last is None:
            block, rest = [], self.pending
        self.keep_below(block)
        self.layout.end = _without_end(_tidy(rest))


def _space_end(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    assert match is not None
    return match.end()


def _first_block(lines: list[str]) -> tuple[list[str], list[str]]:
    """Return the comments before the first blank line, and that blank line and the rest."""
    for index, line in enumerate(lines):
        if not line:
            return lines[:index], lines[index:]
    return lines, []


def _tidy(lines: Sequence[str]) -> tuple[str, ...]:
    """Return the lines without blank ones at the start, and nowhere two together."""
    result: list[str] = []
    for line in lines:
        if line or (result and result[-1]):
            result.append(line)
    return tuple(result)


def _without_end(lines: tuple[str, ...]) -> tuple[str, ...]:
    return lines[:-1] if lines and not lines[-1] else lines
