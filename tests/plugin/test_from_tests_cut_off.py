"""Recordings from tests that are cut off: by Ctrl-C, by an exit, by the end of the recorder."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys

import pytest

from pytest_loadtool.casefile import read_har
from tests.plugin.serving import serving


def test_ctrl_c_leaves_the_traffic_and_no_proxy(pytester: pytest.Pytester) -> None:
    """What the interrupted test had sent is in a file, which the report names."""
    pytester.makepyfile(
        test_it="""
        import os
        import httpx

        def test_it(loadtool_recorder):
            print("PORT", loadtool_recorder.url.rpartition(":")[2], flush=True)
            with httpx.Client(timeout=60, **loadtool_recorder.httpx) as client:
                client.get(os.environ["SERVER"] + "/")
                client.get(os.environ["SERVER"] + "/silence")
        """
    )
    with serving() as server:
        running = subprocess.Popen(
            [sys.executable, "-m", "pytest", "-s", "--record-from-tests", "cases"],
            cwd=pytester.path,
            env=os.environ | {"SERVER": server.url},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            assert server.busy.wait(60)
            running.send_signal(signal.SIGINT)
            output, _ = running.communicate(timeout=60)
        finally:
            running.kill()
    assert running.returncode == pytest.ExitCode.INTERRUPTED
    assert "cases/test_it.test_it.recording.har: the test was interrupted" in output
    exchanges = read_har(pytester.path / "cases" / "test_it.test_it.recording.har")
    assert [one.status for one in exchanges] == [200, 0]
    port = re.search(r"PORT (\d+)", output)
    assert port
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", int(port[1]))).close()


GET = """
import os
import signal
from pathlib import Path
import httpx
import pytest

def get(recorder):
    with httpx.Client(timeout=60, **recorder.httpx) as client:
        assert client.get(os.environ["SERVER"] + "/").status_code == 200
"""


def test_a_recorder_that_dies_costs_one_test(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is an error of the test that was recorded; the next is recorded by another, to which the
    session's fixtures lead as well."""
    pytester.makepyfile(
        test_it=f"""{GET}
def test_a(loadtool_recorder):
    get(loadtool_recorder)
    children = Path(f"/proc/{{os.getpid()}}/task/{{os.getpid()}}/children")
    for child in children.read_text().split():
        os.kill(int(child), signal.SIGKILL)

def test_b(loadtool_recorder):
    get(loadtool_recorder)

def test_c():
    pass
"""
    )
    with serving() as server:
        monkeypatch.setenv("SERVER", server.url)
        result = pytester.runpytest_subprocess("--record-from-tests", "cases")
    result.assert_outcomes(passed=3, errors=1)
    result.stdout.fnmatch_lines(["*ERROR at teardown of test_a*", "E *the recorder has ended: *"])
    result.stdout.fnmatch_lines(["cases/test_it.test_b.case.toml: 1 page, 1 transaction, *"])
    assert [one.name for one in pytester.path.glob("cases/*.toml")] == ["test_it.test_b.case.toml"]


def test_what_is_interrupted_in_a_worker_is_told(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker hands over what it has when the last recording has ended."""
    pytester.makepyfile(
        test_it=f"""{GET}
def test_it(loadtool_recorder):
    get(loadtool_recorder)
    pytest.exit("enough")
"""
    )
    with serving() as server:
        monkeypatch.setenv("SERVER", server.url)
        result = pytester.runpytest_subprocess("-n1", "--record-from-tests", "cases")
    result.stdout.fnmatch_lines(["cases/test_it.test_it.recording.har: the test was interrupted"])
