"""A process seen from outside: memory, processor time and open files, from /proc."""

from __future__ import annotations

import contextlib
import os
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Look", "watch"]

_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE") / 1024


@dataclass(frozen=True, slots=True)
class Look:
    """What was seen, ``at`` seconds after the process was started."""

    at: float
    rss_kb: float
    cpu_s: float
    sockets: int


def watch(command: list[str], folder: Path, every: float = 1.0) -> tuple[list[Look], str]:
    """Run a command to its end; what was seen of it, and what it printed."""
    looks: list[Look] = []
    with (folder / "output.txt").open("w+") as output:
        started = time.monotonic()
        process = subprocess.Popen(command, cwd=folder, stdout=output, stderr=output)
        try:
            while process.poll() is None:
                with contextlib.suppress(OSError):  # it may end while it is looked at
                    looks.append(_look(process.pid, time.monotonic() - started))
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(every)
        finally:
            process.kill()
            process.wait()
        output.seek(0)
        return looks, output.read()


def _look(pid: int, at: float) -> Look:
    home = Path(f"/proc/{pid}")
    times = (home / "stat").read_text().rpartition(")")[2].split()
    resident = int((home / "statm").read_text().split()[1])
    cpu = (int(times[11]) + int(times[12])) / _TICKS
    return Look(at, resident * _PAGE, cpu, sum(_is_socket(one) for one in (home / "fd").iterdir()))


def _is_socket(file: Path) -> bool:
    try:
        return str(file.readlink()).startswith("socket:")
    except OSError:  # closed meanwhile
        return False
