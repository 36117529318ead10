"""Options that are times and sizes, when a test case is replayed as a test: how long it pauses
between pages, how long a request may take, and how large a body may be that is kept."""

from __future__ import annotations

import pytest

from pytest_loadtool.casefile import parse_duration
from pytest_loadtool.casefile.quantities import parse_size
from pytest_loadtool.model.load import BODY_LIMIT, ThinkTime

_NAMED = {"recorded": ThinkTime(), "none": ThinkTime(scale=0.0)}


def think_time_of(config: pytest.Config) -> ThinkTime:
    """Return what ``--loadtool-think-time`` says.

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


def timeout_of(config: pytest.Config) -> float | None:
    """Return what ``--loadtool-timeout`` says, in seconds; None: nothing.

    Raises:
        pytest.UsageError: it is no time.
    """
    text = config.getoption("loadtool_timeout", default=None)
    if not text:
        return None
    try:
        found = parse_duration(text)
    except ValueError as error:
        raise pytest.UsageError(f"--loadtool-timeout: {error}") from None
    if not found:
        raise pytest.UsageError("--loadtool-timeout: a time above 0, such as 60s")
    return found


def body_limit_of(config: pytest.Config) -> int:
    """Return what ``loadtool_body_limit`` says, in bytes.

    Raises:
        pytest.UsageError: it is no size.
    """
    text = config.getini("loadtool_body_limit")
    try:
        return parse_size(text) if text else BODY_LIMIT
    except ValueError as error:
        raise pytest.UsageError(f"loadtool_body_limit: {error}") from None
