"""Notes by Nuxt: an API beside pages whose data devalue has flattened."""

from __future__ import annotations

from tests.applications import notes
from tests.applications.notes import UNIQUE, drive, state, use

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "Nuxt 3.21, devalue"
BROWSER = True
#: More make the list of notes ten times as long, which is told.
SESSIONS = 3

_NOTES = notes.Notes(
    framework="nuxt",
    store="server/utils/store.js",
    requirements=("nuxt@3.21.11", "vue@3.5.45", "vue-router@4.6.5"),
    build=("node_modules/nuxt/bin/nuxt.mjs", "build"),
    server=(".output/server/index.mjs",),
)
install, serve = _NOTES.install, _NOTES.serve
