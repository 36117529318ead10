"""The main job on a real application with a real browser: record, replay, load."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from example_suite.server import ShopServer
from pytest_loadtool.casefile import read_case, save_case, save_load
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.load import CaseShare, LoadConfiguration

ROOT = Path(__file__).parents[2]

SCRIPT = """
record {url}/admin/
run {python} -m example_suite.record_admin {url}
stop
tree
configure
save
"""


def run_pytest(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A pytest run of its own in ``folder``, as a user starts it."""
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with ``admin.case.toml``: log in, edit and log out in Django's admin by Chromium."""
    folder = tmp_path_factory.mktemp("recorded")
    (folder / "pytest.ini").write_text("[pytest]\n")
    with ShopServer(folder / "first-server") as shop:
        (folder / "record.txt").write_text(SCRIPT.format(url=shop.url, python=sys.executable))
        done = run_pytest(folder, "--record", "admin.case.toml", "--record-script", "record.txt")
        assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.mark.alone
@pytest.mark.promise(1, 6, 8, 20, 48)
def test_the_recording_is_a_tree_of_named_pages(recorded: Path) -> None:
    """Pages are named by their titles and hold the document with its resources."""
    case = read_case(recorded / "admin.case.toml")
    names = [page.name for page in case.pages]
    assert names[0] == "Log in | Django site admin"
    assert any(
        name.startswith("Large teapot | Change product") or "Change product" in name
        for name in names
    )
    assert names[-1] == "Logged out | Django site admin"
    kinds = Counter(one.recorded.kind.value for one in case.transactions() if one.recorded)
    assert kinds["HTML"] >= 5
    assert kinds["CSS"] >= 1
    assert kinds["JavaScript"] >= 1


@pytest.mark.alone
@pytest.mark.promise(3, 65)
def test_replays_green_on_a_restarted_server(recorded: Path) -> None:
    """Another database, another secret key, another port: no edit is needed."""
    with ShopServer(recorded / "second-server") as shop:
        for _ in range(2):
            done = run_pytest(recorded, "admin.case.toml", "--loadtool-server", shop.url)
            assert done.returncode == 0, done.stdout
        requests = shop.requests()
    case = read_case(recorded / "admin.case.toml")
    assert len(requests) == 2 * len(list(case.transactions()))


@pytest.mark.alone
@pytest.mark.promise(3, 127, 128, 129, 130)
def test_loads_with_twenty_users(recorded: Path) -> None:
    """No errors in five seconds over two workers, and the report counts what the server logged."""
    configuration = LoadConfiguration(
        "admin", (CaseShare("admin.case.toml"),), users=20, duration=5.0, ramp_up=1.0
    )
    save_load(recorded / "admin.load.toml", configuration)
    with ShopServer(recorded / "third-server") as shop:
        done = run_pytest(
            recorded, "--load", "-n", "2", "--load-json", "load.json", "--loadtool-server", shop.url
        )
        assert done.returncode == 0, done.stdout + done.stderr
        logged = shop.requests()
    report = json.loads((recorded / "load.json").read_text())["runs"][0]
    totals = report["totals"]
    assert report["verdict"] == "passed"
    assert totals["errors"] == 0
    assert totals["requests"] == len(logged)
    assert totals["status"] == Counter(line.rpartition(" ")[2] for line in logged)
    assert sum(one["requests"] for one in report["transactions"]) == totals["requests"]
    assert len(report["workers"]) == 2
    assert "requests/second" in done.stdout or "requests/s" in done.stdout


def undone(case: TestCase) -> TestCase:
    """The case with its correlation undone: every extracted value is the recorded constant."""
    constants = {
        name: dataclasses.replace(one, value=one.recorded, recorded=None, set_by="person", rule="")
        for name, one in case.variables.items()
    }
    pages = tuple(
        dataclasses.replace(
            page,
            transactions=tuple(
                dataclasses.replace(one, extractors=()) for one in page.transactions
            ),
        )
        for page in case.pages
    )
    return dataclasses.replace(case, pages=pages, variables=constants)


@pytest.mark.parametrize(("name", "status"), [("admin", 403), ("api", 401)])
def test_the_committed_cases_fail_without_their_correlation(
    name: str, status: int, tmp_path: Path
) -> None:
    """With the recorded token in place of the extracted one the application refuses."""
    case = read_case(ROOT / "example_suite" / "cases" / f"{name}.case.toml")
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    save_case(
        tmp_path / "undone.case.toml",
        dataclasses.replace(undone(case), server_fixture="", server="http://127.0.0.1:1"),
    )
    with ShopServer(tmp_path / "server") as shop:
        done = run_pytest(tmp_path, "undone.case.toml", "--loadtool-server", shop.url)
    assert done.returncode == 1
    assert f"Status Code is {status}" in done.stdout
