"""Whose process is at the other end of a loopback connection, as Linux tells (proc(5)).

A loopback port is open to every user of the machine; a password would have to be known to browsers
and to clients that cannot give one.
"""

from __future__ import annotations

import os
import pwd
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

#: What `owner` says when the process has closed its end.
GONE = -1

_TABLES = (Path("/proc/self/net/tcp"), Path("/proc/self/net/tcp6"))
_LISTENING = "0A"
_NOBODY = ("0.0.0.0", 0)  # noqa: S104  it is compared with, not bound

_Address = tuple[str, int]


def is_told(here: _Address) -> bool:
    """Return whether the system tells of the socket that listens ``here`` that it is this
    process's."""
    listening = (row for row in _rows(here, _NOBODY) if row[3] == _LISTENING)
    return any(int(row[7]) == os.geteuid() for row in listening)


def owner(here: _Address, there: _Address) -> int:
    """Return the id of the user whose process has connected ``here`` from ``there``, or `GONE`. It
    takes milliseconds: the kernel goes through all its sockets."""
    for row in _rows(there, here):
        if row[9] != "0":  # without an inode no process has it any more
            return int(row[7])
    return GONE


def is_ours(user: int) -> bool:
    """Return whether it is the id of this process's user, or root's, who could be that anyway."""
    return user in (0, os.geteuid())


def doorkeeper(here: _Address) -> Callable[[_Address], bool]:
    """Return who tells whether a client of what listens ``here`` is one of ours, by where it has
    connected from (it takes milliseconds). Where the system does not tell, all are taken for
    ours."""
    told = is_told(here)
    return lambda there: not told or is_ours(owner(here, there))


def name_of(user: int) -> str:
    """Return what a person calls the user of that id."""
    try:
        return f"{pwd.getpwuid(user).pw_name} ({user})"
    except KeyError:
        return str(user)


def _rows(local: _Address, remote: _Address) -> Iterator[list[str]]:
    """Yield the sockets between two IPv4 addresses, those of clients that speak IPv6 too."""
    for table, prefix in zip(_TABLES, ("", _words(b"\0" * 10 + b"\xff\xff")), strict=True):
        wanted = f" {prefix}{_hexadecimal(local)} {prefix}{_hexadecimal(remote)} ".encode()
        with suppress(OSError):  # there may be no IPv6
            content, at = table.read_bytes(), 0  # thousands of rows: most are not looked at
            while (at := content.find(wanted, at + 1)) >= 0:
                end = content.index(b"\n", at)
                yield content[content.rindex(b"\n", 0, at) : end].decode().split()


def _hexadecimal(address: _Address) -> str:
    host, port = address
    return f"{_words(bytes(map(int, host.split('.'))))}:{port:04X}"


def _words(packed: bytes) -> str:
    """Return an address as the kernel prints it: four bytes at a time, in the order of this
    machine."""
    words = (packed[start : start + 4] for start in range(0, len(packed), 4))
    return "".join(f"{int.from_bytes(word, sys.byteorder):08X}" for word in words)
