"""What it costs to add up the reports of many workers, in memory and processor time.

    python -m tests.benchmarks.merging [--workers 1000] [--transactions 700] [--rate 100000]
                                       [--seconds 60] [--page FILE]

Workers that never ran report to a run as real ones do: each second their users and rates, and each
as many seconds as many workers need one report with all that was measured. Prints the processor
time of whoever leads for each second of the run, its memory, and what the page of the run takes.
"""

from __future__ import annotations

import argparse
import gc
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

from pytest_loadtool.engine import run as runs
from pytest_loadtool.load import PageKey, Progress, Share, TransactionKey
from pytest_loadtool.load.metrics import reports
from pytest_loadtool.load.metrics.measures import TransactionMetrics
from pytest_loadtool.load.metrics.metrics import LoadMetrics
from pytest_loadtool.load.metrics.packed import to_bytes
from pytest_loadtool.load.metrics.slices import Slices
from pytest_loadtool.model.load import CaseShare, LoadConfiguration
from pytest_loadtool.report.html.load import load_page, run_data

#: How long a request's time is in the middle, in microseconds, and how much longer it is by the
#: number of its transaction: from 8 to 88 ms.
_TYPICAL, _EACH = 8_000, 400
#: Users of each worker; what they were late for in a second, and how many connections they opened.
_USERS, _LATE, _OPENED = 1000, 50, 3

#: The least and the most of all times, as all reports have them.
_EXTENT = [1024, 60_000_000]


