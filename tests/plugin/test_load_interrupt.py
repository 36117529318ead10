"""Ctrl-C where a load test keeps its books. The signal is real, sent to this process."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from pytest_loadtool.plugin.load_interrupt import Shield, deaf, stopping


def ctrl_c() -> None:
    signal.raise_signal(signal.SIGINT)


def test_shield_raises_at_once_where_nothing_is_kept() -> None:
    """While the controller waits, Ctrl-C is what it always is."""
    with Shield().up(), pytest.raises(KeyboardInterrupt):
        ctrl_c()


def test_shield_holds_ctrl_c_back_until_the_books_are_closed() -> None:
    """What stands inside is done to its end, and only then is Ctrl-C raised; once."""
    shield = Shield()
    done = []

    def keep_books() -> None:
        with shield.held():
            ctrl_c()
            with shield.held():
                ctrl_c()
            done.append("books")

    with shield.up():
        with pytest.raises(KeyboardInterrupt):
            keep_books()
        assert done == ["books"]
        with shield.held():
            done.append("more books")
    assert done == ["books", "more books"]


def test_first_ctrl_c_stops_the_run_and_a_second_is_raised() -> None:
    """One that wants it to end gets the results; one that insists does not wait for them."""
    stops = []
    with stopping(lambda: stops.append("stop")) as state:
        ctrl_c()
        assert state.heard
        with pytest.raises(KeyboardInterrupt):
            ctrl_c()
    assert stops == ["stop"]


def test_worker_is_deaf_but_its_children_are_not() -> None:
    """Its handler does nothing; a program that a fixture starts dies of Ctrl-C as ever."""
    program = "import signal; print(signal.getsignal(signal.SIGINT) is signal.SIG_IGN)"
    with deaf():
        ctrl_c()
        child = subprocess.run(
            [sys.executable, "-c", program], check=True, capture_output=True, text=True
        )
    assert child.stdout == "False\n"


def test_handlers_are_put_back() -> None:
    """After each of them Ctrl-C is what it was before."""
    before = signal.getsignal(signal.SIGINT)
    with deaf(), stopping(lambda: None), Shield().up():
        assert signal.getsignal(signal.SIGINT) is not before
    assert signal.getsignal(signal.SIGINT) is before
