"""The quick stage: ``pytest --quick`` runs tests that start no process and take no time.

A pytest plugin, loaded by the conftest next to it. What takes time is marked `slow`. What starts a
process nobody writes down: it is a test that names `subprocess`, or a function, a class or a
fixture of these tests that does. Where the package starts a process it is refused, and the test
that fails of that is skipped.
"""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterator
from functools import cache, partial
from types import CodeType, FunctionType, ModuleType
from typing import Any

import pytest
from hypothesis import settings

__all__ = ["starts_processes"]

#: Modules of which a test that names one is slow, and functions of others: of a browser, too.
_MODULES = frozenset({"subprocess", "multiprocessing", "pytest_benchmark"})
_CALLS = frozenset(
    {"create_subprocess_exec", "create_subprocess_shell", "sync_playwright", "find_browser"}
)
#: Fixtures of others that start processes, and marks of tests that take their time.
_FIXTURES = frozenset({"pytester"})
_MARKS = ("alone", "heavy", "slow")
#: What Python tells audit hooks of new processes.
_EVENTS = frozenset({"subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.exec"})


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--quick``."""
    parser.addoption("--quick", action="store_true", help="only tests that start no process")


def pytest_configure(config: pytest.Config) -> None:
    """Make up fewer examples. What a refused process leaves open is no defect; the whole run sees
    those that are."""
    if config.getoption("--quick"):
        if not config.getoption("--hypothesis-profile"):
            settings.load_profile("quick")
        for warning in ("ResourceWarning", "pytest.PytestUnraisableExceptionWarning"):
            config.addinivalue_line("filterwarnings", f"ignore::{warning}")


def pytest_collection_finish(session: pytest.Session) -> None:
    """Refuse processes, but to pytest-xdist, which starts its own and then collects nothing."""
    if session.config.getoption("--quick") and session.items:
        sys.addaudithook(_refuse)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is not quick."""
    if not config.getoption("--quick"):
        return
    slow = [one for one in items if _is_slow(one)]
    config.hook.pytest_deselected(items=slow)
    gone = set(slow)
    items[:] = [one for one in items if one not in gone]


class RefusedError(PermissionError):
    """A test of the quick stage has started a process."""


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    if event in _EVENTS:
        _refused.append(str(arguments[:1]))
        raise RefusedError(f"the quick stage starts no process: {event}{arguments[:1]}")


#: What the running test was refused.
_refused: list[str] = []


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Skip what has failed of a refusal, be it that of a fixture for many tests."""
    report = yield
    if report.failed and (_refused or _of_refusal(call.excinfo)):
        report.outcome = "skipped"
        report.longrepr = (str(item.path), item.location[1] or 0, "Skipped: it starts a process")
    if call.when == "teardown":
        _refused.clear()
    return report


def _of_refusal(found: pytest.ExceptionInfo[BaseException] | None) -> bool:
    error = found.value if found else None
    while error is not None and not isinstance(error, RefusedError):
        error = error.__cause__ or error.__context__
    return error is not None


def _is_slow(item: pytest.Item) -> bool:
    if any(item.get_closest_marker(one) for one in _MARKS):
        return True
    assert isinstance(item, pytest.Function)
    if _FIXTURES.intersection(item.fixturenames):
        return True
    found = item._fixtureinfo.name2fixturedefs
    fixtures = (one.func for name in item.fixturenames for one in found.get(name, ()))
    return any(map(starts_processes, (item.function, *fixtures)))


#: What names nothing that starts a process, by its identity: most tests name the same helpers.
_harmless: dict[int, Any] = {}


def starts_processes(thing: Any) -> bool:
    """Whether a function or a class names what starts a process, itself or through others here."""
    seen: dict[int, Any] = {}
    left = [thing]
    while left:
        one = left.pop()
        if id(one) in seen or id(one) in _harmless:
            continue
        seen[id(one)] = one
        for named in _named(one):
            if named is True:
                return True
            left.append(named)
    _harmless.update(seen)
    return False


def _named(thing: Any) -> Iterator[Any]:
    """What a thing of these tests names or holds; True for what starts a process."""
    thing = getattr(thing, "__wrapped__", thing)
    if isinstance(thing, ModuleType):
        if thing.__name__.partition(".")[0] in _MODULES:
            yield True
    elif isinstance(thing, dict):
        yield from thing.values()
    elif isinstance(thing, list | tuple | set | frozenset):
        yield from thing
    elif isinstance(thing, partial):
        yield thing.func
    elif isinstance(thing, property):
        yield thing.fget
    elif isinstance(thing, staticmethod | classmethod):
        yield thing.__func__
    elif not str(getattr(thing, "__module__", "")).startswith(("tests.", "example_suite.")):
        return
    elif isinstance(thing, FunctionType):
        names = _names(thing.__code__)
        yield from (True for _ in _CALLS & names)
        used = [thing.__globals__[one] for one in names if one in thing.__globals__]
        yield from used
        yield from (vars(one).get(n) for one in used if _is_ours(one) for n in names)
        yield from (cell.cell_contents for cell in thing.__closure__ or () if _filled(cell))
    elif isinstance(thing, type):
        yield from (one for kind in thing.__mro__ for one in vars(kind).values())
    else:
        yield type(thing)
        yield getattr(thing, "__dict__", {})


def _is_ours(thing: Any) -> bool:
    return isinstance(thing, ModuleType) and thing.__name__.startswith("tests.")


def _filled(cell: Any) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False


@cache
def _names(code: CodeType) -> frozenset[str]:
    inner = (one for one in code.co_consts if isinstance(one, CodeType))
    return frozenset(code.co_names).union(*map(_names, inner))
