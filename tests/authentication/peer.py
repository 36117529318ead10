"""A server or proxy as the tests see it: a process, its ports by name, its log."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.authentication.access_log import AccessLog
from tests.ports import free_ports, wait_until_open

__all__ = ["Peer", "ready_folder", "running"]


@dataclass(frozen=True, slots=True)
class Peer:
    """A running server or proxy."""

    folder: Path
    ports: Mapping[str, int]
    log: AccessLog

    def url(self, port: str, scheme: str = "http") -> str:
        """Where the port of that name is."""
        return f"{scheme}://127.0.0.1:{self.ports[port]}"


@contextmanager
def ready_folder() -> Iterator[Path]:
    """A folder that a server can read as another user than root, which pytest's own are not, nor
    whatever TMPDIR may name."""
    with tempfile.TemporaryDirectory(prefix="authentication-", dir="/tmp") as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


@contextmanager
def running(
    folder: Path,
    configuration: str,
    ports: Sequence[str],
    command: Sequence[str],
    *,
    user: str,
    environment: Mapping[str, str] | None = None,
) -> Iterator[Peer]:
    """Run ``command`` while the block runs; both programs refuse to be root, so root lets ``user``
    run it, who then owns ``folder``.

    The configuration becomes the file ``configuration`` there. In it ``<folder>`` stands for the
    folder, and the name of each of ``ports`` in angle brackets for a free port.
    """
    chosen = dict(zip(ports, free_ports(len(ports)), strict=True))
    for name, value in {"folder": folder, **chosen}.items():
        configuration = configuration.replace(f"<{name}>", str(value))
    (folder / "configuration").write_text(configuration, encoding="utf-8")
    somebody = None
    if os.geteuid() == 0:
        somebody = user
        for path in (folder, *folder.rglob("*")):
            shutil.chown(path, user)
    output = folder / "output"
    with output.open("wb") as file:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=os.environ | {"PATH": f"{os.environ['PATH']}:/usr/sbin"} | dict(environment or {}),
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            user=somebody,
            group=somebody,
            extra_groups=None if somebody is None else [],
        )
    try:
        wait_until_open(chosen.values(), process, folder)
        yield Peer(folder, chosen, AccessLog(folder / "access.log", chosen))
    finally:
        process.terminate()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
