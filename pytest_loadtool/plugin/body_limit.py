"""How large a body may be that is kept when a test case is replayed as a test."""

from __future__ import annotations

import pytest

from pytest_loadtool.casefile.quantities import parse_size
from pytest_loadtool.model.load import BODY_LIMIT


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
