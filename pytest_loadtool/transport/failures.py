"""Failures that every transport reports in the same words."""

from __future__ import annotations

from pytest_loadtool.model.result import Failure

__all__ = [
    "CLOSED_EARLY",
    "CLOSED_MIDWAY",
    "NO_CONNECTION",
    "NO_END",
    "NO_RESPONSE",
    "SWITCHED",
    "not_http",
]

CLOSED_EARLY = Failure("reset", "connection closed by the server before a response came")
CLOSED_MIDWAY = Failure("reset", "connection closed by the server in the middle of a response")
NO_CONNECTION = Failure("timeout", "no connection in time")
NO_RESPONSE = Failure("timeout", "no response in time")
NO_END = Failure("timeout", "the response began, but was not complete in time")


def not_http(why: object) -> Failure:
    """What came is no HTTP response."""
    return Failure("protocol", f"not HTTP: {why}")


SWITCHED = not_http("the server switched protocols, which cannot be replayed")
