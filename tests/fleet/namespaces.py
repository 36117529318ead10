"""Machines of a network, as far as it is concerned: network namespaces joined by a bridge."""

from __future__ import annotations

import ctypes
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

_CLONE_NEWNET = 0x40000000


@dataclass(frozen=True, slots=True)
class Network:
    """Namespaces by their names. This process is on the bridge."""

    prefix: str
    addresses: dict[str, str]

    def command(self, name: str) -> tuple[str, ...]:
        """What the command of a process begins with that is to run there."""
        return ("ip", "netns", "exec", f"{self.prefix}{name}")

    def link(self, name: str, state: str) -> None:
        """Pull its cable (``down``), or plug it in (``up``)."""
        _ip("link", "set", f"{self.prefix}{name}", state)

    @contextmanager
    def inside(self, name: str) -> Iterator[None]:
        """Sockets that this thread makes are there."""
        with (
            Path("/proc/thread-self/ns/net").open(encoding="ascii") as here,
            Path(f"/run/netns/{self.prefix}{name}").open(encoding="ascii") as there,
        ):
            _enter(there.fileno())
            try:
                yield
            finally:
                _enter(here.fileno())


@contextmanager
def network(*names: str) -> Iterator[Network]:
    """A namespace of each of these names (of few letters), gone afterwards.

    Skips the test where there can be none.
    """
    number = os.getpid() % 60000
    prefix, subnet = f"lt{number}", f"10.{213 + number // 30000}.{number % 250}"
    bridge = f"{prefix}br"
    addresses = {name: f"{subnet}.{last}" for last, name in enumerate(names, 2)}
    try:
        # With an address of its own, else it is that of a port, and changes as these do.
        _ip("link", "add", bridge, "address", "02:00:00:00:00:01", "type", "bridge")
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"no network namespaces: {getattr(error, 'stderr', error)}")
    try:
        _ip("addr", "add", f"{subnet}.1/24", "dev", bridge)
        _ip("link", "set", bridge, "up")
        for name, address in addresses.items():
            outer, inner, space = f"{prefix}{name}", f"{prefix}{name}i", f"{prefix}{name}"
            _ip("netns", "add", space)
            _ip("link", "add", outer, "type", "veth", "peer", "name", inner, "netns", space)
            _ip("link", "set", outer, "master", bridge, "up")
            _ip("-n", space, "addr", "add", f"{address}/24", "dev", inner)
            for device in ("lo", inner):
                _ip("-n", space, "link", "set", device, "up")
        yield Network(prefix, addresses)
    finally:
        for name in names:
            with suppress(subprocess.CalledProcessError):
                _ip("link", "del", f"{prefix}{name}")  # with the namespace it would go later
            with suppress(subprocess.CalledProcessError):
                _ip("netns", "del", f"{prefix}{name}")
        _ip("link", "del", bridge)


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True, text=True)


def _enter(namespace: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(namespace, _CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), "setns")
