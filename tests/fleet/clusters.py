"""Dask clusters of this machine: a scheduler and workers, each a process as people start them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from distributed import Client

from tests.plugin.loading import wait_until

#: Makes the clock of a process that has it on its path five minutes fast.
FAST_CLOCK = """
import time
_right = time.time
time.time = lambda: _right() + 300
"""


@dataclass
class Cluster:
    """A running cluster, and its processes by name."""

    url: str
    scheduler: subprocess.Popen[bytes]
    workers: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def left(self) -> Any:
        """What is on the scheduler: tasks and queues."""

        def look(dask_scheduler: Any) -> Any:
            queues = dask_scheduler.extensions["queues"]
            return [*dask_scheduler.tasks, *queues.queues, *queues.client_refcount]

        with Client(self.url.replace("dask://", "tcp://"), set_as_default=False) as client:
            return client.run_on_scheduler(look)


@contextmanager
def cluster(
    folder: Path, workers: Mapping[str, Mapping[str, str]] = {"east": {}, "west": {}}
) -> Iterator[Cluster]:
    """A scheduler and ``workers``: by their names, what is in their environment besides."""
    where = folder / "scheduler.json"
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1"]
    scheduler = _process(
        [*command, "--port", "0", "--no-dashboard", "--scheduler-file", str(where)], folder, {}
    )
    processes = [scheduler]
    try:
        wait_until(lambda: where.exists() and where.read_text(encoding="utf-8").endswith("}"), 60)
        address = json.loads(where.read_text(encoding="utf-8"))["address"]
        found = Cluster(address.replace("tcp://", "dask://"), scheduler)
        for name, more in workers.items():
            command = [sys.executable, "-m", "distributed.cli.dask_worker", address]
            options = ["--name", name, "--nthreads", "1", "--no-dashboard", "--no-nanny"]
            found.workers[name] = _process([*command, *options], folder, more)
            processes.append(found.workers[name])
        with Client(address, set_as_default=False) as client:
            client.wait_for_workers(len(workers), timeout=60)
        yield found
    finally:
        for one in processes:
            one.kill()
            one.wait()


def _process(command: list[str], folder: Path, more: Mapping[str, str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command,
        cwd=folder,
        env=os.environ | more,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
