"""The console at a real terminal (tmux)."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.console.running import console_command, console_environment

__all__ = ["Terminal", "console"]

#: Seconds that a busy machine may take to show something.
_PATIENCE = 180


class Terminal:
    """A tmux session of its own server with one window."""

    def __init__(
        self,
        directory: Path,
        command: list[str],
        editor: str = "false",
        size: tuple[int, int] = (150, 50),
    ) -> None:
        self._socket = f"loadtool-{uuid.uuid4().hex}"
        terminal = {"TERM": "xterm-256color", "SHELL": "/bin/bash", "VISUAL": editor}
        environment = console_environment(directory) | terminal
        columns, rows = map(str, size)
        done = f'{shlex.join(command)}; echo "exit status $?"; exec cat'
        subprocess.run(
            [*self._tmux, "-f", "/dev/null", "new-session", "-d", "-x", columns, "-y", rows, done],
            cwd=directory, env=environment, check=True,
        )  # fmt: skip

    @property
    def _tmux(self) -> list[str]:
        return ["tmux", "-u", "-L", self._socket]

    def type(self, text: str) -> None:
        subprocess.run([*self._tmux, "send-keys", "-l", text], check=True)

    def press(self, key: str) -> None:
        subprocess.run([*self._tmux, "send-keys", key], check=True)

    def enter(self, line: str) -> None:
        self.type(line)
        self.press("Enter")

    def screen(self, *options: str) -> str:
        """What is shown; with ``-e``, with the colours' escape sequences."""
        command = [*self._tmux, "capture-pane", "-p", "-J", "-S", "-500", *options]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def wait_for(self, pattern: str) -> re.Match[str]:
        """Look until the screen shows ``pattern``."""
        deadline = time.monotonic() + _PATIENCE
        while time.monotonic() < deadline:
            if match := re.search(pattern, self.screen(), re.MULTILINE):
                return match
            time.sleep(0.1)
        raise AssertionError(f"{pattern!r} is not on the screen:\n{self.screen()}")

    def lines(self, expected: list[str] | None = None) -> list[str]:
        """What is shown, line by line, without blanks at their ends: once it is as ``expected``, or
        has not changed for half a second, as a large screen comes in pieces."""
        deadline = time.monotonic() + _PATIENCE
        before: list[str] | None = None
        same = 0
        while True:
            now = self._lines()
            same = same + 1 if now == before else 0
            settled = same == 5 if expected is None else now == expected
            if settled or time.monotonic() > deadline:
                return now
            before = now
            time.sleep(0.1)

    def _lines(self) -> list[str]:
        command = [*self._tmux, "capture-pane", "-p"]
        shown = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        return [line.rstrip() for line in shown.splitlines()]

    def resize(self, columns: int, rows: int) -> None:
        command = [*self._tmux, "resize-window", "-x", str(columns), "-y", str(rows)]
        subprocess.run(command, check=True)

    def program(self) -> int:
        """The process id of the command."""
        shown = [*self._tmux, "display-message", "-p", "#{pane_pid}"]
        shell = subprocess.run(shown, check=True, capture_output=True, text=True).stdout.strip()
        return int(Path(f"/proc/{shell}/task/{shell}/children").read_text())

    def close(self) -> None:
        subprocess.run([*self._tmux, "kill-server"], check=False)


@contextmanager
def console(
    directory: Path,
    case: str = "shop.case.toml",
    browser: str = "none",
    editor: str = "false",
    *options: str,
    size: tuple[int, int] = (150, 50),
) -> Iterator[Terminal]:
    """`pytest --record CASE` in ``directory`` that has come to its prompt."""
    if shutil.which("tmux") is None:
        pytest.fail("tmux is not installed: apt-get install tmux")
    command = console_command("--record", case, "--record-browser", browser, *options)
    opened = Terminal(directory, command, editor, size)
    try:
        opened.wait_for(r"^loadtool>")
        yield opened
    finally:
        opened.close()
