"""Ports for servers that cannot choose their own."""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Iterable
from pathlib import Path

__all__ = ["free_ports", "wait_until_open"]


def free_ports(count: int) -> list[int]:
    """Loopback ports at which nobody listens."""
    listeners = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in listeners]
    for one in listeners:
        one.close()
    return ports


def wait_until_open(ports: Iterable[int], process: subprocess.Popen[bytes], log: Path) -> None:
    """Return when ``process`` listens at all of ``ports``; when it does not, ``log`` says why."""
    end = time.monotonic() + 20
    while not all(map(_is_open, ports)):
        assert process.poll() is None, log.read_text()
        assert time.monotonic() < end, f"it did not start: {log.read_text()}"
        time.sleep(0.02)


def _is_open(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
