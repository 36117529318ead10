"""pytest in a process of its own that has imported it already: a command for a shell takes a second
otherwise, and there are hundreds of them."""

from __future__ import annotations

import multiprocessing
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

_PRELOADED = [
    "pytest",
    "pytest_loadtool.plugin",
    "pytest_loadtool.console.commands",
    "pytest_loadtool.console.opening",
    "pytest_loadtool.engine.functional",
    "pytest_loadtool.engine.prepare.resources",
    "pytest_loadtool.plugin.functional.item",
    "pytest_loadtool.workflow.keeping",
]
_PATIENCE = 300

_processes = multiprocessing.get_context("forkserver")
_processes.set_forkserver_preload(_PRELOADED)


def run(
    folder: Path, arguments: Sequence[str], environment: Mapping[str, str], typed: str = ""
) -> tuple[int, str]:
    """Run ``pytest ARGUMENTS`` in a folder; return its exit status and what it wrote."""
    with tempfile.TemporaryDirectory() as name:
        put, got = Path(name, "in"), Path(name, "out")
        put.write_text(typed, encoding="utf-8")
        process = _processes.Process(
            target=_pytest,
            args=(str(folder), list(arguments), dict(environment), str(put), str(got)),
        )
        process.start()
        process.join(_PATIENCE)
        if process.exitcode is None:
            process.kill()
            process.join()
        return process.exitcode or 0, got.read_text(encoding="utf-8", errors="replace")


def _pytest(
    folder: str, arguments: list[str], environment: dict[str, str], put: str, got: str
) -> None:
    """Be that process."""
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    with Path(got).open("wb") as output, Path(put).open("rb") as given:
        os.dup2(given.fileno(), 0)
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    import pytest

    status = pytest.main(["-p", "no:cacheprovider", *arguments])
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(int(status))
