"""A replay under way: how far it is, and what can be done with it."""

from __future__ import annotations

from pytest_loadtool.codec.printable import clip
from pytest_loadtool.replay import Plan
from pytest_loadtool.replay.control import ReplayMoment
from pytest_loadtool.workflow.telling import counted

#: What the keys do, by whether there is a think time and whether it is held.
_KEYS = {
    (False, False): "Space pauses  q stops",
    (True, False): "Enter skips the think time  Space pauses  q stops",
    (False, True): "Enter sends it  e edits it  c goes on  q stops",
    (True, True): "Enter skips it and sends the next  c goes on  q stops",
}

#: Columns that a page's name may take.
_NAME = 20


def status(
    moment: ReplayMoment, plan: Plan, *, now: float, started: float, width: int
) -> list[str]:
    """Return two lines: where a replay is, and what the keys do. Times are those of the replay's
    clock; the name of the page is cut where the terminal is narrow."""
    line = where(moment, plan, now - started, width, doing(moment, now))
    thinks, held = bool(moment.thinking), moment.state == "held"
    return [line, _KEYS[thinks, held][: width - 1]]


def summary(moment: ReplayMoment, total: int) -> str:
    """Return how many transactions passed, of a replay that ended before its end."""
    failed = f", {moment.failed} failed" if moment.failed else ""
    passed = moment.done - moment.failed
    return f"{passed} of {counted(total, 'transaction')} passed{failed}"


def where(moment: ReplayMoment, plan: Plan, elapsed: float, width: int, doing: str = "") -> str:
    """Return the page that a replay is on, and how far it has come, in so many columns."""
    for name in (_NAME * 2, _NAME, 10, 0):
        line = _line(moment, plan, doing, elapsed, name)
        if len(line) <= width:
            break
    return line[: width - 1]


def _line(moment: ReplayMoment, plan: Plan, doing: str, elapsed: float, name: int) -> str:
    page = moment.page
    where = [f"page {0 if page is None else page.index + 1} of {len(plan.pages)}"]
    if page is not None and name:
        where.append(clip(page.name, name))
    done = f"{moment.done} of {len(plan.steps)}"
    minutes, seconds = divmod(int(elapsed), 60)
    parts = [*where, done, f"errors {moment.failed}", doing, f"elapsed {minutes}:{seconds:02}"]
    return "  ".join(part for part in parts if part)


def doing(moment: ReplayMoment, now: float) -> str:
    """Return what a replay is doing, if it is not replaying: it thinks, or is held."""
    if moment.thinking:
        spent = moment.thinking - moment.left(now)
        held = " (paused)" if moment.state == "held" else ""
        return f"thinking {spent:.1f} of {moment.thinking:.1f} s{held}"
    if moment.next is not None:
        return f"held before {moment.next.index + 1} ({moment.why})"
    return ""
