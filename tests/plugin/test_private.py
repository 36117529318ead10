"""What is used of pytest, pytest-xdist and execnet beyond what they document is still there."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import execnet
import pytest
from _pytest._io import TerminalWriter

from pytest_loadtool.plugin import private

#: The releases that it was checked with last.
CHECKED = {"pytest": "9.2.0", "pytest-xdist": "3.8.0", "execnet": "2.1.2"}

SOURCES = Path(private.__file__).parents[1]


@contextmanager
def explained() -> Iterator[None]:
    """Say what to do when a part has gone."""
    try:
        yield
    except Exception as error:
        installed = ", ".join(f"{name} {version(name)}" for name in CHECKED)
        checked = ", ".join(f"{name} {one}" for name, one in CHECKED.items())
        pytest.fail(
            f"{error}\nA private part that pytest_loadtool/plugin/private.py uses has changed. "
            f"Installed: {installed}; checked with {checked}. Find what took its place, keep both "
            "ways there if the older release is still allowed, and write the new one into CHECKED."
        )


def test_nothing_private_is_used_elsewhere() -> None:
    """One file is to be checked with a new release, not forty."""
    pattern = re.compile(
        r"\b_pytest\b|\b(?:reporter|item|session|config|node|gateway|tw|writer|capture)\._[a-z]"
        r"|_disabled\(|\bcurrentfspath\b|notify_inproc|triggershutdown|parse_tx_spec"
    )
    found = {
        path.name
        for path in (SOURCES / "plugin").rglob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if pattern.search(line) and "    from _pytest._io import TerminalWriter" not in line
    }
    assert found == {"private.py"}


def test_writing_past_the_capturing(
    request: pytest.FixtureRequest, capfd: pytest.CaptureFixture[str]
) -> None:
    """What is written meanwhile is not captured; what is written after that is."""
    with explained(), private.uncaptured(request.config):
        sys.stdout.write("")
    sys.stdout.write("captured")
    assert capfd.readouterr().out == "captured"


def test_reporters_writer(request: pytest.FixtureRequest) -> None:
    """The file that is written to, and the line that is not ended."""
    there = io.StringIO()
    reporter = pytest.TerminalReporter(request.config, there)
    with explained():
        writer = private.writer_of(reporter)
        assert private.output_of(writer) is there
        assert private.output_of(TerminalWriter(there)) is there
        reporter.write("not ended")
        assert private.unfinished_line(reporter) == "not ended"
        private.leave_line_open(reporter)
        reporter.ensure_newline()
        assert private.unfinished_line(reporter) == ""


@pytest.fixture
def somewhere() -> str:
    return "here"


def test_where_a_fixture_is_defined(request: pytest.FixtureRequest, somewhere: str) -> None:
    """That of this file has its node id; there is none of another name."""
    with explained():
        assert private.fixture_place(request.node, "somewhere") == "tests/plugin/test_private.py"
        assert private.fixture_place(request.node, "request") in (None, "")
        assert private.fixture_place(request.node, "nobody") is None


def test_hooks_of_a_folder(pytester: pytest.Pytester) -> None:
    """Its conftest.py is imported when it is asked for, and that of another folder left out."""
    for folder in ("one", "two"):
        pytester.mkdir(folder).joinpath("conftest.py").write_text(
            f"def pytest_report_header(): return '{folder}'", encoding="utf-8"
        )
    config = pytester.parseconfigure()
    with explained():
        for folder in ("one", "two"):
            paths = [pytester.path / folder / "shop.case.toml"]
            caller = private.hooks_seen_from(config, paths, "pytest_report_header")
            said = caller(config=config, start_path=pytester.path)
            assert [one for one in said if one in ("one", "two")] == [folder]
    config._ensure_unconfigure()


def test_phases_of_a_test_without_a_log(pytester: pytest.Pytester) -> None:
    """The reports of the three phases are returned."""
    item = pytester.getitem("def test_func(): assert False")
    with explained():
        reports = private.run_phases(item, None)
        assert [(one.when, one.outcome) for one in reports] == [
            ("setup", "passed"), ("call", "failed"), ("teardown", "passed"),
        ]  # fmt: skip


def test_number_of_workers(pytester: pytest.Pytester) -> None:
    """As many as ``--tx`` says, which ``-n`` becomes."""
    config = pytester.parseconfig("--tx", "3*popen")
    with explained():
        assert private.workers_of(config) == 3


def test_shutdown_of_workers_and_calls_of_the_scheduler() -> None:
    """pytest-xdist calls the method that is replaced, and passes on what it is told."""
    from xdist.dsession import DSession
    from xdist.workermanage import WorkerController

    calls: list[str] = []
    stop = iter([True, False]).__next__
    session = SimpleNamespace(triggershutdown=lambda: calls.append("home"))
    config = SimpleNamespace(pluginmanager=SimpleNamespace(get_plugin=lambda name: session))
    private.ask_before_shutdown(cast("Any", config), stop)
    session.triggershutdown()
    session.triggershutdown()
    assert calls == ["home"]

    told: list[tuple[str, dict[str, Any]]] = []
    node = WorkerController.__new__(WorkerController)
    with explained():
        assert callable(DSession.triggershutdown)
        assert callable(DSession.worker_unscheduled)
        node.gateway = SimpleNamespace(id="gw0")
        node.putevent = told.append
        node.log = lambda *_: None
        private.call_scheduler(node)
        [(name, arguments)] = told
        assert name == "unscheduled"
        assert not arguments["indices"]


def test_process_of_a_worker() -> None:
    """The process of a gateway is asked of it, if it is on this machine."""
    gateway = execnet.makegateway("popen")
    try:
        pid = gateway.remote_exec("import os; channel.send(os.getpid())").receive(60)
        with explained():
            assert private.process_of(cast("Any", SimpleNamespace(gateway=gateway))) == pid
    finally:
        gateway.exit()
        execnet.default_group.terminate(timeout=10)
