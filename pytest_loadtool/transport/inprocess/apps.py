"""Applications in this process: found by name, started, stopped, and asked without a socket."""

from __future__ import annotations

import inspect
import pkgutil
import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from pytest_loadtool.errors import ReplayError

if TYPE_CHECKING:
    from pytest_loadtool.transport.http_library import httpx

_Kind = Literal["asgi", "wsgi"]

_NAME = re.compile(r"(?:(asgi|wsgi):)?([\w.]+):([\w.]+)(\(\))?")


@dataclass(frozen=True, slots=True)
class AppName:
    """``[asgi:|wsgi:]module:attribute``, with ``()`` at the end if it is to be called first."""

    kind: _Kind | None
    module: str
    attribute: str
    factory: bool

    @classmethod
    def parse(cls, text: str) -> AppName:
        """Return the parts of ``text``, which `casefile.syntax.app_name` has checked."""
        match = _NAME.fullmatch(text)
        assert match is not None
        kind: _Kind | None = {"asgi": "asgi", "wsgi": "wsgi", None: None}[match[1]]
        return cls(kind, match[2], match[3], bool(match[4]))


class Application:
    """An application and what asks it. It is started and stopped with the run."""

    def __init__(self, app: Any, kind: _Kind) -> None:
        from pytest_loadtool.transport.inprocess.asgi import AsgiTransport, Lifespan
        from pytest_loadtool.transport.inprocess.wsgi import WsgiTransport

        self.kind = kind
        self._lifespan = Lifespan(app) if kind == "asgi" else None
        self.transport: httpx.AsyncBaseTransport = (
            AsgiTransport(app, self._lifespan.state) if self._lifespan else WsgiTransport(app)
        )

    async def start(self) -> None:
        """Start it: the lifespan protocol of ASGI.

        Raises:
            ReplayError: it says that it cannot start, or does not come to its end.
        """
        if self._lifespan is not None:
            await self._lifespan.start()

    async def stop(self) -> None:
        """Let what it still does come to its end, then stop it."""
        try:
            await self.transport.aclose()
        finally:
            if self._lifespan is not None:
                await self._lifespan.stop()


#: By name, so that a factory is called once in a process, as a server would.
_loaded: dict[str, tuple[Any, _Kind]] = {}


def load_app(text: str) -> Application:
    """Import the application that ``text`` names, and return it. See `AppName`.

    Raises:
        ReplayError: there is none; the text says what was tried.
    """
    if text not in _loaded:
        name = AppName.parse(text)
        app = _imported(name)
        _loaded[text] = app, _kind_of(app, name)
    return Application(*_loaded[text])


def _imported(name: AppName) -> Any:
    try:
        pkgutil.resolve_name(f"{name.module}:")
    except Exception as error:  # whatever the module raises
        raise ReplayError(
            f"cannot import {name.module!r}: {type(error).__name__}: {error}{_hint(error, name)}"
        ) from error
    try:
        found = pkgutil.resolve_name(f"{name.module}:{name.attribute}")
    except AttributeError:
        raise ReplayError(
            f"module {name.module!r} ({sys.modules[name.module].__file__}) has no "
            f"{name.attribute!r}: expected the application's name there"
        ) from None
    if not name.factory:
        return found
    try:
        return found()
    except Exception as error:  # whatever it raises
        raise ReplayError(
            f"{name.module}:{name.attribute}() raised {type(error).__name__}: {error}"
        ) from error


def _hint(error: Exception, name: AppName) -> str:
    """Return where a module was looked for, if it is the module itself that was not found."""
    if isinstance(error, ModuleNotFoundError) and error.name in _parents(name.module):
        return (
            "; looked in pytest's rootdir and the rest of sys.path: "
            + ", ".join(path or "." for path in sys.path)
            + "; add its directory with pytest's ini option 'pythonpath'"
        )
    return ""


def _parents(module: str) -> set[str]:
    parts = module.split(".")
    return {".".join(parts[: end + 1]) for end in range(len(parts))}


def _kind_of(app: Any, name: AppName) -> _Kind:
    if name.kind:
        return name.kind
    if not callable(app):
        raise ReplayError(
            f"{name.module}:{name.attribute} is {type(app).__name__}, which nobody can call: "
            "expected an ASGI or WSGI application"
        )
    call = app if inspect.isroutine(app) else type(app).__call__
    if inspect.iscoroutinefunction(app) or inspect.iscoroutinefunction(call):
        return "asgi"
    try:
        count = len(inspect.signature(app).parameters)
    except (TypeError, ValueError):
        count = 0
    if count == 3:  # scope, receive, send
        return "asgi"
    if count == 2:  # environ, start_response
        return "wsgi"
    kinds = f'"asgi:{name.module}:{name.attribute}" or "wsgi:{name.module}:{name.attribute}"'
    raise ReplayError(
        f"{name.module}:{name.attribute} does not look like an ASGI or WSGI application"
        f"{'' if name.factory else ', perhaps it makes one (then write () after it)'}: "
        f"if it is one, write {kinds}"
    )
