"""How long a test case pauses between pages when it is replayed as a test."""

from __future__ import annotations

import pytest

from pytest_loadtool.casefile import parse_duration
from pytest_loadtool.model.load import ThinkTime

_NAMED = {"recorded": ThinkTime(), "none": ThinkTime(scale=0.0)}


def think_time_of(config: pytest.Config) -> ThinkTime:
    """What ``--loadtool-think-time`` says.

    Raises:
        pytest.UsageError: it is neither "recorded" nor "none" nor a time.
    """
    text = config.getoption("loadtool_think_time", default=None) or "recorded"
    if text in _NAMED:
        return _NAMED[text]
    try:
        return ThinkTime(cap=parse_duration(text))
    except ValueError as error:
        raise pytest.UsageError(
            f"--loadtool-think-time: 'recorded', 'none' or a time: {error}"
        ) from None
