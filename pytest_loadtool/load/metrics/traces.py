"""Which trace to look for where a request was slow: of each transaction the slowest one's."""

from __future__ import annotations

#: What the id of a trace follows in a request as sent, and how long that id is (W3C Trace Context).
_BEFORE, _LENGTH = b"\r\ntraceparent: 00-", 32


class SlowestTraces:
    """The response time of each transaction's slowest request, in microseconds, and the id of its
    trace. Merged in any order the result is the same."""

    __slots__ = ("_slowest",)

    def __init__(self) -> None:
        self._slowest: dict[int, tuple[int, str]] = {}

    def record(self, index: int, response_us: int, request: bytes) -> None:
        """Take note of a request of the transaction at ``index``, if there is no slower one."""
        known = self._slowest.get(index)
        if known is None or response_us > known[0]:
            start = request.find(_BEFORE) + len(_BEFORE)
            trace = request[start : start + _LENGTH].decode("latin-1")
            self._slowest[index] = response_us, trace

    def trace(self, index: int) -> str:
        """Return the id for a transaction; empty if its requests had none."""
        return self._slowest.get(index, (0, ""))[1]

    def merge(self, other: SlowestTraces) -> None:
        """Add another worker's."""
        self.merge_wire(other.to_wire())

    def to_wire(self, known: SlowestTraces | None = None) -> list[tuple[int, int, str]]:
        """Return ``[(transaction, microseconds, trace), …]``; with ``known``, which is this one as
        it was before: those that are others since."""
        before = known._slowest if known is not None else {}
        return [(index, *one) for index, one in self._slowest.items() if before.get(index) != one]

    def merge_wire(self, wire: list[tuple[int, int, str]]) -> None:
        """Add what `to_wire` described."""
        for index, response_us, trace in wire:
            self._slowest[index] = max((response_us, trace), self._slowest.get(index, (0, "")))
