"""Starts the server that keeps books, and makes load on it."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pytest_loadtool.load import LoadMetrics
from pytest_loadtool.load.metrics.course import RunCourse
from pytest_loadtool.model.case import Page, Request, TestCase, Transaction
from pytest_loadtool.model.load import CaseShare, LoadConfiguration
from pytest_loadtool.model.tls import TlsSettings
from pytest_loadtool.replay import compile_case
from tests.observed import run_load

__all__ = ["Bookkeeper", "Probe", "bookkeeping", "made"]


@dataclass
class Bookkeeper:
    """The server's address and, once it has ended, its books."""

    url: str
    books: dict[str, Any] = field(default_factory=dict)


@contextmanager
def bookkeeping(**plan: object) -> Iterator[Bookkeeper]:
    """The server of ``server.py``, with its books filled in at the end."""
    process = subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("server.py")), json.dumps(plan)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        scheme = "https" if "certificate" in plan else "http"
        keeper = Bookkeeper(f"{scheme}://127.0.0.1:{int(process.stdout.readline())}")
        yield keeper
        output, _ = process.communicate(timeout=120)
        keeper.books = json.loads(output)
    finally:
        process.kill()
        process.communicate()


def made(
    keeper: Bookkeeper, requests: int = 1, course: RunCourse | None = None, **changes: Any
) -> LoadMetrics:
    """The metrics of a load on it, of pages with so many requests; ``course`` is told of it."""
    transactions = tuple(Transaction(Request("GET", f"/{n}")) for n in range(requests))
    case = TestCase("case", (Page("page", transactions),), keeper.url)
    plan = compile_case(replace(case, tls=TlsSettings(verify=False)))
    settings: dict[str, Any] = {"users": 1, "duration": 1.0} | changes
    configuration = LoadConfiguration("truth", (CaseShare("case.case.toml"),), **settings)
    return run_load(plan, configuration, course=course)


class Probe:
    """Notes how late this process is, while the block runs: what a busy machine does to it."""

    def __init__(self) -> None:
        self.late_us: list[int] = []
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._note, daemon=True)

    def __enter__(self) -> Probe:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _note(self) -> None:
        asleep = time.perf_counter()
        while not self._over.wait(0.002):
            awake = time.perf_counter()
            self.late_us.append(int((awake - asleep - 0.002) * 1e6))
            asleep = time.perf_counter()
