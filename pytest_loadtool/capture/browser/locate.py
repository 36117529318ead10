"""Finding a browser to record with."""

from __future__ import annotations

import shutil

from pytest_loadtool.errors import RecordingError

#: Browsers that understand Chromium's command line, the plain one first.
_NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "brave-browser",
    "brave",
    "microsoft-edge",
    "microsoft-edge-stable",
    "vivaldi",
)


def find_browser(path: str | None = None) -> str:
    """The executable to launch: ``path`` (a file, or a name on PATH) or the first known on PATH.

    Raises:
        RecordingError: there is none.
    """
    if path is not None:
        found = shutil.which(path)
        if found is None:
            raise RecordingError(f"{path!r} is not a program that can be started: check the path")
        return found
    for name in _NAMES:
        found = shutil.which(name)
        if found is not None:
            return found
    raise RecordingError(
        f"no browser found on PATH (looked for {', '.join(_NAMES)}): install chromium, "
        "give the path of one, or record without a browser and set the proxy in your own client"
    )
