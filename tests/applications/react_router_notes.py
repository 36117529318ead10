"""Notes by React Router's framework: data that turbo-stream has flattened."""

from __future__ import annotations

from tests.applications import notes
from tests.applications.notes import UNIQUE, drive, state, use

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "React Router 7.18, turbo-stream"
BROWSER = True
#: More make the list of notes ten times as long, which is told.
SESSIONS = 3

_NOTES = notes.Notes(
    framework="react_router",
    store="app/store.server.js",
    requirements=(
        "react-router@7.18.4",
        "@react-router/dev@7.18.4",
        "@react-router/node@7.18.4",
        "@react-router/serve@7.18.4",
        "isbot@5.2.3",
        "react@19.3.1",
        "react-dom@19.3.1",
        "vite@6.4.6",
    ),
    build=("node_modules/@react-router/dev/bin.js", "build"),
    server=("node_modules/@react-router/serve/bin.js", "build/server/index.js"),
)
install, serve = _NOTES.install, _NOTES.serve
