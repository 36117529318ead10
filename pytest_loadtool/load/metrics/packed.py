"""What transactions did in a part of a run, as it travels: reports add up unseen.

The sums of a transaction are numbers of 64 bits, and those of all transactions one after the other
are one integer: so one addition adds up all of two reports, and a thousand reports are taken apart
once. Numbers are little-endian, as they are in almost all machines.
"""

from __future__ import annotations

import sys
from array import array
from typing import Any, Final

from pytest_loadtool.load.metrics.slices import SUMS, TIME_CODES, Slices, TimeColumns

_SWAPPED: Final = sys.byteorder == "big"


class PackedSlices(TimeColumns):
    """`Slices` of which ``sums`` is one integer, and ``statuses`` one for each status: how many
    requests of each transaction had it. ``others`` are those of `Slices`."""

    __slots__ = ("errors", "length", "others", "requests", "second", "statuses", "sums")

    def __init__(self, second: int, length: int = 1) -> None:
        super().__init__()
        self.second = second
        self.length = length
        self.requests = self.errors = self.sums = 0
        self.statuses: dict[int, int] = {}
        self.others: list[list[Any]] = []

    def extend(self, other: PackedSlices) -> None:
        """Add another's, of the same time."""
        self.extend_times(other)
        self.requests += other.requests
        self.errors += other.errors
        self.sums += other.sums
        for status, counts in other.statuses.items():
            self.statuses[status] = self.statuses.get(status, 0) + counts
        self.others += other.others

    def unpacked(self) -> Slices:
        """Return the same in columns, each transaction once."""
        found = Slices(self.second, self.length)
        for status, packed in sorted(self.statuses.items()):
            for index, count in enumerate(_numbers(packed)):
                if count:
                    for column, value in zip(found.counts, (index, status, count), strict=True):
                        column.append(value)
        sums, had = _numbers(self.sums), set(found.counts[0])
        width = len(SUMS)
        sums.extend([0] * (width * (1 + max(had, default=-1)) - len(sums)))
        for index in range(-(-len(sums) // width)):
            row = sums[width * index : width * (index + 1)]
            if index in had or any(row):
                for column, value in zip(found.sums, (index, *row), strict=False):
                    column.append(value)
        found.columns, found.spans, found.others = self.columns, self.spans, self.others
        found.sort()
        return found

    @classmethod
    def of_bytes(cls, head: list[Any], content: memoryview) -> tuple[PackedSlices, int]:
        """Return the slices that `to_bytes` described, and how many bytes of ``content`` they
        took."""
        second, length, requests, errors, sums, statuses, spans, others, *sizes = head
        self = cls(second, length)
        self.requests, self.errors, self.others, self.spans = requests, errors, others, spans
        self.sums, end = int.from_bytes(content[:sums], "little"), sums
        for status, size in statuses:
            begin, end = end, end + size
            self.statuses[status] = int.from_bytes(content[begin:end], "little")
        for column, size in zip(self.columns, sizes, strict=True):
            begin, end = end, end + size * column.itemsize
            column.frombytes(content[begin:end])
            if _SWAPPED:
                column.byteswap()
        return self, end


def to_bytes(slices: Slices) -> tuple[list[Any], bytes]:
    """Return what `PackedSlices.of_bytes` takes: a head of builtin types, and all numbers."""
    width, size = len(SUMS), 1 + max(slices.sums[0], default=-1)
    sums = array("Q", bytes(8 * width * size))
    indices, *columns = slices.sums
    for place, column in enumerate(columns):
        each = [0] * size
        for index, value in zip(indices, column, strict=True):
            each[index] += value
        sums[place::width] = array("Q", each)
    statuses: dict[int, array[int]] = {}
    for index, status, count in slices.statuses():
        counts = statuses.get(status)
        if counts is None:
            counts = statuses[status] = array("Q")
        counts.extend([0] * (1 + index - len(counts)))
        counts[index] += count
    numbers = [sums, *statuses.values()]
    times = [array(code, one) for code, one in zip(TIME_CODES, slices.columns, strict=True)]
    head = [slices.second, slices.length, slices.requests, slices.errors, 8 * len(sums)]
    sizes = [[status, 8 * len(counts)] for status, counts in statuses.items()]
    return (
        [*head, sizes, slices.spans, slices.others, *map(len, times)],
        b"".join([_little(one) for one in (*numbers, *times)]),
    )


def _numbers(packed: int) -> array[int]:
    """Return the numbers of 64 bits that are one integer."""
    size = -(-packed.bit_length() // 64)
    numbers = array("Q", packed.to_bytes(8 * size, "little"))
    if _SWAPPED:
        numbers.byteswap()
    return numbers


def _little(numbers: array[int]) -> bytes:
    if _SWAPPED:
        numbers.byteswap()
    return numbers.tobytes()
