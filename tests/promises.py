"""The promises of ``docs/behaviour.md`` and the tests that keep them.

A pytest plugin, loaded by the conftest next to it: ``pytest tests --promises`` collects, prints a
line ``N: <count> tests`` for each promise, and fails when a promise that is built has no test.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pytest

__all__ = ["count", "lines", "read_promises", "unkept"]

BEHAVIOUR = Path(__file__).parent.parent / "docs" / "behaviour.md"

_PROMISE = re.compile(r"^- \*\*(\d+)\.\*\* (\*\(planned\)\* )?", re.MULTILINE)


def read_promises(text: str) -> dict[int, bool]:
    """Each promise's number, and whether it is built.

    Raises:
        ValueError: a number occurs twice.
    """
    promises: dict[int, bool] = {}
    for match in _PROMISE.finditer(text):
        number = int(match[1])
        if number in promises:
            raise ValueError(f"promise {number} stands there twice")
        promises[number] = match[2] is None
    return promises


def _numbers(item: pytest.Item) -> set[int]:
    return {number for mark in item.iter_markers("promise") for number in mark.args}


def count(items: Iterable[pytest.Item]) -> Counter[int]:
    """How many of the tests carry each number; a parametrized test counts for each of its cases."""
    return Counter(number for item in items for number in _numbers(item))


def unkept(promises: Mapping[int, bool], counts: Mapping[int, int]) -> list[int]:
    """The promises that are built and have no test."""
    return [number for number, built in promises.items() if built and not counts.get(number)]


def lines(promises: Mapping[int, bool], counts: Mapping[int, int]) -> Iterator[str]:
    """The report: a line for each promise, then the verdict."""
    missing = unkept(promises, counts)
    for number in sorted(promises):
        note = ": built, but nothing tests it" if number in missing else ""
        yield f"{number}: {counts.get(number, 0)} tests{note}"
    built = sum(promises.values())
    yield f"{built} of {len(promises)} promises are built, {built - len(missing)} of them tested"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--promises``."""
    parser.addoption(
        "--promises",
        action="store_true",
        help="print how many tests keep each promise of docs/behaviour.md, and run none of them",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Refuse what cannot be: under pytest-xdist this process collects nothing."""
    if config.getoption("promises") and config.getoption("numprocesses", None):
        raise pytest.UsageError("--promises only collects: leave -n out")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse a mark with a number that is no promise."""
    promises = read_promises(BEHAVIOUR.read_text())
    for item in items:
        for number in _numbers(item) - promises.keys():
            raise pytest.UsageError(f"{item.nodeid}: docs/behaviour.md has no promise {number!r}")


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Report instead of running, under ``--promises``."""
    if not session.config.getoption("promises") or session.testsfailed:
        return None  # what failed so far is the collection: there is nothing to count in half of it
    promises = read_promises(BEHAVIOUR.read_text())
    counts = count(session.items)
    terminal = session.config.pluginmanager.get_plugin("terminalreporter")
    assert terminal is not None
    terminal.ensure_newline()
    for line in lines(promises, counts):
        terminal.write_line(line)
    session.testsfailed += len(unkept(promises, counts))
    return True
