"""The programs that compete: each does a work with so many users, and has a rate in the end."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.benchmarks.environments import locust, our_python, program
from tests.benchmarks.servers import CLIENT_CORE, Site
from tests.benchmarks.works import write_load, write_locustfile, write_wrk_script

__all__ = ["CONTENDERS", "Job", "load_command", "pinned"]


@dataclass(frozen=True, slots=True)
class Job:
    """A work (see works.py) for so many users and seconds."""

    site: Site
    folder: Path
    work: str
    users: int
    seconds: int
    tls: bool = False

    @property
    def url(self) -> str:
        """The server's."""
        return self.site.tls_url if self.tls else self.site.url


def pinned(command: list[str]) -> list[str]:
    """The command on the clients' core."""
    return [program("taskset"), "-c", CLIENT_CORE, *command]


def load_command(build: str, load: Path, result: Path) -> list[str]:
    """A load test as a user starts one."""
    return pinned(
        [our_python(build), "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir",
         str(load.parent), "--load", "--load-json", str(result), str(load)]
    )  # fmt: skip


def _output(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def _loadtool(build: str) -> Callable[[Job], float]:
    def run(job: Job) -> float:
        load = write_load(job.folder, job.work, job.url, job.users, job.seconds, "")
        result = job.folder / "result.json"
        result.unlink(missing_ok=True)
        output = _output(load_command(build, load, result), job.folder)
        runs = json.loads(result.read_text())["runs"] if result.exists() else [{"totals": {}}]
        totals: dict[str, Any] = runs[0]["totals"]
        if not totals.get("requests") or totals["errors"]:
            raise SystemExit(f"errors in our own run:\n{output}")
        return float(totals["throughput_rps"])

    return run


def _locust(job: Job) -> float:
    """FastHttpUser; measured from when all users are there, and certificates are not verified."""
    stats = job.folder / "locust.json"
    stats.unlink(missing_ok=True)
    command = [locust(), "-f", str(write_locustfile(job.folder)), job.work, "--headless",
               "-u", str(job.users), "-r", str(job.users), "-t", f"{job.seconds}s", "-H", job.url,
               "--reset-stats", "--only-summary",
               "--json-file", str(stats.with_suffix(""))]  # fmt: skip
    output = _output(pinned(command), job.folder)
    entries = json.loads(stats.read_text()) if stats.exists() else []
    requests = sum(entry["num_requests"] for entry in entries)
    if not requests or any(entry["num_failures"] for entry in entries):
        raise SystemExit(f"errors in Locust's run:\n{output}")
    first = min(entry["start_time"] for entry in entries)
    last = max(entry["last_request_timestamp"] for entry in entries)
    return float(requests / (last - first))


def _wrk(job: Job) -> float:
    command = [program("wrk"), "-t", "1", "-c", str(job.users), "-d", f"{job.seconds}s"]
    if job.work == "B":
        command += ["-s", str(write_wrk_script(job.folder)), job.url]
    else:
        command.append(f"{job.url}/plain")
    output = _output(pinned(command), job.folder)
    return _rate(output, r"Requests/sec:\s+([\d.]+)", r"Non-2xx|Socket errors")


def _hey(job: Job) -> float:
    command = [program("hey"), "-cpus", "1", "-c", str(job.users), "-z", f"{job.seconds}s"]
    output = _output(pinned([*command, f"{job.url}/plain"]), job.folder)
    wrong = r"\[[1345]\d\d\]\s+\d+ responses|Error distribution"
    return _rate(output, r"Requests/sec:\s+([\d.]+)", wrong)


def _rate(output: str, rate: str, wrong: str) -> float:
    found = re.search(rate, output)
    if found is None or re.search(wrong, output):
        raise SystemExit(f"errors in a run:\n{output}")
    return float(found[1])


#: Requests per second of a job, by the name of who does it. ``loadtool`` is the compiled build.
CONTENDERS: dict[str, Callable[[Job], float]] = {
    "loadtool": _loadtool("compiled"),
    "pure": _loadtool("pure"),
    "locust": _locust,
    "wrk": _wrk,
    "hey": _hey,
}
