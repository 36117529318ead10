"""Failures that are equal for many requests, and those that are our own fault."""

from __future__ import annotations

import traceback
from functools import lru_cache
from pathlib import PurePath

from pytest_loadtool.model.result import Failure
from pytest_loadtool.model.validator import StatusCodes

OUT_OF_MEMORY = Failure(
    "memory", "this process, which makes the load, has no memory left for the response"
)

_PACKAGE = "pytest_loadtool"


def internal_failure(error: Exception) -> Failure:
    """Return the failure of a request whose response this package could not judge: what was raised,
    and where. Its text is left out: it may hold what the server sent, which differs each time."""
    if isinstance(error, MemoryError):
        return OUT_OF_MEMORY
    places = [
        f"{'/'.join(parts[parts.index(_PACKAGE) :])}:{frame.lineno}"
        for frame in traceback.extract_tb(error.__traceback__)
        if _PACKAGE in (parts := PurePath(frame.filename).parts)
    ]
    return Failure(
        "internal",
        f"{type(error).__name__} in {places[-1] if places else 'a library'}: the response was not "
        "judged; this is a defect of pytest-loadtool, please report it with the response",
    )


def not_as_recorded(said: str) -> Failure:
    """Return the failure of an answer that differs from the recorded one, where that is to fail."""
    return Failure("answer", f"Not as recorded: {said}")


@lru_cache(maxsize=1024)
def status_failure(status: StatusCodes, code: int, remark: str = "") -> Failure:
    """Return the failure of a Status Code validator; the same object for the same failure."""
    return Failure("status", f"Status Code is {code}, expected {status}{remark}")
