"""Ctrl-C and its like while a command computes: it ends at once, and has changed nothing."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import threading
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

from pytest_loadtool.console.repl.interrupting import Interruptible
from pytest_loadtool.model.exchange import Exchange
from tests.console.running import console_command, console_environment
from tests.console.terminal import console
from tests.console.test_interrupted import wait_for
from tests.console.traffic import write_har
from tests.correlation.exchanges import JSON, exchange

_COMPUTING = "Configure for Replay, 2 of 2: application state"


def long_recording(directory: Path) -> None:
    """`in.har`, which takes seconds to configure: requests with as many values as are looked at."""
    body = f"[{'1,' * 20_000}1]".encode()

    def upload(number: int) -> Exchange:
        return exchange("POST", f"http://shop.test/{number}", sent=(JSON,), body=body)

    write_har(directory / "in.har", *map(upload, range(12)))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signal_ends_a_script_that_computes(tmp_path: Path, number: signal.Signals) -> None:
    """It does so in the middle of `configure`, with the status for abandoned."""
    long_recording(tmp_path)
    (tmp_path / "script.txt").write_text("import in.har\nconfigure\nsave\n")
    arguments = ("--record", "shop.case.toml", "--record-script", "script.txt")
    with subprocess.Popen(
        console_command(*arguments),
        cwd=tmp_path,
        env=console_environment(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as running:
        wait_for(running, _COMPUTING)
        running.send_signal(number)
        said, _ = running.communicate(timeout=60)
    assert running.returncode == 2, said
    assert said == ""
    assert not (tmp_path / "shop.case.toml").exists()


def test_control_c_ends_a_command_that_computes(tmp_path: Path) -> None:
    """How far `configure` is shows on a line that goes; Ctrl-C brings the prompt back, and the test
    case is as before."""
    long_recording(tmp_path)
    with console(tmp_path) as terminal:
        terminal.enter("import in.har")
        terminal.wait_for(r"12 transactions \(unsaved\)")
        terminal.enter("configure")
        terminal.wait_for(r"^Reading requests: \d+ of 12$")
        terminal.press("C-c")
        terminal.wait_for(r"^interrupted")
        terminal.wait_for(r"^loadtool> *$")
        assert "Reading requests" not in terminal.screen()
        assert "configured." not in terminal.screen()
        terminal.enter("undo")
        terminal.wait_for(r"without it none is open\. Undo it all the same\?")
        terminal.enter("y")
        terminal.wait_for(r"^Undid `import in.har`")
        terminal.enter("quit")
        terminal.wait_for(r"exit status 5")


def test_sigterm_ends_the_console_in_the_middle_of_a_command(tmp_path: Path) -> None:
    """At a terminal too, whatever is computed there."""
    long_recording(tmp_path)
    with console(tmp_path) as terminal:
        terminal.enter("import in.har")
        terminal.wait_for(r"12 transactions \(unsaved\)")
        terminal.enter("configure")
        terminal.wait_for(r"^Reading requests: \d+ of 12$")
        os.kill(terminal.program(), signal.SIGTERM)
        terminal.wait_for(r"exit status 2")


def ended(work: Coroutine[Any, Any, None]) -> tuple[asyncio.Task[None], set[signal.Signals]]:
    """Run it; SIGUSR1 ends it."""

    async def run() -> tuple[asyncio.Task[None], set[signal.Signals]]:
        with Interruptible(signal.SIGUSR1) as running:
            return await running.run(work)

    before = signal.getsignal(signal.SIGUSR1), signal.getsignal(signal.SIGALRM)
    done = asyncio.run(run())
    assert before == (signal.getsignal(signal.SIGUSR1), signal.getsignal(signal.SIGALRM))
    return done


def test_what_awaits_is_cancelled_and_may_clean_up() -> None:
    """A command that awaits is cancelled as event loops do, once, and not by an exception later."""
    done = []

    async def command() -> None:
        signal.raise_signal(signal.SIGUSR1)
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0.5)
            done.append("cleaned up")

    task, came = ended(command())
    assert task.cancelled()
    assert came == {signal.SIGUSR1}
    assert done == ["cleaned up"]


def test_what_computes_may_clean_up() -> None:
    """After the exception, what is awaited to clean up is not cancelled as well."""
    done = []

    async def command() -> None:
        signal.raise_signal(signal.SIGUSR1)
        try:
            while True:
                pass
        finally:
            await asyncio.sleep(0.5)
            done.append("cleaned up")

    task, _ = ended(command())
    assert task.cancelled()
    assert done == ["cleaned up"]


def test_signal_that_another_thread_gets_ends_the_command() -> None:
    """The system may give a signal to any thread of the program, such as the one that replays. The
    loop is woken, also after a question, which had a handler of its own and has taken it away."""

    async def command() -> None:
        asyncio.get_running_loop().add_signal_handler(signal.SIGUSR2, print)
        asyncio.get_running_loop().remove_signal_handler(signal.SIGUSR2)
        in_loop = threading.Event()
        asyncio.get_running_loop().call_later(0, in_loop.set)
        threading.Thread(target=send, args=(in_loop,)).start()
        await asyncio.sleep(60)
        pytest.fail("the loop was not woken")

    def send(in_loop: threading.Event) -> None:
        in_loop.wait()
        signal.pthread_kill(threading.get_ident(), signal.SIGUSR1)

    task, came = ended(command())
    assert task.cancelled()
    assert came == {signal.SIGUSR1}


def test_signal_between_two_commands_ends_the_second() -> None:
    """None is lost, nor left to what would end the console."""
    done = []

    async def command() -> None:
        done.append("ran")

    async def work() -> asyncio.Task[None]:
        with Interruptible(signal.SIGUSR1) as running:
            signal.raise_signal(signal.SIGUSR1)
            task, _ = await running.run(command())
            await running.run(command())
            return task

    assert asyncio.run(work()).cancelled()
    assert done == ["ran"]


@pytest.mark.parametrize("command", ["play", "configure --replay"])
def test_control_c_ends_a_replay_that_gets_no_answer(tmp_path: Path, command: str) -> None:
    """The prompt is back while the server keeps the connection, and the test case is there."""
    with socket.create_server(("127.0.0.1", 0)) as server, console(tmp_path) as terminal:
        server.settimeout(60)
        url = f"http://127.0.0.1:{server.getsockname()[1]}/"
        write_har(tmp_path / "in.har", exchange("GET", url))
        terminal.enter("import in.har")
        terminal.wait_for(r"1 transaction \(unsaved\)")
        terminal.enter(command)
        terminal.wait_for(r"Replay it \(yes, no\)\?")
        terminal.enter("yes")
        connection, _ = server.accept()  # it never answers
        with connection:
            terminal.press("C-c")
            terminal.wait_for(r"^interrupted")
            terminal.wait_for(r"^loadtool> *$")
        terminal.enter("tree")
        terminal.wait_for(r"^ +1 +GET ")
        if command == "play":  # which is kept however it ends
            terminal.enter("replays")
            terminal.wait_for(r"^> 1 .* 0 of 1 transactions, interrupted, http")
