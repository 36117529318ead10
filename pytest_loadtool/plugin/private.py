"""What this package uses of pytest, pytest-xdist and execnet beyond what they document.

All of it is here, so that a new release is checked in one place. A test uses each part, and names
the releases that this was checked with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType
    from typing import TextIO

    import pluggy
    from _pytest._io import TerminalWriter
    from xdist.workermanage import WorkerController


def uncaptured(config: pytest.Config) -> AbstractContextManager[None]:
    """Let what is written meanwhile through: pytest has no public way past its capturing."""
    capture = config.pluginmanager.get_plugin("capturemanager")
    if capture is None:
        return nullcontext()
    context: AbstractContextManager[None] = capture.global_and_fixture_disabled()
    return context


def give_back_stdin(config: pytest.Config) -> None:
    """End the capturing of standard input; that of the outputs is left as it is."""
    capture = config.pluginmanager.get_plugin("capturemanager")
    if capture is not None:
        capture.suspend(in_=True)


def junit_of(config: pytest.Config) -> Any:
    """Return what writes the file of ``--junitxml``, or None: plugins can only add properties to
    it."""
    from _pytest.junitxml import xml_key

    return config.stash.get(xml_key, None)


def hooks_seen_from(config: pytest.Config, paths: Iterable[Path], name: str) -> pluggy.HookCaller:
    """Return what calls a hook of plugins, and of each conftest.py that counts for one of
    ``paths``; those that nobody has imported so far are."""
    manager = config.pluginmanager
    seen: set[object] = set()
    for path in paths:
        manager._loadconftestmodules(
            path,
            config.getoption("importmode"),
            config.rootpath,
            consider_namespace_packages=config.getini("consider_namespace_packages"),
        )
        seen.update(manager._getconftestmodules(path))
    return manager.subset_hook_caller(name, manager._conftest_plugins - seen)


def imported(config: pytest.Config, path: Path) -> ModuleType:
    """Return the module of a file, imported as a ``conftest.py`` is."""
    from _pytest.pathlib import import_path

    return import_path(
        path,
        mode=config.getoption("importmode"),
        root=config.rootpath,
        consider_namespace_packages=config.getini("consider_namespace_packages"),
    )


def output_of(writer: TerminalWriter) -> TextIO:
    """Return what pytest writes to: ``isatty`` and ``encoding`` of it are not public."""
    return writer._file


def writer_of(reporter: pytest.TerminalReporter) -> TerminalWriter:
    """Return what the reporter writes with: its file and its line are not public."""
    return reporter._tw


def unfinished_line(reporter: pytest.TerminalReporter) -> str:
    """Return what stands on pytest's current line: it will write the test's result behind it."""
    return str(getattr(writer_of(reporter), "_current_line", ""))


def leave_line_open(reporter: pytest.TerminalReporter) -> None:
    """Note what the reporter itself notes after a line that is not ended: the next begins anew."""
    reporter.currentfspath = -2


def fixture_place(item: pytest.Function, name: str) -> str | None:
    """Return the node id below which the test's fixture of that name is seen; None if it has none.

    pytest tells a test the values of its fixtures and not where they are defined.
    """
    definitions = item._fixtureinfo.name2fixturedefs.get(name)
    return definitions[-1].baseid if definitions else None


def run_phases(item: pytest.Item, nextitem: pytest.Item | None) -> list[pytest.TestReport]:
    """Set up, call and tear down, and return the reports without logging them: a worker sends them
    by a channel of its own."""
    from _pytest.runner import runtestprotocol

    return runtestprotocol(item, log=False, nextitem=nextitem)


def workers_of(config: pytest.Config) -> int:
    """Return how many workers pytest-xdist is to start."""
    from xdist.workermanage import parse_tx_spec_config

    return len(parse_tx_spec_config(config))


def ask_before_shutdown(config: pytest.Config, forgiven: Callable[[], bool]) -> None:
    """Have ``forgiven`` asked before pytest-xdist sends all workers home: it does when one crashes
    that is not to be replaced, and has no hook for that."""
    session: Any = config.pluginmanager.get_plugin("dsession")
    send_home = session.triggershutdown

    def send_home_unless_forgiven() -> None:
        if not forgiven():
            send_home()

    session.triggershutdown = send_home_unless_forgiven


def call_scheduler(node: WorkerController) -> None:
    """Have the scheduler called in the main thread, for which xdist has no hook.

    It is called when a worker gives tests back, as those do that steal tests from each other: here
    a worker gives none back.
    """
    node.notify_inproc("unscheduled", node=node, indices=())


def is_here(node: WorkerController) -> bool:
    """Return whether a worker is on this machine."""
    return bool(node.gateway.spec.popen and not node.gateway.spec.via)


def process_of(node: WorkerController) -> int | None:
    """Return the process id of a worker on this machine, or of the ssh by which it is reached; None
    where neither is."""
    if is_here(node):
        return int(node.gateway._rinfo().pid)
    ssh = getattr(node.gateway._io, "popen", None) if node.gateway.spec.ssh else None
    return None if ssh is None else int(ssh.pid)
