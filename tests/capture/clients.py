"""curl, and connections of one's own, through a recorder."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass

import pytest

from pytest_loadtool.capture import Recorder

__all__ = ["NOBODY", "Curl", "as_root", "curl", "curl_of", "raw", "through"]

NOBODY = 65534

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")


@dataclass(frozen=True, slots=True)
class Curl:
    """How curl ended and what it wrote."""

    code: int
    output: bytes
    errors: str


async def curl(*arguments: str, data: bytes = b"") -> Curl:
    """Run curl with these arguments, ``data`` on its standard input, and wait for its end."""
    process = await asyncio.create_subprocess_exec(
        "curl", "--silent", "--show-error", "--noproxy", "", *arguments,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    output, errors = await process.communicate(data)
    assert process.returncode is not None
    return Curl(process.returncode, output, errors.decode())


async def curl_of(user: int, *arguments: str) -> int:
    """The exit status of curl, run by another user."""
    process = await asyncio.create_subprocess_exec(
        "curl", "--silent", "--noproxy", "", *arguments, user=user, group=user, extra_groups=[],
        stdout=asyncio.subprocess.DEVNULL, cwd="/",
    )  # fmt: skip
    return await process.wait()


def through(recorder: Recorder) -> tuple[str, ...]:
    """curl's options to go through ``recorder`` and to trust it."""
    return (
        "--proxy",
        f"http://127.0.0.1:{recorder.port}",
        "--cacert",
        str(recorder.ca_certificate),
    )


async def raw(port: int, request: bytes) -> bytes:
    """Send ``request`` to a loopback port and read until the other side hangs up."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request)
    response = await reader.read()
    writer.close()
    await writer.wait_closed()
    return response
