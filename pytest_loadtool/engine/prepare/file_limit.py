"""The limit on open files, checked before the start: each connection is one."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from pytest_loadtool.errors import LoadToolError
from pytest_loadtool.replay.user.plan import Origin, Plan
from pytest_loadtool.replay.user.user import CONNECTIONS_PER_HOST

#: Open files beside the connections: those that are open when the run starts (where they cannot be
#: counted), and what it will open itself: event loop, name resolution, reports.
_OTHERS = 100

#: One connection more for so many: a connection that is closed counts until the event loop's next
#: turn, and its successor may be open by then.
_CLOSING = 10


def connections_of(plan: Plan) -> int:
    """The most connections that one virtual user of ``plan`` has open at a time.

    A page whose requests overlap uses up to `CONNECTIONS_PER_HOST` of them for each origin, any
    other page one; they stay open from page to page.
    """
    most: Counter[Origin] = Counter()
    for page in plan.pages:
        bound = CONNECTIONS_PER_HOST if page.overlapped else 1
        for origin, steps in Counter(step.origin for step in page.steps).items():
            most[origin] = max(most[origin], min(bound, steps))
    return most.total()


def ensure_open_files(connections: int) -> None:
    """See to it that this process can have so many connections, by raising its soft limit.

    Raises:
        LoadToolError: the hard limit does not allow it.
    """
    try:
        import resource
    except ImportError:  # Windows: sockets are no files there
        return
    need = connections + connections // _CLOSING + _open_now() + _OTHERS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if _suffices(soft, need, resource.RLIM_INFINITY):
        return
    if not _suffices(hard, need, resource.RLIM_INFINITY):
        raise LoadToolError(
            f"the load needs up to {connections:,} connections at a time in one process, "
            f"{need:,} open files with all else, and the limit is {hard:,}: raise it "
            f"('ulimit -n {need}', as an administrator), spread the users over more workers "
            "(-n; each has a limit of its own), or take fewer users"
        )
    resource.setrlimit(resource.RLIMIT_NOFILE, (need, hard))


def _suffices(limit: int, need: int, infinity: int) -> bool:
    return limit == infinity or limit >= need


def _open_now() -> int:
    """How many files this process has open, 0 where nobody tells."""
    for folder in ("/proc/self/fd", "/dev/fd"):
        try:
            return sum(1 for _ in Path(folder).iterdir())
        except OSError:
            continue
    return 0
