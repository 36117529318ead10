"""Recording: a proxy that reports each exchange, and a browser that sends everything through it.

This is an edge: sockets, processes and temporary files live here, and mitmproxy is known nowhere
else. What may not enter: any decision about test cases. An exchange leaves this room as it went
over the wire; what of it becomes a page or a transaction is decided in ``recording``.

`Recorder` is imported when it is first asked for, because mitmproxy is an optional dependency and
takes a second to load.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from pytest_loadtool.capture.browser.browser import Browser
from pytest_loadtool.capture.browser.chromium import browsers, find_browser
from pytest_loadtool.capture.proxy.clients import RecordingProxy
from pytest_loadtool.errors import RecordingError

if TYPE_CHECKING:
    from pytest_loadtool.capture.proxy.recorder import Recorder

__all__ = ["Browser", "Recorder", "RecordingProxy", "browsers", "find_browser"]


def __getattr__(name: str) -> Any:
    if name != "Recorder":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        # What mitmproxy imports uses deprecated names; a user who turns warnings into errors can do
        # nothing about that.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            from pytest_loadtool.capture.proxy.recorder import Recorder
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] == "pytest_loadtool":
            raise
        raise RecordingError(
            f"recording needs mitmproxy ({error.name} is missing): "
            "pip install 'pytest-loadtool[record]'"
        ) from error
    return Recorder
