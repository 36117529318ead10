"""A whole load test against a server with every fault, as a user runs it."""

from __future__ import annotations

import pytest

from tests.faults.server import by_path, serving
from tests.faults.test_responses import FAULTS
from tests.plugin.loading import Project, load
from tests.plugin.serving import case

#: Which fault each path has. Time-outs are few: each takes its time.
PATHS = {
    f"/{number}": fault
    for number, fault in enumerate(FAULTS.values())
    if fault.cause != "timeout" or fault is FAULTS["silence in the body"]
}


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["here", "two workers"])
def test_every_fault(project: Project, workers: tuple[str, ...]) -> None:
    """The run ends by itself; each transaction's requests and errors are what the server logged,
    with one error each and the first example, however many workers met it."""
    with serving(by_path({path: fault.answer for path, fault in PATHS.items()})) as server:
        project.write(
            faults__case__toml=case(server.http, *(f"GET {path}" for path in PATHS), "GET /well"),
            rush__load__toml=load("faults.case.toml", more='timeout = "5s"\ngrace = "60s"'),
        )
        done = project.run("--load", "--load-json", "out.json", *workers)
    assert done.returncode == 1, done.stdout
    assert "Traceback" not in done.stdout
    assert "load test failed: error rate" in done.stdout

    data = project.json()
    assert data["totals"]["cut_requests"] == 0
    counted = {one["name"]: one["requests"] for one in data["transactions"]}
    assert counted == server.counts
    assert data["totals"]["status"] == {
        "200": counted["GET /well"],
        "0": data["totals"]["errors"],
    }
    errors = {one["transaction"]: one for one in data["errors"]}
    assert len(errors) == len(data["errors"]) == len(PATHS)
    for path, fault in PATHS.items():
        error = errors[f"GET {path}"]
        assert (error["cause"], error["count"]) == (fault.cause, counted[f"GET {path}"])
        assert fault.says in error["message"]
        assert error["example"] == f"GET {path}: no response"
    assert {one["cause"] for one in data["errors"]} == {"reset", "protocol", "timeout"}
