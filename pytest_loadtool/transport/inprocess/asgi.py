"""An ASGI application in this process, as a transport of httpx (ASGI specification 3.0).

Not `httpx.ASGITransport`: that one gives the application a normalised path, knows no lifespan and
waits for background work before it hands over the response; a server does none of that.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, MutableMapping
from time import perf_counter
from typing import Any
from urllib.parse import unquote_to_bytes

from pytest_loadtool.codec.http import DEFAULT_PORTS
from pytest_loadtool.errors import ReplayError
from pytest_loadtool.transport.http_library import httpx
from pytest_loadtool.transport.inprocess.app_response import answered, failed

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
SendMessage = Callable[[Message], Awaitable[None]]
AsgiApp = Callable[[MutableMapping[str, Any], Receive, SendMessage], Awaitable[None]]

_log = logging.getLogger("pytest_loadtool.app")

#: How long (seconds) an application may take to start. Less than what a worker may be silent for.
_START_PATIENCE = 25.0

#: How long (seconds) it may take to stop once the run is over, and before that what goes on after
#: its responses.
_PATIENCE = 10.0

_VERSIONS = {"version": "3.0", "spec_version": "2.3"}


class Lifespan:
    """The application's start and stop. One that knows nothing of it is left alone."""

    def __init__(self, app: AsgiApp) -> None:
        self._app = app
        self.state: dict[str, Any] = {}
        """What the application's start leaves for its requests."""
        self._task: asyncio.Task[None] | None = None
        self._inbox: asyncio.Queue[Message] = asyncio.Queue()
        self._outbox: asyncio.Queue[Message] = asyncio.Queue()

    async def start(self) -> None:
        """Start the application.

        Raises:
            ReplayError: it says that it cannot start, or says nothing for too long.
        """
        self._task = asyncio.create_task(self._run())
        said = await self._say("lifespan.startup", _START_PATIENCE)
        if said is None and not self._task.done():
            reason = (
                f"nothing came of 'lifespan.startup' within {_START_PATIENCE:g} s (expected "
                "'lifespan.startup.complete'): what does its start wait for?"
            )
        elif said is not None and said["type"] == "lifespan.startup.failed":
            reason = said.get("message") or "no reason"
        else:
            return
        await self._end()
        raise ReplayError(f"the application did not start: {reason}")

    async def stop(self) -> None:
        """Stop it."""
        said = await self._say("lifespan.shutdown", _PATIENCE)
        if said is not None and said["type"] == "lifespan.shutdown.failed":
            _log.error("the application did not stop as it should: %s", said.get("message"))
        await self._end()

    async def _end(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task], timeout=_PATIENCE)  # it may not let itself be ended

    async def _say(self, kind: str, patience: float) -> Message | None:
        """Return what the application answers; None if it does not listen (any more), or in
        time."""
        if self._task is None or self._task.done():
            return None
        self._inbox.put_nowait({"type": kind})
        answer = asyncio.create_task(self._outbox.get())
        await asyncio.wait(
            [answer, self._task], timeout=patience, return_when=asyncio.FIRST_COMPLETED
        )
        if answer.done():
            return answer.result()
        answer.cancel()
        return None

    async def _run(self) -> None:
        scope = {"type": "lifespan", "asgi": _VERSIONS, "state": self.state}
        try:
            await self._app(scope, self._inbox.get, self._outbox.put)
        except Exception:
            # That is how an application says that it does not know the protocol, or that its start
            # failed, which it has told before.
            _log.debug("lifespan", exc_info=True)


class AsgiTransport(httpx.AsyncBaseTransport):
    """Calls the application; a call may go on after its response, as it may with a server."""

    def __init__(self, app: AsgiApp, state: dict[str, Any]) -> None:
        self._app = app
        self._state = state
        self._calls: set[asyncio.Task[None]] = set()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Return the application's response."""
        body = await request.aread()
        call = _AsgiCall(request.method, body)
        task = asyncio.create_task(call.run(self._app, self._scope(request)))
        self._calls.add(task)
        task.add_done_callback(self._calls.discard)
        try:
            await call.over.wait()
        except BaseException:  # nobody waits any more: what a server tells as a disconnect
            task.cancel()
            raise
        return call.response()

    async def aclose(self) -> None:
        """Wait for what goes on after responses, but not for ever."""
        if self._calls:
            _, late = await asyncio.wait(self._calls, timeout=_PATIENCE)
            for task in late:
                task.cancel()

    def _scope(self, request: httpx.Request) -> dict[str, Any]:
        path, _, query = request.extensions["target"].partition(b"?")
        host, port = request.url.host, request.url.port
        return {
            "type": "http",
            "asgi": _VERSIONS,
            "http_version": "1.1",
            "method": request.method,
            "scheme": request.url.scheme,
            "path": unquote_to_bytes(path).decode("utf-8", "replace"),
            "raw_path": path,
            "query_string": query,
            "root_path": "",
            "headers": [(name.lower(), value) for name, value in request.headers.raw],
            "client": ("127.0.0.1", 50000),
            "server": (host, port or DEFAULT_PORTS[request.url.scheme]),
            "state": self._state.copy(),
        }


class _AsgiCall:
    """One request: what the application has been told of it and has answered so far."""

    def __init__(self, method: str, body: bytes) -> None:
        self.over = asyncio.Event()
        self._method = method
        self._body: bytes | None = body
        self._status = 0
        self._headers: list[tuple[bytes, bytes]] = []
        self._parts: list[bytes] = []
        self._first_byte = 0.0
        self._complete = False

    async def run(self, app: AsgiApp, scope: dict[str, Any]) -> None:
        """Call the application, and do with its mistakes what servers do."""
        try:
            await app(scope, self._receive, self._send)
        except Exception:
            _log.exception("%s %s: the application raised", scope["method"], scope["path"])
        finally:  # it may have cancelled itself, too
            self.over.set()

    def response(self) -> httpx.Response:
        """Return what came of it."""
        if not self._status:
            return failed(self._method)
        return answered(
            self._method,
            self._status,
            self._headers,
            self._parts,
            first_byte=self._first_byte,
            complete=self._complete,
        )

    async def _receive(self) -> Message:
        body, self._body = self._body, None
        if body is not None:
            return {"type": "http.request", "body": body, "more_body": False}
        await self.over.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Message) -> None:
        match message["type"]:
            case "http.response.start":
                self._status = message["status"]
                self._headers = [(bytes(k), bytes(v)) for k, v in message.get("headers", ())]
            case "http.response.body" if not self._complete:
                self._first_byte = self._first_byte or perf_counter()
                self._parts.append(bytes(message.get("body", b"")))
                if not message.get("more_body", False):
                    self._complete = True
                    self.over.set()
            case _:
                pass
