"""Programs beside the console: what sends their traffic through the recording proxy, in their
environment or as shell commands; and how they have ended.

The developer tools of the recorder's own browser are the one thing that is not recorded.
"""

from __future__ import annotations

import asyncio
import shlex
import signal
from collections.abc import Iterator

from pytest_loadtool.capture import RecordingProxy
from pytest_loadtool.capture.proxy.clients import CERTIFICATE, NO_PROXY, PROXY
from pytest_loadtool.workflow.recording import Live


def variables(live: Live) -> dict[str, str]:
    """Return what to add to a program's environment."""
    proxy = RecordingProxy(live.proxy, str(live.recorder.ca_certificate))
    return {**proxy.environment, **_own(live), **dict.fromkeys(NO_PROXY, _not_recorded(live))}


def exports(live: Live) -> Iterator[str]:
    """Yield the same as shell commands."""
    for name, value in _own(live).items():
        yield f"export {name}={shlex.quote(value)}"
    for names, value in (
        (PROXY, "$LOADTOOL_PROXY"),
        (NO_PROXY, _not_recorded(live)),
        (CERTIFICATE, "$LOADTOOL_CA"),
        (("NODE_USE_ENV_PROXY",), "1"),
    ):
        yield "export " + " ".join(f"{name}={value}" for name in names)


def _own(live: Live) -> dict[str, str]:
    found = {"LOADTOOL_PROXY": live.proxy, "LOADTOOL_CA": str(live.recorder.ca_certificate)}
    return found | ({"LOADTOOL_CDP": live.devtools} if live.devtools else {})


def _not_recorded(live: Live) -> str:
    """Return the address of the developer tools: a driver must reach it directly."""
    return live.devtools.removeprefix("http://")


async def finished(process: asyncio.subprocess.Process) -> int:
    """Wait for a program's end, and return its exit status; whoever waits no longer ends it."""
    try:
        return await process.wait()
    finally:
        if process.returncode is None:
            process.terminate()
            await process.wait()


def ended(status: int) -> str:
    """Return ``ended with exit status 1``; a negative status is the signal that ended it."""
    if status < 0:
        return f"was ended by {signal.Signals(-status).name}"
    return f"ended with exit status {status}"
