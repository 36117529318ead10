"""Ports for servers that cannot choose their own."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain, cycle, islice
from pathlib import Path

__all__ = ["free_port", "free_ports", "wait_until_open"]

#: Below those that a system gives to connections and to servers which ask for any port: such a one
#: might be gone before the server has it.
_PORTS = range(10_000, 32_000)


@cache
def _turns(process: int) -> Iterator[int]:
    """Each process takes them in turn, and begins where others do not: one that was forked, too."""
    first = process * 101 % len(_PORTS)
    return cycle(chain(_PORTS[first:], _PORTS[:first]))


def free_port() -> int:
    """A loopback port at which nobody listens."""
    return free_ports(1)[0]


def free_ports(count: int) -> list[int]:
    """So many of them."""
    return list(islice(filter(_is_free, _turns(os.getpid())), count))


def wait_until_open(ports: Iterable[int], process: subprocess.Popen[bytes], folder: Path) -> None:
    """Return when ``process`` listens at all of ``ports``; when it does not, what it has written in
    ``folder`` says why."""
    end = time.monotonic() + 180
    while not all(map(_is_open, ports)):
        assert process.poll() is None, f"it ended: {_written(folder)}"
        assert time.monotonic() < end, f"it did not start: {_written(folder)}"
        time.sleep(0.02)


def _written(folder: Path) -> str:
    logs = [*folder.glob("output"), *folder.glob("*.log")]
    return "\n".join(one.read_text(errors="replace") for one in logs)


def _is_free(port: int) -> bool:
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True


def _is_open(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
