"""A console without a terminal, and an application to record."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from example_suite.server import ShopServer
from pytest_loadtool.console.commands import COMMANDS
from pytest_loadtool.console.session import Console, Settings
from tests.console.listener import Listener


@pytest.fixture
def listener() -> Listener:
    """What the console says and asks."""
    return Listener()


@pytest.fixture
def session(tmp_path: Path, listener: Listener) -> Console:
    """A console in ``tmp_path``, opened for shop.case.toml."""
    settings = Settings(directory=tmp_path, browser="none")
    return Console(settings, listener, COMMANDS, tmp_path / "shop.case.toml")


@pytest.fixture(scope="package")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ShopServer]:
    """A running shop: a real Django application with forms, an API and the admin."""
    with ShopServer(tmp_path_factory.mktemp("shop")) as server:
        yield server
