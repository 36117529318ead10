"""WsgiDAV: files of WebDAV class 2, with locks, properties and targets in headers."""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import httpx

from tests.applications.installed import python_environment
from tests.applications.serving import serving
from tests.applications.state import State
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "WsgiDAV 4.4, WebDAV with locks"
BROWSER = False
#: A folder is there once.
UNIQUE: tuple[str, ...] = ("tea-orders",)

_REQUIREMENTS = ("wsgidav==4.4.0", "cheroot==11.1.2", "lxml==6.1.3")
_SETTINGS = """\
host: 127.0.0.1
port: {port}
provider_mapping:
  "/": {files}
simple_dc:
  user_mapping:
    "*": true
property_manager: true
lock_storage: true
"""
_PROPERTIES = '<D:propfind xmlns:D="DAV:"><D:allprop/></D:propfind>'
_LOCK = (
    '<D:lockinfo xmlns:D="DAV:"><D:lockscope><D:exclusive/></D:lockscope>'
    "<D:locktype><D:write/></D:locktype><D:owner>kim</D:owner></D:lockinfo>"
)
_STAMP = (
    '<D:propertyupdate xmlns:D="DAV:" xmlns:T="urn:tea"><D:set><D:prop>'
    "<T:stamp>Checked by Kim</T:stamp></D:prop></D:set></D:propertyupdate>"
)


def install() -> None:
    """An environment with WsgiDAV and its server."""
    _programs()


def _programs() -> Path:
    return python_environment("wsgidav", *_REQUIREMENTS)


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """An empty folder that everybody may write to."""
    port, files = free_port(), state / "files"
    files.mkdir()
    settings = state / "wsgidav.yaml"
    settings.write_text(_SETTINGS.format(port=port, files=files))
    command = (str(_programs() / "wsgidav"), "--config", str(settings))
    with serving(command, f"http://127.0.0.1:{port}/", state=state) as url:
        yield url


def state(url: str, folder: Path) -> State:
    """The files with their texts, the folders, and what is stamped or locked."""
    rows: Counter[str] = Counter()
    with httpx.Client(base_url=url, timeout=60) as client:
        for one in (folder / "files").rglob("*"):
            path = str(one.relative_to(folder / "files"))
            rows[f"{path}: {one.read_text() if one.is_file() else 'folder'}"] += 1
            found = client.request("PROPFIND", f"/{path}", headers={"Depth": "0"}).text
            stamps = re.findall(r"stamp[^<>]*>([^<]*)<", found)
            locked = "opaquelocktoken:" in found
            if stamps or locked:
                rows[f"{path}: stamps {stamps}, locked: {locked}"] += 1
    return State(members=rows)


def use(url: str, folder: Path) -> None:
    """Others have a folder and a file, and hold a lock."""
    with httpx.Client(base_url=url, timeout=60) as client:
        client.request("MKCOL", "/attic").raise_for_status()
        client.put("/attic/old.txt", content=b"Old things").raise_for_status()
        client.request("LOCK", "/attic/old.txt", content=_LOCK).raise_for_status()


def drive(url: str) -> None:
    """A folder with orders: one is written under a lock, stamped, copied, moved; one deleted."""
    with httpx.Client(base_url=url, timeout=60) as client:

        def call(
            method: str, path: str, content: str | None = None, **headers: str
        ) -> httpx.Response:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            return client.request(method, path, content=content, headers=named).raise_for_status()

        call("OPTIONS", "/")
        call("PROPFIND", "/", _PROPERTIES, Depth="1")
        call("MKCOL", "/tea-orders")
        house = "/tea-orders/tea%20house.txt"
        call("PUT", house, "1 pot")
        token = call("LOCK", house, _LOCK, Timeout="Second-600").headers["Lock-Token"]
        call("PUT", house, "2 pots", If=f"({token})")
        call("PROPFIND", house, _PROPERTIES, Depth="0")
        call("LOCK", house, If=f"({token})", Timeout="Second-900")
        call("PROPPATCH", house, _STAMP, If=f"({token})")
        call("UNLOCK", house, Lock_Token=token)
        etag = call("HEAD", house).headers["ETag"]
        call("PUT", house, "3 pots, and a lid", If_Match=etag)
        call("COPY", house, Destination=f"{url}/tea-orders/copy.txt", Overwrite="F")
        call("PROPFIND", "/tea-orders/", _PROPERTIES, Depth="1")
        moved = f"{url}/tea-orders/cups.txt"
        call("MOVE", "/tea-orders/copy.txt", Destination=moved, Overwrite="T")
        cups = call("GET", "/tea-orders/cups.txt")
        call("PUT", "/tea-orders/cups.txt", "6 cups", If_Match=cups.headers["ETag"])
        call("PUT", "/tea-orders/spoons.txt", "12 spoons")
        spoons = call("LOCK", "/tea-orders/spoons.txt", _LOCK).headers["Lock-Token"]
        call("DELETE", "/tea-orders/spoons.txt", If=f"({spoons})")
        call("PROPFIND", "/tea-orders/", _PROPERTIES, Depth="1")
        call("GET", house)
