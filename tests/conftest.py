"""What all tests share: the promises they keep, and pytest's own tools for testing plugins."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Callable, Iterator
from importlib.metadata import entry_points

import pytest
from hypothesis import settings

pytest_plugins = ["pytester", "tests.promises", "tests.quick"]

#: Runs of pytest that tests start do without the plugins that are here for the tests themselves:
#: importing them takes as long as the rest of a short run.
WITHOUT_OTHERS = " ".join(
    f"-p no:{one.name}"
    for one in entry_points(group="pytest11")
    if one.name.partition(".")[0] not in ("loadtool", "xdist")
)

# A busy machine is no failure. --hypothesis-profile=thorough tries more, nightly as much as a night
# allows: with it, the mutations of tests/hostile are 100,000.
settings.register_profile("gate", deadline=None, max_examples=25)
settings.register_profile("quick", deadline=None, max_examples=8)
settings.register_profile("thorough", deadline=None, max_examples=500)
settings.register_profile("nightly", deadline=None, max_examples=17_000)
settings.load_profile("gate")


#: What would change what the programs that tests start write.
ELSEWHERE = ("CI", "BUILD_NUMBER", "COLUMNS", "LINES", "FORCE_COLOR", "NO_COLOR", "PY_COLORS")

#: A machine that reaches the network through a proxy does not reach its own servers so.
HERE = dict.fromkeys(("NO_PROXY", "no_proxy"), "localhost,127.0.0.1")


#: Whether a load test in this process has unfrozen all objects.
_thawed: list[bool] = []


def pytest_collection_finish() -> None:
    """Let the garbage collector leave alone what lives as long as the tests do: it takes a quarter
    of a second to look at all of that, and each load test has it look once."""
    gc.collect()
    gc.freeze()


def _unfreeze(unfreeze: Callable[[], None] = gc.unfreeze) -> None:
    _thawed.append(True)
    unfreeze()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown() -> None:
    """Freeze again what a load test has unfrozen, but for the garbage since."""
    if _thawed:
        _thawed.clear()
        gc.collect(1)
        gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def everywhere_the_same(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let the programs that tests start know nothing of this run, whose workers have begun, and
    little of the machine."""
    # So it is for what a shell runs in the background, and for all that this starts.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    with pytest.MonkeyPatch.context() as environment:
        environment.setattr(gc, "unfreeze", _unfreeze)
        for name in list(os.environ):
            if name in ELSEWHERE or name.startswith("PYTEST_XDIST_"):
                environment.delenv(name)
        state = {"XDG_STATE_HOME": str(tmp_path_factory.mktemp("state"))}
        for name, value in (HERE | state | {"PYTEST_ADDOPTS": WITHOUT_OTHERS}).items():
            environment.setenv(name, value)
        yield


@pytest.fixture
def pytester(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """pytest's own, with the options that it drops."""
    monkeypatch.setenv("PYTEST_ADDOPTS", WITHOUT_OTHERS)
    return pytester
