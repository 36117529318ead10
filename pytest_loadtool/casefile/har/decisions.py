"""Decisions of application state management in the evidence: the array ``log._asm``.

In a file of ours it stands behind the entries, one decision per line, and before what else the
closing line holds. So entries stay where they are, and whoever reads them line by line is done
before it.
"""

from __future__ import annotations

import json
import mmap
import os
import shutil
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from pytest_loadtool.casefile.files import file_errors, read_bytes, replace_file
from pytest_loadtool.casefile.har.exchange import HEAD, TROUBLES
from pytest_loadtool.model.decision import Decision

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
    """In a file of another program, which may be written in any way."""
    try:
        document = json.loads(read_bytes(path).decode("utf-8-sig"))
        log = document["log"]
        if log.get("_asm", []) == json.loads(json.dumps(decisions)):
            return
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return
    log["_asm"] = decisions
    replace_file(path, json.dumps(document, ensure_ascii=False).encode("utf-8", "surrogatepass"))
