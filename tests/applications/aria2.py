"""aria2 from Debian: JSON-RPC with a secret among the parameters, and ids of what is queued."""

from __future__ import annotations

import contextlib
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

from tests.applications.installed import run
from tests.applications.serving import serving
from tests.applications.state import State
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "aria2 1.36"
BROWSER = False
UNIQUE: tuple[str, ...] = ()

_ROOT = Path(__file__).parents[2]
_SECRET = "correct-horse-battery"
#: Nothing is fetched: all that is added is paused.
_SOURCE = "http://127.0.0.1:9"


def install() -> None:
    """aria2 as a Debian package, for the whole machine."""
    if shutil.which("aria2c") is None:
        run("bash", ".ci/apt.sh", "aria2", folder=_ROOT)


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """An empty queue."""
    port = free_port()
    rpc = ("--enable-rpc", f"--rpc-listen-port={port}", f"--rpc-secret={_SECRET}")
    options = ("--no-conf", "--max-download-result=10000", f"--dir={state}", "--quiet")
    url = f"http://127.0.0.1:{port}/jsonrpc"
    with serving(("aria2c", *rpc, *options), url, state=state) as base:
        yield base


class _Client:
    """Calls one after the other."""

    def __init__(self, url: str) -> None:
        self._client, self._url, self._calls = httpx.Client(), f"{url}/jsonrpc", 0

    def __call__(self, method: str, *parameters: object) -> Any:
        self._calls += 1
        sent = {
            "jsonrpc": "2.0",
            "id": f"call-{self._calls}",
            "method": f"aria2.{method}",
            "params": [f"token:{_SECRET}", *parameters],
        }
        answer = self._client.post(self._url, json=sent).raise_for_status().json()
        assert "error" not in answer, answer
        return answer["result"]

    def add(self, name: str) -> str:
        """Queue a file; the value is its id."""
        options = {"pause": "true", "out": name}
        return str(self("addUri", [f"{_SOURCE}/{name}"], options))


def state(url: str, folder: Path) -> State:
    """What is queued, with its addresses and limit."""
    call = _Client(url)
    waiting = call("tellWaiting", 0, 10_000, ["gid", "status", "files"])
    return State(
        Counter(
            " ".join(
                (
                    Path(file["path"]).name,
                    *sorted({uri["uri"] for uri in file["uris"]}),
                    call("getOption", one["gid"])["max-download-limit"],
                )
            )
            for one in waiting
            for file in one["files"]
        )
    )


def use(url: str, folder: Path) -> None:
    """Somebody has queued files, and removed one."""
    call = _Client(url)
    for name in ("one.iso", "two.iso", "three.iso"):
        last = call.add(name)
    call("remove", last)


def drive(url: str) -> None:
    """Queue three files; change two, one by its place in the queue, and remove the others."""
    call = _Client(url)
    call("getVersion")
    call("getGlobalStat")
    tea = call.add("tea.iso")
    call("tellStatus", tea, ["gid", "status", "totalLength"])
    cup = call.add("cup.iso")
    call("changeOption", tea, {"max-download-limit": "20480"})
    call("getOption", tea)
    call("changeUri", tea, 1, [], [f"{_SOURCE}/mirror/tea.iso"])
    call("getUris", tea)
    spoon = call.add("spoon.iso")
    call("tellWaiting", 0, 1000, ["gid", "status"])
    call("remove", cup)
    call("tellWaiting", 0, 1000, ["gid", "status"])
    call("changeOption", spoon, {"max-download-limit": "10240"})
    call("getOption", spoon)
    call("tellStatus", spoon, ["gid", "status", "files"])
    call("getGlobalStat")
