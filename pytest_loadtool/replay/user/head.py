"""The head of a response: its status line and headers (RFC 9112 §4, §5).

A server's heads are mostly the same few, but for the Date, which changes once a second. So one that
comes again is kept, in a bounded cache: what is asked of a head on the hot path is a look-up. Where
each has something of its own, such as the number of the request, its other lines are still the
same: lines are kept as well, and when there are too many of one name, which tells that it differs
each time, heads are kept without that line, and put together with it.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

#: Where a head ends whose lines may end with LF alone.
_EMPTY_LINE: Final = re.compile(rb"\n\r?\n")
BROKEN_LINE: Final = "CR, LF or NUL within a line of the head"
"""Why a head is refused that has what no line may (RFC 9110 §5.5)."""

#: How many heads are kept, and how many lines; the longest that are, in bytes.
_MOST_KEPT: Final = 1024
_MOST_LINES_KEPT: Final = 256
_LONGEST_KEPT: Final = 4096
_LONGEST_LINE_KEPT: Final = 1024
#: A name that so many of the lines have is that of one that differs each time; of at most so many.
_MANY: Final = 32
_MOST_OWN: Final = 8

_FRAMING: Final = frozenset({"connection", "content-length", "transfer-encoding"})


class Head:
    """A head as received, without the empty line that ends it.

    ``status`` is 0, and ``problem`` says why, when it is not the head of an HTTP response.
    ``fields`` gives the values of each header in order, by its name in lower case. ``keeps`` says
    whether the connection is to stay open (RFC 9112 §9.3), ``length`` what the body's is said to
    be in bytes, -1 if that is not so simple (§6.3).
    """

    __slots__ = ("fields", "keeps", "length", "problem", "status", "version")

    def __init__(self, status: int, version: str, fields: dict[str, list[str]]) -> None:
        self.status = status
        self.version = version
        self.fields = fields
        self.problem = ""
        self.keeps = False
        self.length = -1

    def values(self, name: str) -> list[str]:
        """Return all values of a header, in order, not to be changed. ``name`` is in lower case."""
        return self.fields.get(name, [])

    def tokens(self, name: str) -> list[str]:
        """Return the members of a header that is a list (RFC 9110 §5.6.1), in lower case."""
        members = ",".join(self.values(name)).lower().split(",")
        return [member.strip() for member in members if member.strip()]


class Heads:
    """Takes heads apart, and keeps those that come again: one for all connections of a run."""

    __slots__ = ("_kept", "_lines", "_own", "_seen_once")

    def __init__(self) -> None:
        self._kept: dict[bytes, Head] = {}
        self._seen_once: set[int] = set()  # the hashes of heads that came, and are not kept
        # By line the name, in lower case, and the value: a list of one, for heads to share.
        self._lines: dict[str, tuple[str, list[str]]] = {}
        # How lines start that differ each time, from the end of the line before to the colon.
        self._own: list[bytes] = []

    def parse(self, raw: bytes) -> Head:
        """Return the head, taken apart. The same bytes may give the same object."""
        head = self._kept.get(raw)
        if head is None and self._own:
            head = self._put_together(raw)
        if head is None:
            head = self._taken_apart(raw)
            self._keep(raw, head)
        return head

    def _taken_apart(self, raw: bytes) -> Head:
        first, *lines = raw.decode("latin-1").split("\r\n")
        version, _, rest = first.partition(" ")
        code = rest[:3]
        if not version.startswith("HTTP/") or len(version) > len("HTTP/1.1"):
            return _no_head("no HTTP status line")
        if not (len(code) == 3 and code.isascii() and code.isdigit() and rest[3:4] in ("", " ")):
            return _no_head("no status code in the status line")
        if code < "100":
            return _no_head(f"no such status code: {code}")
        if _is_broken(first):
            return _no_head(BROKEN_LINE)
        fields: dict[str, list[str]] = {}
        last = ""
        for line in lines:
            field = self._lines.get(line)
            if field is None:
                field = _field(line)
                if len(line) <= _LONGEST_LINE_KEPT and field[0]:
                    self._keep_line(line, field)
            name, values = field
            if name:
                fields[name] = fields[name] + values if name in fields else values
                last = name
            elif _is_broken(line):
                return _no_head(BROKEN_LINE)
            elif line[:1] in (" ", "\t") and last:  # a folded line (RFC 9112 §5.2)
                fields[last] = [*fields[last][:-1], f"{fields[last][-1]} {line.strip()}".strip()]
            else:
                return _no_head("malformed header line")
        head = Head(int(code), version, fields)
        options = head.tokens("connection")
        head.keeps = "keep-alive" in options if version == "HTTP/1.0" else "close" not in options
        lengths = head.values("content-length")
        if len(lengths) == 1 and "transfer-encoding" not in fields:
            head.length = length_of(lengths[0])
        return head

    def _put_together(self, raw: bytes) -> Head | None:
        """Return the head from one without the lines that are its own; None if that is not so
        simple."""
        rest = raw
        fields: dict[str, list[str]] = {}
        for start in self._own:
            at = rest.find(start)
            while at >= 0:
                end = rest.find(b"\r\n", at + 2)
                if end < 0:
                    end = len(rest)
                if rest[end + 2 : end + 3] in (b" ", b"\t"):  # it goes on in the next line
                    return None
                name, values = _field(rest[at + 2 : end].decode("latin-1"))
                if not name:
                    return None
                fields[name] = fields[name] + values if name in fields else values
                rest = rest[:at] + rest[end:]
                at = rest.find(start, at)
        if not fields:
            return None
        same = self._kept.get(rest)
        if same is None:
            same = self._taken_apart(rest)
            self._keep(rest, same)
        if same.problem or not fields.keys().isdisjoint(same.fields):
            return None
        head = Head(same.status, same.version, {**same.fields, **fields})
        head.keeps = same.keeps
        head.length = same.length
        return head

    def _keep(self, raw: bytes, head: Head) -> None:
        """The second time: most of those that never come again would just be in the way."""
        if len(raw) > _LONGEST_KEPT:
            return
        mark = hash(raw)
        if mark not in self._seen_once:
            if len(self._seen_once) >= _MOST_KEPT:
                self._seen_once.clear()
            self._seen_once.add(mark)
            return
        if len(self._kept) >= _MOST_KEPT:
            self._kept.clear()
        self._kept[raw] = head

    def _keep_line(self, line: str, field: tuple[str, list[str]]) -> None:
        if len(self._lines) >= _MOST_LINES_KEPT:
            self._learn()
            self._lines.clear()
        self._lines[line] = field

    def _learn(self) -> None:
        """Learn which lines differ each time. Not those by which a message is cut from the next."""
        starts = Counter(
            b"\r\n%b:" % line[: len(name)].encode("latin-1")
            for line, (name, _) in self._lines.items()
            if name not in _FRAMING
        )
        for start, count in starts.items():
            if count >= _MANY and start not in self._own and len(self._own) < _MOST_OWN:
                self._own.append(start)


def parse_head(raw: bytes) -> Head:
    """Return one head, taken apart for itself."""
    return Heads().parse(raw)


def split_head(data: bytes) -> tuple[bytes, int] | None:
    """Return the head at the start of ``data``, whose lines may end with LF alone, or with more
    than one CR before it: as it would be with CR LF, and where it ends. None: it does not end yet.

    RFC 9112 §2.2 lets recipients take such lines, and clients do: some servers send them.
    """
    found = _EMPTY_LINE.search(data)
    if found is None:
        return None
    end = found.start()
    lines = data[:end].split(b"\n")
    return b"\r\n".join([line.rstrip(b"\r") for line in lines]), found.end()


def _is_broken(line: str) -> bool:
    """Return whether it has what no line may (RFC 9110 §5.5): others may read it as another
    line."""
    return "\r" in line or "\n" in line or "\0" in line


def _no_head(problem: str) -> Head:
    head = Head(0, "", {})
    head.problem = problem
    return head


def _field(line: str) -> tuple[str, list[str]]:
    """Return a header's name in lower case, and its value; no name when it is malformed."""
    name, colon, value = line.partition(":")
    if not colon or name != name.strip() or " " in name or _is_broken(line):
        return "", []
    return name.lower(), [value.strip(" \t")]


def length_of(text: str) -> int:
    """Return a body's length in bytes, as Content-Length has it; -1 if it is not one."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 18 else -1
