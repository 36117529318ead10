"""The head of a response: its status line and headers (RFC 9112 §4, §5).

A server's heads are mostly the same few, but for the Date, which changes once a second. So one that
comes again is kept, in a bounded cache: what is asked of a head on the hot path is a look-up. Where
each has something of its own, such as the number of the request, its other lines are still the
same: these are kept as well.
"""

from __future__ import annotations

from typing import Final

__all__ = ["Head", "length_of", "parse_head"]

#: How many heads are kept, and how many lines; the longest that are, in bytes.
_MOST_KEPT: Final = 1024
_LONGEST_KEPT: Final = 4096
_LONGEST_LINE_KEPT: Final = 256

_kept: Final[dict[bytes, Head]] = {}
_seen_once: Final[set[int]] = set()
"""The hashes of heads that came, and are not kept."""
_lines: Final[dict[str, tuple[str, list[str]]]] = {}
"""By line the name, in lower case, and the value: a list of one, for heads to share."""


class Head:
    """A head as received, without the empty line that ends it.

    ``status`` is 0, and ``problem`` says why, when it is not the head of an HTTP response.
    ``fields`` gives the values of each header in order, by its name in lower case. ``keeps`` says
    whether the connection is to stay open (RFC 9112 §9.3), ``length`` what the body's is said to
    be in bytes, -1 if that is not so simple (§6.3).
    """

    __slots__ = ("fields", "keeps", "length", "problem", "status", "version")

    def __init__(self, raw: bytes) -> None:
        self.fields: dict[str, list[str]] = {}
        self.version = ""
        self.status = 0
        self.problem = self._parse(raw)
        options = self.tokens("connection")
        self.keeps = (
            "keep-alive" in options if self.version == "HTTP/1.0" else "close" not in options
        )
        lengths = self.values("content-length")
        simple = len(lengths) == 1 and "transfer-encoding" not in self.fields
        self.length = length_of(lengths[0]) if simple else -1

    def values(self, name: str) -> list[str]:
        """All values of a header, in order, not to be changed. ``name`` is in lower case."""
        return self.fields.get(name, [])

    def tokens(self, name: str) -> list[str]:
        """The members of a header that is a list (RFC 9110 §5.6.1), in lower case."""
        members = ",".join(self.values(name)).lower().split(",")
        return [member.strip() for member in members if member.strip()]

    def _parse(self, raw: bytes) -> str:
        first, *lines = raw.decode("latin-1").split("\r\n")
        version, _, rest = first.partition(" ")
        code = rest[:3]
        if not version.startswith("HTTP/"):
            return "no HTTP status line"
        if not (len(code) == 3 and code.isascii() and code.isdigit() and rest[3:4] in ("", " ")):
            return "no status code in the status line"
        if code < "100":
            return f"no such status code: {code}"
        fields, last = self.fields, ""
        for line in lines:
            field = _lines.get(line)
            if field is None:
                field = _field(line)
            name, values = field
            if name:
                fields[name] = fields[name] + values if name in fields else values
                last = name
            elif line[:1] in (" ", "\t") and last:  # a folded line (RFC 9112 §5.2)
                fields[last] = [*fields[last][:-1], f"{fields[last][-1]} {line.strip()}".strip()]
            else:
                return "malformed header line"
        self.version = version
        self.status = int(code)
        return ""


def _field(line: str) -> tuple[str, list[str]]:
    """A header's name in lower case, and its value; no name when it is malformed."""
    name, colon, value = line.partition(":")
    if not colon or name != name.strip() or " " in name or "\0" in line:
        return "", []
    field = name.lower(), [value.strip(" \t")]
    if len(line) <= _LONGEST_LINE_KEPT:
        if len(_lines) >= _MOST_KEPT:
            _lines.clear()
        _lines[line] = field
    return field


def length_of(text: str) -> int:
    """A body's length in bytes, as Content-Length has it; -1 if it is not one."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 18 else -1


def parse_head(raw: bytes) -> Head:
    """The head, taken apart. The same bytes may give the same object."""
    head = _kept.get(raw)
    if head is None:
        head = Head(raw)
        if len(raw) <= _LONGEST_KEPT:
            _keep(raw, head)
    return head


def _keep(raw: bytes, head: Head) -> None:
    """The second time: most of those that never come again would just be in the way."""
    mark = hash(raw)
    if mark not in _seen_once:
        if len(_seen_once) >= _MOST_KEPT:
            _seen_once.clear()
        _seen_once.add(mark)
        return
    if len(_kept) >= _MOST_KEPT:
        _kept.clear()
    _kept[raw] = head
