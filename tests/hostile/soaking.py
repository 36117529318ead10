"""A load test of a server with every fault, and what has to be true of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.hostile.faulty import FAULTS
from tests.plugin.loading import Project, children
from tests.ports import free_port

__all__ = ["Soaked", "complaints", "soak"]

_PAGES = 10
#: Seconds. All else is answered at once.
_TIMEOUT = 2.0
_PAGE = """
[[page]]
name = "Page {number}"
think_time = "{pause}ms"

[[page.transaction]]
request = "GET /{number}"
validators = [{{ json = "$.ok", equals = true }}]
"""
_LOAD = """format = 1
name = "Soak"
users = {users}
{length}
timeout = "{timeout}s"

[[case]]
file = "faulty.case.toml"
weight = {most}

[[case]]
file = "refused.case.toml"
weight = {few}
"""


@dataclass(frozen=True)
class Soaked:
    """What was seen of it: the exit status and the words of pytest, the numbers in its JSON, how
    often the server has given which answer, and the resident memory (bytes) of each worker, every
    second."""

    status: int
    text: str
    data: dict[str, Any]
    given: dict[str, int]
    memory: dict[int, list[int]]


def soak(folder: Path, *, users: int, length: str, pause: int, workers: int = 2) -> Soaked:
    """Run it in ``folder``.

    ``length`` is a line of the load configuration, its duration or iterations; ``pause`` is the
    think time in milliseconds.
    """
    project = Project(folder)
    few = max(1, users // 100)
    with _faulty() as server:
        port = _port(server)
        project.write(
            faulty__case__toml=_case("Faulty", port, pause),
            refused__case__toml=_case("Refused", free_port(), pause),
            soak__load__toml=_LOAD.format(
                users=users, length=length, timeout=_TIMEOUT, most=users - few, few=few
            ),
        )
        arguments = ("--load", "--load-json", "out.json", "-n", str(workers))
        output = folder / "out.txt"
        memory: dict[int, list[int]] = {}
        with output.open("w") as sink:
            process = subprocess.Popen(
                project.command(*arguments),
                cwd=folder,
                env=project.environment(),
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=subprocess.STDOUT,
            )
            while process.poll() is None:
                _sample(process.pid, memory)
                time.sleep(1)
        told, _ = server.communicate(timeout=30)
    data = project.json() if (folder / "out.json").exists() else {}
    return Soaked(process.returncode, output.read_text(), data, json.loads(told), memory)


def _case(name: str, port: int, pause: int) -> str:
    pages = (_PAGE.format(number=number, pause=pause) for number in range(_PAGES))
    return f'format = 1\nname = "{name}"\nserver = "http://127.0.0.1:{port}"\n' + "".join(pages)


@contextmanager
def _faulty() -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.hostile.faulty"],
        cwd=Path(__file__).parents[2],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def _port(server: subprocess.Popen[str]) -> int:
    assert server.stdout is not None
    return int(server.stdout.readline())


def _sample(controller: int, memory: dict[int, list[int]]) -> None:
    try:
        for pid in children(controller):
            pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
            pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
            if pages:  # none when it has ended, and nobody has asked how
                memory.setdefault(pid, []).append(pages * os.sysconf("SC_PAGE_SIZE"))
    except OSError:
        pass  # it has just ended


def complaints(soaked: Soaked) -> list[str]:
    """What is not as it has to be; nothing if all is well."""
    return [*_of_verdict(soaked), *(_of_counts(soaked) if soaked.data else ())]


def _of_verdict(soaked: Soaked) -> Iterator[str]:
    if soaked.status != 1:
        yield f"pytest ended with {soaked.status}, not 1:\n{soaked.text}"
    if "Traceback" in soaked.text:
        yield f"there is a traceback:\n{soaked.text}"
    if not soaked.data:
        yield "there are no results"
        return
    verdict, reasons = soaked.data["verdict"], soaked.data["reasons"]
    if verdict != "failed" or len(reasons) != 1 or "error rate" not in reasons[0]:
        yield f"the verdict is {verdict}, because of {reasons}, and not of the error rate alone"
    for worker in soaked.data["workers"]:
        if worker["state"] != "final":
            yield f"worker {worker['name']} is {worker['state']}: {worker['text']}"


def _of_counts(soaked: Soaked) -> Iterator[str]:
    data = soaked.data
    retried = data["connections"]["retried"]
    counted: Counter[str] = Counter()
    for error in data["errors"]:
        counted[error["cause"]] += error["count"]
    refused = counted.pop("connect", 0)
    if not refused:
        yield "no connection was refused"
    asked = sum(soaked.given.values())
    requests = data["totals"]["requests"]
    if asked != requests - refused + retried:
        yield (
            f"the server was asked {asked} times; counted are {requests} requests, {refused} of "
            f"them refused connections, and {retried} sent again"
        )
    given: Counter[str] = Counter()
    for name, fault in FAULTS.items():
        given[fault.cause] += soaked.given.get(name, 0)
        if not soaked.given.get(name):
            yield f"the server never gave: {name}"
    del given[""]
    given["reset"] -= retried  # those of which nothing had come on a connection used before
    if given != counted:
        yield f"the server gave {dict(given)}, counted are {dict(counted)}"
    if data["other_errors"] or data["totals"]["cut_requests"]:
        yield f"{data['other_errors']} other errors, {data['totals']['cut_requests']} cut requests"
