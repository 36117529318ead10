"""The shop for every test case of this directory (``server_fixture = "shop"``)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from example_suite.server import ShopServer


@pytest.fixture(scope="session")
def shop_server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ShopServer]:
    """A fresh shop; under pytest-xdist one for all workers, so that they load the same server."""
    base = tmp_path_factory.getbasetemp()
    if hasattr(request.config, "workerinput"):
        base = base.parent
    with ShopServer(base / "shop") as server:
        yield server


@pytest.fixture(scope="session")
def shop(shop_server: ShopServer) -> str:
    """The base URL of the shop."""
    return shop_server.url
