"""A load test under way, as a person sees it in a real terminal (tmux), and as a log has it."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import time
import uuid
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import pytest

from tests.plugin.loading import Project, load
from tests.plugin.serving import Server, case


class Screen:
    """A tmux server of its own, with one window in which pytest runs."""

    def __init__(
        self,
        project: Project,
        *arguments: str,
        size: tuple[int, int] = (100, 100),
        more: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._tmux = ["tmux", "-u", "-L", f"loadtool-{uuid.uuid4().hex}"]
        command = f'{shlex.join(project.command(*arguments))}; echo "exit status $?"; exec cat'
        terminal = {"TERM": "xterm-256color", "SHELL": "/bin/bash"}
        environment = project.environment() | terminal | dict(more)
        del environment["COLUMNS"]
        width, height = map(str, size)
        subprocess.run(
            [
                *self._tmux,
                "-f",
                "/dev/null",
                "new-session",
                "-d",
                "-x",
                width,
                "-y",
                height,
                command,
            ],
            cwd=project.path,
            env=environment,
            check=True,
        )

    def press(self, key: str) -> None:
        """Type a key."""
        subprocess.run([*self._tmux, "send-keys", key], check=True)

    def resize(self, width: int, height: int) -> None:
        """Make the window larger or smaller."""
        size = ["-x", str(width), "-y", str(height)]
        subprocess.run([*self._tmux, "resize-window", *size], check=True)

    def text(self, *options: str) -> str:
        """What stands there now; with ``-e``, with the colours."""
        command = [*self._tmux, "capture-pane", "-p", *options]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def wait_for(self, pattern: str) -> str:
        """Look until the screen shows ``pattern``; the whole screen."""
        deadline = time.monotonic() + 180
        while time.monotonic() < deadline:
            text = self.text()
            if re.search(pattern, text, re.MULTILINE):
                return text
            time.sleep(0.05)
        raise AssertionError(f"{pattern!r} is not on the screen:\n{self.text()}")

    def close(self) -> None:
        """End it, and what runs in it."""
        subprocess.run([*self._tmux, "kill-server"], check=False)


@pytest.fixture
def project(tmp_path: Path, server: Server) -> Project:
    """Two load tests, of 3 s and of a moment."""
    if shutil.which("tmux") is None:
        pytest.fail("tmux is not installed: apt-get install tmux")
    project = Project(tmp_path)
    project.write(
        shop__case__toml=case(server.url, "GET /"),
        a__load__toml=load("shop.case.toml", duration="3s", more='thresholds = ["p95 < 30 s"]'),
        b__load__toml=load("shop.case.toml", name="Quiet hour"),
    )
    return project


@pytest.mark.promise(3)
@pytest.mark.parametrize(
    ("options", "results"),
    [
        ([], [r"a.load.toml \. +\[ 50%\]", r"b.load.toml \. +\[100%\]"]),
        (["-v"], [r"a.load.toml::a PASSED +\[ 50%\]", r"b.load.toml::b PASSED +\[100%\]"]),
        (["-n", "2"], [r"\.\. +\[100%\]"]),
    ],
    ids=["here", "verbose", "workers"],
)
def test_live_view_is_gone_when_the_test_is_over(
    project: Project, options: list[str], results: list[str]
) -> None:
    """Users, requests, times, their course, thresholds and transactions are drawn over each other
    while the test runs; what is left is pytest's own output, as of any test."""
    screen = Screen(project, "--load", *options)
    try:
        text = screen.wait_for(r"^4 users, .* [1-9][\d,]* requests, median .* p95 ")
        assert text.count(" requests/s, ") == 1
        assert re.search(r"^p95 ms +[▁-█ ]+  [\d.,]+, at most ", text, re.MULTILINE)
        assert re.search(r"^p95 < 30 s +[\d.,]+ ms  ok$", text, re.MULTILINE)
        assert re.search(r"^Home / GET / +[\d,]+ +0 ", text, re.MULTILINE)
        assert re.search("^Rush hour .* s of 3 s$", text, re.MULTILINE)
        text = screen.wait_for("exit status 0")
    finally:
        screen.close()
    before = text[: text.index("= load test results =")]
    assert "requests/s" not in before
    assert "users" not in before
    found = [line.rstrip() for line in before.splitlines() if line.rstrip().endswith("%]")]
    assert len(found) == len(results), text
    for line, result in zip(found, results, strict=True):
        assert re.fullmatch(result, line)


def test_low_terminal_without_unicode(project: Project) -> None:
    """There are only as many lines as there is room for, in characters that there are; what pytest
    has written above stays."""
    arguments = ["--load", "a.load.toml"]
    screen = Screen(project, *arguments, size=(60, 12), more={"PYTHONIOENCODING": "ascii"})
    try:
        text = screen.wait_for(r"^p95 ms +[.:=+*#@-]+  [\d.,]+, at most ")
        assert text.isascii()
        assert re.search(r"Rush hour  #*\.*  \d s of 3 s$", text, re.MULTILINE)
        assert text.lstrip().startswith("a.load.toml\n")
        screen.wait_for("exit status 0")
    finally:
        screen.close()


