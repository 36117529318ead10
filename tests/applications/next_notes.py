"""Notes by Next.js: server actions, and pages as the rows of React's flight."""

from __future__ import annotations

from tests.applications import notes
from tests.applications.notes import UNIQUE, drive, state, use

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "Next.js 15.5, server actions"
BROWSER = True
#: More make the list of notes ten times as long, which is told.
SESSIONS = 3

_NOTES = notes.Notes(
    framework="next",
    store="lib/store.js",
    requirements=("next@15.5.29", "react@19.3.1", "react-dom@19.3.1"),
    build=("node_modules/next/dist/bin/next", "build"),
    server=("node_modules/next/dist/bin/next", "start", "-p", "$PORT", "-H", "127.0.0.1"),
)
install, serve = _NOTES.install, _NOTES.serve
