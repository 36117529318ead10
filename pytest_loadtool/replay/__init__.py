"""One virtual user: compile, bind, extract, validate. It yields what to do and does no I/O.

`compile_case` turns a test case, once per process, into an immutable `Plan` that all virtual users
share. A `VirtualUser` runs an iteration as a generator over the plan: it yields what to send or how
long to wait, and is sent each response. A driver (room ``transport``) feeds it.
"""

from pytest_loadtool.replay.compile.case import compile_case
from pytest_loadtool.replay.user.exchange import Response, Send, Step
from pytest_loadtool.replay.user.origin import Origin
from pytest_loadtool.replay.user.plan import Observer, Over, PagePlan, Plan, Wait
from pytest_loadtool.replay.user.user import VirtualUser

__all__ = [
    "Observer",
    "Origin",
    "Over",
    "PagePlan",
    "Plan",
    "Response",
    "Send",
    "Step",
    "VirtualUser",
    "Wait",
    "compile_case",
]
