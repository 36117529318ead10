"""What a long run with many transactions costs whoever merges it, and how large its page is.

    python -m tests.load.long_run [--transactions 700] [--minutes 60] [--rate 1000] [--page FILE]
                                  [--workers 2]

Workers that never ran report each second to a merger, as real ones do. Prints the memory that the
process took more (its resident set), processor time, and what the page of the run takes.
"""

from __future__ import annotations

import argparse
import gc
import json
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

from pytest_loadtool.load import Merger, PageKey, Share, TransactionKey, Verdict, summarise
from pytest_loadtool.load.metrics import reports
from pytest_loadtool.load.metrics.metrics import LoadMetrics
from pytest_loadtool.model.load import CaseShare, LoadConfiguration
from pytest_loadtool.report.html.load import load_page, run_data


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


def slices(random: Random, second: int, transactions: int, each: float) -> Iterator[list[Any]]:
    """What a worker's transactions did in a second: ``each`` requests on average."""
    for index in range(transactions):
        count = int(each) + (random.random() < each % 1)
        if not count:
            continue
        typical = 8_000 + 400 * (index % 200)
        values = [max(1024, int(random.lognormvariate(0, 0.6) * typical)) for _ in range(count)]
        errors = int(index % 50 == 7 and random.random() < 0.2)
        first = times_wire([max(1024, value * 8 // 10) for value in values])
        wire = [
            [[200], [count]], errors, [4000 * count, 600 * count], [0],
            first, times_wire(values), times_wire([value + 30 for value in values]),
        ]  # fmt: skip
        yield [second, index, wire]


def report_of(metrics: LoadMetrics) -> dict[str, Any]:
    """A report with nothing in it."""
    return dict(json.loads(b"".join(reports.Reporter(metrics).report())))


def resident() -> float:
    """MB of this process that are in memory."""
    gc.collect()
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


def main() -> None:
    """Merge, and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--transactions", type=int, default=700)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rate", type=float, default=1000.0, help="requests/s of all together")
    parser.add_argument("--page", type=Path)
    options = parser.parse_args()
    random, many = Random(1), options.transactions
    names = [f"POST /api/v2/orders/{number}/items" for number in range(many)]
    pages = [PageKey("Shop", f"Page {number}") for number in range(max(1, many // 20))]
    keys = [
        TransactionKey("Shop", pages[n % len(pages)].name, name) for n, name in enumerate(names)
    ]
    empty = report_of(LoadMetrics(keys, pages, ["Shop"]))
    before, began = resident(), time.process_time()
    workers = [f"gw{number}" for number in range(options.workers)]
    merger = Merger(workers)
    for number, worker in enumerate(workers):
        merger.started(worker, Share(number, len(workers)))
    seconds, each = int(options.minutes * 60), options.rate / many / len(workers)
    merging = 0.0
    for second in range(seconds):
        for worker in workers:
            told = list(slices(random, second, many, each))
            counts = [(sum(wire[0][1]), wire[1], wire[6][0], wire[6][2]) for *_, wire in told]
            requests, errors, sums, longest = zip(*counts, strict=True)
            late = times_wire([int(1100 / (1 - random.random()) ** 0.4) for _ in range(50)])
            report = empty | {
                "slices": told,
                "beats": [[second, 100, 3, 400_000, late, {"status": sum(errors)}]],
                "timeline": [
                    [1],
                    [second, sum(requests), sum(errors), 100, sum(sums), max(longest)],
                ],
                "elapsed_us": 1_000_000 * (second + 1),
                "second": second,
                "lateness": late,
            }
            content = json.dumps(report).encode()
            start = time.process_time()
            merger.receive(worker, "snapshot", content)
            merging += time.process_time() - start
        start = time.process_time()
        merger.merged()
        merging += time.process_time() - start
    result = merger.result()
    made = result.metrics.requests
    print(f"{options.workers} workers, {many} transactions, {seconds} s, {made:,} requests")
    del result
    print(f"memory of the merger: {resident() - before:.0f} MB")
    print(
        f"stretches: {len(merger.course.run)} of the run, {len(merger.course.of(0))} of the first"
    )
    print(f"merging: {merging / seconds * 1000:.1f} ms a second")
    result, began = merger.result(), time.process_time()
    plan = LoadConfiguration("long", (CaseShare("shop.case.toml"),), 200, float(seconds), 60.0)
    found = summarise(
        result.metrics, plan, result.workers, Verdict("passed"),
        started=datetime(2026, 1, 2, tzinfo=UTC), course=result.course,
    )  # fmt: skip
    summarised = time.process_time()
    page = load_page([run_data(found)])
    done = time.process_time()
    print(f"summary: {summarised - began:.1f} s, page: {done - summarised:.1f} s")
    print(f"page: {len(page) / 1e6:.2f} MB")
    if options.page:
        options.page.write_bytes(page)


if __name__ == "__main__":
    main()
