"""What is left when the recorder is killed."""

from __future__ import annotations

import re
import signal
import subprocess
from pathlib import Path

import pytest

from example_suite.server import ShopServer
from pytest_loadtool.casefile import read_case, read_har
from tests.console.running import (
    ROOT,
    console_command,
    console_environment,
    fetch,
    recording,
    run_script,
)


def test_settings_for_another_terminal_work(tmp_path: Path, shop: ShopServer) -> None:
    """The lines that `record` prints are pasted into a shell, and its curl is recorded."""
    console, _ = start_recording(tmp_path)
    with console:
        assert console.stdin is not None
        assert console.stdout is not None
        settings = []
        for line in console.stdout:
            if line.startswith("  export "):
                settings.append(line.strip())
            if "NODE_USE_ENV_PROXY" in line:
                break
        shell = "; ".join([*settings, f"curl -sS {shop.url}/"])
        page = subprocess.run(["sh", "-c", shell], capture_output=True, text=True, check=True)
        assert "<title>" in page.stdout
        console.communicate("stop\nsave\n", timeout=60)
    assert console.returncode == 0
    assert [one.url for one in read_har(tmp_path / "shop.har")] == [f"{shop.url}/"]


def wait_for(console: subprocess.Popen[str], text: str) -> None:
    """Read until the console has said ``text``."""
    assert console.stdout is not None
    for line in console.stdout:
        if text in line:
            return
    raise AssertionError(f"the console ended without {text!r}")


def start_recording(directory: Path) -> tuple[subprocess.Popen[str], str]:
    """A console that records, driven through a pipe, and its proxy."""
    console = subprocess.Popen(
        console_command("--record", "shop.case.toml", "--record-script", "-"),
        cwd=directory,
        env=console_environment(directory),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert console.stdin is not None
    assert console.stdout is not None
    console.stdin.write("record --browser none\n")
    console.stdin.flush()
    for line in console.stdout:
        if match := re.search(r"Recording through (http://127\.0\.0\.1:\d+)", line):
            return console, match[1]
    raise AssertionError("the console did not start to record")


def test_kill_loses_nothing_that_was_answered(tmp_path: Path, shop: ShopServer) -> None:
    """After kill -9 every counted exchange is on disk, and `import` makes the test case."""
    console, proxy = start_recording(tmp_path)
    with console:
        for number in range(5):
            fetch(proxy, f"{shop.url}/?n={number}")
            wait_for(console, f"recorded GET {shop.url}/?n={number} 200")
        console.send_signal(signal.SIGKILL)
        console.communicate()
    left = read_har(tmp_path / "shop.recording.har")
    assert [one.url for one in left] == [f"{shop.url}/?n={n}" for n in range(5)]
    assert not (tmp_path / "shop.case.toml").exists()

    done = run_script(tmp_path, "import shop.recording.har\nsave\n")
    assert "shop.recording.har holds a recording that was never saved" in done.stdout
    assert len(list(read_case(tmp_path / "shop.case.toml").transactions())) == 5
    assert [path.name for path in tmp_path.glob("*.har")] == ["shop.har"]


def test_next_recording_does_not_touch_the_one_left(tmp_path: Path, shop: ShopServer) -> None:
    """A new recording next to an interrupted one goes to a file of its own."""
    (tmp_path / "shop.recording.har").write_text("what was left")
    run_script(tmp_path, recording(f"curl -sS -o x {shop.url}/", "save"))
    assert (tmp_path / "shop.recording.har").read_text() == "what was left"
    assert len(read_har(tmp_path / "shop.har")) == 1


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_signal_ends_the_console_in_good_order(
    tmp_path: Path, shop: ShopServer, number: signal.Signals
) -> None:
    """Interrupted, terminated or hung up on, the console stops the proxy, says where the traffic is
    and exits with the status for abandoned."""
    console, proxy = start_recording(tmp_path)
    with console:
        fetch(proxy, f"{shop.url}/")
        console.send_signal(number)
        said, _ = console.communicate(timeout=60)
    assert console.returncode == 2
    assert "Not saved; the traffic is in shop.recording.har." in said
    assert len(read_har(tmp_path / "shop.recording.har")) == 1


def test_interrupted_while_it_is_imported(tmp_path: Path) -> None:
    """Ctrl-C before the console is there ends it in a word: there is nothing to abandon."""
    (tmp_path / "hurried.py").write_text(
        "import os, signal, sys\n"
        "class Hurried:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'pytest_loadtool.console.session':\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "sys.meta_path.insert(0, Hurried())\n"
    )
    done = subprocess.run(
        console_command("-p", "hurried", "--record", "shop.case.toml", "--record-script", "-"),
        cwd=tmp_path,
        env=console_environment(tmp_path) | {"PYTHONPATH": f"{ROOT}:{tmp_path}"},
        input="quit\n",
        capture_output=True,
        text=True,
        timeout=180,
    )
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "\ninterrupted\n")


def test_recording_goes_on_when_nobody_reads_the_output(tmp_path: Path, shop: ShopServer) -> None:
    """A log that is cut short (`| head`) does not cut the recording short."""
    console, proxy = start_recording(tmp_path)
    with console:
        assert console.stdin is not None
        assert console.stdout is not None
        console.stdout.close()
        fetch(proxy, f"{shop.url}/")
        console.stdin.write("stop\ntree\nsave\n")
        console.stdin.close()
        console.wait(timeout=60)
    assert console.returncode == 0
    assert len(list(read_case(tmp_path / "shop.case.toml").transactions())) == 1
