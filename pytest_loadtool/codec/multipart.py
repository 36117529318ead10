"""Multipart bodies (RFC 2046 §5.1, RFC 7578): where their parts are, and which belong into files.

A body in the test case is text, so that values in it can be replaced. What is no text, and what
people would not want to read there, is content: it is kept in a file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import count

from pytest_loadtool.codec.media import declared_charset
from pytest_loadtool.codec.template import Reference, escape

#: The longest text that was uploaded as a file and stands in the test case, in bytes.
_LONGEST_INLINE = 4096

_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_BOUNDARY = re.compile(r"""\bboundary\s*=\s*(?:"([^"]+)"|([^\s;"]+))""", re.IGNORECASE)
_DISPOSITION = re.compile(r"(?:\A|\n)content-disposition:([^\r\n]*)", re.IGNORECASE)
_NAME = re.compile(r"""\bname=(?:"([^"]*)"|([^\s;"]+))""", re.IGNORECASE)
_FILE_NAME = re.compile(r"""\bfilename\*?=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))""", re.IGNORECASE)
_TYPE = re.compile(r"(?:\A|\n)content-type:[ \t]*([^\r\n;]*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a body: its content is ``start`` to ``end``, and the name of a file that was
    uploaded ``name_start`` to ``name_end``, which are -1 without one."""

    field: str
    start: int
    end: int
    media: str = ""
    """Its own content type, in lower case and without parameters."""
    name_start: int = -1
    name_end: int = -1

    @property
    def is_file(self) -> bool:
        """Return whether it is a file, be it empty, as that of a form in which none was chosen."""
        return self.name_start >= 0


@dataclass(frozen=True, slots=True)
class Content:
    """The bytes ``start`` to ``end`` of a body, which belong into a file. ``name`` is what the body
    calls it: the name of the file or else of the field; empty if neither has one."""

    start: int
    end: int
    name: str = ""


#: Text, or what stands there instead of text.
Piece = str | Content


def is_multipart(content_type: str) -> bool:
    """Return whether a body of that content type has parts."""
    return content_type.lstrip().lower().startswith("multipart/")


def boundary_of(content_type: str) -> str:
    """Return what its parts are told apart by; empty if it does not say."""
    found = _BOUNDARY.search(content_type)
    return "" if found is None else found[1] or found[2]


def parts_of(text: str, content_type: str) -> Iterator[Part]:
    """Yield the parts of a multipart body, in order; none if it has not the form of one.

    Positions are those in ``text``, which has a character for each byte or is decoded.
    """
    boundary = boundary_of(content_type)
    if not boundary or not is_multipart(content_type):
        return
    start = -1
    for delimiter in _delimiter(boundary).finditer(text):
        at = delimiter.start()
        # The line end before it belongs to it: elsewhere a file may have the same characters.
        if at and not text.startswith("\r\n", at - 2):
            continue
        if start >= 0:
            yield from _part(text, start, at - 2)
        if delimiter[1]:
            return
        start = delimiter.end()


@lru_cache(maxsize=64)
def _delimiter(boundary: str) -> re.Pattern[str]:
    return re.compile(rf"--{re.escape(boundary)}(--)?[ \t]*(?=\r\n|\Z)")


def _part(text: str, start: int, end: int) -> Iterator[Part]:
    """Yield the part between two delimiters: it begins with a line end, or is none."""
    # Before a content that is empty, some leave out the line end of the delimiter.
    blank = text.find("\r\n\r\n", start, end + 2)
    if blank < 0:
        return
    begin = blank + 4
    end = max(begin, end)
    said = _TYPE.search(text, start, blank)
    media = said[1].strip().lower() if said is not None else ""
    disposition = _DISPOSITION.search(text, start, blank)
    if disposition is None:
        yield Part("", begin, end, media)
        return
    line = disposition.span(1)
    name, file_name = _NAME.search(text, *line), _FILE_NAME.search(text, *line)
    field = "" if name is None else name[1] if name[1] is not None else name[2]
    where = (-1, -1)
    if file_name is not None:
        where = file_name.span(1 if file_name[1] is not None else 2)
    yield Part(field, begin, end, media, *where)


