"""The shop as a process of its own, for tests: ``with ShopServer(directory) as shop: shop.url``."""

from __future__ import annotations

import fcntl
import subprocess
import sys
from io import TextIOWrapper
from pathlib import Path
from types import TracebackType

__all__ = ["ShopServer"]

_ROOT = Path(__file__).parent.parent


class ShopServer:
    """A running shop, with a database and a secret key of its own.

    Processes that name the same ``home`` at the same time share one server: the first starts it,
    and it ends when the last has left. Each holds a shared lock on ``home/lease`` meanwhile; the
    kernel takes the lock from a process that dies, so no server outlives those that use it.
    """

    def __init__(self, home: Path) -> None:
        self._home = home
        self._lease: TextIOWrapper | None = None
        self._process: subprocess.Popen[str] | None = None
        self.url = ""
        """``http://127.0.0.1:PORT``, empty while not entered."""

    @property
    def access_log(self) -> Path:
        """The file with a line ``METHOD target STATUS`` for each request answered so far."""
        return self._home / "access.log"

    def requests(self) -> list[str]:
        """The lines of the access log. An answer that was received is in it."""
        return self.access_log.read_text().splitlines()

    def __enter__(self) -> ShopServer:
        self._home.mkdir(parents=True, exist_ok=True)
        lease = (self._home / "lease").open("a")
        # One at a time looks for a server and starts it where there is none.
        with (self._home / "start").open("a") as start:
            fcntl.flock(start, fcntl.LOCK_EX)
            fcntl.flock(lease, fcntl.LOCK_SH)
            self._lease = lease
            url = self._home / "url"
            try:
                self.url = url.read_text() if url.exists() else self._start()
            except BaseException:
                self.__exit__(None, None, None)
                raise
        return self

    def _start(self) -> str:
        errors = self._home / "errors.log"
        with errors.open("w") as stderr:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "example_suite.serve", "--home", str(self._home)],
                cwd=_ROOT,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=stderr,
                text=True,
                # Ctrl-C in the terminal is for pytest, which may still want answers; see the lease.
                start_new_session=True,
            )
        assert self._process.stdout is not None
        with self._process.stdout as stdout:
            url = stdout.readline().strip()
        if not url:
            raise RuntimeError(f"the shop did not start:\n{errors.read_text()}")
        return url

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Give the lease back. Who started the server waits for its end."""
        if self._lease is not None:
            self._lease.close()
        if self._process is not None:
            self._process.wait()
        self._lease = self._process = None
        self.url = ""
