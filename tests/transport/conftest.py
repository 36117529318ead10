"""A real web server."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.nginx import Nginx
from tests.transport.texts import serving_texts


@pytest.fixture(scope="module")
def nginx(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nginx]:
    """nginx with two texts, at the ports ``plain`` and ``tls``."""
    with serving_texts(tmp_path_factory.mktemp("nginx")) as running:
        yield running
