"""A job on a queue: recorded while a client asks for its state, replayed where it takes longer, and
where it never ends."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest

from pytest_loadtool import record
from pytest_loadtool.casefile import read_case
from pytest_loadtool.engine.functional import replay_once
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.flow import Until
from pytest_loadtool.model.validator import JsonValidator
from pytest_loadtool.replay import compile_case
from tests.applications.serving import serving
from tests.observed import Observed
from tests.ports import free_port
from tests.unheard import unheard

_SERVED = Path(__file__).parent / "served"

CLIENT = """
import sys, time, httpx
with httpx.Client(base_url=sys.argv[1]) as client:
    job = client.post("/jobs").json()
    while job["status"] != "finished":
        time.sleep(0.02)
        job = client.get(f"/jobs/{job['id']}").json()
    client.get(job["result"]["report"]).raise_for_status()
"""


@contextmanager
def jobs(state: Path, steps: int) -> Iterator[str]:
    """The application, whose jobs take so many questions."""
    state.mkdir(exist_ok=True)
    port = free_port()
    command = (sys.executable, str(_SERVED / "job_queue.py"), str(port))
    url, environment = f"http://127.0.0.1:{port}/openapi.json", {"JOB_STEPS": str(steps)}
    with serving(command, url, state=state, environment=environment):
        yield f"http://127.0.0.1:{port}"


def replayed(case: TestCase, url: str) -> tuple[Counter[str], list[str]]:
    """How often each request was sent, and what failed."""
    observed = Observed()
    plan = compile_case(case, server=url)
    replay_once(plan, observer=observed)
    asked = Counter(response.request.split(b" ")[0].decode() for response in observed.responses)
    return asked, [one.told for each in observed.failures for one in each]


@pytest.mark.slow
@pytest.mark.promise(140)
def test_a_job_that_takes_longer(tmp_path: Path) -> None:
    """Three times as long is green, since it is asked for until it is done. One that is never done
    is red, with what it was at last."""
    file = tmp_path / "jobs.case.toml"
    with unheard(), jobs(tmp_path / "one", 4) as url, record(file) as proxy:
        command = (sys.executable, "-c", CLIENT, url)
        subprocess.run(command, env={**os.environ, **proxy.environment}, check=True, timeout=120)
    case = read_case(file)
    [flow] = case.flows.values()
    assert isinstance(flow.rule, Until)
    assert flow.rule.check == JsonValidator("$.status", "finished")
    titles = [one.request.target for one in case.transactions()]
    assert titles == ["/jobs", "/jobs/${job_id[1]}", "/reports/${report_id[1]}"]
    with jobs(tmp_path / "two", 12) as url:
        asked, failed = replayed(case, url)
        assert failed == []
        assert asked["POST"] == 1
        assert asked["GET"] >= 12 + 1
    never = replace(flow, rule=replace(flow.rule, limit=0.5))
    case = replace(case, flows=MappingProxyType({flow.name: never}))
    with jobs(tmp_path / "three", 10**9) as url:
        _, failed = replayed(case, url)
        assert re.fullmatch(
            r"Flow 'status is finished' has not ended within 0\.5 s: "
            r"\$\.status is (queued|running), expected finished",
            failed[0],
        )