class Clock:
    """The processor time of whoever leads: what is called with it is all that counts."""

    def __init__(self) -> None:
        self.used = 0.0

    def time(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """Call, and count what it takes."""
        began = time.process_time()
        try:
            return work(*arguments)
        finally:
            self.used += time.process_time() - began


class Nobody:
    """Workers who are told, and do nothing."""

    def send(self, worker: str, kind: str, *fields: Any) -> None:
        """Tell."""

    def end(self, worker: str) -> None:
        """End one."""
        raise AssertionError(f"{worker} was silent")


def times_wire(values: list[int]) -> list[Any]:
    """What `Histogram.to_wire` makes of these, which are 1,024 or more."""
    pages: dict[int, dict[int, int]] = {}
    for value in values:
        shift = value.bit_length() - 11
        page = pages.setdefault(shift, {})
        bucket = value >> shift & 1023
        page[bucket] = page.get(bucket, 0) + 1
    rows = [[shift, list(page), list(page.values())] for shift, page in sorted(pages.items())]
    return [sum(values), min(values), max(values), *rows]


def known_extents() -> TransactionMetrics:
    """What a worker has reported long before: its shortest and longest times."""
    known = TransactionMetrics()
    for times in (known.first_byte, known.service, known.response):
        times.extend(*_EXTENT)
    return known


def measured(random: Random, part: Slices, requests: int, transactions: int) -> Iterator[int]:
    """Add that many requests, spread evenly; yield their response times. New extremes become
    rare, as they do."""
    each = requests / transactions
    known, nothing = known_extents(), TransactionMetrics()
    # How likely one more time is the least or the most of those that a worker has had.
    new = 2 / (1 + each * part.second / part.length)
    for index in range(transactions):
        count = int(each) + (random.random() < each % 1)
        if not count:
            continue
        typical = _TYPICAL + _EACH * (index % 200)
        values = [max(1024, int(random.lognormvariate(0, 0.6) * typical)) for _ in range(count)]
        errors = int(index % 50 == 7 and random.random() < 0.2)
        kinds = [[max(1024, value * 8 // 10) for value in values], values]
        times = [times_wire(one) for one in (*kinds, [value + 30 for value in values])]
        for one in times:
            one[1:3] = _EXTENT
        wire = [[[200], [count]], errors, [4000 * count, 600 * count], [0], *times]
        part.add_transaction(index, wire, nothing if random.random() < new else known)
        yield from (value + 30 for value in values)


def report(random: Random, like: bytes, part: Slices, rate: float, transactions: int) -> bytes:
    """A worker's report of a part of the run, ``like`` one in which nothing was measured."""
    response = list(measured(random, part, round(rate * part.length), transactions))
    late = times_wire(
        [int(1100 / (1 - random.random()) ** 0.4) for _ in range(_LATE * part.length)]
    )
    packed, content = to_bytes(part)
    seconds = range(part.second, part.second + part.length)
    longest = max(response, default=0)
    beat = [_USERS * part.length, longest, _OPENED, 400_000, late, {"status": part.errors}, []]
    head, names, _ = like.split(b"\n", 2)
    told = json.loads(head) | {
        "slices": [packed],
        "beats": [[part.second, part.length, *beat]],
        "elapsed_us": 1_000_000 * (seconds[-1] + 1),
        "second": seconds[-1],
        "lateness": late,
    }
    return json.dumps(told, separators=(",", ":")).encode() + b"\n" + names + b"\n" + content


def resident() -> float:
    """MB of this process that are in memory."""
    gc.collect()
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


def keys_of(transactions: int) -> LoadMetrics:
    """Nothing measured, of so many transactions."""
    names = [f"POST /api/v2/orders/{number}/items" for number in range(transactions)]
    pages = [PageKey("Shop", f"Page {number}") for number in range(max(1, transactions // 20))]
    keys = [
        TransactionKey("Shop", pages[n % len(pages)].name, name) for n, name in enumerate(names)
    ]
    return LoadMetrics(keys, pages, ["Shop"])


def led(plan: LoadConfiguration, workers: list[str], clock: Clock) -> runs.LoadRun:
    """A run whose workers are told to start."""
    run = runs.LoadRun(Nobody(), workers, silence=1e9)
    shown: list[Progress] = []
    run.introduce(plan, show=lambda progress: shown.__setitem__(slice(None), [progress]))
    for worker in workers:
        clock.time(run.hear, worker, "ready")
    clock.time(run.hear, workers[0], "prepared", ("http://shop",))
    for worker in workers:
        clock.time(run.hear, worker, "armed", 1)
    assert run.running
    return run


def main() -> None:
    """Merge, and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--transactions", type=int, default=700)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--workers", type=int, default=1000)
    parser.add_argument("--rate", type=float, default=100_000, help="requests/s of all together")
    parser.add_argument("--page", type=Path)
    options = parser.parse_args()
    random, many, count = Random(1), options.transactions, options.workers
    length, rate = Share(0, count).report_length, options.rate / count
    seconds = -(-options.seconds // length) * length
    reporter = reports.Reporter(keys_of(many), length=length)
    first, later = (b"".join(reporter.report()) for _ in range(2))
    plan = LoadConfiguration(
        "many", (CaseShare("shop.case.toml"),), _USERS * count, float(seconds), 60.0
    )
    workers, clock = [f"worker {number}" for number in range(count)], Clock()
    before = resident()
    run = led(plan, workers, clock)
    print(f"all are told to start: {clock.used:.2f} s of processor time")
    clock.used = largest = size = 0
    for second in range(seconds):
        was = clock.used
        for number, worker in enumerate(workers):
            # Views are two a second of the run, however long this program takes for one.
            run._next_view = 0.0 if number in (0, count // 2) else float("inf")
            if (second + 1) % length != number % length:
                clock.time(run.hear, worker, "alive", (_USERS, round(rate), 0))
                continue
            like = first if second < length else later
            part = Slices(second // length * length, length)
            told = report(random, like, part, rate, many)
            size += len(told)
            clock.time(run.hear, worker, "snapshot", told)
        largest = max(largest, clock.used - was)
    merging, memory = clock.used / seconds, resident() - before
    for worker in workers:
        run.hear(worker, "final")
    began = time.process_time()
    summary = run.summary()
    assert summary is not None
    summarised = time.process_time()
    page = load_page([run_data(summary)])
    done = time.process_time()
    print(
        f"{count:,} workers, {many} transactions, {seconds} s, a report each {length} s of "
        f"{size / seconds / count * length / 1000:.1f} kB: {summary.totals.requests:,} requests"
    )
    print(
        f"merging: {merging * 1000:.0f} ms of processor time a second ({largest * 1000:.0f} in the "
        f"longest), {merging / options.rate * 1e6:.2f} us a request"
    )
    print(f"memory: {memory:.0f} MB more than {before:.0f}")
    print(f"summary: {summarised - began:.1f} s, page: {done - summarised:.1f} s")
    print(f"page: {len(page) / 1e6:.2f} MB")
    if options.page:
        options.page.write_bytes(page)


if __name__ == "__main__":
    main()
