"""A real application, and sessions recorded from it."""

from __future__ import annotations

import contextlib
import itertools
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pytest_loadtool.model.exchange import Exchange
from tests.correlation import sessions
from tests.correlation.client import Client

Serve = Callable[[int], contextlib.AbstractContextManager[str]]


@contextlib.contextmanager
def _serving(database: Path, first_id: int) -> Iterator[str]:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.correlation.real_app", str(database), str(first_id)],
        cwd=Path(__file__).parent.parent.parent,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:  # closes its standard input, which ends it
        assert process.stdout is not None
        yield process.stdout.readline().strip()


@pytest.fixture(scope="session")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Serve:
    """Starts the application with a new database and new secrets; ids start at the given number."""
    directory = tmp_path_factory.mktemp("real_app")
    number = itertools.count()
    return lambda first_id: _serving(directory / f"{next(number)}.sqlite3", first_id)


@pytest.fixture(scope="session")
def recorded(serve: Serve) -> dict[str, tuple[Exchange, ...]]:
    """The exchanges of each session of `sessions`, by its name."""
    result: dict[str, tuple[Exchange, ...]] = {}
    with serve(41) as url:
        for name, session in sessions.SESSIONS.items():
            client = Client(url)
            session(client)
            result[name] = tuple(client.exchanges)
            client.close()
    return result
