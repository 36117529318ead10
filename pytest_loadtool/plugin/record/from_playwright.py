"""The recording proxy for every browser context that pytest-playwright makes.

A plugin of its own, registered while tests are recorded and pytest-playwright is there: it adds to
its fixture as a conftest would.
"""

from __future__ import annotations

from typing import Any

import pytest

from pytest_loadtool.capture import RecordingProxy


@pytest.fixture(scope="session")
def browser_context_args(
    browser_context_args: dict[str, Any], loadtool_recorder: RecordingProxy
) -> dict[str, Any]:
    """Return what contexts are made with, and the proxy."""
    return browser_context_args | loadtool_recorder.playwright
