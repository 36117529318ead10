"""Heavy applications are left out unless asked for: ``pytest tests/applications -m heavy``."""

from __future__ import annotations

import pytest

#: Cases to replay against a server that a test starts, no tests by themselves.
collect_ignore = ["recordings"]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect them; a mark expression that knows them has decided already."""
    if "heavy" in config.option.markexpr:
        return
    heavy = [item for item in items if item.get_closest_marker("heavy")]
    if heavy:
        config.hook.pytest_deselected(items=heavy)
        items[:] = [item for item in items if item not in heavy]
