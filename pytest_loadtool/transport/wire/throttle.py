"""When bytes get through a line of limited bandwidth. All times are in seconds, on one clock."""

from __future__ import annotations

from pytest_loadtool.model.bandwidth import Bandwidth


class Way:
    """One direction of a line: what is carried passes one after the other, without gaps."""

    __slots__ = ("_free", "rate")

    def __init__(self, rate: int) -> None:
        self.rate = rate
        """Bits per second."""
        self._free = 0.0  # when it will have carried all that it was given so far

    def carry(self, since: float, size: int) -> float:
        """When the last of ``size`` bytes will have passed that have been waiting ``since``.

        They begin as soon as all that was carried before has passed, but not before ``since``.
        """
        self._free = max(since, self._free) + size * 8 / self.rate
        return self._free


class Line:
    """A virtual user's line, shared by all its connections."""

    __slots__ = ("down", "latency", "up")

    def __init__(self, bandwidth: Bandwidth) -> None:
        self.down = Way(bandwidth.down)
        self.up = Way(bandwidth.up)
        self.latency = bandwidth.latency
