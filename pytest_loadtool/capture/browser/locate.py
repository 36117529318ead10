"""Finding a browser to record with."""

from __future__ import annotations

import shutil
from pathlib import Path

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


FIREFOX = (
    "Firefox is not launched: a profile of its own would have to trust the recorder's certificate, "
    "which only certutil can make it do. `record --browser none` and a script do it: "
    "docs/recording.md#firefox"
)
"""Why Firefox is not among them, and how it is recorded all the same."""


def browsers() -> tuple[str, ...]:
    """Return the browsers on PATH that can be launched, each once, whatever it is called by."""
    found = (shutil.which(name) for name in _NAMES)
    by_program = {Path(path).resolve(): path for path in reversed([*filter(None, found)])}
    return tuple(reversed(by_program.values()))


def find_browser(path: str | None = None) -> str:
    """Return the executable to launch: ``path`` (a file, or a name on PATH) or the first known on
    PATH.

    Raises:
        RecordingError: there is none.
    """
    if path is not None:
        if Path(path).name.startswith("firefox"):
            raise RecordingError(FIREFOX)
        found = shutil.which(path)
        if found is None:
            raise RecordingError(f"{path!r} is not a program that can be started: check the path")
        return found
    for name in _NAMES:
        found = shutil.which(name)
        if found is not None:
            return found
    if shutil.which("firefox") is not None:
        raise RecordingError(FIREFOX)
    raise RecordingError(
        f"no browser found on PATH (looked for {', '.join(_NAMES)}): install chromium, "
        "give the path of one, or record without a browser and set the proxy in your own client"
    )
