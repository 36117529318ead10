"""A HAR file that grows while traffic is recorded, and is whole after every entry.

Layout: a head line, one line per entry, a closing line. Appending overwrites the closing line with
the entry and a new closing line in one write, so a recorder that is killed loses at most the
exchange it was writing (and not even that, unless it is killed inside the write: see `reader`).
A body that is not in memory is copied piece by piece, as base64.
The data are then with the operating system; only a crash of the whole machine can lose them.

It also writes the decisions of application state management: the array ``log._asm``.

In a file of ours it stands behind the entries, one decision per line, and before what else the
closing line holds. So entries stay where they are, and whoever reads them line by line is done
before it.
"""

from __future__ import annotations

import base64
import contextlib
import json
import mmap
import os
import secrets
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Self

from pytest_loadtool import __version__
from pytest_loadtool.casefile.files import file_errors, read_bytes, replace_file
from pytest_loadtool.casefile.har.exchange import HEAD, TROUBLES, encoded, entry_from
from pytest_loadtool.casefile.har.lines import READABLE, BodySource, StoredBody
from pytest_loadtool.model.decision import Decision
from pytest_loadtool.model.exchange import Body, Exchange

#: No string in JSON holds a line end as it is, so these stand nowhere inside an entry.
_BEGIN, _END = b'\n],"_asm":[', b"\n]}}"


def write_decisions(path: Path, decisions: Iterable[Decision]) -> None:
    """Put these in place of the decisions in a HAR file, at once or not at all.

    A file that is no HAR, or whose last write was torn, is left as it is.

    Raises:
        FileError: it cannot be read or written.
    """
    made = [asdict(one) for one in decisions]
    with file_errors(path, "read"), path.open("rb") as file:
        ours = file.read(len(HEAD)) == HEAD
    if ours:
        lines = b",".join(b"\n" + json.dumps(one).encode() for one in made)
        with file_errors(path, "write"):
            _replace_lines(path, _BEGIN + lines if made else b"")
    else:
        _replace_key(path, made)


def _replace_lines(path: Path, decisions: bytes) -> None:
    part = path.with_name(path.name + ".part")
    with path.open("rb") as file:
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            close = max(content.rfind(TROUBLES), content.rfind(_END))
            begin = content.rfind(_BEGIN)
            begin = close if begin < 0 else begin
            if close < 0 or content[begin:close] == decisions:
                return
            tail = decisions + content[close:]
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as copy:
            shutil.copyfileobj(file, copy, 1 << 20)
            copy.truncate(begin)
            copy.seek(begin)
            copy.write(tail)
            copy.flush()
            os.fsync(copy.fileno())
    part.replace(path)


def _replace_key(path: Path, decisions: list[dict[str, object]]) -> None:
    """Replace the decisions in a file of another program, which may be written in any way."""
    try:
        document = json.loads(read_bytes(path).decode("utf-8-sig"))
        log = document["log"]
        if log.get("_asm", []) == json.loads(json.dumps(decisions)):
            return
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return
    log["_asm"] = decisions
    replace_file(path, json.dumps(document, ensure_ascii=False).encode("utf-8", "surrogatepass"))


#: What is written at once, in bytes, unless it comes in one piece.
_PIECE = 1024 * 1024


