"""Opening a body in the browser of the desktop."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
import webbrowser
from functools import cache
from mimetypes import guess_extension
from pathlib import Path

from pytest_loadtool.codec.media import media_type
from pytest_loadtool.model.exchange import Exchange


def open_body(exchange: Exchange, *, encoded: bool = False) -> tuple[Path, bool]:
    """Write the body of a response to a file that its owner alone can read, and open it; return the
    file, and whether a browser was there.

    The file is gone when this process ends. ``encoded`` says that its coding could not be removed.

    Raises:
        OSError: it cannot be written.
    """
    media = media_type(exchange.response_header("content-type") or "")
    suffix = "" if encoded else guess_extension(media) or ".txt"
    descriptor, name = tempfile.mkstemp(suffix, "response-", _folder())
    with os.fdopen(descriptor, "wb") as file:
        file.write(exchange.response_body)
    path = Path(name)
    return path, _open(path)


@cache
def _folder() -> Path:
    """Return a private folder of this process."""
    folder = Path(tempfile.mkdtemp(prefix="loadtool-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _open(path: Path) -> bool:
    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return False
    # One for terminals is of this very class: it would take the console's away.
    return type(browser) is not webbrowser.GenericBrowser and browser.open(path.as_uri())
