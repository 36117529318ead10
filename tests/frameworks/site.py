"""A WSGI application in a few lines, and a server for it in a thread."""

from __future__ import annotations

import itertools
import random
import re
import secrets
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from werkzeug.exceptions import Forbidden, HTTPException, NotFound
from werkzeug.serving import WSGIRequestHandler, make_server
from werkzeug.wrappers import Request, Response

__all__ = ["Site", "first_id", "page", "serving"]

View = Callable[..., Response]

#: What servers begin to count with, none near another.
_FIRST_IDS = itertools.cycle(random.sample(range(103, 900, 20), 40))


class Site:
    """An application whose views are methods marked with `page`. Its secrets and its sessions are
    its own: another instance accepts nothing that this one gave out."""

    cookie = "sid"

    def __init__(self) -> None:
        self.secret = secrets.token_bytes(32)
        self.sessions: dict[str, dict[str, Any]] = {}
        views = [getattr(self, name) for name in dir(type(self)) if not name.startswith("__")]
        self._routes = [(*view.route, view) for view in views if hasattr(view, "route")]

    def __call__(self, environ: Any, start_response: Any) -> Any:
        """Answer a request (PEP 3333)."""
        return self.answer(Request(environ))(environ, start_response)

    def answer(self, request: Request) -> Response:
        """The response of the view that fits, or of the error that it raised."""
        for methods, pattern, view in self._routes:
            found = pattern.fullmatch(request.path)
            if found and request.method in methods:
                try:
                    response: Response = view(request, **found.groupdict())
                except HTTPException as error:
                    return Response(str(error), status=error.code)
                return response
        return Response(str(NotFound()), status=404)

    def session(self, request: Request) -> dict[str, Any]:
        """The session that the request's cookie names.

        Raises:
            Forbidden: there is none of that name.
        """
        try:
            return self.sessions[request.cookies[self.cookie]]
        except KeyError:
            raise Forbidden("no session") from None

    def signed_in(self, request: Request) -> dict[str, Any]:
        """The session, of somebody who has logged in.

        Raises:
            Forbidden: nobody has.
        """
        session = self.session(request)
        if not session.get("user"):
            raise Forbidden("nobody has logged in")
        return session

    def start(self, response: Response, **values: Any) -> Response:
        """The response, which begins a new session with these values."""
        key = secrets.token_hex(16)
        self.sessions[key] = values
        response.set_cookie(self.cookie, key, httponly=True)
        return response


def first_id() -> int:
    """Return a number from 103 to 883 to begin ids with, 20 or more away from those of the 39
    servers before: one drawn by itself is now and then the recorded server's."""
    return next(_FIRST_IDS)


def page(pattern: str, methods: str = "GET") -> Callable[[Any], Any]:
    """Mark a method as the view of a path, of which named groups are its arguments."""

    def mark(view: Any) -> Any:
        view.route = (frozenset(methods.split()), re.compile(pattern))
        return view

    return mark


class _Quiet(WSGIRequestHandler):
    def log(self, *_: Any) -> None:
        """Say nothing."""


@contextmanager
def serving(application: Any) -> Iterator[str]:
    """Serve on a free port of this machine; the value is the base URL."""
    server = make_server("127.0.0.1", 0, application, threaded=True, request_handler=_Quiet)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
