"""A web application to replay against."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

# Imported here once, or each of pytester's runs in this process would import them anew.
from tests.plugin.serving import Server, serving


@pytest.fixture
def server() -> Iterator[Server]:
    """A running server of its own for the test."""
    with serving() as running:
        yield running