class HarWriter:
    """Writes a new HAR file entry by entry. Usable in a ``with`` statement."""

    def __init__(
        self, path: Path, comment: str = "", about: Mapping[str, Any] | None = None
    ) -> None:
        """Create the file, as yet without entries. ``comment`` is about the whole of it, ``about``
        are more fields of its ``log``.

        Raises:
            FileError: it cannot be created, or exists: recorded traffic is never overwritten.
        """
        self.path = path
        self._count = 0
        self._source: BodySource | None = None
        #: Fields of the log that stand in the closing line.
        self._closing: dict[str, Any] = {}
        #: Stands for a body while the rest of its entry becomes text: nothing else contains it.
        self._mark = secrets.token_hex(16)
        fields = ({"comment": comment} if comment else {}) | dict(about or {})
        said = "".join(f"{json.dumps(name)}:{json.dumps(one)}," for name, one in fields.items())
        head = f',"version":"{__version__}"}},{said}"pages":[],"entries":['
        with file_errors(path, "create"):
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
            # Traffic holds what was typed and every token: for its owner alone.
            self._descriptor = os.open(path, flags, 0o600)
        self._end = 0  # where the closing line begins
        self._put([[HEAD + head.encode()]])

    def append(self, exchange: Exchange, fields: Mapping[str, Any] | None = None) -> int:
        """Add an exchange; its index among the entries. The file is whole again when this returns.

        ``fields`` are more fields of its entry, or stand in place of some.

        Raises:
            FileError: it cannot be written; the file is then as it was before.
        """
        self.keep(exchange, fields)
        return self._count - 1

    def keep(self, exchange: Exchange, fields: Mapping[str, Any] | None = None) -> Exchange:
        """Add an exchange as `append` does, and return it with its response body where it now is:
        in the file, and not in memory; so is that of the request, if it is large.

        Raises:
            FileError: as `append`.
        """
        sent, sent_encoding = _text(exchange.held_request, exchange.request_size)
        received, encoding = _text(exchange.held_body, exchange.response_size)
        before, between, after = self._entry(exchange, sent_encoding, encoding, fields or {})
        separator = b",\n" if self._count else b"\n"
        places = self._put([[separator, before], sent, [between], received, [after]])
        self._count += 1
        if self._source is None:
            with file_errors(self.path, "read"):
                self._source = BodySource(self.path)
        size = exchange.response_size
        response = StoredBody(self._source, *places[3], encoding == "base64", size)
        request, size = exchange.held_request, exchange.request_size
        if size > READABLE:
            request = StoredBody(self._source, *places[1], sent_encoding == "base64", size)
        return exchange.changed(request_body=request, response_body=response)

    def _entry(
        self, exchange: Exchange, sent_encoding: str, encoding: str, fields: Mapping[str, Any]
    ) -> tuple[bytes, bytes, bytes]:
        """Return the text of an entry up to its request body, up to its response body, and behind
        it."""
        sent = f"{self._mark}sent"
        entry = entry_from(exchange, (sent, sent_encoding), (self._mark, encoding)) | dict(fields)
        try:
            line = json.dumps(entry, ensure_ascii=False).encode()
        except UnicodeEncodeError:  # lone surrogates: JSON can escape them, UTF-8 cannot hold them
            line = json.dumps(entry).encode()
        before, _, rest = line.rpartition(sent.encode())
        between, _, after = rest.partition(self._mark.encode())
        return before, between, after

    def trouble(self, text: str) -> None:
        """Add to the closing line what makes the recording as a whole doubtful.

        Raises:
            FileError: it cannot be written.
        """
        self.conclude({"_troubles": [*self._closing.get("_troubles", ()), text]})

    def conclude(self, fields: Mapping[str, Any]) -> None:
        """Have the closing line hold these fields of the log.

        Raises:
            FileError: it cannot be written.
        """
        self._closing |= fields
        self._put()

    def close(self) -> None:
        """Close the file. Closing again does nothing."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _put(self, texts: Sequence[Iterable[bytes]] = ()) -> list[tuple[int, int]]:
        """Overwrite the closing line with these and a new closing line; return where each begins,
        and its length."""
        places: list[tuple[int, int]] = []
        position = self._end
        with file_errors(self.path, "write"):
            try:
                for piece in _joined(_noted(texts, self._end, places), self._tail()):
                    _write_all(self._descriptor, piece, position)
                    position += len(piece)
            except OSError:
                with contextlib.suppress(OSError):
                    os.ftruncate(self._descriptor, self._end)
                    _write_all(self._descriptor, self._tail(), self._end)
                raise
        self._end = position - len(self._tail())
        return places

    def _tail(self) -> bytes:
        """Return the closing line."""
        fields = "".join(
            f",{json.dumps(name)}:{json.dumps(one)}" for name, one in self._closing.items()
        )
        return f"\n]{fields}}}}}\n".encode()


def _text(held: bytes | Body, size: int) -> tuple[Iterable[bytes], str]:
    """Return a body as it stands between quotes, and its encoding."""
    if not isinstance(held, bytes):
        if size > READABLE:
            return _base64(held), "base64"
        held = b"".join(held.chunks())
    text, encoding = encoded(held)
    return [json.dumps(text, ensure_ascii=False).encode()[1:-1]], encoding


def _noted(
    texts: Iterable[Iterable[bytes]], start: int, places: list[tuple[int, int]]
) -> Iterator[bytes]:
    """Yield the pieces of these texts; ``places`` gets the place of each in a file in which the
    first begins at ``start``."""
    for text in texts:
        length = 0
        for piece in text:
            yield piece
            length += len(piece)
        places.append((start, length))
        start += length


def _joined(pieces: Iterable[bytes], tail: bytes) -> Iterator[bytes]:
    """Yield all of it in pieces of moderate size: in one if there is no large one, as in most."""
    head = b""
    for piece in pieces:
        if len(head) + len(piece) > _PIECE:
            yield head
            head = piece
        else:
            head += piece
    yield head + tail


def _base64(body: Body) -> Iterator[bytes]:
    """Yield a body as base64, of which three bytes make four characters."""
    rest = b""
    for chunk in body.chunks():
        rest += chunk
        whole = len(rest) - len(rest) % 3
        yield base64.b64encode(rest[:whole])
        rest = rest[whole:]
    yield base64.b64encode(rest)


def _write_all(descriptor: int, content: bytes, at: int) -> None:
    """Write all of ``content`` at once; in several writes only if the system takes less, as it does
    when a disk is full."""
    while content:
        written = os.pwrite(descriptor, content, at)
        content, at = content[written:], at + written
