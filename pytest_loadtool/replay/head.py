"""The head of a response: its status line and headers (RFC 9112 §4, §5).

A server's heads are mostly the same few, but for the Date, which changes once a second. So each is
taken apart once and kept, in a bounded cache: what is asked of a head on the hot path is a look-up.
"""

from __future__ import annotations

from typing import Final

__all__ = ["Head", "length_of", "parse_head"]

#: How many heads are kept, and the longest that is.
_MOST_KEPT: Final = 1024
_LONGEST_KEPT: Final = 4096

_kept: Final[dict[bytes, Head]] = {}


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
        """All values of a header, in order. ``name`` is in lower case."""
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
        last: list[str] = []
        for line in lines:
            name, colon, value = line.partition(":")
            if line[:1] in (" ", "\t") and last:  # a folded line (RFC 9112 §5.2)
                last[-1] = f"{last[-1]} {line.strip()}".strip()
                continue
            if not colon or not name or name != name.strip() or " " in name or "\0" in line:
                return "malformed header line"
            last = self.fields.setdefault(name.lower(), [])
            last.append(value.strip(" \t"))
        self.version = version
        self.status = int(code)
        return ""


def length_of(text: str) -> int:
    """A body's length in bytes, as Content-Length has it; -1 if it is not one."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 18 else -1


def parse_head(raw: bytes) -> Head:
    """The head, taken apart. The same bytes may give the same object."""
    head = _kept.get(raw)
    if head is None:
        head = Head(raw)
        if len(raw) <= _LONGEST_KEPT:
            if len(_kept) >= _MOST_KEPT:
                _kept.clear()
            _kept[raw] = head
    return head
