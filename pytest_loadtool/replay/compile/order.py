"""In what order the transactions of a page may go out, from how the recording overlapped them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_loadtool.model.case import Transaction


@dataclass(frozen=True, slots=True)
class SendOrder:
    """Step ``i`` may start once the first ``after[i]`` of ``finish_order`` have finished.

    ``after`` never decreases: steps start in their order.
    """

    finish_order: tuple[int, ...]
    after: tuple[int, ...]

    @property
    def overlapped(self) -> bool:
        """Return whether any step may start before all earlier ones have finished."""
        return any(count < i for i, count in enumerate(self.after))


def order_of(transactions: Sequence[Transaction], producers: Sequence[Sequence[int]]) -> SendOrder:
    """Return the order of a page's transactions.

    ``producers[i]`` are the positions of earlier transactions of this page that set a value which
    transaction ``i`` uses: it never starts before them. A page with a transaction that was not
    recorded (no times) goes one after the other.
    """
    count = len(transactions)
    recorded = [one.recorded for one in transactions]
    if any(one is None or not one.took for one in recorded):
        return SendOrder(tuple(range(count)), tuple(range(count)))
    starts = [one.at for one in recorded if one is not None]
    # To the millisecond, as both are written: their sum as such may be a little more.
    ends = [round(one.at + one.took, 3) for one in recorded if one is not None]
    finish_order = sorted(range(count), key=lambda i: (ends[i], i))
    rank = {position: i for i, position in enumerate(finish_order)}
    after: list[int] = []
    least = done = 0
    for i in range(count):
        # Starts are in order but for edits by hand, so this pointer only moves on.
        while done < count and ends[finish_order[done]] <= starts[i]:
            done += 1
        least = max(least, done, *(rank[j] + 1 for j in producers[i]))
        after.append(least)
    if not _startable(finish_order, after):  # edited by hand beyond what the times can say
        return SendOrder(tuple(range(count)), tuple(range(count)))
    return SendOrder(tuple(finish_order), tuple(after))


def _startable(finish_order: Sequence[int], after: Sequence[int]) -> bool:
    """Return whether no step waits for itself or a later one."""
    latest = -1
    latest_of_first = [-1]
    for position in finish_order:
        latest = max(latest, position)
        latest_of_first.append(latest)
    return all(latest_of_first[needed] < i for i, needed in enumerate(after))
