"""Private temporary directories that do not outlive their use for long.

The recorder's holds the key of its certificate authority, the browser's the cookies of whoever was
logged in. Both go when recording ends. If the process is killed they cannot: the next one that
makes a directory removes those whose owner is dead, which it knows by their lock.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from pathlib import Path

_PREFIX = "loadtool-"
_LOCK = "lock"


class Scratch:
    """A directory that only its owner can enter. ``purpose`` becomes part of its name."""

    def __init__(self, purpose: str) -> None:
        _sweep()
        self.path = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{purpose}-"))
        # The kernel gives the lock back when this process ends, however it does. Under its final
        # name the file is never seen without a lock.
        young = self.path / "young"
        self._lock = os.open(young, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        young.rename(self.path / _LOCK)

    def remove(self) -> None:
        """Delete it with all that is in it."""
        # A process that was just killed may still be writing: what appears meanwhile goes then.
        for _ in range(10):
            shutil.rmtree(self.path, ignore_errors=True)
            if not self.path.exists():
                break
        os.close(self._lock)


def _sweep() -> None:
    for lock in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*/{_LOCK}"):
        try:
            if lock.parent.lstat().st_uid != os.getuid():
                continue
            descriptor = os.open(lock, os.O_RDWR | os.O_CLOEXEC)
        except OSError:  # just gone
            continue
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(lock.parent, ignore_errors=True)
        except BlockingIOError:  # its owner lives
            pass
        finally:
            os.close(descriptor)
