"""Dask clusters of this machine: a scheduler and workers, each a process as people start them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
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

#: Makes its shares begin a second after they are told, at least: later than they should.
LATE_START = """
import gc
_collect = gc.collect
gc.collect = lambda *many: (time.sleep(1.1), _collect(*many))[1]
"""


@dataclass(frozen=True, slots=True)
class Place:
    """Where and how one process of a cluster runs: what its command begins with, which options it
    has, what is in its environment besides, which Python it is."""

    before: Sequence[str] = ()
    options: Sequence[str] = ("--no-nanny",)
    environment: Mapping[str, str] = field(default_factory=dict)
    python: str = sys.executable


@dataclass
class Cluster:
    """A running cluster, and its processes by name."""

    address: str
    folder: Path
    scheduler: subprocess.Popen[bytes]
    workers: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def url(self) -> str:
        """What ``--load-on`` takes."""
        return self.address.replace("tcp://", "dask://").replace("tls://", "dask+tls://")

    def start(self, name: str, place: Place = Place()) -> subprocess.Popen[bytes]:
        """One more worker."""
        module = "distributed.cli.dask_worker"
        options = ["--name", name, "--nthreads", "1", "--no-dashboard", *place.options]
        process = started(module, [self.address, *options], self.folder, place)
        self.workers[name] = process
        return process

    def wait_for(self, workers: int) -> None:
        """Wait until there are so many workers."""
        with self.client() as client:
            client.wait_for_workers(workers, timeout=60)

    def client(self) -> Client:
        """Somebody who looks."""
        return Client(self.address, set_as_default=False)

    def left(self) -> Any:
        """What is on the scheduler: tasks and queues."""

        def look(dask_scheduler: Any) -> Any:
            queues = dask_scheduler.extensions["queues"]
            return [*dask_scheduler.tasks, *queues.queues, *queues.client_refcount]

        with self.client() as client:
            return client.run_on_scheduler(look)


@contextmanager
def cluster(
    folder: Path,
    workers: Mapping[str, Place] = {"east": Place(), "west": Place()},
    at: Place = Place(options=("--host", "127.0.0.1")),
) -> Iterator[Cluster]:
    """A scheduler and ``workers`` by their names; ``at`` is where the scheduler is."""
    where = folder / "scheduler.json"
    options = ["--port", "0", "--no-dashboard", "--scheduler-file", str(where), *at.options]
    scheduler = started("distributed.cli.dask_scheduler", options, folder, at)
    found = Cluster("", folder, scheduler)
    try:
        wait_until(lambda: where.exists() and where.read_text(encoding="utf-8").endswith("}"), 60)
        found.address = json.loads(where.read_text(encoding="utf-8"))["address"]
        for name, place in workers.items():
            found.start(name, place)
        found.wait_for(len(workers))
        yield found
    finally:
        for one in (scheduler, *found.workers.values()):
            with suppress(ProcessLookupError):  # its group: a nanny's worker, too
                os.killpg(one.pid, signal.SIGKILL)
            one.wait()


def started(
    module: str, options: Sequence[str], folder: Path, place: Place
) -> subprocess.Popen[bytes]:
    """A process of a cluster, in a group of its own."""
    return subprocess.Popen(
        [*place.before, place.python, "-m", module, *options],
        cwd=folder,
        env=os.environ | place.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