def test_resized_terminal(project: Project) -> None:
    """A terminal breaks the lines that stand on it when it is made narrower. They go with the rest,
    and the view keeps to the new width."""
    name = "Ein Größenvergleich der 負荷 mit einem langen Namen " * 2
    project.write(a__load__toml=load("shop.case.toml", duration="8s", name=name))
    screen = Screen(project, "--load", "a.load.toml", size=(110, 40))
    try:
        screen.wait_for(r"^4 users, .* [1-9][\d,]* requests, median .* p95 ")
        screen.resize(50, 40)
        # The name alone is longer than that: cut in its middle, all of the first line is there.
        text = screen.wait_for(r"^Ein .*….*━.* s of 8 s$")
        assert len(re.findall(r"^requests/s ", text, re.MULTILINE)) == 1
        assert len(re.findall(r" s of 8 s$", text, re.MULTILINE)) == 1
        screen.wait_for("exit status 0")
        text = screen.text("-S", "-500")
    finally:
        screen.close()
    assert "session starts" in text
    assert ", at most " not in text
    assert " s of 8 s" not in text


@pytest.mark.parametrize(
    ("option", "environment", "coloured"),
    [
        ("--color=auto", {}, True),
        ("--color=no", {}, False),
        ("--color=auto", {"NO_COLOR": "1"}, False),
        ("--color=yes", {"NO_COLOR": "1"}, True),
        ("--color=no", {"FORCE_COLOR": "1"}, False),
    ],
)
def test_colours_are_those_of_pytest(
    project: Project, option: str, environment: dict[str, str], coloured: bool
) -> None:
    """The view is coloured where pytest's own output is."""
    screen = Screen(project, "--load", "a.load.toml", option, more=environment)
    try:
        screen.wait_for(r"^p95 < 30 s .* ok$")
        assert ("\x1b[32mok" in screen.text("-e")) is coloured
    finally:
        screen.close()


@pytest.mark.parametrize("workers", [[], ["-n", "2"]], ids=["here", "workers"])
def test_ctrl_c_in_a_terminal(project: Project, server: Server, workers: list[str]) -> None:
    """The key reaches all processes at once; the view goes, the report comes, the status is 2. The
    terminal writes ^C where the cursor stands, which must not be behind a line as wide as it is."""
    project.write(shop__case__toml=case(server.url, "GET /", page="A name without an end " * 9))
    project.write(a__load__toml=load("shop.case.toml", duration="60s"))
    screen = Screen(project, "--load", "a.load.toml", *workers)
    try:
        screen.wait_for(r"^4 users, .* [1-9][\d,]* requests, median .* p95 ")
        screen.press("C-c")
        text = screen.wait_for("exit status 2")
    finally:
        screen.close()
    assert "stopped after" in text
    assert "KeyboardInterrupt" in text
    assert "s of 60 s\n" not in text.partition("stopped after")[0]


def test_quiet_shows_no_view(project: Project) -> None:
    """Under -q nothing moves."""
    screen = Screen(project, "--load", "-q", "a.load.toml")
    try:
        seen = set()
        while "exit status" not in (text := screen.text()):
            seen.add("requests/s" in text.partition("load test results")[0])
        assert "exit status 0" in text
    finally:
        screen.close()
    assert seen == {False}


def test_log_has_a_line_now_and_then(project: Project) -> None:
    """Where nobody can watch, a line is added every few seconds and stays."""
    project.write(a__load__toml=load("shop.case.toml", duration="6s"))
    done = project.run("--load", "a.load.toml")
    assert done.returncode == 0, done.stdout
    before = done.stdout.partition("load test results")[0]
    # A busy machine is late with it.
    assert len(re.findall(r"^[56] s of 6 s: \d users, .* requests/s, ", before, re.MULTILINE)) == 1
    assert "\x1b[" not in before


def test_log_needs_nothing_that_draws(project: Project) -> None:
    """Where there is no terminal, what draws on one is not imported, whatever pytest does."""
    project.write(
        conftest__py="""
import sys
def pytest_unconfigure():
    assert not [name for name in sys.modules if name.partition(".")[0] == "rich"]
    print("nothing that draws")
"""
    )
    done = project.run("--load", "--color=yes", "a.load.toml")
    assert done.returncode == 0, done.stdout
    assert "nothing that draws" in done.stdout


def test_nothing_is_drawn_on_a_terminal_that_cannot(project: Project) -> None:
    """TERM=dumb is taken at its word: no control characters."""
    project.write(a__load__toml=load("shop.case.toml", duration="1500ms"))
    reader, writer = os.openpty()
    process = subprocess.Popen(
        project.command("--load", "a.load.toml", "--color=no"),
        cwd=project.path,
        env=project.environment() | {"TERM": "dumb"},
        stdout=writer,
        stderr=writer,
    )
    os.close(writer)
    output = b""
    try:
        while chunk := os.read(reader, 65536):
            output += chunk
    except OSError:
        pass  # how Linux says that the other end is closed
    os.close(reader)
    assert process.wait() == 0
    assert b"\x1b[" not in output


@pytest.mark.parametrize("workers", [[], ["-n", "1"]])
def test_failures_are_broken_between_words(project: Project, workers: list[str]) -> None:
    """The terminal itself would break them wherever a line ends."""
    project.write(base__json='{"kind": "load runs saved by pytest-loadtool", "runs": []}')
    arguments = ["--load", "a.load.toml", "--load-compare", "base.json", *workers]
    screen = Screen(project, *arguments, size=(60, 40))
    try:
        text = " ".join(screen.wait_for("^exit status 1").split())
    finally:
        screen.close()
    assert (
        "base.json has no run of 'Rush hour', only of none at all: save one with --load-save, "
        "or leave --load-compare out"
    ) in text
