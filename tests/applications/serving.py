"""A server process: started, waited for, stopped."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tests.ports import free_port

__all__ = ["serving", "serving_asgi"]

#: Seconds for a server to answer its first request, and to end when asked to.
_STARTING, _ENDING = 90.0, 10.0
#: Seconds between two attempts.
_POLL_INTERVAL = 0.05


@contextlib.contextmanager
def serving(
    command: Sequence[str],
    url: str,
    *,
    state: Path,
    environment: Mapping[str, str] | None = None,
) -> Iterator[str]:
    """Run ``command`` in ``state`` while the block runs, which begins when ``url`` is answered.

    Any answer will do. What the server writes goes to ``state/server.log``. ``environment`` is
    added to this process's. The value is the URL without its path.

    Raises:
        RuntimeError: the server ended, or did not answer in time; with the end of its log.
    """
    log = state / "server.log"
    with log.open("w") as output:
        process = subprocess.Popen(
            command,
            cwd=state,
            env=os.environ | dict(environment or {}),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # with all that it starts it is one group, and ends as one
        )
    try:
        _wait_for(url, process, log)
        yield "/".join(url.split("/")[:3])
    finally:
        _end(process)


@contextlib.contextmanager
def serving_asgi(programs: Path, application: str, *, state: Path) -> Iterator[str]:
    """Serve ``module:attribute`` of the folder ``served`` by the uvicorn of an environment."""
    port = free_port()
    served = str(Path(__file__).parent / "served")
    options = ("--app-dir", served, "--host", "127.0.0.1", "--port", str(port))
    command = (str(programs / "uvicorn"), application, *options)
    with serving(command, f"http://127.0.0.1:{port}/", state=state) as url:
        yield url


def _wait_for(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    # No proxy of the environment: this one is asked directly.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    deadline = time.monotonic() + _STARTING
    while True:
        try:
            with opener.open(url, timeout=_STARTING):
                return
        except urllib.error.HTTPError as answer:
            answer.close()
            return
        except OSError as error:
            if process.poll() is not None or time.monotonic() > deadline:
                written = log.read_text(errors="replace")[-4000:]
                raise RuntimeError(f"no server at {url}: {error}\n{written}") from None
        time.sleep(_POLL_INTERVAL)


def _end(process: subprocess.Popen[bytes]) -> None:
    for sign in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, sign)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_ENDING)
            return
