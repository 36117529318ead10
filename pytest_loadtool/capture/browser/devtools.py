"""The DevTools protocol over a pair of pipes, as ``--remote-debugging-pipe`` offers it.

Nobody else can reach a pipe (a debugging port is open to every program on the machine), and
Chromium quits when its end is closed: even if this process is killed, no browser is left behind.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Mapping
from typing import Any


class DevToolsPipe:
    """Sends commands and takes replies and events, each a JSON object that ends with a NUL byte."""

    def __init__(self, on_event: Callable[[str, Mapping[str, Any]], None]) -> None:
        self._on_event = on_event
        self._replies: dict[int, asyncio.Future[Mapping[str, Any]]] = {}
        self._command_end, self._write = os.pipe()
        self._read, self._reply_end = os.pipe()
        self._last_id = 0
        self._reading: asyncio.Task[None] | None = None
        self._transport: asyncio.ReadTransport | None = None

    @property
    def browser_ends(self) -> tuple[int, int]:
        """The descriptors that the browser must find as its 3 (commands) and 4 (replies)."""
        return self._command_end, self._reply_end

    async def open(self) -> None:
        """Start reading. Call it once the browser has its ends; ours of them are closed."""
        os.close(self._command_end)
        os.close(self._reply_end)
        reader = asyncio.StreamReader(limit=64 * 1024 * 1024)
        self._transport, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(self._read, "rb", buffering=0)
        )
        self._reading = asyncio.create_task(self._follow(reader))

    async def call(self, method: str, session: str = "", **parameters: object) -> Mapping[str, Any]:
        """Send a command, to a tab if its ``session`` is given, wait for the browser's result, and
        return that; it is empty if the browser refuses.

        Raises:
            ConnectionError: the browser is gone.
        """
        self._last_id += 1
        reply: asyncio.Future[Mapping[str, Any]] = asyncio.get_running_loop().create_future()
        self._replies[self._last_id] = reply
        message: dict[str, object] = {
            "id": self._last_id, "method": method, "params": parameters
        }  # fmt: skip
        if session:
            message["sessionId"] = session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        return await reply

    async def close(self) -> None:
        """Hang up. A browser that still runs quits."""
        os.close(self._write)
        if self._transport is not None:
            self._transport.close()
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.wait([self._reading])

    async def _follow(self, reader: asyncio.StreamReader) -> None:
        try:
            while True:
                message = json.loads((await reader.readuntil(b"\0"))[:-1])
                reply = self._replies.pop(message.get("id", 0), None)
                if reply is not None and not reply.done():
                    reply.set_result(message.get("result", {}))
                elif "method" in message:
                    self._on_event(message["method"], message.get("params", {}))
        except (asyncio.IncompleteReadError, OSError):
            pass  # the browser hung up
        finally:
            for reply in self._replies.values():
                if not reply.done():
                    reply.set_exception(ConnectionError("the browser is gone"))
                    reply.exception()  # asked for, or it would be reported as forgotten
