"""OpenSSH's server on loopback, with a configuration, keys and a port of its own."""

from __future__ import annotations

import getpass
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.plugin.loading import wait_until
from tests.ports import free_port


@dataclass(frozen=True, slots=True)
class Sshd:
    """A running server, and what its only user needs."""

    port: int
    key: Path
    known_hosts: Path

    @property
    def options(self) -> str:
        """What ``ssh`` takes to get there without a question."""
        return f"-p {self.port} -F none -i {self.key} -o UserKnownHostsFile={self.known_hosts}"


@contextmanager
def sshd(folder: Path) -> Iterator[Sshd]:
    """A server that lets this user in with a key. Skips the test where there is none."""
    program = shutil.which("sshd", path="/usr/sbin:/usr/local/sbin:/usr/bin")
    if program is None:
        pytest.skip("no sshd: apt-get install openssh-server")
    for name in ("host", "user"):
        command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)]
        subprocess.run(command, check=True)
    port = free_port()
    host_key = (folder / "host.pub").read_text(encoding="ascii")
    (folder / "known_hosts").write_text(f"[127.0.0.1]:{port} {host_key}", encoding="ascii")
    (folder / "sshd_config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {folder}/host\nUsePAM no\n"
        f"AuthorizedKeysFile {folder}/user.pub\nStrictModes no\nPidFile {folder}/pid\n"
        f"PasswordAuthentication no\nAllowUsers {getpass.getuser()}\nPermitRootLogin yes\n",
        encoding="ascii",
    )
    Path("/run/sshd").mkdir(exist_ok=True)  # where it gives up its rights
    command = [program, "-D", "-e", "-f", str(folder / "sshd_config")]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(command, stderr=log)
    try:
        wait_until(lambda: _listens(port), 20)
        yield Sshd(port, folder / "user", folder / "known_hosts")
    finally:
        server.terminate()
        server.wait()


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
