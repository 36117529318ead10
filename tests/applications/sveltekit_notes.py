"""Notes by SvelteKit: data that devalue has flattened, actions of forms as JSON."""

from __future__ import annotations

from tests.applications import notes
from tests.applications.notes import UNIQUE, drive, state, use

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "SvelteKit 2.70, devalue"
BROWSER = True
#: More make the list of notes ten times as long, which is told.
SESSIONS = 1

_NOTES = notes.Notes(
    framework="sveltekit",
    store="src/lib/store.js",
    requirements=(
        "@sveltejs/kit@2.70.4",
        "@sveltejs/adapter-node@5.5.7",
        "@sveltejs/vite-plugin-svelte@5.1.1",
        "svelte@5.57.3",
        "vite@6.4.6",
    ),
    build=("node_modules/vite/bin/vite.js", "build"),
    server=("build/index.js",),
)
install, serve = _NOTES.install, _NOTES.serve
