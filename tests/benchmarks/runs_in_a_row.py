"""What load tests in a row leave on one Dask cluster, beside plain tasks of as many bytes.

    python -m tests.benchmarks.runs_in_a_row [--runs 10] [--seconds 8] [--trace]

Starts a cluster with two workers, and runs a load test on it so many times, each by a pytest of its
own; then, on a fresh cluster, as many tasks that are none of ours: each has a client of its own,
takes as long, and carries as many messages of the same size over two queues. Prints what the
workers and the scheduler then have more than after the first two runs, for each run: objects, and
what is resident, which is printed after each run, too. With --trace (tracemalloc, which takes
memory of its own) also what of all that was allocated is still there, and what of that by code of
this package or by what it called. Settings of Dask are heeded, such as
DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED=False.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.fleet.clusters import Cluster, cluster
from tests.plugin.loading import Project, load
from tests.plugin.serving import case, serving

#: Runs after which all is imported, and caches are as full as they become.
_FIRST = 2

#: Two tasks of a client that comes and goes, with about as many bytes as a share of the load test
#: here: its bundle, an order each five seconds and a report each second.
_PLAIN = """
import sys, time
from distributed import Client, Queue

def work(bundle, told, orders, seconds):
    import time
    from distributed import Queue
    told, orders = Queue(told), Queue(orders)
    orders.get()
    for _ in range(seconds):
        time.sleep(1)
        told.put(b"." * 3000)
    orders.get()

client = Client(sys.argv[1], set_as_default=False)
name = "plain-%d" % time.time_ns()
told = Queue(name, client=client)
orders = [Queue(name + "-%d" % n, client=client) for n in range(2)]
tasks = [
    client.submit(work, b"." * 6000, name, one.name, int(sys.argv[2]), workers=[worker], pure=False)
    for one, worker in zip(orders, client.scheduler_info()["workers"])
]
for one in orders:
    one.put(b"." * 200)
for _ in range(2 * int(sys.argv[2])):
    told.get()
for one in orders:
    one.put(b"." * 200)
client.gather(tasks)
for one in (told, *orders):
    one.close()
client.close()
"""


def measured(of: str, trace: bool) -> dict[str, float]:
    """Return the kB of this process, with ``trace`` those allocated since the first call, too; runs
    in workers and the scheduler, so all of it is in here."""
    import ctypes
    import gc
    import tracemalloc
    from pathlib import Path

    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)  # what is free is not held
    resident = Path("/proc/self/status").read_text(encoding="ascii").partition("VmRSS:")[2]
    found = {"objects": len(gc.get_objects()), "resident": float(resident.split()[0])}
    if not trace:
        return found
    if not tracemalloc.is_tracing():
        tracemalloc.start(12)
    ours = every = 0
    places: dict[str, int] = {}
    for block in tracemalloc.take_snapshot().traces:
        every += block.size
        names = [frame.filename for frame in block.traceback]
        if own := [name for name in names if of in name]:
            ours += block.size
        elif any("tracemalloc" in name for name in names):
            continue
        last = [*(own or [name for name in names if "/distributed/" in name]), "elsewhere"]
        place = "/".join((last[-2] if len(last) > 1 else last[0]).rsplit("/", 2)[-2:])
        places[place] = places.get(place, 0) + block.size
    found |= {"traced": every / 1024, "ours": ours / 1024}
    return found | {place: size / 1024 for place, size in places.items() if size > 1024}


def on_cluster(found: Cluster, trace: bool) -> dict[str, dict[str, float]]:
    """Return `measured` of each worker and of the scheduler."""
    with found.client() as client:
        each: dict[str, Any] = client.run(measured, "/pytest_loadtool/", trace)
        each = dict(zip(("worker 1", "worker 2"), (each[one] for one in sorted(each)), strict=True))
        return each | {"scheduler": client.run_on_scheduler(measured, "/pytest_loadtool/", trace)}


def in_a_row(runs: int, trace: bool, what: str, run: Callable[[Cluster], None]) -> None:
    """Do it on a cluster of its own, and print."""
    with tempfile.TemporaryDirectory() as folder, cluster(Path(folder)) as two:
        seen = []
        for number in range(_FIRST + runs):
            run(two)
            if number + 1 == _FIRST:
                on_cluster(two, trace)  # which has to be imported there, too
            if number + 1 >= _FIRST:
                seen.append(on_cluster(two, trace))
        first, last = seen[0], seen[-1]
    print(f"\n{what}: a run leaves, of {runs}, in kB", flush=True)
    for who, then in last.items():
        more = {name: (value - first[who].get(name, 0.0)) / runs for name, value in then.items()}
        rest = sorted(((one, name) for name, one in more.items()), reverse=True)
        own = [name for name in ("objects", "resident", "traced", "ours") if name in then]
        print(f"  {who}: " + ", ".join(f"{name} {more[name]:.1f}" for name in own))
        print("    resident: " + " ".join(f"{one[who]['resident']:,.0f}" for one in seen))
        files = [f"{name} {one:.1f}" for one, name in rest if name not in own and one >= 0.5]
        if files:
            print(f"    by file: {', '.join(files)}", flush=True)


def main() -> None:
    """Measure both."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--seconds", type=int, default=8)
    parser.add_argument("--trace", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, serving() as server:
        folder = Path(name)
        text = case(server.url, "GET /first", page='First"\nthink_time = "200ms')
        (folder / "shop.case.toml").write_text(text, encoding="utf-8")
        more = 'think_time = "recorded"'
        text = load("shop.case.toml", users=6, duration=f"{options.seconds}s", more=more)
        (folder / "rush.load.toml").write_text(text, encoding="utf-8")
        project = Project(folder)

        def ours(two: Cluster) -> None:
            with project.running("--load", "--load-on", two.url) as running:
                said, _ = running.communicate(timeout=300)
            assert "load test results" in said, said

        def plain(two: Cluster) -> None:
            command = [sys.executable, "-c", _PLAIN, two.address, str(options.seconds)]
            subprocess.run(command, check=True, timeout=300)

        in_a_row(options.runs, options.trace, "load tests", ours)
        in_a_row(options.runs, options.trace, "plain tasks", plain)


if __name__ == "__main__":
    main()
