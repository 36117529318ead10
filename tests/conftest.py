"""What all tests share: the promises they keep, and pytest's own tools for testing plugins."""

from __future__ import annotations

pytest_plugins = ["pytester", "tests.promises"]
