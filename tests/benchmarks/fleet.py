"""What users cost a fleet, as its shares become more: memory and processor time of each share.

    python -m tests.benchmarks.fleet [--shares 1 2 4 8] [--users 10000] [--seconds 60]

Starts nginx and a Dask cluster of so many worker processes on this machine, and a load test of so
many users for each share, who keep their connections open and ask for something small each 20 s.
Prints what a share takes of memory, with and without users, and of processor time for a request.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.fleet.clusters import Place, cluster
from tests.plugin.loading import Project, load
from tests.plugin.serving import case
from tests.ports import free_ports, wait_until_open

#: Of the server: from one machine there are 28,232 connections to each, as Linux comes.
_ADDRESSES = 4

_NGINX = """
daemon off; user root; worker_processes {processes}; pid nginx.pid; error_log error.log;
worker_rlimit_nofile 20000; events {{ worker_connections 19000; }}
http {{ access_log off; keepalive_timeout 600s; keepalive_requests 1000000;
server {{ {listen} location / {{ return 200 "well"; }} }} }}
"""


def resident(pid: int) -> float:
    """MB of a process that are in memory; none of one that has ended."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return int((status.partition("VmRSS:")[2].split() or ["0"])[0]) / 1024


@contextmanager
def server(folder: Path, shares: int) -> Iterator[list[int]]:
    """Yield the ports of an nginx with room for the connections of so many shares."""
    ports = free_ports(_ADDRESSES)
    listen = " ".join(f"listen 127.0.0.1:{port} backlog=4096;" for port in ports)
    text = _NGINX.format(processes=shares + 1, listen=listen)
    (folder / "nginx.conf").write_text(text, encoding="ascii")
    command = ["nginx", "-p", str(folder), "-e", "error.log", "-c", "nginx.conf"]
    with subprocess.Popen(command) as process:
        try:
            wait_until_open(ports, process, folder)
            yield ports
        finally:
            process.terminate()


def measure(shares: int, users: int, seconds: int) -> str:
    """Return a row of the table in docs/fleet.md."""
    with tempfile.TemporaryDirectory() as name:
        folder, tests = Path(name, "server"), Path(name, "tests")
        folder.mkdir()
        tests.mkdir()
        workers = {str(number): Place() for number in range(shares)}
        with server(folder, shares) as ports, cluster(folder, workers) as fleet:
            for number, port in enumerate(ports):
                page = 'Home"\nthink_time = "20s'
                text = case(f"http://127.0.0.1:{port}", "GET /", page=page)
                text += '[[page]]\nname = "Next"\n[[page.transaction]]\nrequest = "GET /next"\n'
                (tests / f"{number}.case.toml").write_text(text, encoding="ascii")
            cases = [f"{number}.case.toml" for number in range(_ADDRESSES)]
            more = f'ramp_up = "{seconds // 2}s"\nkeep_connections = true\n'
            text = load(*cases, users=users * shares, duration=f"{seconds}s", more=more)
            (tests / "rush.load.toml").write_text(text, encoding="ascii")
            pids = [one.pid for one in fleet.workers.values()]
            project, before = Project(tests), sum(map(resident, pids)) / shares
            most = leads = 0.0
            with project.running("--load", "--load-json=out.json", "--load-on", fleet.url) as run:
                while run.poll() is None:
                    most = max(most, sum(map(resident, pids)) / shares)
                    if Path(f"/proc/{run.pid}/status").exists():
                        leads = max(leads, resident(run.pid))
                    time.sleep(1)
                said, _ = run.communicate(timeout=60)
            if not (tests / "out.json").exists():
                return said
            found = json.loads((tests / "out.json").read_text(encoding="utf-8"))["runs"][0]
    requests, errors = found["totals"]["requests"], found["totals"]["errors"]
    cpu = sum(one["cpu"] for one in found["workers"]) * found["totals"]["duration_s"]
    return (
        f"| {shares} | {users * shares:,} | {requests:,} ({errors:,} failed) | {before:.0f} MB | "
        f"{most:.0f} MB | {(most - before) * 1024 / users:.1f} KB | "
        f"{1e6 * cpu / requests:.0f} us | {leads:.0f} MB |"
    )


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--shares", type=int, nargs="+", default=[1, 2, 4, 8])
    parser.add_argument("--users", type=int, default=10_000)
    parser.add_argument("--seconds", type=int, default=60)
    options = parser.parse_args()
    print("| shares | users | requests | idle | most | a user | a request | who leads |")
    for shares in options.shares:
        print(measure(shares, options.users, options.seconds), flush=True)


if __name__ == "__main__":
    main()
