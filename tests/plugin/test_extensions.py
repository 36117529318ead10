"""A distribution that is installed adds a kind of each: as docs/extensions.md has it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.plugin.loading import Project
from tests.plugin.serving import case, transaction
from tests.plugin.test_hooks import LOAD
from tests.served import served

DOCS = (Path(__file__).parents[2] / "docs" / "extensions.md").read_text(encoding="utf-8")
MODULE, *_ = re.findall(r"```python\n(# tiny.py\n.*?)```", DOCS, re.DOTALL)
REFUSED, *_ = re.findall(r"```text\n(.*?)\n```", DOCS, re.DOTALL)
TABLES = re.findall(r'entry-points."(.+?)"\]\n([\w-]+) = "(.+?)"', DOCS)

TABLE = "name,price\nTea,3\n"


@contextmanager
def server() -> Iterator[str]:
    """A table for those who show the password backwards, and what was sent for all."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            allowed = self.headers.get("Authorization") == "Backwards terces"
            closed = self.path == "/table" and not allowed
            body = b"" if closed else (TABLE if self.path == "/table" else self.path).encode()
            self.send_response(401 if closed else 200)
            if closed:
                self.send_header("WWW-Authenticate", 'Backwards realm="shop"')
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with served(Handler) as url:
        yield url


def install(folder: Path) -> None:
    """Unpack a wheel of it, as installers do."""
    wheel = folder / "tiny-1.0-py3-none-any.whl"
    points = "".join(f"[{group}]\n{name} = {value}\n" for group, name, value in TABLES)
    with ZipFile(wheel, "w") as packed:
        packed.writestr("tiny.py", MODULE)
        packed.writestr("tiny-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny\n")
        packed.writestr("tiny-1.0.dist-info/entry_points.txt", points)
    with ZipFile(wheel) as packed:
        packed.extractall(folder / "site")


def shop(url: str, cell: str = "1,0", digest: str = "") -> str:
    digest = digest or sha256(TABLE.encode()).hexdigest()[:8]
    table = transaction(
        "GET /table",
        f'extractors = [{{ variable = "name", csv_cell = "{cell}" }}]',
        f'validators = [{{ sha256 = "{digest}" }}]',
    )
    last = transaction("GET /${name}", 'validators = [{ text = "/Tea" }]')
    identity = '[[identity]]\nusername = "ann"\npassword = "${word}"\n'
    variables = '[variables]\nname = ""\nword = { env = "WORD" }\n'
    return case(url, table, last, head=f'transport = "counted"\n{identity}') + variables


@pytest.mark.slow
def test_a_kind_of_each_is_added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the distribution they are not known; with it they are used; each error names it."""
    project = Project(tmp_path)
    project.write(rush__load__toml=LOAD)
    monkeypatch.setenv("WORD", "secret")
    assert len(TABLES) == 5
    (tmp_path / "dist").mkdir()
    install(tmp_path / "dist")
    with server() as url:
        project.write(shop__case__toml=shop(url))
        unknown = project.run()
        monkeypatch.setenv("PYTHONPATH", str(tmp_path / "dist" / "site"))
        done = project.run("-s")
        options = ("--load-json", "out.json", "--load-report", "one-line=line.txt")
        load = project.run("--load", *options)
        project.write(shop__case__toml=shop(url, digest="0" * 8))
        wrong = project.run()
        project.write(shop__case__toml=shop(url, cell="1"))
        refused = project.run()
    assert unknown.returncode != 0
    assert "unknown key 'csv_cell' in an extractor" in unknown.stdout
    assert "unknown key 'sha256' in a validator" in unknown.stdout
    assert 'transport: expected "raw" or "httpx", got "counted"' in unknown.stdout
    assert done.returncode == 0, done.stdout
    assert "tiny makes a network" in done.stdout
    assert load.returncode == 0, load.stdout
    assert project.json()["totals"]["status"] == {"200": 12}
    assert (tmp_path / "line.txt").read_text() == "Rush: 12"
    assert "sha256 '00000000' does not hold: it is " in wrong.stdout
    assert REFUSED in refused.stdout
    assert "Traceback" not in refused.stdout
    no_report = project.run("--load", "--load-report", "on-line=line.txt")
    assert "no installed extension is 'on-line': did you mean 'one-line'?" in no_report.stdout
