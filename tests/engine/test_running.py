"""A coroutine on an event loop of its own: what Ctrl-C and what is left over do to it."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator

import pytest

from pytest_loadtool.engine import running
from pytest_loadtool.engine.running import run


def ctrl_c(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGINT)


@pytest.fixture
def somebody_elses_handler() -> Iterator[None]:
    """It raises wherever the signal comes, as that of a load test does for the second Ctrl-C."""

    def handle(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt

    previous = signal.signal(signal.SIGINT, handle)
    yield
    assert signal.signal(signal.SIGINT, previous) is handle


class Main:
    """Waits for ever, and tells when it was ended in good order."""

    def __init__(self) -> None:
        self.ended = False

    async def wait(self) -> None:
        asyncio.get_running_loop().call_soon(ctrl_c)
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            self.ended = True


def test_results_and_errors_are_those_of_the_coroutine() -> None:
    """Nothing is added."""

    async def main(number: int) -> float:
        return 1 / number

    assert run(main(2)) == 0.5
    with pytest.raises(ZeroDivisionError):
        run(main(0))


def test_ctrl_c() -> None:
    """The coroutine is cancelled and comes to its end; the handler is as before."""
    main = Main()
    with pytest.raises(KeyboardInterrupt):
        run(main.wait())
    assert main.ended
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.usefixtures("somebody_elses_handler")
def test_ctrl_c_that_is_raised_in_a_callback() -> None:
    """The same."""
    main = Main()
    with pytest.raises(KeyboardInterrupt):
        run(main.wait())
    assert main.ended


def test_a_second_ctrl_c_cuts_the_end_short() -> None:
    """Where the end does not come."""
    cut = []

    async def main() -> None:
        try:
            ctrl_c()
            await asyncio.Event().wait()
        finally:
            asyncio.get_running_loop().call_soon(ctrl_c)
            try:
                await asyncio.Event().wait()
            finally:
                cut.append(1)

    with pytest.raises(KeyboardInterrupt):
        run(main())
    assert cut == [1]


def test_what_is_left_over_is_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    """And not waited for without end."""
    monkeypatch.setattr(running, "_PATIENCE", 0.1)
    cancelled = []

    async def left_over(*, refuses: bool) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.append(refuses)
            if refuses:
                await asyncio.Event().wait()

    async def main() -> list[asyncio.Task[None]]:
        tasks = [asyncio.create_task(left_over(refuses=one)) for one in (False, True)]
        await asyncio.sleep(0)
        return tasks

    good, bad = run(main())
    assert sorted(cancelled) == [False, True]
    assert (good.done(), bad.done()) == (True, False)
