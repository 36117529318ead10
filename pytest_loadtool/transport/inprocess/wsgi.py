"""A WSGI application in this process, as a transport of httpx (PEP 3333).

Not `httpx.WSGITransport`: that one decodes paths as UTF-8, where PEP 3333 wants latin-1, refuses
headers that are not ASCII, and would hold up the event loop.
"""

from __future__ import annotations

import asyncio
import io
import logging
import sys
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from time import perf_counter
from typing import Any
from urllib.parse import unquote_to_bytes

from pytest_loadtool.codec.http import DEFAULT_PORTS
from pytest_loadtool.transport.http_library import httpx
from pytest_loadtool.transport.inprocess.app_response import answered, failed

WsgiApp = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]

_log = logging.getLogger("pytest_loadtool.app")

#: Headers that stand in the environment under their own names.
_OWN_NAMES = {"CONTENT_TYPE", "CONTENT_LENGTH"}


class WsgiTransport(httpx.AsyncBaseTransport):
    """Calls the application in a thread for each request, as threading servers do."""

    def __init__(self, app: WsgiApp) -> None:
        self._app = app

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Return the application's response."""
        environ = _environ(request, await request.aread())
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[httpx.Response] = loop.create_future()

        def settle(response: httpx.Response) -> None:
            if not answer.done():  # somebody still waits
                answer.set_result(response)

        def work() -> None:
            response = _WsgiCall().run(self._app, environ)
            with suppress(RuntimeError):  # the loop is closed: nobody waits
                loop.call_soon_threadsafe(settle, response)

        # A daemon: an application that hangs must not keep pytest from ending.
        threading.Thread(target=work, daemon=True, name="wsgi").start()
        return await answer


class _WsgiCall:
    """One request: what the application has answered so far."""

    def __init__(self) -> None:
        self._status = 0
        self._reason = b""
        self._headers: list[tuple[bytes, bytes]] = []
        self._parts: list[bytes] = []
        self._first_byte = 0.0

    def run(self, app: WsgiApp, environ: dict[str, Any]) -> httpx.Response:
        """Call the application, and do with its mistakes what servers do."""
        complete = True
        try:
            self._consume(app(environ, self._start))
        except BaseException:  # in a thread of its own even sys.exit() ends no more than this
            _log.exception(
                "%s %s: the application raised", environ["REQUEST_METHOD"], environ["PATH_INFO"]
            )
            complete = False
        if not self._status or not (complete or self._parts):
            return failed(environ["REQUEST_METHOD"])
        return answered(
            environ["REQUEST_METHOD"],
            self._status,
            self._headers,
            self._parts,
            first_byte=self._first_byte,
            complete=complete,
            reason=self._reason,
        )

    def _consume(self, parts: Iterable[bytes]) -> None:
        try:
            for part in parts:
                self._write(part)
        finally:
            close = getattr(parts, "close", None)
            if close is not None:
                close()
        self._first_byte = self._first_byte or perf_counter()

    def _start(
        self, status: str, headers: list[tuple[str, str]], exc_info: Any = None
    ) -> Callable[[bytes], None]:
        if exc_info and self._parts:  # too late for another status
            raise exc_info[1].with_traceback(exc_info[2])
        code, _, reason = status.partition(" ")
        self._headers = [(k.encode("latin-1"), v.encode("latin-1")) for k, v in headers]
        self._reason = reason.encode("latin-1")
        self._status = int(code)
        return self._write

    def _write(self, part: bytes) -> None:
        if part:
            self._first_byte = self._first_byte or perf_counter()
            self._parts.append(part)


def _environ(request: httpx.Request, body: bytes) -> dict[str, Any]:
    path, _, query = request.extensions["target"].partition(b"?")
    port = request.url.port or DEFAULT_PORTS[request.url.scheme]
    environ: dict[str, Any] = {
        "REQUEST_METHOD": request.method,
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(path).decode("latin-1"),
        "QUERY_STRING": query.decode("latin-1"),
        "REQUEST_URI": request.extensions["target"].decode("latin-1"),
        "SERVER_NAME": request.url.host,
        "SERVER_PORT": str(port),
        "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": "127.0.0.1",
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": request.url.scheme,
        "wsgi.input": io.BytesIO(body),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
    }
    for raw_name, raw_value in request.headers.raw:
        name = raw_name.decode("latin-1").upper().replace("-", "_")
        name = name if name in _OWN_NAMES else f"HTTP_{name}"
        value = raw_value.decode("latin-1")
        between = "; " if name == "HTTP_COOKIE" else ","
        environ[name] = f"{environ[name]}{between}{value}" if name in environ else value
    return environ
