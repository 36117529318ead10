"""The hooks that a conftest.py or a plugin may implement, to take part in replays.

Where nobody does, nothing is called. All but the last are called on the event loop of all users of
the process, so what takes long there has all of them wait.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_loadtool.replay.hook_arguments import HookRequest, HookResponse, HookUser


def pytest_loadtool_request(request: HookRequest, user: HookUser) -> None:
    """Called before a request is sent, with all that will be sent: its headers, target and body may
    be changed, the user's variables be read and set."""


def pytest_loadtool_response(response: HookResponse, request: HookRequest, user: HookUser) -> None:
    """Called when a response has come, before extractors and validators look at it. What is raised
    fails the transaction."""


def pytest_loadtool_iteration_start(user: HookUser) -> None:
    """Called when an iteration begins, before its first request is made."""


def pytest_loadtool_iteration_end(user: HookUser, failed: bool) -> None:
    """Called when an iteration has ended; ``failed`` says whether a transaction of it has."""


def pytest_loadtool_summary(summary: dict[str, Any]) -> None:
    """Called for each load test of a session when its results are ready: what ``--load-json`` has
    of a run. What is raised fails the session."""
