"""What works without the extra `record`, and what is said where it is needed."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_loadtool.workflow.files import write_evidence
from tests.console.running import run
from tests.correlation.client import Client
from tests.plugin.serving import serving

NEEDED = "pip install 'pytest-loadtool[record]'"
HIDE = """
import sys

sys.modules |= dict.fromkeys(("mitmproxy", "prompt_toolkit"))
"""
WORK = """
import in.har
configure
play --fast
explain
save --secrets keep
create-load-configuration users=1 duration=1s
start
"""


@pytest.fixture
def hidden(tmp_path: Path) -> Path:
    """A folder whose plugin ``hide`` makes the extra look as if it were not installed."""
    (tmp_path / "hide.py").write_text(HIDE)
    return tmp_path


def test_all_but_recording_works(hidden: Path) -> None:
    """A HAR file becomes a test case, which is replayed, saved and load-tested, by a script."""
    with serving() as server:
        client = Client(server.url)
        page = client.send("GET", "/form", headers={"Accept": "text/html"}).text
        token = page.partition('value="')[2].partition('"')[0]
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        client.send("POST", "/login", f"token={token}".encode(), form)
        client.close()
        write_evidence(client.exchanges, hidden / "in.har")
        (hidden / "script.txt").write_text(WORK)
        scripted = ("--record", "shop.case.toml", "--record-script", "script.txt")
        done = run(hidden, "-p", "hide", *scripted)
    assert "2 transactions passed" in done.stdout
    assert "Saved shop.case.toml" in done.stdout
    assert "Load test shop" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "typed", "status"),
    [
        (("--record",), "", 4),
        (("--record", "--record-script", "-"), "record --browser none\n", 1),
        (("--record-from-tests", "cases"), "", 4),
    ],
)
def test_what_needs_the_extra_says_so(
    hidden: Path, arguments: tuple[str, ...], typed: str, status: int
) -> None:
    """In one line, with what is missing and the one thing to do about it."""
    done = run(hidden, "-p", "hide", *arguments, typed=typed, status=status)
    missing = "prompt_toolkit" if arguments == ("--record",) else "mitmproxy"
    (line,) = (one for one in (done.stdout + done.stderr).splitlines() if NEEDED in one)
    assert missing in line
    assert "Traceback" not in done.stdout + done.stderr
    assert not list(hidden.glob("*.har"))


def test_recording_by_a_program_says_so(hidden: Path) -> None:
    """`record` in a test: the error names the extra, from the recorder's own process."""
    (hidden / "sitecustomize.py").write_text(HIDE)
    (hidden / "test_it.py").write_text(
        "from pytest_loadtool import record\n"
        "def test_it(monkeypatch):\n"
        "    monkeypatch.setenv('PYTHONPATH', '.')\n"
        "    with record('shop.case.toml'):\n"
        "        pass\n"
    )
    done = run(hidden, "-p", "hide", "test_it.py", status=1)
    assert "RecordingError: recording needs mitmproxy" in done.stdout
    assert NEEDED in done.stdout
