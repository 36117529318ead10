"""A replay under way: where it is, what has gone, what variables hold, what goes out next."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType

from pytest_loadtool.codec.printable import on_one_line, printable
from pytest_loadtool.console.screens.cells import beside, columns_of, filled, padded, wrapped
from pytest_loadtool.console.screens.keys import ScreenKey
from pytest_loadtool.console.views.line import ViewLine
from pytest_loadtool.console.views.replay import doing, where
from pytest_loadtool.masking.text import BY_NAME, Mask
from pytest_loadtool.replay import Plan
from pytest_loadtool.replay.control import Control, ReplayMoment

#: Of the rows, what the next request gets at most.
_NEXT = 8
_NAME, _WHERE = "Variables", "Where Set"

KEYS = (
    ScreenKey(("space",), "pause the replay, or go on", "pause", move="pause or go on"),
    ScreenKey(("enter",), "skip the think time; held: do one transaction", "skip", move="skip"),
    ScreenKey(("f10",), "do one transaction, and hold again", "step", move="step"),
    ScreenKey(("f8", "c"), "go on, up to the next breakpoint", "go on", move="go on"),
    ScreenKey(("e",), "edit the request that is held", "edit", move="edit"),
    ScreenKey(("x",), "end the replay, as q does", "stop", move="stop"),
    ScreenKey(("escape",), "close this help", move="close help"),
)


def _pause(control: Control) -> None:
    (control.go_on if control.moment.state == "held" else control.pause)()


def _skip(control: Control) -> None:
    (control.step if control.moment.state == "held" else control.skip)()


WISHES: Mapping[str, Callable[[Control], None]] = MappingProxyType(
    {
        "pause or go on": _pause,
        "skip": _skip,
        "step": Control.step,
        "go on": Control.go_on,
        "stop": Control.stop,
    }
)
"""What keys ask of the replay."""


def drawn(
    moment: ReplayMoment,
    plan: Plan,
    said: Sequence[str],
    columns: int,
    rows: int,
    *,
    now: float,
    started: float,
    mask: Mask = BY_NAME,
) -> list[ViewLine]:
    """Return a replay as a block; ``said`` is what was told of its transactions until now."""
    state = doing(moment, now)
    head = ViewLine((f" {where(moment, plan, now - started, columns - 1)}", ""))
    second = ViewLine((f" {state}", "found" if moment.state == "held" else "heading"))
    next_ = list(_next(moment, columns, mask))[:_NEXT]
    height = max(rows - 2 - len(next_), 0)
    left = columns * 55 // 100
    last = said[len(said) - height :] if len(said) > height else said
    told = [piece for line in last for piece in wrapped(line, left - 1)][-height:]
    right = filled(_variables(moment, columns - left - 1, mask), columns - left - 1, height)
    middle = list(beside(filled(told, left, height), right, left)) if height else []
    return filled((head, second, *middle, *next_), columns, rows)


def _variables(moment: ReplayMoment, columns: int, mask: Mask) -> Iterator[ViewLine]:
    """Yield the Variables tab: each with the transaction that set it, and its value; what is not
    set yet has the value of the recording."""
    names = list(moment.values)
    width = min(max((columns_of(one) for one in names), default=0), columns * 2 // 5)
    width = max(width, len(_NAME))
    yield ViewLine(
        (f" {padded(_NAME, width)}  ", "heading"), (f"{_WHERE}  ", "dim"), ("now", "dim")
    )
    for name in names:
        step = moment.set_by.get(name)
        set_ = f"{step.index + 1}" if step is not None else "row" if "." in name else "recorded"
        value = on_one_line(mask.value(name, moment.values[name]))
        yield ViewLine(
            (f" {padded(name, width)}  ", "name"),
            (f"{set_:<{len(_WHERE)}}  ", "number" if step is not None else "dim"),
            (value, "" if step is not None or "." in name else "dim"),
        )


def _next(moment: ReplayMoment, columns: int, mask: Mask) -> Iterator[ViewLine]:
    """Yield the request that goes out next, if the replay is held before it."""
    if moment.next is None or not moment.request:
        return
    head, _, body = moment.request.partition(b"\r\n\r\n")
    first = head.partition(b"\r\n")[0].decode("latin-1")
    yield ViewLine((f"── next: {moment.next.index + 1} ", "heading"), ("─" * columns, "dim"))
    text = mask.text(first)
    yield from wrapped(ViewLine((f" {on_one_line(text)}", "name")), columns)
    if body:
        shown = mask.text(body.decode("utf-8", "replace"))
        yield from wrapped(ViewLine((f" {on_one_line(printable(shown))}", "")), columns)
