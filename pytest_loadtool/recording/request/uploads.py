"""What bodies hold that does not belong into a test case: it is kept in files beside it.

A test case ``shop.case.toml`` has them in ``shop.files``, each under the name that it was uploaded
by. What was uploaded twice is one file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import count

from pytest_loadtool.codec.multipart import Content
from pytest_loadtool.model.exchange import Exchange

_LONGEST_NAME = 80
_NO_NAME_CHARACTERS = re.compile(r"[^\w.-]+")


@dataclass(frozen=True, slots=True)
class Upload:
    """The bytes ``start`` to ``end`` of a request's body."""

    exchange: Exchange
    start: int
    end: int

    @property
    def content(self) -> bytes:
        """The bytes, read each time that they are asked for."""
        return self.exchange.request_body[self.start : self.end]


@dataclass(slots=True)
class Uploads:
    """The uploads of one test case, by the paths of their files; other files have those that are
    ``taken``."""

    case_name: str
    taken: frozenset[str] = frozenset()
    files: dict[str, Upload] = field(default_factory=dict)
    _known: dict[bytes, str] = field(default_factory=dict)

    def path_of(self, exchange: Exchange, content: Content) -> str:
        """Return the path of the file for that content of the exchange's request."""
        upload = Upload(exchange, content.start, content.end)
        digest = sha256(upload.content).digest()
        if digest not in self._known:
            name = f"{folder_of(self.case_name)}/{_file_name(content.name)}"
            self._known[digest] = path = unused_path(name, (*self.files, *self.taken))
            self.files[path] = upload
        return self._known[digest]


def folder_of(case_name: str) -> str:
    """Return the name of the folder beside a test case that has its files."""
    return f"{case_name}.files"


def unused_path(path: str, taken: Iterable[str]) -> str:
    """Return ``path``, or with the first number that is not taken: not every file system tells
    capital letters from small ones."""
    known = {one.lower() for one in taken}
    stem, dot, suffix = path.rpartition(".")
    if "/" in suffix or not dot:
        stem, dot, suffix = path, "", ""
    paths = (path if n == 1 else f"{stem}-{n}{dot}{suffix}" for n in count(1))
    return next(one for one in paths if one.lower() not in known)


def _file_name(name: str) -> str:
    """Return a name that every file system takes, and like the one given."""
    base = re.split(r"[/\\]", name)[-1]
    plain = _NO_NAME_CHARACTERS.sub("-", base).strip(".-")
    return plain[-_LONGEST_NAME:] or "body.bin"
