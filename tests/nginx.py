"""nginx, started for a test with a configuration of its own."""

from __future__ import annotations

import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import trustme

from tests.ports import free_ports, wait_until_open

__all__ = ["Nginx", "self_signed", "serving"]

_PREAMBLE = """\
daemon off;
user root;
worker_processes 1;
pid nginx.pid;
error_log error.log;
events { }
"""


@dataclass(frozen=True, slots=True)
class Nginx:
    """A running nginx: where its files are, and its ports by name."""

    folder: Path
    ports: Mapping[str, int]
    process: subprocess.Popen[bytes]

    def http(self, port: str) -> str:
        return f"http://127.0.0.1:{self.ports[port]}"

    def https(self, port: str) -> str:
        return f"https://127.0.0.1:{self.ports[port]}"

    def log(self, count: int = 0, of: str = "") -> list[str]:
        """The lines of the access log with this text, once there are ``count``: nginx writes them
        after it has answered, so that those of an earlier test may come at any time."""
        end = time.monotonic() + 180
        while len(lines := self._logged(of)) < count:
            assert time.monotonic() < end, lines
            time.sleep(0.01)
        return lines

    def _logged(self, of: str) -> list[str]:
        lines = (self.folder / "access.log").read_text().splitlines()
        return [one for one in lines if of in one]

    def reload(self, http: str) -> None:
        """Have it read another inside of the block ``http``; return when no worker has the old."""
        head = (self.folder / "nginx.conf").read_text().partition("http {")[0]
        for name, port in self.ports.items():
            http = http.replace(f"<{name}>", str(port))
        (self.folder / "nginx.conf").write_text(f"{head}http {{\n{http}}}\n", encoding="utf-8")
        old = self._workers()
        self.process.send_signal(signal.SIGHUP)
        end = time.monotonic() + 60
        while not (now := self._workers()) or now & old:
            assert time.monotonic() < end, (self.folder / "error.log").read_text()
            time.sleep(0.01)

    def _workers(self) -> set[str]:
        pid = self.process.pid
        return set(Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split())

    def stop(self) -> None:
        """End it; after that nothing is added to the log."""
        self.process.terminate()
        self.process.wait()


@contextmanager
def serving(folder: Path, http: str, *ports: str) -> Iterator[Nginx]:
    """Serve what ``http`` says, which is the inside of that block. File names in it start from
    ``folder``; the name of each of ``ports`` in angle brackets stands for a free port."""
    chosen = dict(zip(ports, free_ports(len(ports)), strict=True))
    for name, port in chosen.items():
        http = http.replace(f"<{name}>", str(port))
    (folder / "nginx.conf").write_text(f"{_PREAMBLE}http {{\n{http}}}\n", encoding="utf-8")
    program = shutil.which("nginx", path="/usr/sbin:/usr/bin") or "nginx"
    command = [program, "-p", str(folder), "-e", "error.log", "-c", "nginx.conf"]
    nginx = Nginx(folder, chosen, subprocess.Popen(command))
    try:
        wait_until_open(chosen.values(), nginx.process, folder)
        yield nginx
    finally:
        nginx.stop()


def self_signed(folder: Path) -> None:
    """A certificate that nobody trusts and its key, as cert.pem and key.pem: that of an
    authority."""
    authority = trustme.CA()
    authority.cert_pem.write_to_path(folder / "cert.pem")
    authority.private_key_pem.write_to_path(folder / "key.pem")
