"""For which request a connection is being opened: whoever is told of the connection alone, such as
an observer of its tunnel, can say whose it is."""

from __future__ import annotations

from contextvars import ContextVar

from pytest_loadtool.replay.user.plan import Step

#: The step whose request the task at hand is to send. Set by each task that opens a tunnel.
ASKING: ContextVar[Step] = ContextVar("asking")
