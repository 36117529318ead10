"""A form with a token and a picture: recorded with Chromium, replayed against Django."""

from __future__ import annotations

import contextlib
import hashlib
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_loadtool.casefile import read_case
from pytest_loadtool.structure.uses import case_files
from tests.applications.journey import load, replay
from tests.end_to_end.test_main_job import run_pytest

ROOT = Path(__file__).parents[2]

SCRIPT = """
record
run {python} -m tests.end_to_end.gallery_session {url} {files}
stop
configure
save
"""

USERS = 10


def _picture() -> bytes:
    """A PNG as far as servers look, of 300 KB, in which there is all that delimits a body's parts,
    and what looks like a placeholder."""
    noise = random.Random(7).randbytes(300_000)
    return b"\x89PNG\r\n\x1a\n\r\n--\r\n\r\n------WebKitFormBoundary--\r\n${file:x}%b%%" + noise


FILES = {
    "leaf & tree (1).png": _picture(),
    "list.csv": "name;price\r\nKäse;3 €\r\n".encode(),
    "old.txt": "Grüße\r\n".encode("latin-1"),
}


@contextlib.contextmanager
def gallery(folder: Path) -> Iterator[str]:
    """The gallery with fresh secrets, whose uploads are in ``folder``; the value is its URL."""
    command = [sys.executable, "-m", "tests.end_to_end.gallery", str(folder)]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()


def stored(folder: Path) -> Counter[str]:
    """How often each content is in the folder."""
    files = (one for one in folder.rglob("*") if one.is_file())
    return Counter(hashlib.sha256(one.read_bytes()).hexdigest() for one in files)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with ``gallery.case.toml``."""
    folder = tmp_path_factory.mktemp("gallery")
    sources = folder / "sources"
    sources.mkdir()
    for name, content in FILES.items():
        (sources / name).write_bytes(content)
    files = " ".join(f'"{sources / name}"' for name in FILES)
    (folder / "pytest.ini").write_text("[pytest]\n")
    with gallery(folder / "first") as url:
        (folder / "record.txt").write_text(
            SCRIPT.format(url=url, python=sys.executable, files=files)
        )
        done = run_pytest(folder, "--record", "gallery", "--record-script", "record.txt")
        assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_what_the_test_case_says(recorded: Path) -> None:
    """Fields are text with placeholders beside files that have their names; a picture that was
    uploaded twice is one file, a text that people can read is none."""
    case = read_case(recorded / "gallery.case.toml")
    assert case_files(case) == ("gallery.files/leaf-tree-1-.png", "gallery.files/old.txt")
    for file, name in zip(case_files(case), ("leaf & tree (1).png", "old.txt"), strict=True):
        assert (recorded / file).read_bytes() == FILES[name]
    first, second = (
        one.request.body for one in case.transactions() if one.request.method == "POST"
    )
    assert isinstance(first, str)
    assert isinstance(second, str)
    for body, numbers in ((first, ("1", "1")), (second, ("2", "2"))):
        for field, number in zip(("csrf_token", "draft"), numbers, strict=True):
            assert f"${{{field}[{number}]}}\r\n" in body, body
    assert 'name="title"\r\n\r\nGrüße aus Köln\r\n' in first
    assert (
        'filename="list.csv"\r\nContent-Type: text/csv\r\n\r\nname;price\r\nKäse;3 €\r\n' in first
    )
    assert (
        'name="poster"; filename=""\r\nContent-Type: application/octet-stream\r\n\r\n\r\n' in first
    )


def test_replays_green_on_a_restarted_server(recorded: Path, tmp_path: Path) -> None:
    """Twice, and by ten users at once; the server has exactly what was uploaded."""
    once = stored(recorded / "first")
    assert sum(once.values()) == 4
    case = recorded / "gallery.case.toml"
    with gallery(tmp_path) as url:
        for _ in range(2):
            replay(case, url)
        load(case, url, users=USERS)
    assert stored(tmp_path) == Counter({key: (USERS + 2) * count for key, count in once.items()})