def charset_of(body: bytes, content_type: str) -> str:
    """Return the character set that the text of a body is in; empty if that is UTF-8, or there is
    none.

    It is the declared one. Browsers send forms with files in that of the page and declare nothing:
    then it is windows-1252, or any that gives back the same bytes.
    """
    texts = tuple(_texts(body, content_type))
    if not texts or all(_is_text(one, "utf-8") for one in texts):
        return ""
    guesses: tuple[str, ...] = ("windows-1252", "latin-1") if is_multipart(content_type) else ()
    for charset in (declared_charset(content_type), *guesses):
        if is_charset(charset) and all(_is_text(one, charset) for one in texts):
            return charset.lower()
    return ""


def is_charset(name: str) -> bool:
    """Return whether it is a character set that is known, and in which ASCII is ASCII: with others
    the texts around a placeholder are no texts of their own."""
    try:
        return '--\r\n"'.encode(name) == b'--\r\n"'
    except (LookupError, UnicodeError):
        return False


def pieces_of(body: bytes, content_type: str) -> tuple[Piece, ...]:
    """Return the body as text, in `charset_of` it, with content in between. All of a body that is
    no text is content."""
    charset = charset_of(body, content_type)
    pieces: list[Piece] = []
    position = 0
    for content in (*_contents(body, content_type, charset), None):
        end = len(body) if content is None else content.start
        if not _is_text(body[position:end], charset or "utf-8"):
            return (Content(0, len(body)),)
        pieces.append(body[position:end].decode(charset or "utf-8"))
        if content is not None:
            pieces.append(content)
            position = content.end
    return tuple(piece for piece in pieces if piece != "")


def _contents(body: bytes, content_type: str, charset: str) -> Iterator[Content]:
    text = body.decode("latin-1")
    for part in parts_of(text, content_type):
        content = body[part.start : part.end]
        # What is in a file is not in the charset of the form.
        known = content.isascii() if charset else _is_text(content, "utf-8")
        if not (
            known and _is_short(content) if part.is_file else known or _is_typed(part, content)
        ):
            name = text[part.name_start : part.name_end] if part.is_file else ""
            plain = (name or part.field).encode("latin-1").decode(charset or "utf-8", "replace")
            yield Content(part.start, part.end, plain)


def _texts(body: bytes, content_type: str) -> Iterator[bytes]:
    """Yield what has to be text if any of the body is: heads, and what was typed into fields."""
    if not is_multipart(content_type):
        yield body
        return
    position = 0
    for part in parts_of(body.decode("latin-1"), content_type):
        yield body[position : part.start]
        position = part.end
        if not part.is_file and _is_typed(part, body[part.start : part.end]):
            yield body[part.start : part.end]
    if position:
        yield body[position:]


def _is_typed(part: Part, content: bytes) -> bool:
    return part.media in ("", "text/plain") and not _CONTROL.search(content)


def _is_short(content: bytes) -> bool:
    return len(content) <= _LONGEST_INLINE and b"\0" not in content


def _is_text(content: bytes, charset: str) -> bool:
    """Return whether it is text in that character set, which gives back the same bytes."""
    try:
        return content.decode(charset).encode(charset) == content
    except UnicodeError:
        return False


def as_template(pieces: Iterable[Piece]) -> str:
    """Return the body as a template, in which each content is a file that has its number for a
    name."""
    numbers = map(str, count())
    return "".join(
        escape(piece) if isinstance(piece, str) else str(Reference.to_file(next(numbers)))
        for piece in pieces
    )


def shown(body: bytes, content_type: str) -> str | None:
    """Return the body for people to read, with the size of each content in its place; None if no
    part of it is text."""
    pieces = pieces_of(body, content_type)
    if not any(isinstance(piece, str) for piece in pieces):
        return None
    return "".join(
        piece if isinstance(piece, str) else f"({piece.end - piece.start:,} bytes)"
        for piece in pieces
    )
