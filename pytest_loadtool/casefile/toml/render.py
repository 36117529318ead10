"""From lines with their key paths, and comments, to the text of a file.

The writers say what each line is and where it belongs; only here is decided how arrays are laid out
and where comments go. So a comment needs to know nothing but the path it belongs to.

It also has values as we write them in TOML: the form that is easiest to read of those that mean the
same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from pytest_loadtool.casefile.toml.positions import KeyPath, Remark

Scalar = str | int | float | bool

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
# What a file should not hold raw: control characters (TOML forbids most), line separators that
# editors take for line ends, and marks that change the direction of the text around them.
_SPECIAL = r"\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff"
_ESCAPED = re.compile(rf'[{_SPECIAL}"\\]')
_NOT_LITERAL = re.compile(rf"[{_SPECIAL}']")
_SPECIAL_BUT_NEWLINE = re.compile(rf"(?!\n)[{_SPECIAL}]")
# Of quotes together, all but the last are escaped, and one at the very end.
_ESCAPED_IN_LINES = re.compile(rf'(?!\n)[{_SPECIAL}\\]|"(?="|\Z)')
_LINE_ENDS_IN_SPACE = re.compile(r"[ \t](?:\n|\Z)")
_SHORT = {
    "\b": "\\b",
    "\t": "\\t",
    "\n": "\\n",
    "\f": "\\f",
    "\r": "\\r",
    '"': '\\"',
    "\\": "\\\\",
}


def string(text: str) -> str:
    """Return ``'…'`` if that saves escapes, else ``"…"``."""
    if ('"' in text or "\\" in text) and not _NOT_LITERAL.search(text):
        return f"'{text}'"
    return f'"{_ESCAPED.sub(_escape, text)}"'


def multiline(text: str) -> str:
    """Return a string that may be long and have lines: over several lines if it has some.

    Not when a line ends in space: editors like to remove that.
    """
    if "\n" not in text[:-1] or _LINE_ENDS_IN_SPACE.search(text):
        return string(text)
    if "'''" not in text and not text.endswith("'") and not _SPECIAL_BUT_NEWLINE.search(text):
        return f"'''\n{text}'''"
    return '"""\n' + _ESCAPED_IN_LINES.sub(_escape, text) + '"""'


def scalar(value: Scalar) -> str:
    """Return a string, number or boolean."""
    if isinstance(value, str):
        return string(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value)


def key(name: str) -> str:
    """Return a key, quoted if it must be."""
    return name if _BARE_KEY.fullmatch(name) else string(name)


def inline_array(elements: Iterable[str]) -> str:
    """Return ``[a, b]`` of values as written."""
    return f"[{', '.join(elements)}]"


def inline_table(pairs: Mapping[str, str]) -> str:
    """Return ``{ name = value }`` of values as written."""
    if not pairs:
        return "{}"
    return f"{{ {', '.join(f'{key(name)} = {value}' for name, value in pairs.items())} }}"


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    return _SHORT.get(character) or f"\\u{ord(character):04X}"


#: Arrays that would make a longer line are written over several.
WIDTH = 100

_NO_REMARKS: Mapping[KeyPath, Remark] = MappingProxyType({})
_NO_REMARK = Remark()


@dataclass(frozen=True, slots=True)
class KeyedLine:
    """A table header or a key with its value.

    ``text`` is the line as written, or for an array what stands before its ``[``; then ``elements``
    are its elements as written, one per line if ``spread`` or if they do not fit in one. ``gap``: a
    blank line comes before. ``usual``: it only says what holds without it, so it is left out unless
    a person wrote it.
    """

    path: KeyPath
    text: str
    gap: bool = False
    elements: tuple[str, ...] | None = None
    spread: bool = False
    usual: bool = False


def render(
    lines: Iterable[KeyedLine],
    remarks: Mapping[KeyPath, Remark] = _NO_REMARKS,
    *,
    top: tuple[str, ...] = (),
    end: tuple[str, ...] = (),
) -> str:
    """Return the text of a file. ``remarks`` are by the path of a line or of an array's element."""
    text = _Text()
    if top:
        text.add(*top)
        text.blank_due = True
    for line in lines:
        _put(text, line, remarks)
    if end:
        text.blank_due = True
        text.add(*end)
    return "\n".join(text.lines) + "\n"


class _Text:
    """Lines so far, and whether a blank one is due before the next."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.blank_due = False

    def add(self, *lines: str, indent: str = "") -> None:
        for line in lines:
            if self.blank_due and self.lines and self.lines[-1]:
                self.lines.append("")
            self.blank_due = not line
            if line:
                self.lines.append(indent + line)


def _put(text: _Text, line: KeyedLine, remarks: Mapping[KeyPath, Remark]) -> None:
    remark = remarks.get(line.path, _NO_REMARK)
    text.blank_due = text.blank_due or line.gap or "" in remark.above
    text.add(*remark.above)
    if line.elements is None:
        text.add(_with_comment(line.text, remark.behind))
    else:
        _put_array(text, line, line.elements, remarks)
    _put_below(text, remark)


def _put_array(
    text: _Text, line: KeyedLine, elements: tuple[str, ...], remarks: Mapping[KeyPath, Remark]
) -> None:
    behind = remarks.get(line.path, _NO_REMARK).behind
    own = [remarks.get((*line.path, index), _NO_REMARK) for index in range(len(elements))]
    inline = f"{line.text}[{', '.join(elements)}]"
    spread = (line.spread and elements) or len(inline) > WIDTH
    if not spread and not any(remark != _NO_REMARK for remark in own):
        text.add(_with_comment(inline, behind))
        return
    text.add(_with_comment(f"{line.text}[", behind))
    for index, (element, remark) in enumerate(zip(elements, own, strict=True)):
        text.blank_due = text.blank_due or (index > 0 and "" in remark.above)
        text.add(*remark.above, indent="  ")
        text.add(_with_comment(f"{element},", remark.behind), indent="  ")
        _put_below(text, remark, indent="  ")
    text.blank_due = False
    text.add("]")


def _put_below(text: _Text, remark: Remark, indent: str = "") -> None:
    if remark.below:
        text.add(*remark.below, indent=indent)
        text.blank_due = True  # else it would belong to what follows


def _with_comment(code: str, comment: str) -> str:
    return f"{code}  {comment}" if comment else code
