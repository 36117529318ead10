"""Recording and replaying as a user who is nobody, without a home that can be written to."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from example_suite.server import ShopServer
from pytest_loadtool.casefile import read_har
from tests.capture.clients import NOBODY, as_root
from tests.console.running import console_command, console_environment, recording

#: As that user. It may read all, as the Python of the tests may be root's own, but write nothing.
AS_NOBODY = (
    *("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"),
    *("--inh-caps=-all,+dac_read_search", "--ambient-caps=-all,+dac_read_search"),
    "--bounding-set=-all,+dac_read_search",
)


@pytest.fixture
def own() -> Iterator[Path]:
    """A folder of that user's."""
    folder = Path(tempfile.mkdtemp())
    os.chown(folder, NOBODY, NOBODY)
    yield folder
    shutil.rmtree(folder)


def read_only(folder: Path) -> Path:
    """A home of somebody else's."""
    home = folder / "home"
    home.mkdir(mode=0o555)
    return home


def missing(folder: Path) -> Path:
    """A home where none can be made."""
    return read_only(folder) / "nobody"


@as_root
@pytest.mark.parametrize("make_home", [read_only, missing])
def test_nobody_records_and_replays(
    own: Path, shop: ShopServer, make_home: Callable[[Path], Path]
) -> None:
    """The console records through its proxy, saves, and what it has saved passes."""
    environment = console_environment(make_home(own))
    del environment["XDG_STATE_HOME"]

    def run(*arguments: str) -> str:
        done = subprocess.run(
            [*AS_NOBODY, *console_command(*arguments)], cwd=own, env=environment, timeout=180,
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    script = recording(f"curl -sS -o page {shop.url}/", "configure", "save")
    (own / "script.txt").write_text(script)
    run("--record", "shop.case.toml", "--record-script", "script.txt")
    assert [one.url for one in read_har(own / "shop.har")] == [f"{shop.url}/"]
    assert (own / "shop.har").stat().st_uid == NOBODY
    assert "1 passed" in run("shop.case.toml")
