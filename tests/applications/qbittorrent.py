"""qBittorrent, in C++: forms by its usual client, answered with a word and status 200."""

from __future__ import annotations

import contextlib
import json
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.applications.installed import python_environment, run
from tests.applications.serving import serving
from tests.applications.state import State
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "qBittorrent 4.5, C++"
BROWSER = False
#: All things are known by the names that they are given; a torrent by its content.
UNIQUE: tuple[str, ...] = ()
SESSIONS = 1

_CLIENT = str(Path(__file__).parent / "served" / "qbittorrent_client.py")
_SETTINGS = """\
[LegalNotice]
Accepted=true
[BitTorrent]
Session\\DHTEnabled=false
Session\\LSDEnabled=false
Session\\PeXEnabled=false
Session\\Port={other}
[Preferences]
WebUI\\Address=127.0.0.1
WebUI\\Port={port}
WebUI\\LocalHostAuth=true
"""


def install() -> None:
    """The client, and Debian's package."""
    if shutil.which("qbittorrent-nox") is None:
        run("bash", ".ci/apt.sh", "qbittorrent-nox", folder=Path(__file__).parents[2])
    _programs()


def _programs() -> Path:
    return python_environment("qbittorrent", "qbittorrent-api==2026.10.1")


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """One without torrents."""
    port = free_port()
    settings = state / "qBittorrent" / "config" / "qBittorrent.conf"
    settings.parent.mkdir(parents=True)
    settings.write_text(_SETTINGS.format(port=port, other=free_port()))
    command = ("qbittorrent-nox", f"--profile={state}", f"--webui-port={port}")
    with serving(command, f"http://127.0.0.1:{port}/", state=state) as url:
        yield url


def _client(url: str, what: str) -> str:
    return run(str(_programs() / "python"), _CLIENT, url, what)


def state(url: str, folder: Path) -> State:
    """Categories, tags, rules, torrents and a limit."""
    rows, limit = json.loads(_client(url, "state"))
    return State(values={"limit": str(limit)}, members=Counter(rows))


def use(url: str, folder: Path) -> None:
    """Others have categories and rules."""
    _client(url, "use")


def drive(url: str) -> None:
    """Categories, tags and rules are made, changed and removed; a torrent is added and named."""
    _client(url, "session")
