"""Which test cases may be replayed unasked: those that were written here or agreed to.

It is kept for this user, by what is in the files: one that has changed is asked about again.
"""

from __future__ import annotations

import os
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from pytest_loadtool.casefile.files import read_bytes


def fingerprint(path: Path) -> str:
    """Return what a file is known again by.

    Raises:
        FileError: it cannot be read.
    """
    return sha256(read_bytes(path)).hexdigest()


def state_file(name: str) -> Path:
    """Return a file of ours for this user alone, in a folder that is made if it is not there.

    Raises:
        OSError: there is no place for it.
        RuntimeError: nobody's home is known.
    """
    home = os.environ.get("XDG_STATE_HOME") or "~/.local/state"
    path = Path(home).expanduser() / "pytest-loadtool" / name
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.touch(mode=0o600)
    path.chmod(0o600)
    return path


def as_known(known: str) -> None:
    """Keep what a file is known again by: nobody is asked about it. Without a place for it, they
    are asked again."""
    with suppress(OSError, RuntimeError), state_file("replayed").open("a") as file:
        file.write(f"{known}\n")


def is_known(known: str) -> bool:
    """Return whether that was kept."""
    try:
        return known in state_file("replayed").read_text().splitlines()
    except (OSError, RuntimeError):
        return False
