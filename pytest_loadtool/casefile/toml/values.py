"""Values as we write them in TOML: the form that is easiest to read of those that mean the same."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

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
    """``'…'`` if that saves escapes, else ``"…"``."""
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
    """``[a, b]`` of values as written."""
    return f"[{', '.join(elements)}]"


def inline_table(pairs: Mapping[str, str]) -> str:
    """``{ name = value }`` of values as written."""
    if not pairs:
        return "{}"
    return f"{{ {', '.join(f'{key(name)} = {value}' for name, value in pairs.items())} }}"


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    return _SHORT.get(character) or f"\\u{ord(character):04X}"
