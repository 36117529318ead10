"""What a peer was asked, read from the log that it writes itself."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

__all__ = ["AccessLog", "Entry"]


@dataclass(frozen=True, slots=True)
class Entry:
    """A request, as logged after it was answered; a CONNECT is logged when its tunnel has ended."""

    time: int
    """When it came (Apache) or was over (squid), in microseconds since the epoch."""
    port: str
    """The name of the port that it came to."""
    connection: int
    """The client's port: while that is open, it is of this connection alone."""
    method: str
    target: str
    status: int
    user: str
    """Who was logged in, as ``DOMAIN\\user`` with NTLM; empty: nobody."""
    received: int
    """Bytes of the request, on the wire before TLS is taken off."""


@dataclass(frozen=True, slots=True)
class AccessLog:
    """The log of a peer whose ``ports`` have these names: fields with tabs between them."""

    file: Path
    ports: Mapping[str, int]

    def mark(self) -> int:
        """Now, in microseconds since the epoch: what is asked later is for `since`."""
        return time.time_ns() // 1000

    def since(self, mark: int, count: int, *ports: str) -> list[Entry]:
        """All that was asked at ``ports`` since ``mark``, once it is ``count`` requests at least:
        peers write them after they have answered, each of Apache's threads when it gets to it. In
        order of their times. Without ``ports`` it is all of them."""
        end = time.monotonic() + 180
        while True:
            entries = [
                one
                for one in map(self._entry, self._lines())
                if one.time >= mark and (not ports or one.port in ports)
            ]
            if len(entries) >= count:
                return sorted(entries, key=lambda one: one.time)
            assert time.monotonic() < end, f"not {count} requests: {entries}"
            time.sleep(0.01)

    def _lines(self) -> list[str]:
        try:
            text = self.file.read_text(encoding="utf-8")
        except FileNotFoundError:
            return []
        lines = text.split("\n")[:-1]  # what follows the last line's end is still being written
        return [
            one for one in lines if one.split("\t")[1] != "-"
        ]  # a connection that asked nothing

    def _entry(self, line: str) -> Entry:
        when, port, connection, method, target, status, user, received = line.split("\t")
        names = {number: name for name, number in self.ports.items()}
        who = "" if user == "-" else user.replace("\\\\", "\\")
        return Entry(
            int(when),
            names[int(port)],
            int(connection),
            method,
            target,
            int(status),
            who,
            int(received),
        )
