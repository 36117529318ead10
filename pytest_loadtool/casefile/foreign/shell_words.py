"""The words of commands, as a POSIX shell and bash's ``$'…'`` have them."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from pytest_loadtool.errors import FileError

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_ESCAPES |= {"e": "\x1b", "E": "\x1b", "\\": "\\", "'": "'", '"': '"', "?": "?"}
_CODES = re.compile(r"x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3})")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a command, and the line that it begins on."""

    text: str
    line: int


def commands(text: str, path: str) -> Iterator[list[Word]]:
    """Yield the words of each command.

    Raises:
        FileError: a quote is not closed.
    """
    words: list[Word] = []
    current: str | None = None
    line, at = 1, 0
    while at < len(text):
        one = text[at]
        if text.startswith(("\\\n", "\\\r\n"), at):
            at += 2 + (text[at + 1] == "\r")
            line += 1
            continue
        if one in " \t\r\n;&|" and not (one == "&" and current and "://" in current):
            if current is not None:
                words.append(Word(current, line))
                current = None
            if one in "\n;&|" and words:
                yield words
                words = []
            line += one == "\n"
            at += 1
        elif one == "#" and current is None:
            at = len(text) if (end := text.find("\n", at)) < 0 else end
        else:
            found, end = _piece(text, at, path, line)
            line += text.count("\n", at, end)
            current, at = (current or "") + found, end
    if current is not None:
        words.append(Word(current, line))
    if words:
        yield words


def _piece(text: str, at: int, path: str, line: int) -> tuple[str, int]:
    """Return a quoted text, or a character, that begins there; and where it ends."""
    if text.startswith("$'", at):
        return _ansi(text, at + 2, path, line)
    one = text[at]
    if one == "\\":
        return text[at + 1 : at + 2], at + 2
    if one == "'":
        return text[at + 1 : (end := _closing(text, at, "'", path, line))], end + 1
    if one == '"':
        end = at + 1
        while end < len(text) and text[end] != '"':
            end += 2 if text[end] == "\\" else 1
        end = _closing(text, end - 1, '"', path, line)
        return re.sub(
            r'\\(["\\$`])|\\\n', lambda found: found[1] or "", text[at + 1 : end]
        ), end + 1
    return one, at + 1


def _closing(text: str, at: int, quote: str, path: str, line: int) -> int:
    end = text.find(quote, at + 1)
    if end < 0:
        raise FileError(path, line, "", f"the quote {quote} is not closed")
    return end


def _ansi(text: str, at: int, path: str, line: int) -> tuple[str, int]:
    """Return the text of ``$'…'`` whose first character stands there."""
    found = ""
    while at < len(text) and text[at] != "'":
        if text[at] != "\\":
            found += text[at]
            at += 1
        elif code := _CODES.match(text, at + 1):
            number = int(next(filter(None, code.groups())), 8 if code[4] else 16)
            found += chr(min(number, sys.maxunicode))
            at = code.end()
        else:
            found += _ESCAPES.get(text[at + 1 : at + 2], text[at : at + 2])
            at += 2
    if at >= len(text):
        raise FileError(path, line, "", "the quote $' is not closed")
    # Browsers write characters beyond U+FFFF as two halves.
    return found.encode("utf-16", "surrogatepass").decode("utf-16", "replace"), at + 1
