"""What a worker's numbers take in memory over a long run: ``python -m tests.benchmarks.worker``.

A worker's metrics are recorded and reported as in a load test, second by second, without sockets:
an hour takes as long as recording does.
"""

from __future__ import annotations

import argparse
from random import Random
from time import process_time

from pytest_loadtool.load.metrics import reports
from pytest_loadtool.load.metrics.metrics import LoadMetrics
from tests.benchmarks.merging import keys_of, resident


def record_second(metrics: LoadMetrics, random: Random, rate: int, transactions: int) -> None:
    """Record a second's requests: times as of a server that is mostly quick, and now and then
    slow."""
    for _ in range(rate):
        took = int(4_000 / (1 - random.random()) ** 0.6)
        metrics.record(random.randrange(transactions), 200, took, took + 30, took - 20, 4000, 600)
    metrics.elapsed_us += 1_000_000
    metrics.begin_second(metrics.second + 1)


def main() -> None:
    """Record, and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--transactions", type=int, default=700)
    parser.add_argument("--seconds", type=int, default=3600)
    parser.add_argument("--rate", type=int, default=500, help="requests/s of the worker")
    options = parser.parse_args()
    random, metrics = Random(1), keys_of(options.transactions)
    before, reporter, reporting = resident(), reports.Reporter(metrics), 0.0
    for second in range(options.seconds):
        record_second(metrics, random, options.rate, options.transactions)
        began = process_time()
        size = len(b"".join(reporter.report()))
        reporting += process_time() - began
        if second + 1 in {1, 60, 600, options.seconds} or (second + 1) % 900 == 0:
            more = resident() - before
            print(f"after {second + 1:5,} s: {more:.1f} MB, a report of {size / 1000:.0f} kB")
    print(f"a report took {reporting / options.seconds * 1000:.1f} ms of processor time")


if __name__ == "__main__":
    main()
