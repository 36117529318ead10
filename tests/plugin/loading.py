"""Load tests in a directory of their own, and pytest run on them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

__all__ = ["Project", "all_output", "children", "load", "wait_until"]


def load(
    *cases: str, users: int = 4, duration: str = "400ms", name: str = "Rush hour", more: str = ""
) -> str:
    """A load configuration over the case files ``cases``."""
    head = f'format = 1\nname = "{name}"\nusers = {users}\nduration = "{duration}"\n{more}\n'
    return head + "".join(f'[[case]]\nfile = "{case}"\n' for case in cases)


@dataclass(frozen=True, slots=True)
class Project:
    """A directory with load tests."""

    path: Path
    pytester: pytest.Pytester | None = None
    """For runs in this process, which take a fifth of the time."""

    def write(self, **files: str) -> None:
        """Files by their name, with ``__`` for a dot: ``shop__case__toml``."""
        for name, text in files.items():
            (self.path / name.replace("__", ".")).write_text(text, encoding="utf-8")

    def command(self, *arguments: str) -> list[str]:
        """What runs pytest here."""
        return [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments]

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run pytest to its end, both outputs as one; with workers, in a process of its own."""
        command = self.command(*arguments)
        if self.pytester is not None and "-n" not in arguments:
            with mock.patch.dict(os.environ, self.environment(), clear=True):
                done = self.pytester.runpytest_inprocess(*arguments)
            text = "\n".join([*done.outlines, *done.errlines, ""])
            return subprocess.CompletedProcess(command, done.ret, text)
        return subprocess.run(
            command,
            cwd=self.path,
            env=self.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            timeout=120,
            check=False,
        )

    @contextmanager
    def running(self, *arguments: str) -> Iterator[subprocess.Popen[str]]:
        """pytest under way, in a process group of its own; nothing of it is left afterwards."""
        process = subprocess.Popen(
            self.command(*arguments),
            cwd=self.path,
            env=self.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
        try:
            yield process
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()

    def environment(self) -> dict[str, str]:
        """This process's own, without what pytest has put into it, and at a width of its own."""
        kept = {
            key: value
            for key, value in os.environ.items()
            if key == "PYTEST_ADDOPTS" or not key.startswith("PYTEST_")
        }
        return kept | {"COLUMNS": "100", "TERM": "xterm"}

    def json(self, name: str = "out.json") -> Any:
        """A file that ``--load-json`` has written: its run, if there is one, else all of it."""
        document = json.loads((self.path / name).read_text(encoding="utf-8"))
        runs = document.get("runs", ())
        return runs[0] if len(runs) == 1 and "kind" not in document else document

    def lines(self, name: str) -> Sequence[str]:
        """The lines of a file, none if there is no such file."""
        path = self.path / name
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def children(pid: int) -> list[int]:
    """The processes that ``pid`` has started, in the order they were started."""
    path = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(one) for one in path.read_text(encoding="ascii").split()]


def all_output(process: subprocess.Popen[str], seconds: float = 180.0) -> str:
    """Return what pytest has written when it has ended.

    Raises:
        TimeoutError: it does not end. It says where each thread is, which the faulthandler tells.
    """
    try:
        output, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGABRT)
        time.sleep(3)
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        raise TimeoutError(f"not ended after {seconds:.0f} s:\n{output}") from None
    return output


def wait_until(condition: Callable[[], object], seconds: float = 180.0) -> None:
    """Wait until ``condition()`` holds.

    Raises:
        TimeoutError: it does not.
    """
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError
        time.sleep(0.01)
