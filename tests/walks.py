"""The walks of docs/architecture.md, counted: which files' functions are called on the way.

    python -m tests.walks [CHECKOUT]

Three requests to a small server are recorded through `record`, their test case is configured once
more by itself, and ``pytest --load -n 2`` plays it. ``TREE`` is a checkout of any age, else this
one. What importing runs does not count; what `configure` calls does not count for the recording,
which it is a part of.
"""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).parents[1]

#: Runs at the start of each process, and writes the names of files as they are first entered.
HOOK = """
import os, sys, threading

to, package = os.environ["WALK_TO"], os.environ["WALK_PACKAGE"]
seen, files = set(), set()

def is_importing(frame):
    while frame.f_back is not None:
        importer = "importlib" in frame.f_back.f_code.co_filename
        if frame.f_code.co_name == "<module>" and importer:
            return True
        frame = frame.f_back
    return False

def hook(frame, event, _):
    code = frame.f_code
    if event != "call" or code in seen:
        return
    is_function = code.co_flags & 1
    if code.co_filename.startswith(package) and is_function:
        if is_importing(frame):
            return
        if code.co_filename not in files:
            files.add(code.co_filename)
            with open(f"{to}/{os.getpid()}", "a") as file:
                file.write(code.co_filename[len(package):] + "\\n")
    seen.add(code)

sys.setprofile(hook)
threading.setprofile(hook)
"""

RECORD = """
import re, sys, httpx
from pytest_loadtool import record
with record("shop.case.toml", say=print) as proxy, httpx.Client(**proxy.httpx) as client:
    token = re.search('value="([0-9a-f]+)"', client.get(sys.argv[1]).text)[1]
    client.get(sys.argv[1] + "/items")
    client.post(sys.argv[1] + "/order", data={"csrf_token": token, "quantity": "2"})
"""

CONFIGURE = """
import os, sys, threading
from pathlib import Path
hook = sys.getprofile()
sys.setprofile(None)
from pytest_loadtool.casefile import case_rules, read_case, read_har
from pytest_loadtool.correlation import configure
path = Path("shop.case.toml")
case, exchanges = read_case(path), read_har(Path("shop.har"))
rules = case_rules(case, path)
sys.setprofile(hook)
configure(case, getattr(exchanges, "exchanges", exchanges), rules=rules)
"""

LOAD = """
format = 1
name = "A walk"
users = 4
iterations = 8
[[case]]
file = "shop.case.toml"
"""


class Shop(BaseHTTPRequestHandler):
    """A form with a token, a list in JSON, and the page that the form leads to."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Nothing is logged."""

    def do_GET(self) -> None:
        """The form, or the list."""
        if self.path == "/items":
            self._answer('{"items": [{"id": "x"}], "state": "ok"}', "application/json")
            return
        token = secrets.token_hex(8)
        field = f'<input type="hidden" name="csrf_token" value="{token}">'
        form = f'<form action="/order" method="post">{field}<input name="quantity"></form>'
        self._answer(f"<html><title>Order</title>{form}</html>")

    def do_POST(self) -> None:
        """The order is taken."""
        self.rfile.read(int(self.headers["Content-Length"]))
        self._answer("<html><title>Thanks</title>Thank you</html>")

    def _answer(self, body: str, kind: str = "text/html") -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Set-Cookie", f"sid={secrets.token_hex(8)}")
        self.end_headers()
        self.wfile.write(body.encode())


def called(tree: Path, folder: Path, name: str, *command: str) -> set[str]:
    """The files of the package whose functions a Python program calls, in all of its processes."""
    to = folder / name
    to.mkdir()
    package = str(tree / "pytest_loadtool") + "/"
    environment = {"WALK_TO": str(to), "WALK_PACKAGE": package, "PYTHONDONTWRITEBYTECODE": "1"}
    environment["PYTHONPATH"] = os.pathsep.join((str(folder / "hook"), str(tree)))
    subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env=os.environ | environment,
        stdout=sys.stderr,
        check=True,
    )
    return {line for file in to.iterdir() for line in file.read_text().split()}


def main() -> None:
    """Print each walk's number of files, and the files by their folders."""
    tree = Path(sys.argv[1] if sys.argv[1:] else ROOT).resolve()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Shop)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "hook").mkdir()
        (folder / "hook" / "sitecustomize.py").write_text(HOOK)
        (folder / "walk.load.toml").write_text(LOAD)
        address = f"http://127.0.0.1:{server.server_port}"
        recorded = called(tree, folder, "recorded", "-c", RECORD, address)
        value = called(tree, folder, "configured", "-c", CONFIGURE)
        load = ("-m", "pytest", "--load", "-n", "2", "-p", "no:cacheprovider", "walk.load.toml")
        request = called(tree, folder, "loaded", *load)
    server.shutdown()
    walks = {"exchange": recorded - value, "value": value, "request": request}
    for walk, files in walks.items():
        print(f"{walk}: {len(files)}")
        by_room = sorted(map(Path, files), key=lambda file: (file.parent, file.stem))
        for room, names in groupby(by_room, key=lambda file: file.parent):
            print(f"  {room}: {' '.join(one.stem for one in names)}")


if __name__ == "__main__":
    main()
