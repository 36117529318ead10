"""What runs on a cluster where pytest-loadtool may not be installed: it travels by value.

Such functions import what they need themselves.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import cloudpickle

cloudpickle.register_pickle_by_value(sys.modules[__name__])

#: The last message of a queue, as it travels: pickled None.
END = b"N."


@dataclass(frozen=True, slots=True)
class Installed:
    """The versions that have to be the same here and there, and whether the hot path is
    compiled."""

    version: str
    python: str
    build: str

    @classmethod
    def of(cls, looked: Mapping[str, Any]) -> Installed:
        """Return what `look` has returned."""
        return cls(*(looked[one.name] for one in fields(cls)))

    def __str__(self) -> str:
        """Return ``pytest-loadtool 1.0 (compiled), Python 3.11``."""
        if not self.version:
            return "no pytest-loadtool"
        return f"pytest-loadtool {self.version} ({self.build}), Python {self.python}"


def look() -> dict[str, Any]:
    """Return what this process is, and how many processors it may use: builtin types only."""
    import sys

    from dask.system import CPU_COUNT

    python = "{}.{}".format(*sys.version_info[:2])
    found = {"version": "", "python": python, "build": "", "processors": CPU_COUNT}
    found["prefix"] = sys.prefix
    try:
        import pytest_loadtool
        from pytest_loadtool.load.hot_path import build
    except ImportError:
        return found
    return {**found, "version": pytest_loadtool.__version__, "build": build()}


async def install(name: str, wheel: bytes) -> str:
    """Install ``wheel`` where this process finds its packages, and what it needs and is not there;
    return what pip says if it cannot."""
    import asyncio
    import subprocess
    import sys
    import tempfile
    from pathlib import Path

    pip = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check"]

    def installed() -> str:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, name)
            path.write_bytes(wheel)
            for more in (["--force-reinstall", "--no-deps"], []):
                command = [*pip, *more, str(path)]
                done = subprocess.run(command, capture_output=True, text=True)  # noqa: S603  our own
                if done.returncode:
                    said = done.stderr.strip().splitlines()
                    return said[-1] if said else f"pip ended with {done.returncode}"
        return ""

    return await asyncio.to_thread(installed)


def import_anew() -> None:
    """Have this process import the package as it is installed now."""
    import importlib
    import sys

    for name in [one for one in sys.modules if one.partition(".")[0] == "pytest_loadtool"]:
        del sys.modules[name]
    importlib.invalidate_caches()


def here() -> Installed:
    """Return what this process is."""
    return Installed.of(look())


def differences(found: dict[str, Installed], mine: Installed) -> list[str]:
    """Return a sentence for each worker that cannot take part, by name."""
    return [f"{name} has {one}" for name, one in sorted(found.items()) if one != mine]


def pulse(names: list[str], sign: bytes, dask_scheduler: Any = None) -> None:
    """Put ``sign`` into these queues, as far as there still are any; on the scheduler."""
    queues = dask_scheduler.extensions["queues"].queues
    for name in names:
        if name in queues:
            queues[name].put_nowait({"type": "msgpack", "value": sign})


def forget(names: list[str], end: bytes, shared: str = "", dask_scheduler: Any = None) -> None:
    """Drop these queues, and ``shared`` with the last whose name begins so; on the scheduler. Who
    waits for one gets ``end``."""
    extension = dask_scheduler.extensions["queues"]

    def drop(name: str) -> None:
        extension.client_refcount.pop(name, None)
        if (queue := extension.queues.pop(name, None)) is not None:
            queue.put_nowait({"type": "msgpack", "value": end})

    for name in names:
        drop(name)
    if shared and not any(one.startswith(f"{shared}-") for one in extension.queues):
        drop(shared)
