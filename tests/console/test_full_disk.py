"""A disk that is full while traffic is recorded: a limit for the size of files stands for it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from pytest_loadtool.casefile import read_har
from tests.capture.servers import Connection, WireServer, answer
from tests.console.running import console_command, console_environment

#: Bytes of the second answer, and of a file (`ulimit -f` counts in blocks of 512).
_LARGE, _MOST = 4_000_000, 2000 * 512


def _pages(connection: Connection, request: bytes) -> bool:
    size = _LARGE if b" /large" in request else 300_000
    return answer(os.urandom(size // 2).hex().encode(), "Content-Type: text/html")(
        connection, request
    )


def test_a_full_disk_ends_neither_the_recording_nor_its_clients(tmp_path: Path) -> None:
    """Clients get all their answers; what fits is on disk, the rest in memory; both are said."""
    with WireServer(_pages) as server:
        curl = 'run curl -sS -o /dev/null -w "%{size_download};"'
        (tmp_path / "script").write_text(
            "record --browser none\n"
            + "".join(f"{curl} {server.origin}/{name}\n" for name in ("a", "large", "b", "c", "d"))
            + "stop\nshow fidelity\nsave\n"
        )
        command = console_command("--record", "shop.case.toml", "--record-script", "script")
        done = subprocess.run(
            ["/bin/sh", "-c", 'ulimit -f 2000; exec "$@"', "sh", *command],
            cwd=tmp_path, env=console_environment(tmp_path), capture_output=True, text=True,
            timeout=120,
        )  # fmt: skip
    for size, times in ((300_000, 4), (_LARGE, 1)):
        assert done.stdout.count(f"{size};") == times, done.stdout + done.stderr
    assert "5 exchanges recorded." in done.stdout
    assert "The test case has 5 pages, 5 transactions." in done.stdout
    assert f"bytes of the response body were kept: file too large: GET {server.origin}" in (
        done.stdout.replace("\n", " ")
    )
    assert "shop.recording.har: cannot write it: file too large. What does not fit" in done.stdout
    assert "not all of it is on disk: " in done.stdout
    left = read_har(tmp_path / "shop.recording.har")
    assert left[0].url == f"{server.origin}/a"
    assert (tmp_path / "shop.recording.har").stat().st_size <= _MOST
    assert not (tmp_path / "shop.har").exists()
    assert not list(tmp_path.glob("*.part"))
